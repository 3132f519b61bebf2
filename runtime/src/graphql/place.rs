//! A socket of a client, as those who sit on it see it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::mpsc;

use super::hub::Request;

/// Where a subscription sits: on the way to the task that looks after one socket.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) number: u64,
    pub(super) requests: mpsc::UnboundedSender<Request>,
    seats: Arc<()>,
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

/// What a subscription holds until it ends.
#[derive(Debug)]
pub(super) struct Seat {
    #[allow(dead_code, reason = "it is counted")]
    seat: Arc<()>,
}

impl Place {
    pub(super) fn new(number: u64, requests: mpsc::UnboundedSender<Request>) -> Self {
        Self { number, requests, seats: Arc::default() }
    }

    pub(super) fn seat(&self) -> Seat {
        Seat { seat: Arc::clone(&self.seats) }
    }

    /// How many subscriptions sit here and have not ended.
    pub(super) fn taken(&self) -> usize {
        Arc::strong_count(&self.seats) - 1
    }
}
