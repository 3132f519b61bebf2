//! The wall clock, in the forms that tokens and bodies need, and the clock of asynchronous work, which tests can drive.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::Notify;

/// Seconds since the Unix epoch.
pub(crate) fn seconds() -> i64 {
    milliseconds().div_euclid(1000)
}

/// The present second as RFC 3339 writes it, in UTC.
pub(crate) fn timestamp() -> String {
    let now = OffsetDateTime::from_unix_timestamp(seconds());
    now.ok().and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default()
}

/// Milliseconds since the Unix epoch as RFC 3339 writes them, in UTC.
pub(crate) fn timestamp_of(milliseconds: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds) * 1_000_000);
    moment.ok().and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default()
}

/// Whether a text is an RFC 3339 date and time.
pub(crate) fn is_timestamp(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

/// Whether an RFC 3339 date and time lies in the past.
pub(crate) fn is_past(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok_and(|moment| moment.unix_timestamp() < seconds())
}

fn milliseconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

/// The clock of asynchronous work. It runs with real time unless a test holds it, moves it on, or changes its pace. Tokens
/// do not follow it: [`IssuerControl::set_clock_skew`](crate::IssuerControl::set_clock_skew) is for them.
///
/// ```
/// # async fn example() -> Result<(), platform_sandbox::Error> {
/// use std::time::Duration;
///
/// let sandbox = platform_sandbox::start().await?;
/// sandbox.clock().hold();
/// // … start a deployment: it stays queued …
/// sandbox.clock().advance(Duration::from_secs(60));
/// // … and now it is done.
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    hands: Mutex<Hands>,
    changed: Notify,
}

/// Where the clock stood at some moment, and how fast it has run since.
#[derive(Clone, Copy, Debug)]
struct Hands {
    shown: i64,
    since: Instant,
    pace: f64,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let hands = Hands { shown: milliseconds(), since: Instant::now(), pace: 1.0 };
        Self(Arc::new(Inner { hands: Mutex::new(hands), changed: Notify::new() }))
    }

    /// Stops the clock. From now on only [`Clock::advance`] moves it.
    pub fn hold(&self) {
        self.set_pace(0.0);
    }

    /// Makes the clock run so many times as fast as real time; 0 holds it. A negative or infinite pace counts as 0.
    pub fn set_pace(&self, pace: f64) {
        let pace = if pace.is_finite() { pace.max(0.0) } else { 0.0 };
        self.change(|hands| hands.pace = pace);
    }

    /// Moves the clock on at once.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.change(|hands| hands.shown = hands.shown.saturating_add(by));
    }

    /// Milliseconds since the Unix epoch.
    pub fn now(&self) -> i64 {
        self.0.hands.lock().unwrap_or_else(PoisonError::into_inner).now()
    }

    /// Waits until the clock shows a moment, or something about it has changed.
    pub(crate) async fn reach(&self, moment: i64) {
        let changed = self.0.changed.notified();
        let hands = *self.0.hands.lock().unwrap_or_else(PoisonError::into_inner);
        let left = moment.saturating_sub(hands.now());
        if left <= 0 {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a wait that is a little too short is waited again")]
        let wait = Duration::try_from_secs_f64(left as f64 / 1000.0 / hands.pace);
        match wait {
            // A timer that is too far away is no timer.
            Ok(wait) if wait < Duration::from_secs(86_400) => tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = changed => {}
            },
            _ => changed.await,
        }
    }

    /// Wakes whoever waits in [`Clock::reach`].
    pub(crate) fn nudge(&self) {
        self.0.changed.notify_waiters();
        self.0.changed.notify_one();
    }

    fn change(&self, change: impl FnOnce(&mut Hands)) {
        {
            let mut hands = self.0.hands.lock().unwrap_or_else(PoisonError::into_inner);
            hands.shown = hands.now();
            hands.since = Instant::now();
            change(&mut hands);
        }
        self.nudge();
    }
}

impl Hands {
    fn now(self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a clock that shows the end of time may stand there")]
        let run = (self.since.elapsed().as_secs_f64() * 1000.0 * self.pace) as i64;
        self.shown.saturating_add(run)
    }
}
