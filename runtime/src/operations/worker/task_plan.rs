//! The decisions of an operation's task: answers of the service and the store and the time in, the next action out. No
//! input or output, so that every rule can be tested alone.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crate::{
    Error,
    clock::{Backoff, Until},
};

/// The shortest time between two queries of an operation whose time is over.
const LEAST: Duration = Duration::from_secs(1);
/// The first pause after a failure of the store, unless the lease is shorter.
const FIRST: Duration = Duration::from_millis(100);

/// A step of the task. It returns the answer to the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskAction {
    /// Watch the operation, until this time.
    Watch(Until),
    /// Query it once: its time is over, and it may have ended while it was not watched.
    Query,
    /// Wait until this time: the store fails.
    Pause(Until),
}

/// The consequence of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Take the next action.
    Again,
    /// Another instance has the lease.
    Fenced,
    /// Give the operation up: its time is over.
    Overdue,
    /// Put it back for a while.
    PutBack,
}

/// The cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    LeaseLost,
    Store,
    /// The service does not return the operation in time.
    Missing,
    Service,
}

impl Failure {
    pub(super) fn from_error(error: &Error) -> Self {
        match error {
            error if error.is_lease_lost() => Self::LeaseLost,
            error if error.is_store() => Self::Store,
            error if error.is_operation_missing() => Self::Missing,
            _ => Self::Service,
        }
    }
}

/// The times and numbers of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskSettings {
    /// The time after its acceptance in which an operation has to end.
    pub(super) timeout: Duration,
    pub(super) turn: Duration,
    /// The time that an operation may need to end by time alone.
    pub(super) patience: Duration,
    pub(super) retry: Backoff,
    pub(super) max_attempts: u32,
}

/// The time that an operation has left, and its failures.
#[derive(Debug)]
pub(super) struct TaskPlan {
    settings: TaskSettings,
    /// The time since when this instance has it, and the age that it had then.
    since: Instant,
    age: Duration,
    failures: u32,
    overdue_at: Until,
    /// A query has said that it has ended, and it was given its patience.
    has_ended: bool,
    /// The number of failures of the store in a row, and the time of the next attempt.
    store_failures: u32,
    not_before: Until,
}

impl TaskPlan {
    /// Begins with the number of failures and the age that the operation had at the claim of this instance.
    pub(super) fn new(settings: TaskSettings, failures: u32, age: Duration, since: Instant) -> Self {
        Self {
            settings,
            since,
            age,
            failures,
            overdue_at: Until::from(since, settings.timeout.saturating_sub(age)),
            has_ended: false,
            store_failures: 0,
            not_before: Until::at(since),
        }
    }

    /// Returns the next action of watching.
    pub(super) fn next(&self, now: Instant) -> TaskAction {
        if !self.not_before.is_over(now) {
            TaskAction::Pause(self.not_before)
        } else if self.overdue_at.is_over(now) {
            TaskAction::Query
        } else {
            TaskAction::Watch(self.overdue_at)
        }
    }

    /// The watch failed. If the store did, it is tried again while the leases are valid.
    pub(super) fn watch_failed(&mut self, failure: Failure, lease: Duration, now: Instant, jitter: f64) -> Verdict {
        match failure {
            Failure::LeaseLost => Verdict::Fenced,
            Failure::Store => {
                self.store_failed(lease, now, jitter);
                Verdict::Again
            }
            Failure::Missing | Failure::Service => Verdict::PutBack,
        }
    }

    /// The query was answered: whether the operation has ended. It is given up then, unless it has its patience still
    /// before it, or the service does not tell: the same time again is granted for that.
    pub(super) fn queried(&mut self, answer: Result<bool, Failure>, now: Instant) -> Verdict {
        let age = self.age.saturating_add(now.saturating_duration_since(self.since));
        let more = match answer {
            Ok(is_final) if !is_final || self.has_ended => return Verdict::Overdue,
            Ok(_) => {
                self.has_ended = true;
                self.settings.patience
            }
            Err(Failure::LeaseLost) => return Verdict::Fenced,
            Err(Failure::Store) => LEAST,
            Err(Failure::Missing) => return Verdict::PutBack,
            Err(Failure::Service) if age >= self.settings.timeout.saturating_mul(2) => return Verdict::Overdue,
            Err(Failure::Service) => self.settings.turn,
        };
        self.overdue_at = Until::from(now, more.max(LEAST));
        Verdict::Again
    }

    /// The store failed. Returns the time of the next attempt.
    pub(super) fn store_failed(&mut self, lease: Duration, now: Instant, jitter: f64) -> Until {
        self.store_failures = self.store_failures.saturating_add(1);
        let pauses = Backoff { first: FIRST.min(lease), longest: lease };
        self.not_before = Until::from(now, pauses.pause_by(self.store_failures, jitter));
        self.not_before
    }

    /// Another step of the store begins: its failures are counted anew.
    pub(super) fn begin_step(&mut self) {
        self.store_failures = 0;
    }

    /// Returns the number of failures of the handler, and of watching.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure. Returns the pause before the next attempt; `None` if it was the last one.
    pub(super) fn fail(&mut self, jitter: f64) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        (self.failures < self.settings.max_attempts).then(|| self.settings.retry.pause_by(self.failures, jitter))
    }
}
