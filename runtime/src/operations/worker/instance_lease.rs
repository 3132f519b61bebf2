//! An instance, for as long as its leases are renewed.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::Poll,
    time::{Duration, Instant},
};

use tokio::sync::watch;

use super::shared::Shared;
use crate::{
    clock::{self, Until},
    operations::{Instance, Operations},
};

/// A registered instance.
pub(super) struct InstanceLease {
    pub(super) instance: Instance,
    /// The time until which its leases are certainly valid, on this machine's monotonic clock.
    until: Mutex<Until>,
    lost: watch::Sender<bool>,
    /// The number of its operations.
    held: AtomicUsize,
}

/// One operation that an instance has: until it is finished, or for ever if the leases were lost before that.
pub(super) struct Hold(Arc<InstanceLease>);

impl Drop for Hold {
    fn drop(&mut self) {
        if !self.0.is_lost() {
            self.0.held.fetch_sub(1, Relaxed);
        }
    }
}

impl InstanceLease {
    /// Begins at the time `asked` of the request: the store counts from later on.
    pub(super) fn new(instance: Instance, asked: Instant, lease: Duration) -> Arc<Self> {
        let (lost, _) = watch::channel(false);
        let until = Mutex::new(Until::from(asked, lease));
        Arc::new(Self { instance, until, lost, held: AtomicUsize::new(0) })
    }

    fn until(&self) -> Until {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the leases are still valid, as far as this machine knows. The store decides.
    pub(super) fn holds(&self) -> bool {
        !*self.lost.borrow() && !self.until().is_over(clock::now())
    }

    /// Counts an operation.
    pub(super) fn hold(self: &Arc<Self>) -> Hold {
        self.held.fetch_add(1, Relaxed);
        Hold(Arc::clone(self))
    }

    /// Returns the number of its operations, or of those it had when the leases were lost.
    pub(super) fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Waits until the leases are lost.
    pub(super) async fn lost(&self) {
        // The sender is a part of this.
        drop(self.lost.subscribe().wait_for(|lost| *lost).await);
    }

    pub(super) fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    pub(super) fn lose(&self) {
        self.lost.send_replace(true);
    }

    /// Renews the leases until they are lost.
    pub(super) async fn keep(self: Arc<Self>, operations: Operations, shared: Arc<Shared>) {
        let mut due = Until::after(shared.lease() / 3);
        let mut next = due;
        loop {
            next.min(self.until()).sleep().await;
            let (asked, lease) = (clock::now(), shared.lease());
            if self.until().is_over(asked) {
                break;
            }
            match self.until().limit(operations.store().renew(self.instance, lease)).await {
                Ok(Ok(true)) => {
                    *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Until::from(asked, lease);
                    shared.store_works(&operations);
                    let late = due.instant().map_or(Duration::ZERO, |due| clock::now().saturating_duration_since(due));
                    // Leases of another length apply from the next renewal on.
                    due = if shared.renewed(late) { Until::at(clock::now()) } else { Until::from(asked, lease / 3) };
                    next = due;
                }
                Ok(Ok(false)) | Err(clock::Over) => break,
                Ok(Err(error)) => {
                    shared.store_failed(&operations, error);
                    next = Until::after(lease / 10);
                }
            }
        }
        self.lose();
    }

    /// Waits until the leases of one of these instances are lost.
    pub(super) async fn any_lost(instances: &[Arc<Self>]) {
        let mut losses: Vec<_> = instances.iter().map(|instance| Box::pin(instance.lost())).collect();
        poll_fn(|context| match losses.iter_mut().any(|loss| loss.as_mut().poll(context).is_ready()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}
