//! The shared handle of a socket, for its subscriptions.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::mpsc;

use super::queue::{Feed, Leave, SubscriptionLease};

/// A request to the supervisor of a socket.
#[derive(Debug)]
pub(super) enum SubscriptionRequest {
    Add {
        id: u64,
        payload: Arc<str>,
        feed: Arc<Feed>,
    },
    Remove(u64),
    /// The socket of this epoch has no capacity for a further subscription.
    Full {
        id: u64,
        epoch: u64,
    },
}

/// The task that manages one socket, as seen by its subscriptions.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) number: u64,
    pub(super) requests: mpsc::UnboundedSender<SubscriptionRequest>,
    leases: SubscriptionLease,
}

/// The number of subscriptions that a socket of a client takes, as learned from the service.
#[derive(Debug)]
pub(super) struct Room(AtomicUsize);

impl Default for Room {
    fn default() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }
}

impl Room {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Records that the service refuses more than this on one socket.
    pub(super) fn learn(&self, room: usize) {
        let known = self.0.fetch_min(room.max(1), Ordering::Relaxed);
        tracing::debug!(room = known.min(room), "a socket takes no more subscriptions");
    }

    /// Forgets it: the number on one socket is not the reason of a refusal.
    pub(super) fn forget(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }
}

impl Endpoint {
    pub(super) fn new(number: u64, requests: mpsc::UnboundedSender<SubscriptionRequest>) -> Self {
        Self { number, requests, leases: Arc::default() }
    }

    /// Adds a subscription. Returns `false` if it has ended.
    pub(super) fn add(&self, id: u64, feed: &Feed) -> bool {
        let requests = self.requests.clone();
        // A supervisor that has ended has no subscriptions either.
        let leave = Leave::new(move || drop(requests.send(SubscriptionRequest::Remove(id))));
        feed.set_lease(Arc::clone(&self.leases), leave)
    }

    /// Returns the number of subscriptions here that have not ended.
    pub(super) fn taken(&self) -> usize {
        Arc::strong_count(&self.leases) - 1
    }
}
