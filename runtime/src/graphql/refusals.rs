//! The memory of refused upgrades.

use std::time::{Duration, Instant};

use crate::clock::{Backoff, Until};

/// The longest time, unless the first one is longer.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// The refusals of the upgrade since a socket was last open. A gateway may refuse temporarily, so none of them is
/// permanent.
#[derive(Debug, Default)]
pub(super) struct UpgradeRefusals {
    count: u32,
    until: Option<Until>,
}

impl UpgradeRefusals {
    /// Records a refused upgrade. Each refusal after the time of the one before doubles the time.
    pub(super) fn add(&mut self, first: Duration, now: Instant) {
        // Sockets that were requested at once are refused at once: that counts as one refusal.
        if self.is_in_force(now) {
            return;
        }
        let time = Backoff { first, longest: first.max(LONGEST) }.span(self.count);
        self.count = self.count.saturating_add(1);
        self.until = Some(Until::from(now, time));
    }

    /// Returns whether the upgrade is not tried at this time.
    pub(super) fn is_in_force(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| !until.is_over(now))
    }

    /// Forgets all refusals, since a socket is open.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_secs(60);

    #[test]
    fn a_refusal_is_remembered_for_a_time_that_only_further_refusals_lengthen() {
        let mut now = Instant::now();
        let mut refusals = UpgradeRefusals::default();
        assert!(!refusals.is_in_force(now));
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            refusals.add(FIRST, now);
            // Simultaneous refusals do not count.
            refusals.add(FIRST, now + FIRST / 2);
            let end = now + minutes * FIRST;
            assert!(refusals.is_in_force(end - Duration::from_secs(1)), "{minutes}");
            assert!(!refusals.is_in_force(end), "{minutes}");
            now = end;
        }
        refusals.clear();
        refusals.add(FIRST, now);
        assert!(!refusals.is_in_force(now + FIRST), "after a socket, the first time counts again");
    }

    #[test]
    fn nothing_and_for_ever_are_times_too() {
        let now = Instant::now();
        let mut refusals = UpgradeRefusals::default();
        for _ in 0..100 {
            refusals.add(Duration::ZERO, now);
            assert!(!refusals.is_in_force(now));
        }
        refusals.clear();
        refusals.add(Duration::MAX, now);
        assert!(refusals.is_in_force(now + 1_000 * LONGEST));
    }
}
