//! Faults of events on their way to subscribers.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many of the next events are dropped, and how many are sent twice.
#[derive(Debug, Default)]
pub(crate) struct EventFaults {
    dropped: AtomicU32,
    duplicated: AtomicU32,
}

impl EventFaults {
    pub(crate) fn drop_next(&self, count: u32) {
        self.dropped.store(count, Ordering::Relaxed);
    }

    pub(crate) fn duplicate_next(&self, count: u32) {
        self.duplicated.store(count, Ordering::Relaxed);
    }

    /// How many events are still to be dropped, and how many to be sent twice.
    pub(crate) fn waiting(&self) -> (u32, u32) {
        (self.dropped.load(Ordering::Relaxed), self.duplicated.load(Ordering::Relaxed))
    }

    pub(crate) fn clear(&self) {
        self.drop_next(0);
        self.duplicate_next(0);
    }

    /// How often the next event is sent.
    pub(crate) fn copies(&self) -> usize {
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
