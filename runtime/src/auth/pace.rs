//! The pace of refreshes after refused tokens.

use std::time::{Duration, Instant};

use crate::clock::Backoff;

/// The pauses between refreshes after the free ones.
const PAUSES: Backoff = Backoff { first: Duration::from_secs(2), longest: Duration::from_secs(60) };

/// After this time, one refresh is forgotten.
const FORGET: Duration = Duration::from_secs(60);

/// The refreshes that one operation, or all operations of a server, may still ask for.
///
/// They are counted over time, and only time gives them back: a token that another operation, or another replica of the
/// service, accepts does not make the next refresh any cheaper.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Refreshes that are not forgotten.
    count: u32,
    last: Option<Instant>,
    next: Option<Instant>,
}

impl Pace {
    /// Returns the time until the next refresh may begin; zero if it may begin now.
    pub(super) fn left(&self, now: Instant) -> Duration {
        self.next.map(|next| next.saturating_duration_since(now)).unwrap_or_default()
    }

    /// Counts a refresh that begins now. The first `free` of them are followed by no pause.
    pub(super) fn take(&mut self, now: Instant, free: u32) {
        let quiet = self.last.map(|last| now.saturating_duration_since(last)).unwrap_or_default();
        let forgotten = u32::try_from(quiet.as_secs() / FORGET.as_secs()).unwrap_or(u32::MAX);
        self.count = self.count.saturating_sub(forgotten).saturating_add(1);
        self.last = Some(now);
        self.next = now.checked_add(PAUSES.pause(self.count.saturating_sub(free)));
    }
}
