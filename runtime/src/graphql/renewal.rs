//! When a connection is replaced by one with a fresh token, and how long to wait before it is tried again.

use std::time::Duration;

use super::options::GraphqlOptions;
use crate::clock::{Backoff, Until};

/// Tokens that live shorter than this do not make the client open connections without a pause.
const SOONEST: Duration = Duration::from_secs(1);
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(30) };

/// The end of a connection's time, before its token expires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renewal {
    /// When the next connection is opened; never, where nothing limits the token.
    pub(super) at: Until,
    /// How long this one goes on beside the next.
    pub(super) overlap: Duration,
}

impl Renewal {
    /// For a connection that is opened now, with a token that is good for a time.
    pub(super) fn of(usable_for: Option<Duration>, options: &GraphqlOptions) -> Self {
        // The overlap ends while the old token is still good: it is used until a twentieth of its life is left, 30 s at most.
        let overlap = usable_for.map_or(options.overlap, |time| options.overlap.min(time / 20));
        Self { at: usable_for.map_or(Until::NEVER, |time| Until::after(time.max(SOONEST))), overlap }
    }
}

/// How long to wait before the next connection: nothing after a good one, then a random part of a doubling span.
pub(super) fn pause(failures: u32) -> Duration {
    BACKOFF.pause(failures)
}
