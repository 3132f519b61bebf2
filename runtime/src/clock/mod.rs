//! Points in time, and the only place that adds a duration to one.
//!
//! `Instant + Duration` panics beyond the range of the clock, and so do timers that add by themselves. Callers write
//! `Duration::MAX` for "never", so every duration from an option, a server or a token goes through [`Until`].

mod backoff;
mod moment;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use std::{
    cmp::Ordering,
    future::poll_fn,
    pin::{Pin, pin},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    task::Poll,
    time::{Duration, Instant},
};

pub(crate) use backoff::{Backoff, random, unique};
pub(crate) use moment::{Clock, Moment};

/// A longer time from now means no limit. Timers can represent more than this without overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The end of a time: a point on the monotonic clock, or never, which is later than every point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Until(Option<Instant>);

/// The time ended before the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Over;

impl Until {
    pub(crate) const NEVER: Self = Self(None);

    /// Returns the end of this time from now on.
    pub(crate) fn after(time: Duration) -> Self {
        // A call has several of these limits, and most are unset: they read no clock.
        if time > LONGEST { Self::NEVER } else { Self::from(now(), time) }
    }

    /// Returns the end of this time after `start`. More than [`LONGEST`] is never.
    pub(crate) fn from(start: Instant, time: Duration) -> Self {
        Self(Some(time).filter(|time| *time <= LONGEST).and_then(|time| start.checked_add(time)))
    }

    /// Returns the end at this point, however far it is.
    #[cfg(any(test, feature = "operations"))]
    pub(crate) const fn at(instant: Instant) -> Self {
        Self(Some(instant))
    }

    /// Returns the point; `None` if it is never.
    pub(crate) const fn instant(self) -> Option<Instant> {
        self.0
    }

    pub(crate) fn is_over(self, now: Instant) -> bool {
        self.0.is_some_and(|end| end <= now)
    }

    /// Returns the remaining time: zero if it is over, `Duration::MAX` if it is never.
    pub(crate) fn left(self, now: Instant) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(now))
    }

    /// Waits for the point; for ever if it is never.
    pub(crate) async fn sleep(self) {
        match self.timer() {
            #[allow(clippy::disallowed_methods, reason = "this is where timers are set")]
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    }

    /// Does the work until the time is over.
    pub(crate) async fn limit<F: IntoFuture>(self, work: F) -> Result<F::Output, Over> {
        match self.timer() {
            #[allow(clippy::disallowed_methods, reason = "this is where timers are set")]
            Some(end) => tokio::time::timeout_at(end, work).await.map_err(|_| Over),
            None => Ok(work.await),
        }
    }

    /// Does the work until the time is over. The work sets `is_covered` while it has a timer of its own that ends
    /// earlier: then a second timer would only cost the time to set and to remove it.
    pub(crate) async fn limit_uncovered<F: Future>(
        self,
        is_covered: &AtomicBool,
        mut work: Pin<&mut F>,
    ) -> Result<F::Output, Over> {
        let Some(end) = self.timer() else { return Ok(work.await) };
        // The end comes for work, too, that uses up the budget of its task.
        #[allow(clippy::disallowed_methods, reason = "this is where timers are set")]
        let mut end = pin!(tokio::task::unconstrained(tokio::time::sleep_until(end)));
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending if is_covered.load(Relaxed) => Poll::Pending,
            Poll::Pending => end.as_mut().poll(context).map(|()| Err(Over)),
        })
        .await
    }

    /// The point for a timer. A caller's point may lie beyond [`LONGEST`].
    fn timer(self) -> Option<tokio::time::Instant> {
        self.0.filter(|end| end.saturating_duration_since(now()) <= LONGEST).map(Into::into)
    }
}

/// Marks a wait as covered, until it ends or is dropped.
pub(crate) struct Covered<'a>(&'a AtomicBool);

impl<'a> Covered<'a> {
    pub(crate) fn set(mark: &'a AtomicBool, is_covered: bool) -> Self {
        mark.store(is_covered, Relaxed);
        Self(mark)
    }
}

impl Drop for Covered<'_> {
    fn drop(&mut self) {
        self.0.store(false, Relaxed);
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

/// Returns the current time of the monotonic clock of timers. A test that pauses tokio's clock controls this one, too.
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

/// Formats a time for errors, in seconds.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
