//! Deadlines of waiting.

use std::time::{Duration, Instant};

use crate::clock::Until;

/// The time at which waiting ends. The operation goes on.
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
    /// Creates a deadline at a time from now. More than a year is the same as [`never`](Self::never).
    pub fn after(time: Duration) -> Self {
        Self(Until::after(time))
    }

    /// Creates a deadline at an instant.
    pub fn at(instant: Instant) -> Self {
        Self(Until::at(instant))
    }

    /// Creates a deadline that never passes.
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
