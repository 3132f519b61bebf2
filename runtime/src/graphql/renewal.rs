//! The time at which a connection is replaced by one with a fresh token, and the pauses between attempts.

use std::time::Duration;

use super::options::GraphqlOptions;
use crate::clock::{Backoff, Until};

/// The shortest interval between connections, for tokens with a shorter lifetime.
const SOONEST: Duration = Duration::from_secs(1);
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(30) };

/// The time of a connection's replacement, before its token expires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renewal {
    /// The time at which the next connection is opened; never, if nothing limits the token.
    pub(super) at: Until,
    /// The time for which this one overlaps with the next.
    pub(super) overlap: Duration,
}

impl Renewal {
    /// Creates the schedule of a connection that is opened now, with a token that is valid for a time.
    pub(super) fn new(usable_for: Option<Duration>, options: &GraphqlOptions) -> Self {
        // The overlap ends while the old token is still valid: it is used until a twentieth of its lifetime is left, 30
        // s at most.
        let overlap = usable_for.map_or(options.overlap, |time| options.overlap.min(time / 20));
        Self { at: usable_for.map_or(Until::NEVER, |time| Until::after(time.max(SOONEST))), overlap }
    }
}

/// Returns the pause before the next connection: none after a good one, then a random part of a doubling time.
pub(super) fn pause(failures: u32) -> Duration {
    BACKOFF.pause(failures)
}
