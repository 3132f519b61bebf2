//! Time limits of bodies.

use std::time::{Duration, Instant};

use crate::{
    clock::{Until, seconds},
    error::{Error, Kind},
};

/// The minimum throughput of a response body, so that a server that sends a byte now and then does not keep its reader
/// waiting for ever. Unless set, it is 240 bytes a second, with the idle timeout as
/// grace: the rate below which Kestrel, ASP.NET's server, drops its clients, and far below any network in use. A stream that is slower
/// by nature, such as a log that is followed, needs [`none`](Self::none).
///
/// Only the time in which the reader waits for the server counts. Each byte pays for its part of a second, and a body
/// whose unpaid waiting reaches the grace ends with [`is_timeout`](crate::Error::is_timeout).
///
/// ```
/// use std::time::Duration;
/// use driftless_runtime::{Client, MinThroughput};
///
/// let least = MinThroughput::bytes_per_second(10_000).grace(Duration::from_secs(20));
/// let builder = Client::builder("https://service.example").min_throughput(least);
/// # let _ = builder;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinThroughput {
    rate: u64,
    grace: Option<Duration>,
}

impl Default for MinThroughput {
    fn default() -> Self {
        Self::bytes_per_second(240)
    }
}

impl MinThroughput {
    /// Requires this many bytes a second, on average. The grace is the idle timeout of the call unless
    /// [`grace`](Self::grace) sets it.
    pub const fn bytes_per_second(bytes: u64) -> Self {
        Self { rate: bytes, grace: None }
    }

    /// Requires no throughput: only a server that is silent for the idle timeout ends a body.
    pub const fn none() -> Self {
        Self::bytes_per_second(0)
    }

    /// Sets the grace, after which a slow body ends. More than a year is unlimited.
    #[must_use]
    pub const fn grace(mut self, time: Duration) -> Self {
        self.grace = Some(time);
        self
    }

