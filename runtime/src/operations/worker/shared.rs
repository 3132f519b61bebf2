//! The shared state of all parts of a worker.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use super::{EventHook, Settings, WorkerEvent, handler::Handler, lease_length::LeaseLength, turns::Turns};
use crate::{error::Error, operations::Operations};

/// The shared state of all parts of a worker.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) handler: Handler,
    pub(super) turns: Arc<Turns<(String, String)>>,
    report: Option<EventHook>,
    stopping: watch::Sender<bool>,
    length: Mutex<LeaseLength>,
    /// The deployments whose store fails.
    failing: Mutex<BTreeSet<String>>,
}

impl Shared {
    pub(super) fn new(settings: Settings, report: Option<EventHook>, handler: Handler) -> Arc<Self> {
        let (stopping, _) = watch::channel(false);
        let turns = Turns::new(settings.handling);
        let length = Mutex::new(LeaseLength::new(settings.lease, settings.max_lease));
        Arc::new(Self { settings, handler, turns, report, stopping, length, failing: Mutex::default() })
    }

    /// Returns the current length of leases.
    pub(super) fn lease(&self) -> Duration {
        self.length.lock().unwrap_or_else(PoisonError::into_inner).lease()
    }

    /// Records that leases were lost.
    pub(super) fn lease_lost(&self) {
        self.change_lease(LeaseLength::lost);
    }

    /// Records a renewal with its delay. Returns whether the length of leases changes.
    pub(super) fn renewed(&self, late: Duration) -> bool {
        self.change_lease(|length| length.renewed(late))
    }

    fn change_lease(&self, change: impl FnOnce(&mut LeaseLength) -> Option<Duration>) -> bool {
        let changed = change(&mut self.length.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(lease) = changed {
            self.report(&WorkerEvent::LeaseChanged { lease });
        }
        changed.is_some()
    }

    /// Tells all parts to stop.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    pub(super) fn report(&self, event: &WorkerEvent) {
        event.trace();
        event.count();
        if let Some(report) = &self.report {
            report(event);
        }
    }

    pub(super) fn store_failed(&self, operations: &Operations, error: Error) {
        let first = self.failing.lock().unwrap_or_else(PoisonError::into_inner).insert(operations.deployment());
        if first {
            self.report(&WorkerEvent::StoreFailed { error });
        }
    }

    pub(super) fn store_works(&self, operations: &Operations) {
        let failed = self.failing.lock().unwrap_or_else(PoisonError::into_inner).remove(&operations.deployment());
        if failed {
            self.report(&WorkerEvent::StoreWorks);
        }
    }

    /// Waits until the worker is to stop.
    pub(super) async fn stopped(&self) {
        // The sender is a part of this.
        drop(self.stopping.subscribe().wait_for(|stopping| *stopping).await);
    }
}
