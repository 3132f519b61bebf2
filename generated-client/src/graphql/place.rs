//! A socket of a client, as those who sit on it see it.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::hub::Request;

/// Where a subscription sits: on the way to the task that looks after one socket.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) number: u64,
    pub(super) requests: mpsc::UnboundedSender<Request>,
    seats: Arc<()>,
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
