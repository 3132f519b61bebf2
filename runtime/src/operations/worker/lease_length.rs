//! The length of leases: as configured, and longer if the machine or the store is late.

use std::time::Duration;

/// The number of renewals in a row without delay after which leases become shorter again.
const CALM: u32 = 20;

/// The length of leases. It doubles if they are lost, or if a renewal comes so late that they soon would be, and is
/// halved when renewals are in time again.
#[derive(Debug)]
pub(super) struct LeaseLength {
    least: Duration,
    most: Duration,
    lease: Duration,
    calm: u32,
}

impl LeaseLength {
    pub(super) fn new(least: Duration, most: Duration) -> Self {
        Self { least, most: most.max(least), lease: least, calm: 0 }
    }

    pub(super) fn lease(&self) -> Duration {
        self.lease
    }

    /// Records that the leases were lost. Returns the new length if it changes.
    pub(super) fn lost(&mut self) -> Option<Duration> {
        self.set(self.lease.saturating_mul(2))
    }

    /// Records a renewal with its delay. Returns the new length if it changes.
    pub(super) fn renewed(&mut self, late: Duration) -> Option<Duration> {
        // A renewal is due after a third of the lease: two thirds are left for it.
        if late > self.lease / 3 {
            return self.lost();
        }
        self.calm = if late < self.lease / 12 { self.calm + 1 } else { 0 };
        if self.calm < CALM { None } else { self.set(self.lease / 2) }
    }

    fn set(&mut self, lease: Duration) -> Option<Duration> {
        self.calm = 0;
        let lease = lease.clamp(self.least, self.most);
        (std::mem::replace(&mut self.lease, lease) != lease).then_some(lease)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the delays of a machine are, and however they change: leases stay within their bounds, and are lost a
    /// few times at most before they are long enough, if any in the bounds are.
    #[test]
    fn leases_become_as_long_as_the_machine_is_late_and_no_longer() {
        let (least, most) = (Duration::from_millis(1500), Duration::from_secs(60));
        for delay in (0..40).map(|number| Duration::from_millis(number * 1000)) {
            let mut length = LeaseLength::new(least, most);
            let mut losses = 0;
            for _ in 0..1000 {
                if delay > length.lease() * 2 / 3 {
                    losses += 1;
                    length.lost();
                } else {
                    length.renewed(delay);
                }
                assert!((least..=most).contains(&length.lease()), "{length:?}");
            }
            assert!(losses <= 6, "{delay:?}: {losses} losses, {length:?}");
            assert!(length.lease() / 4 <= delay.max(least) * 3, "longer than it need be, at {delay:?}: {length:?}");
            for _ in 0..1000 {
                length.renewed(Duration::ZERO);
            }
            assert_eq!(length.lease(), least, "the machine has recovered");
        }
        let mut fixed = LeaseLength::new(Duration::MAX, most);
        assert_eq!((fixed.lost(), fixed.renewed(Duration::MAX), fixed.lease()), (None, None, Duration::MAX));
    }
}