    /// Returns the time that this many bytes may take.
    fn time(self, bytes: usize) -> Duration {
        let nanos = (bytes as u128 * 1_000_000_000).checked_div(u128::from(self.rate)).unwrap_or_default();
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The waiting for one body, on a clock that the caller provides.
#[derive(Debug)]
pub(crate) struct Flow {
    idle: Duration,
    least: MinThroughput,
    /// The waiting that no byte has paid for.
    behind: Duration,
    /// The time at which the wait for the next bytes began.
    since: Option<Instant>,
}

impl Flow {
    pub(crate) const fn new(idle: Duration, least: MinThroughput) -> Self {
        Self { idle, least, behind: Duration::ZERO, since: None }
    }

    /// Begins to wait for bytes, unless it has begun, and returns the time at which that ends with
    /// [`error`](Self::error).
    pub(crate) fn wait(&mut self, now: Instant) -> Until {
        let since = *self.since.get_or_insert(now);
        Until::from(since, self.idle.min(self.left()))
    }

    /// Ends the wait with this many bytes.
    pub(crate) fn received(&mut self, bytes: usize, now: impl FnOnce() -> Instant) {
        if let Some(since) = self.since.take() {
            self.behind = self.behind.saturating_add(now().saturating_duration_since(since));
        }
        self.behind = self.behind.saturating_sub(self.least.time(bytes));
    }

    pub(crate) fn error(&self) -> Error {
        if self.idle <= self.left() {
            return silent(self.idle);
        }
        let (rate, grace) = (self.least.rate, seconds(self.grace()));
        Error::with(Kind::Timeout, format!("the body came slower than {rate} bytes a second, by {grace}"))
            .hint("call again, or set a lower `min_throughput`")
    }

    fn grace(&self) -> Duration {
        self.least.grace.unwrap_or(self.idle)
    }

    /// Returns the time that the next wait may take before the body is too slow.
    fn left(&self) -> Duration {
        if self.least.rate == 0 { Duration::MAX } else { self.grace().saturating_sub(self.behind) }
    }
}

/// The error of a server that is silent for too long.
pub(crate) fn silent(idle: Duration) -> Error {
    Error::with(Kind::Timeout, format!("the service was silent for {}", seconds(idle)))
        .hint("call again, or set a longer idle time")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Reads a body whose pieces, in bytes, arrive this many milliseconds after the wait for them began. Returns the
    /// time until it ended with an error; `None` if it was read.
    fn read(idle: u64, least: MinThroughput, pieces: impl IntoIterator<Item = (u64, usize)>) -> Option<Duration> {
        let start = Instant::now();
        let (mut now, mut flow) = (start, Flow::new(Duration::from_millis(idle), least));
        for (wait, bytes) in pieces {
            let comes = now + Duration::from_millis(wait);
            if let Some(end) = flow.wait(now).instant().filter(|end| *end <= comes) {
                assert!(flow.error().is_timeout());
                return Some(end - start);
            }
            now = comes;
            flow.received(bytes, || now);
        }
        None
    }

    #[test]
    fn a_trickle_ends_and_what_comes_fast_enough_does_not() {
        let trickle = |wait, bytes| std::iter::repeat_n((wait, bytes), 1_000);
        let least = MinThroughput::default();
        // A byte every 20 s is never a silence of 30 s.
        assert_eq!(read(30_000, least, trickle(20_000, 1)), Some(Duration::from_nanos(30_004_166_666)));
        // Two bytes a second would go on for ever with a minimum of one.
        let two = read(30_000, least, trickle(500, 1)).unwrap();
        assert!(two > Duration::from_secs(30) && two < Duration::from_secs(31), "{two:?}");
        assert_eq!(read(30_000, MinThroughput::none(), trickle(20_000, 1)), None);
        assert_eq!(read(30_000, least, trickle(29_000, 29 * 240)), None, "as much as it must be, in pieces");
        assert_eq!(read(30_000, least, trickle(30_000, 1)), Some(Duration::from_secs(30)), "silence");
        assert_eq!(
            read(30_000, MinThroughput::bytes_per_second(u64::MAX), trickle(0, 0)),
            None,
            "nothing was waited for"
        );
        // Fast bytes earn no credit for later silence.
        let burst = std::iter::once((0, usize::MAX)).chain(trickle(20_000, 1));
        assert_eq!(read(30_000, least, burst), Some(Duration::from_nanos(30_004_166_666)));
        for never in [Duration::MAX, Duration::from_secs(366 * 24 * 60 * 60)] {
            assert_eq!(read(u64::MAX, least.grace(never), trickle(20_000, 0)), None);
        }
    }

    /// In every case, a body ends when its waiting exceeds the time paid for by its bytes by the grace, and not before.
    #[test]
    fn the_waiting_that_no_byte_pays_for_is_bounded() {
        for seed in 0..2_000_u64 {
            let mut state = seed;
            let mut random = move |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % below
            };
            let (rate, grace) = (1 + random(50), 1 + random(2_000));
            let least = MinThroughput::bytes_per_second(rate * 1_000).grace(Duration::from_millis(grace));
            let pieces: Vec<_> = (0..100).map(|_| (random(300), random(200 * rate) as usize)).collect();
            // In milliseconds, with the same rounding: one byte pays for 1 / rate of one.
            let (mut behind, mut passed, mut expected) = (0.0, 0, None);
            for (wait, bytes) in &pieces {
                if behind + *wait as f64 >= grace as f64 {
                    expected = Some(passed as f64 + grace as f64 - behind);
                    break;
                }
                passed += wait;
                behind = f64::max(behind + *wait as f64 - *bytes as f64 / rate as f64, 0.0);
            }
            let ended = read(u64::MAX, least, pieces).map(|time| time.as_secs_f64() * 1_000.0);
            match (ended, expected) {
                (Some(ended), Some(expected)) => assert!((ended - expected).abs() < 0.1, "{seed}: {ended} {expected}"),
                (ended, expected) => assert_eq!(ended, expected, "{seed}"),
            }
        }
    }
}
