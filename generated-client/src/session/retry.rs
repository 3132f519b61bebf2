//! When a call is sent again.
//!
//! The first floor of the policy: what failed before a connection came about, for every method; a connection that broke,
//! 429, 502, 503 and 504, for the safe methods and for calls that say `idempotent()`. Three attempts, full jitter,
//! `Retry-After` honoured.

use std::{
    hash::{BuildHasher as _, RandomState},
    time::{Duration, SystemTime},
};

use http::{HeaderMap, header};
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use crate::Error;

/// The most attempts of one call.
pub(crate) const ATTEMPTS: u32 = 3;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(20);

/// Whether the call may be sent again after this error.
pub(crate) fn may_retry(error: &Error, repeatable: bool) -> bool {
    let passes =
        error.is_broken() || error.status().is_some_and(|status| matches!(status.as_u16(), 429 | 502 | 503 | 504));
    error.is_connect() || (repeatable && passes)
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

/// A number from 0 to 1. The keys of the standard hash maps are random enough to spread callers.
pub(crate) fn random() -> f64 {
    f64::from(RandomState::new().hash_one(0_u8) as u32) / f64::from(u32::MAX)
}

/// Random characters that no body holds by chance.
pub(crate) fn unique() -> String {
    let random = || RandomState::new().hash_one(1_u8);
    format!("{:016x}{:016x}", random(), random())
}
