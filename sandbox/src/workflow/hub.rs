//! Tells subscribers what happens to workflows.

use std::sync::Arc;

use tokio::sync::{broadcast, watch};

use super::{Event, EventFaults, Workflow};

/// How many notices a slow subscriber may lag behind before it misses some.
const CAPACITY: usize = 4096;

/// What happened, and the workflow as it was then.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) event: Event,
}

/// Where subscribers listen.
#[derive(Debug)]
pub(crate) struct Hub {
    sender: broadcast::Sender<Notice>,
    faults: Arc<EventFaults>,
    touched: watch::Sender<()>,
}

impl Notice {
    /// A notice of the last event.
    pub(crate) fn of(workflow: &Workflow) -> Option<Self> {
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

    /// Hears that some workflow has begun or changed, and no more: faults do not touch it.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.touched.subscribe()
    }

    pub(crate) fn touch(&self) {
        self.touched.send_replace(());
    }

    /// Sends each notice as often as the faults say: once, not at all, or twice.
    pub(crate) fn publish(&self, notices: Vec<Notice>) {
        for notice in notices {
            for _ in 0..self.faults.copies() {
                // Nobody may be listening.
                let _ = self.sender.send(notice.clone());
            }
        }
    }
}
