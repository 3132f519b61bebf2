//! Two clocks that are read together.

use std::time::{Duration, Instant, SystemTime};

/// A point on the monotonic and on the wall clock. The first may stop while a machine sleeps, the second may be
/// changed: a limit is over as soon as it is over on one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) instant: Instant,
    pub(crate) wall: SystemTime,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { instant: Instant::now(), wall: SystemTime::now() }
    }

    /// `None`: beyond the range of the clocks.
    pub(crate) fn after(self, time: Duration) -> Option<Self> {
        Some(Self { instant: self.instant.checked_add(time)?, wall: self.wall.checked_add(time)? })
    }

    /// Returns whether this point is before `now`, on either clock.
    pub(crate) fn is_over(self, now: Self) -> bool {
        now.instant >= self.instant || now.wall >= self.wall
    }

    /// Returns the time until this point.
    pub(crate) fn left(self, now: Self) -> Duration {
        let wall = self.wall.duration_since(now.wall).unwrap_or_default();
        self.instant.saturating_duration_since(now.instant).min(wall)
    }
}

/// The source of the time.
#[derive(Clone, Debug, Default)]
pub(crate) enum Clock {
    #[default]
    System,
    #[cfg(test)]
    Manual(std::sync::Arc<std::sync::Mutex<Moment>>),
}

impl Clock {
    pub(crate) fn now(&self) -> Moment {
        match self {
            Self::System => Moment::now(),
            #[cfg(test)]
            Self::Manual(moment) => *moment.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        }
    }
}
