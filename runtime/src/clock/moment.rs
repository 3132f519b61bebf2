//! Two clocks that are read together.

use std::time::{Duration, Instant, SystemTime};

/// A point on the monotonic and on the wall clock. The first may stand still while a machine sleeps, the second may be set:
/// a limit is over as soon as it is over on one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) instant: Instant,
    pub(crate) wall: SystemTime,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { instant: Instant::now(), wall: SystemTime::now() }
    }

    /// `None`: beyond what the clocks can say.
    pub(crate) fn after(self, time: Duration) -> Option<Self> {
        Some(Self { instant: self.instant.checked_add(time)?, wall: self.wall.checked_add(time)? })
    }

    /// Whether this point lies behind `now`, on either clock.
    pub(crate) fn is_over(self, now: Self) -> bool {
        now.instant >= self.instant || now.wall >= self.wall
    }

    /// The time that is left until this point.
    pub(crate) fn left(self, now: Self) -> Duration {
        let wall = self.wall.duration_since(now.wall).unwrap_or_default();
        self.instant.saturating_duration_since(now.instant).min(wall)
    }
}

/// Where the time comes from.
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
