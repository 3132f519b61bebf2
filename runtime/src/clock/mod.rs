//! Points in time, and the only place that adds a time to one.
//!
//! `Instant + Duration` panics beyond what a clock can say, and so do timers that add in their own way. A caller writes
//! `Duration::MAX` for "never", so that every time that an option, a server or a token gives goes through [`Until`].

mod backoff;
mod moment;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::{
    cmp::Ordering,
    time::{Duration, Instant},
};

pub(crate) use backoff::{Backoff, random, unique};
pub(crate) use moment::{Clock, Moment};

/// A longer time from now means no limit. Timers count further than this without turning over.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// When something ends: at a point on the monotonic clock, or never, which is later than every point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Until(Option<Instant>);

/// The time was over before the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Over;

impl Until {
    pub(crate) const NEVER: Self = Self(None);

    /// This time from now on.
    pub(crate) fn after(time: Duration) -> Self {
        Self::from(now(), time)
    }

    /// This time after `start`. More than [`LONGEST`] is never.
    pub(crate) fn from(start: Instant, time: Duration) -> Self {
        Self(Some(time).filter(|time| *time <= LONGEST).and_then(|time| start.checked_add(time)))
    }

    /// This point, however far it is.
    #[cfg(any(test, feature = "operations"))]
    pub(crate) const fn at(instant: Instant) -> Self {
        Self(Some(instant))
    }

    /// The point; `None` where it never comes.
    pub(crate) const fn instant(self) -> Option<Instant> {
        self.0
    }

    pub(crate) fn is_over(self, now: Instant) -> bool {
        self.0.is_some_and(|end| end <= now)
    }

    /// The time that is left: nothing when it is over, `Duration::MAX` when it never is.
    pub(crate) fn left(self, now: Instant) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(now))
    }

    /// Waits for the point; for ever where it never comes.
    pub(crate) async fn sleep(self) {
        match self.timer() {
            #[allow(clippy::disallowed_methods, reason = "this is where timers are set")]
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    }

    /// Does the work, as long as the time is not over.
    pub(crate) async fn limit<F: IntoFuture>(self, work: F) -> Result<F::Output, Over> {
        match self.timer() {
            #[allow(clippy::disallowed_methods, reason = "this is where timers are set")]
            Some(end) => tokio::time::timeout_at(end, work).await.map_err(|_| Over),
            None => Ok(work.await),
        }
    }

    /// The point as a timer takes it. A point that a caller gave may lie beyond [`LONGEST`].
    fn timer(self) -> Option<tokio::time::Instant> {
        self.0.filter(|end| end.saturating_duration_since(now()) <= LONGEST).map(Into::into)
    }
}

impl Ord for Until {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (Some(one), Some(other)) => one.cmp(&other),
            (one, other) => other.is_some().cmp(&one.is_some()),
        }
    }
}

impl PartialOrd for Until {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Now, on the monotonic clock of timers. A test that pauses the clock of tokio moves this one, too.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Waits for this time from now on.
pub(crate) async fn sleep(time: Duration) {
    Until::after(time).sleep().await;
}

/// Does the work within this time from now on.
pub(crate) async fn limit<F: IntoFuture>(time: Duration, work: F) -> Result<F::Output, Over> {
    Until::after(time).limit(work).await
}

/// A time as an error says it, in seconds.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
