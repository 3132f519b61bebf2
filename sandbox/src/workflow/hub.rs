//! Notifies subscribers of changes of workflows.

use std::sync::Arc;

use tokio::sync::{broadcast, watch};

use super::{Event, Workflow};
use crate::fault::EventFaults;

/// The number of notices that a slow subscriber may lag behind before it misses some.
const CAPACITY: usize = 4096;

/// An event, and the workflow at that moment.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) event: Event,
}

/// The channels that subscribers receive from.
#[derive(Debug)]
pub(crate) struct Hub {
    sender: broadcast::Sender<Notice>,
    faults: Arc<EventFaults>,
    touched: watch::Sender<()>,
}

impl Notice {
    /// The notice of the last event.
    pub(crate) fn from_workflow(workflow: &Workflow) -> Option<Self> {
        let event = workflow.events.last()?.clone();
        Some(Self { workflow: Arc::new(workflow.clone()), event })
    }
}

impl Hub {
    pub(crate) fn new(faults: Arc<EventFaults>) -> Self {
        Self { sender: broadcast::Sender::new(CAPACITY), faults, touched: watch::Sender::default() }
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.sender.subscribe()
    }

    /// Subscribes to the fact that some workflow has begun or changed; faults do not affect it.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.touched.subscribe()
    }

    pub(crate) fn touch(&self) {
        self.touched.send_replace(());
    }

    /// Sends each notice once, or as often as the faults demand: never, or twice.
    pub(crate) fn publish(&self, notices: Vec<Notice>) {
        for notice in notices {
            for _ in 0..self.faults.copies() {
                // An error means that there is no receiver.
                let _ = self.sender.send(notice.clone());
            }
        }
    }
}
