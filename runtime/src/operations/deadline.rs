//! How long to wait.

use std::time::{Duration, Instant};

use crate::clock::Until;

/// A time at which waiting ends. The operation goes on.
///
/// ```
/// use std::time::Duration;
/// use driftless_runtime::operations::Deadline;
///
/// let soon = Deadline::after(Duration::from_secs(30));
/// let some_day = Deadline::never();
/// # let _ = (soon, some_day);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(Until);

impl Deadline {
    /// A time from now. More than a year is as good as [`never`](Self::never).
    pub fn after(time: Duration) -> Self {
        Self(Until::after(time))
    }

    /// An instant.
    pub fn at(instant: Instant) -> Self {
        Self(Until::at(instant))
    }

    /// No time.
    pub fn never() -> Self {
        Self(Until::NEVER)
    }

    pub(super) fn until(self) -> Until {
        self.0
    }
}

impl From<Duration> for Deadline {
    fn from(time: Duration) -> Self {
        Self::after(time)
    }
}
