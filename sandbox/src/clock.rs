//! The wall clock, in the forms that tokens and bodies need.

use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Seconds since the Unix epoch.
pub(crate) fn seconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}

/// The present second as RFC 3339 writes it, in UTC.
pub(crate) fn timestamp() -> String {
    OffsetDateTime::from_unix_timestamp(seconds()).ok().and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default()
}

/// Whether a text is an RFC 3339 date and time.
pub(crate) fn is_timestamp(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
}
