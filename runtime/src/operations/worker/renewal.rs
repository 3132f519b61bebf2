//! The times of an instance's leases: when to renew them, and when they are lost. No input or output.

use std::time::{Duration, Instant};

use crate::clock::Until;

/// The schedule of renewals. A lease is renewed after a third of its length, and after a tenth if the store failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeaseRenewal {
    /// The time until which the leases are certainly valid, on this machine's monotonic clock.
    pub(super) until: Until,
    /// The time at which a renewal was due first: its delay counts from then on.
    due: Until,
    next: Until,
}

impl LeaseRenewal {
    /// Begins with leases that were asked for at this time: the store counts from later on.
    pub(super) fn new(asked: Instant, lease: Duration) -> Self {
        let due = Until::from(asked, lease / 3);
        Self { until: Until::from(asked, lease), due, next: due }
    }

    /// Counts the time of the first renewal from here on.
    pub(super) fn begin(&mut self, now: Instant, lease: Duration) {
        self.due = Until::from(now, lease / 3);
        self.next = self.due;
    }

    /// Returns the time of the next renewal, or of the end.
    pub(super) fn deadline(&self) -> Until {
        self.next.min(self.until)
    }

    /// Records a renewal that was asked for at this time. Returns its delay.
    pub(super) fn renewed(&mut self, asked: Instant, lease: Duration, now: Instant) -> Duration {
        let late = self.due.instant().map_or(Duration::ZERO, |due| now.saturating_duration_since(due));
        *self = Self::new(asked, lease);
        late
    }

    /// Renews at once: leases of another length apply from the next renewal on.
    pub(super) fn renew_at(&mut self, now: Instant) {
        self.due = Until::at(now);
        self.next = self.due;
    }

    /// Records that the store failed.
    pub(super) fn failed(&mut self, lease: Duration, now: Instant) {
        self.next = Until::from(now, lease / 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Event = fn(&mut LeaseRenewal, Instant);

    /// Events at their seconds, and after each the seconds of the next renewal and of the end.
    #[test]
    fn leases_are_renewed_after_a_third_and_sooner_if_the_store_fails() {
        const LEASE: Duration = Duration::from_secs(30);
        const LONGER: Duration = Duration::from_secs(60);
        let renewed: Event = |times, now| assert!(times.renewed(now, LEASE, now) <= LEASE);
        let longer: Event = |times, now| {
            times.renewed(now, LONGER, now);
        };
        let failed: Event = |times, now| times.failed(LEASE, now);
        let at_once: Event = |times, now| times.renew_at(now);
        let begin = Instant::now();
        let mut times = LeaseRenewal::new(begin, LEASE);
        for (second, event, next, end) in [
            (1, (|times, now| times.begin(now, LEASE)) as Event, 11, 30),
            (11, renewed, 21, 41),
            (21, failed, 24, 41),
            (24, failed, 27, 41),
            (39, failed, 41, 41),
            (40, renewed, 50, 70),
            (40, at_once, 40, 70),
            (41, longer, 61, 101),
        ] {
            event(&mut times, begin + Duration::from_secs(second));
            let expected = [next, end].map(|second| Until::at(begin + Duration::from_secs(second)));
            assert_eq!([times.deadline(), times.until], expected, "at {second}");
        }
        let late = times.renewed(begin, LEASE, begin + Duration::from_secs(66));
        assert_eq!(late, Duration::from_secs(5), "it was due at 61");
    }
}
