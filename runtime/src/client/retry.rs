//! When a call is sent again.
//!
//! | failure | who sends again |
//! |---|---|
//! | no connection, or no token for a cause that passes | every call: nothing was sent |
//! | a connection that broke, silence, 408, 429, 502, 503, 504; once on 500 | `GET`, `HEAD`, `OPTIONS`, `TRACE`; `PUT` and `DELETE` and others by choice |
//! | 429 or 503 with `Retry-After` | the other calls by choice: the service says that it did not take the request |
//!
//! Three attempts, pauses that double and are spread at random, `Retry-After` honoured where it asks for more, and a budget
//! over the whole client.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use crate::{
    clock::Backoff,
    error::{Error, is_passing_status},
};

/// The most attempts of one call.
pub(crate) const ATTEMPTS: u32 = 3;

const BACKOFF: Backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(20) };

/// What a call may be sent again for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// Sending it twice does no more than sending it once.
    pub(crate) repeatable: bool,
    /// A refusal that names a time may be obeyed.
    pub(crate) when_asked: bool,
}

impl Policy {
    /// Whether the call may be sent again after this error, the `failures`th of status 500 among its errors.
    pub(crate) fn allows(self, error: &Error, failures: u32) -> bool {
        if error.is_connect() || (error.is_token() && error.is_retryable()) {
            return true;
        }
        let status = error.status().map_or(0, |status| status.as_u16());
        if self.repeatable {
            return error.is_broken()
                || error.is_timeout()
                || is_passing_status(status)
                || (status == 500 && failures <= 1);
        }
        self.when_asked && matches!(status, 429 | 503) && error.retry_after().is_some()
    }
}

/// How long to wait after the `attempt`th attempt: a random part of a doubling span, and no less than the server asks for.
pub(crate) fn pause(attempt: u32, error: &Error) -> Duration {
    BACKOFF.pause_asked(attempt, error.retry_after())
}

/// What all calls of a client may spend on second attempts: a service in trouble is not buried under them.
#[derive(Debug)]
pub(crate) struct Budget(AtomicU32);

impl Budget {
    const FULL: u32 = 500;
    const PRICE: u32 = 5;

    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(Self::FULL))
    }

    /// Pays for one more attempt. `false`: there is nothing left.
    pub(crate) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(Self::PRICE)).is_ok()
    }

    /// A call that succeeds at once earns a fifth of an attempt.
    pub(crate) fn earn(&self) {
        if self.0.load(Ordering::Relaxed) < Self::FULL {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_asks_for_only_lengthens_the_pause() {
        let error = || Error::of(crate::error::Kind::Status, "no");
        for attempt in 1..=ATTEMPTS {
            let least = BACKOFF.first * (1 << (attempt - 1)) / 2;
            for asked in [None, Some(Duration::ZERO), Some(Duration::from_millis(1))] {
                assert!(pause(attempt, &error().with_retry_after(asked)) >= least, "{attempt}: {asked:?}");
            }
            let asked = Duration::from_secs(3_600);
            assert_eq!(pause(attempt, &error().with_retry_after(Some(asked))), asked);
        }
    }

    #[test]
    fn the_budget_ends_and_is_earned_back() {
        let budget = Budget::new();
        let taken = (0..1000).take_while(|_| budget.take()).count();
        assert_eq!(taken, 100);
        (0..5).for_each(|_| budget.earn());
        assert!(budget.take() && !budget.take());
        (0..10_000).for_each(|_| budget.earn());
        assert_eq!((0..1000).take_while(|_| budget.take()).count(), 100, "it is never more than full");
    }
}
