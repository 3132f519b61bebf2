//! Pauses between attempts.

use std::{
    hash::{BuildHasher as _, RandomState},
    time::Duration,
};

/// Pauses that double, from the first to the longest, minus a random part of up to one half: callers that failed
/// together must not retry together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    pub(crate) first: Duration,
    pub(crate) longest: Duration,
}

impl Backoff {
    /// Returns the pause after this many failures in a row; none before the first one.
    pub(crate) fn pause(self, failures: u32) -> Duration {
        self.pause_by(failures, random())
    }

    /// The same, for a number from 0 to 1 that decides the random part.
    pub(crate) fn pause_by(self, failures: u32, jitter: f64) -> Duration {
        let Some(more) = failures.checked_sub(1) else { return Duration::ZERO };
        let span = self.span(more);
        // Never stays never, and does not overflow.
        if span > super::LONGEST { span } else { span.mul_f64(0.5 + jitter / 2.0) }
    }

    /// Returns the first pause doubled this many times, without jitter.
    pub(crate) fn span(self, doublings: u32) -> Duration {
        self.first.saturating_mul(1 << doublings.min(20)).min(self.longest)
    }

    /// The same, or the server's `Retry-After` if that is longer. A time in the past, as from a server whose clock is
    /// wrong, shortens nothing.
    pub(crate) fn pause_asked(self, failures: u32, asked: Option<Duration>) -> Duration {
        self.pause(failures).max(asked.unwrap_or_default())
    }
}

/// Random characters that no body contains by chance.
pub(crate) fn unique() -> String {
    let random = || RandomState::new().hash_one(1_u8);
    let bytes = [random(), random()].into_iter().flat_map(u64::to_be_bytes);
    // Each call has an identifier, and a formatter would allocate it in steps.
    let mut text = String::with_capacity(32);
    text.extend(bytes.flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|digit| char::from_digit(digit.into(), 16)));
    text
}

/// A number from 0 to 1. The keys of the standard hash maps are random enough to spread callers.
pub(crate) fn random() -> f64 {
    f64::from(RandomState::new().hash_one(0_u8) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_asks_for_shortens_no_pause() {
        let backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(20) };
        for failures in 1..100_u32 {
            let span = Duration::from_millis(200).saturating_mul(1 << (failures - 1).min(20)).min(backoff.longest);
            for asked in [None, Some(Duration::ZERO), Some(Duration::from_nanos(1))] {
                let pause = backoff.pause_asked(failures, asked);
                assert!(span / 2 <= pause && pause <= span, "{failures}: {pause:?}");
            }
            let long = Duration::from_secs(999_999_999);
            assert_eq!(backoff.pause_asked(failures, Some(long)), long);
        }
        assert_eq!(backoff.pause(0), Duration::ZERO);
        let endless = Backoff { first: Duration::MAX, longest: Duration::MAX };
        assert_eq!(endless.pause(u32::MAX), Duration::MAX);
        let spread: std::collections::BTreeSet<_> = (0..20).map(|_| backoff.pause(1)).collect();
        assert!(spread.len() > 1, "callers come apart");
    }
}
