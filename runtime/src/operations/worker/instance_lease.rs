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

use super::{renewal::LeaseRenewal, shared::Shared};
use crate::{
    clock::{self, Until},
    operations::{Instance, Operations},
};

/// A registered instance.
pub(super) struct InstanceLease {
    pub(super) instance: Instance,
    renewal: Mutex<LeaseRenewal>,
    lost: watch::Sender<bool>,
    /// The number of its operations.
    operations: AtomicUsize,
}

/// One operation that an instance has: until it is finished, or for ever if the leases were lost before that.
pub(super) struct Hold(Arc<InstanceLease>);

impl Drop for Hold {
    fn drop(&mut self) {
        if !self.0.is_lost() {
            self.0.operations.fetch_sub(1, Relaxed);
        }
    }
}

impl InstanceLease {
    /// Begins at the time `asked` of the request: the store counts from later on.
    pub(super) fn new(instance: Instance, asked: Instant, lease: Duration) -> Arc<Self> {
        let (lost, _) = watch::channel(false);
        let renewal = Mutex::new(LeaseRenewal::new(asked, lease));
        Arc::new(Self { instance, renewal, lost, operations: AtomicUsize::new(0) })
    }

    fn with<T>(&self, change: impl FnOnce(&mut LeaseRenewal) -> T) -> T {
        change(&mut self.renewal.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn until(&self) -> Until {
        self.with(|renewal| renewal.until)
    }

    /// Returns whether the leases are still valid, as far as this machine knows. The store decides. A caller acts on their end: after
    /// `false`, they are lost, even if a renewal is answered later.
    pub(super) fn holds(&self) -> bool {
        self.with(|renewal| {
            if renewal.until.is_over(clock::now()) {
                self.lose();
            }
            !self.is_lost()
        })
    }

    /// Records a renewal that was asked for at this time, unless the leases are lost. Returns its delay.
    fn renewed(&self, asked: Instant, lease: Duration) -> Option<Duration> {
        self.with(|renewal| (!self.is_lost()).then(|| renewal.renewed(asked, lease, clock::now())))
    }

    /// Counts an operation.
    pub(super) fn hold(self: &Arc<Self>) -> Hold {
        self.operations.fetch_add(1, Relaxed);
        Hold(Arc::clone(self))
    }

    /// Returns the number of its operations, or of those it had when the leases were lost.
    pub(super) fn operations(&self) -> usize {
        self.operations.load(Relaxed)
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
        self.with(|renewal| renewal.begin(clock::now(), shared.lease()));
        loop {
            self.with(|renewal| renewal.deadline()).sleep().await;
            let (asked, lease) = (clock::now(), shared.lease());
            if self.until().is_over(asked) {
                break;
            }
            match self.until().limit(operations.store().renew(self.instance, lease)).await {
                Ok(Ok(true)) => {
                    let Some(late) = self.renewed(asked, lease) else { break };
                    shared.store_works(&operations);
                    if shared.renewed(late) {
                        self.with(|renewal| renewal.renew_at(clock::now()));
                    }
                }
                Ok(Ok(false)) | Err(clock::Over) => break,
                Ok(Err(error)) => {
                    shared.store_failed(&operations, error);
                    self.with(|renewal| renewal.failed(lease, clock::now()));
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

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests")]
mod tests {
    use super::*;

    /// A task that stalled sees the end of the leases while a renewal is on its way: it has stopped by the time of the answer, so nobody
    /// would work on its operation if the leases went on.
    #[test]
    fn leases_whose_end_was_seen_stay_lost() {
        const LEASE: Duration = Duration::from_secs(30);
        let now = clock::now();
        let earlier = now.checked_sub(LEASE + LEASE).expect("the machine runs for a minute");
        let asked_in_time = |is_seen: bool| {
            let leases = InstanceLease::new(Instance::new(1), earlier, LEASE);
            assert!(!is_seen || !leases.holds());
            (leases.renewed(now, LEASE).is_some(), leases.holds(), leases.is_lost())
        };
        assert_eq!(asked_in_time(false), (true, true, false), "nobody saw it: the answer counts");
        assert_eq!(asked_in_time(true), (false, false, true));
    }
}
