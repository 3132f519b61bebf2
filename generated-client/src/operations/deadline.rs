//! How long to wait.

use std::time::{Duration, Instant};

/// A time at which waiting ends. The operation goes on.
///
/// ```
/// use std::time::Duration;
/// use platform_client::operations::Deadline;
///
/// let soon = Deadline::after(Duration::from_secs(30));
/// let some_day = Deadline::never();
/// # let _ = (soon, some_day);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// A time from now. One beyond what the clock can say never comes.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// An instant.
    pub fn at(instant: Instant) -> Self {
        Self(Some(instant))
    }

    /// No time.
    pub fn never() -> Self {
        Self(None)
    }

    pub(super) fn instant(self) -> Option<Instant> {
        self.0
    }
}

impl From<Duration> for Deadline {
    fn from(time: Duration) -> Self {
        Self::after(time)
    }
}
