//! How often a token that the service refuses is replaced.

use std::time::{Duration, Instant};

use crate::clock::Backoff;

/// The pauses between replacements, once those that are free are used up.
const PAUSES: Backoff = Backoff { first: Duration::from_secs(2), longest: Duration::from_secs(60) };

/// After this time, one replacement is forgotten.
const FORGET: Duration = Duration::from_secs(60);

/// The replacements that one operation, or all operations of a server, may still ask for.
///
/// They are counted over time, and nothing but time gives them back: a token that another operation, or another replica
/// of the service, accepts does not make the next replacement any cheaper.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Replacements that are not forgotten.
    count: u32,
    last: Option<Instant>,
    next: Option<Instant>,
}

impl Pace {
    /// The time until the next replacement; zero where it may begin now.
    pub(super) fn left(&self, now: Instant) -> Duration {
        self.next.map(|next| next.saturating_duration_since(now)).unwrap_or_default()
    }

    /// Counts a replacement that begins now. The first `free` of them are followed by no pause.
    pub(super) fn take(&mut self, now: Instant, free: u32) {
        let quiet = self.last.map(|last| now.saturating_duration_since(last)).unwrap_or_default();
        let forgotten = u32::try_from(quiet.as_secs() / FORGET.as_secs()).unwrap_or(u32::MAX);
        self.count = self.count.saturating_sub(forgotten).saturating_add(1);
        self.last = Some(now);
        self.next = now.checked_add(PAUSES.pause(self.count.saturating_sub(free)));
    }
}
