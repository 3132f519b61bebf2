//! Points in time, as they are stored.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970. An earlier time is 0.
pub(super) fn millis(time: SystemTime) -> u64 {
    let millis = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    u64::try_from(millis).unwrap_or(u64::MAX)
}

/// The inverse. A time beyond the clock's range is 1970.
pub(super) fn from_millis(millis: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis)).unwrap_or(UNIX_EPOCH)
}
