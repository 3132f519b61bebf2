//! A socket of a client, as those who sit on it see it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::mpsc;

use super::queue::{Feed, Leave, Seat};

/// What the supervisor of a socket is told.
#[derive(Debug)]
pub(super) enum SubscriptionRequest {
    Add {
        id: u64,
        payload: Arc<str>,
        feed: Arc<Feed>,
    },
    Remove(u64),
    /// The socket of this epoch has no room for a subscription beside the others.
    Full {
        id: u64,
        epoch: u64,
    },
}

/// Where a subscription sits: on the way to the task that looks after one socket.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) number: u64,
    pub(super) requests: mpsc::UnboundedSender<SubscriptionRequest>,
    seats: Seat,
}

/// How many subscriptions a socket of a client takes, as the service has shown.
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

    /// The service refuses more than that on one socket.
    pub(super) fn learn(&self, room: usize) {
        let known = self.0.fetch_min(room.max(1), Ordering::Relaxed);
        tracing::debug!(room = known.min(room), "a socket takes no more subscriptions");
    }

    /// The number on one socket is not what counts.
    pub(super) fn forget(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }
}

impl Endpoint {
    pub(super) fn new(number: u64, requests: mpsc::UnboundedSender<SubscriptionRequest>) -> Self {
        Self { number, requests, seats: Arc::default() }
    }

    /// Seats a subscription. `false`: it has ended.
    pub(super) fn seat(&self, id: u64, feed: &Feed) -> bool {
        let requests = self.requests.clone();
        // A supervisor that is gone has no subscriptions either.
        let leave = Leave::new(move || drop(requests.send(SubscriptionRequest::Remove(id))));
        feed.sit(Arc::clone(&self.seats), leave)
    }

    /// How many subscriptions sit here and have not ended.
    pub(super) fn taken(&self) -> usize {
        Arc::strong_count(&self.seats) - 1
    }
}
