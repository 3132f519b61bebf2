//! The wall clock, in the forms that tokens and bodies need, and the clock of asynchronous work, which tests can drive.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::{Notify, watch};

/// Seconds since the Unix epoch.
pub fn seconds() -> i64 {
    milliseconds().div_euclid(1000)
}

/// The present second as RFC 3339 writes it, in UTC.
pub fn timestamp() -> String {
    let now = OffsetDateTime::from_unix_timestamp(seconds());
    now.ok().and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default()
}

/// The last millisecond that RFC 3339 can write, 9999-12-31T23:59:59.999Z. No clock goes beyond it.
const LAST: i64 = 253_402_300_799_999;

/// Milliseconds since the Unix epoch as RFC 3339 writes them, in UTC.
pub fn timestamp_of(milliseconds: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds.clamp(0, LAST)) * 1_000_000);
    moment.ok().and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_default()
}

/// The milliseconds since the Unix epoch of an RFC 3339 date and time, from 1970 on.
pub fn milliseconds_of(text: &str) -> Option<i64> {
    let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(moment.unix_timestamp_nanos() / 1_000_000).ok().filter(|moment| (0..=LAST).contains(moment))
}

/// Returns whether an RFC 3339 date and time lies in the past.
pub fn is_past(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok_and(|moment| moment.unix_timestamp() < seconds())
}

fn milliseconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

/// The clock of asynchronous work. It runs with real time unless a test holds it, moves it on, or changes its pace. The tokens of
/// `driftless-sandbox` follow it.
///
/// ```
/// use std::time::Duration;
///
/// let clock = driftless_sandbox_control::clock::Clock::default();
/// clock.hold();
/// // … work that begins now waits …
/// clock.advance(Duration::from_secs(60));
/// // … and now it is done.
/// ```
#[derive(Clone, Debug)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    hands: Mutex<Hands>,
    changed: Notify,
    touched: watch::Sender<()>,
}

/// The time of the clock at some moment, and its pace since then.
#[derive(Clone, Copy, Debug)]
struct Hands {
    moment_at_start: i64,
    since: Instant,
    pace: f64,
}

impl Clock {
    /// Stops the clock. From now on only [`Clock::advance`] moves it.
    pub fn hold(&self) {
        self.set_pace(0.0);
    }

    /// Makes the clock run `pace` times as fast as real time; 0 holds it. A negative or infinite pace counts as 0.
    pub fn set_pace(&self, pace: f64) {
        let pace = if pace.is_finite() { pace.max(0.0) } else { 0.0 };
        self.change(|hands| hands.pace = pace);
    }

    /// Sets the clock to a moment, back or forth. Planned work keeps its moments.
    pub fn set(&self, moment: SystemTime) {
        let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.set_milliseconds(i64::try_from(since.as_millis()).unwrap_or(LAST));
    }

    /// Returns to real time and its pace.
    pub fn reset(&self) {
        self.change(|hands| *hands = Hands::new());
    }

    /// Returns the pace: how many times as fast as real time the clock runs. It is 0 when the clock is held.
    pub fn pace(&self) -> f64 {
        self.0.hands.lock().unwrap_or_else(PoisonError::into_inner).pace
    }

    /// Moves the clock on at once. It stops at the end of the year 9999.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.change(|hands| hands.moment_at_start = hands.moment_at_start.saturating_add(by).min(LAST));
    }

    /// Returns the milliseconds since the Unix epoch.
    pub fn now(&self) -> i64 {
        self.0.hands.lock().unwrap_or_else(PoisonError::into_inner).now()
    }
}

/// A clock that runs with real time.
impl Default for Clock {
    fn default() -> Self {
        Self(Arc::new(Inner {
            hands: Mutex::new(Hands::new()),
            changed: Notify::new(),
            touched: watch::Sender::default(),
        }))
    }
}

/// The parts that a sandbox uses.
impl Clock {
    /// Sets the clock to milliseconds since the Unix epoch.
    pub fn set_milliseconds(&self, moment: i64) {
        self.change(|hands| hands.moment_at_start = moment.clamp(0, LAST));
    }

    /// Subscribes to changes of the clock.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.0.touched.subscribe()
    }

    /// Waits until the clock reaches a moment, or its settings have changed.
    pub async fn reach(&self, moment: i64) {
        let changed = self.0.changed.notified();
        let hands = *self.0.hands.lock().unwrap_or_else(PoisonError::into_inner);
        let left = moment.saturating_sub(hands.now());
        if left <= 0 {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a wait that is a little too short is waited again")]
        let wait = Duration::try_from_secs_f64(left as f64 / 1000.0 / hands.pace);
        match wait {
            // No timer for waits of more than a day: a change of the clock wakes this task.
            Ok(wait) if wait < Duration::from_secs(86_400) => tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = changed => {}
            },
            _ => changed.await,
        }
    }

    /// Wakes all tasks that wait in [`Clock::reach`].
    pub fn nudge(&self) {
        self.0.changed.notify_waiters();
        self.0.changed.notify_one();
    }

    fn change(&self, change: impl FnOnce(&mut Hands)) {
        {
            let mut hands = self.0.hands.lock().unwrap_or_else(PoisonError::into_inner);
            hands.moment_at_start = hands.now();
            hands.since = Instant::now();
            change(&mut hands);
        }
        self.0.touched.send_replace(());
        self.nudge();
    }
}

impl Hands {
    fn new() -> Self {
        Self { moment_at_start: milliseconds(), since: Instant::now(), pace: 1.0 }
    }

    fn now(self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a clock that shows the end of time may stand there")]
        let run = (self.since.elapsed().as_secs_f64() * 1000.0 * self.pace) as i64;
        self.moment_at_start.saturating_add(run).clamp(0, LAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_leaves_the_range_that_can_be_written() {
        let clock = Clock::default();
        clock.hold();
        for by in [Duration::from_millis(10_u64.pow(16)), Duration::MAX, Duration::from_secs(1)] {
            clock.advance(by);
            assert_eq!((clock.now(), timestamp_of(clock.now()).as_str()), (LAST, "9999-12-31T23:59:59.999Z"));
        }
        clock.set_pace(f64::MAX);
        assert_eq!(clock.now(), LAST);
        clock.set(UNIX_EPOCH);
        clock.hold();
        clock.set(UNIX_EPOCH - Duration::from_secs(1));
        assert_eq!(timestamp_of(clock.now()), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp_of(i64::MAX), "9999-12-31T23:59:59.999Z");
        clock.reset();
        assert!(clock.pace() >= 1.0 && (milliseconds() - clock.now()).abs() < 60_000);
    }

    #[test]
    fn moments_are_read_as_they_are_written() {
        for text in ["1970-01-01T00:00:00Z", "2030-01-02T03:04:05.678Z", "9999-12-31T23:59:59.999Z"] {
            assert_eq!(milliseconds_of(text).map(timestamp_of).as_deref(), Some(text));
        }
        for text in ["", "1969-12-31T23:59:59Z", "2030-01-02", "+10000-01-01T00:00:00Z"] {
            assert_eq!(milliseconds_of(text), None, "{text}");
        }
    }
}
