//! Faults of event delivery.

use std::sync::atomic::{AtomicU32, Ordering};

/// The numbers of events to drop, and to send twice.
#[derive(Debug, Default)]
pub struct EventFaults {
    dropped: AtomicU32,
    duplicated: AtomicU32,
}

impl EventFaults {
    /// Drops the next events.
    pub fn drop_next(&self, count: u32) {
        self.dropped.store(count, Ordering::Relaxed);
    }

    /// Sends the next events twice.
    pub fn duplicate_next(&self, count: u32) {
        self.duplicated.store(count, Ordering::Relaxed);
    }

    /// The remaining numbers of events to drop, and to send twice.
    pub fn waiting(&self) -> (u32, u32) {
        (self.dropped.load(Ordering::Relaxed), self.duplicated.load(Ordering::Relaxed))
    }

    /// Removes both faults.
    pub fn clear(&self) {
        self.drop_next(0);
        self.duplicate_next(0);
    }

    /// The number of times to send the next event.
    pub fn copies(&self) -> usize {
        let take = |count: &AtomicU32| {
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
        };
        match () {
            () if take(&self.dropped) => 0,
            () if take(&self.duplicated) => 2,
            () => 1,
        }
    }
}
