//! The times of a connection: its replacement before the token expires, the end of the replaced one, and the end of one that nobody
//! uses. No input or output, so that every rule can be tested alone.

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::time::{Duration, Instant};

use crate::clock::{Backoff, Until};

/// The shortest interval between connections, for tokens with a shorter lifetime.
const SOONEST: Duration = Duration::from_secs(1);
/// After this time, a connection counts as good: the next may be opened at once.
const STEADY: Duration = Duration::from_secs(10);
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(30) };

/// The time of a connection's replacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renewal {
    /// The time at which the next connection is opened; never, if nothing limits the token.
    at: Until,
    /// The time for which this one overlaps with the next.
    overlap: Duration,
}

impl Renewal {
    /// The replacement of a connection with a token that is valid for a time from now on.
    pub(super) fn new(now: Instant, usable_for: Option<Duration>, overlap: Duration) -> Self {
        // The overlap ends while the old token is still valid: it is used until a twentieth of its lifetime is left, 30
        // s at most.
        let overlap = usable_for.map_or(overlap, |time| overlap.min(time / 20));
        Self { at: usable_for.map_or(Until::NEVER, |time| Until::from(now, time.max(SOONEST))), overlap }
    }
}

/// A step whose time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Open the next connection.
    Renew,
    /// Close the replaced connection.
    Retire,
    /// Nobody has used the connection for the idle time.
    Idle,
}

/// Connections that replace one another.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The connection in use, and the time at which it was opened.
    current: Option<(Renewal, Instant)>,
    is_opening: bool,
    retire_at: Until,
    idle_at: Until,
    /// The number of failures in a row.
    failures: u32,
}

impl Schedule {
    pub(super) fn new() -> Self {
        Self { current: None, is_opening: false, retire_at: Until::NEVER, idle_at: Until::NEVER, failures: 0 }
    }

    /// The next step, and its time.
    pub(super) fn next(&self) -> (Until, Due) {
        let renew_at = match &self.current {
            Some((renewal, _)) if !self.is_opening => renewal.at,
            _ => Until::NEVER,
        };
        let steps = [(renew_at, Due::Renew), (self.retire_at, Due::Retire), (self.idle_at, Due::Idle)];
        steps.into_iter().min_by_key(|(at, _)| *at).unwrap_or((Until::NEVER, Due::Idle))
    }

    /// A connection is being opened. Returns the pause before it: none after a good one, then a random part of a doubling time.
    pub(super) fn open(&mut self) -> Duration {
        self.is_opening = true;
        BACKOFF.pause(self.failures)
    }

    /// A connection is open. Returns whether it replaces another one.
    pub(super) fn opened(&mut self, now: Instant, renewal: Renewal) -> bool {
        self.is_opening = false;
        let old = self.current.replace((renewal, now));
        self.retire_at = old.map_or(Until::NEVER, |(old, _)| Until::from(now, old.overlap));
        if old.is_some() {
            self.failures = 0;
        }
        old.is_some()
    }

    /// A connection could not be opened. The one in use goes on while it can.
    pub(super) fn refused(&mut self, now: Instant) {
        self.is_opening = false;
        self.failures = self.failures.saturating_add(1);
        if let Some((renewal, _)) = &mut self.current {
            renewal.at = Until::from(now, Duration::ZERO);
        }
    }

    /// The service has no connections of this kind: the next one waits for nothing.
    pub(super) fn unsupported(&mut self) {
        self.is_opening = false;
    }

    /// The connection in use ended by itself.
    pub(super) fn ended(&mut self, now: Instant) {
        let is_steady = self.current.take().is_some_and(|(_, since)| now.saturating_duration_since(since) >= STEADY);
        self.failures = if is_steady { 0 } else { self.failures.saturating_add(1) };
    }

    /// The replaced connection is closed.
    pub(super) fn retired(&mut self) {
        self.retire_at = Until::NEVER;
    }

    /// Says if there are subscriptions. Without one, the idle time begins, unless it has begun.
    pub(super) fn used(&mut self, now: Instant, is_used: bool, idle: Duration) {
        match is_used {
            true => self.idle_at = Until::NEVER,
            false if self.idle_at == Until::NEVER => self.idle_at = Until::from(now, idle),
            false => {}
        }
    }
}
