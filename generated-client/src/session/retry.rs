//! When a call is sent again.
//!
//! | failure | who sends again |
//! |---|---|
//! | no connection, or no token for a cause that passes | every call: nothing was sent |
//! | a connection that broke, silence, 408, 429, 502, 503, 504; once on 500 | `GET`, `HEAD`, `OPTIONS`, `TRACE`; `PUT` and `DELETE` and others by choice |
//! | 429 or 503 with `Retry-After` | the other calls by choice: the service says that it did not take the request |
//!
//! Three attempts, full jitter, `Retry-After` honoured, and a budget over the whole client.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime},
};

use http::{HeaderMap, header};
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use crate::Error;

/// The most attempts of one call.
pub(crate) const ATTEMPTS: u32 = 3;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(20);

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
                || matches!(status, 408 | 429 | 502 | 503 | 504)
                || (status == 500 && failures <= 1);
        }
        self.when_asked && matches!(status, 429 | 503) && error.retry_after().is_some()
    }
}

/// How long to wait before the next attempt: what the server asks for, else a random part of a doubling span.
pub(crate) fn pause(attempt: u32, error: &Error) -> Duration {
    error.retry_after().unwrap_or_else(|| {
        let span = FIRST.saturating_mul(1 << attempt.min(10)).min(LONGEST);
        span.mul_f64(random())
    })
}

/// `Retry-After`, in seconds or as a date. What is neither is as good as absent; a date in the past is no wait.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = OffsetDateTime::parse(text, &Rfc2822).ok()?;
    Some(SystemTime::from(date).duration_since(now).unwrap_or_default())
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

/// A number from 0 to 1. The keys of the standard hash maps are random enough to spread callers.
pub(crate) fn random() -> f64 {
    f64::from(RandomState::new().hash_one(0_u8) as u32) / f64::from(u32::MAX)
}

/// Random characters that no body holds by chance.
pub(crate) fn unique() -> String {
    let random = || RandomState::new().hash_one(1_u8);
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::Budget;

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
