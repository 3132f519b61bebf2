//! The times of a watch: answers, pushes, failures and the time in, the next action out. No input or output, so that
//! every rule can be tested alone.

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
mod tests;

use std::time::{Duration, Instant};

use super::Rest;
use crate::{
    Value,
    clock::{self, Backoff, Until},
    operations::{
        Observation, OperationOutcome, WatchOptions,
        tracker::{Push, Tracker},
        trouble::Trouble,
    },
};

/// The number of doubtful failures in a row that count as permanent.
const HITCHES: u32 = 3;
/// The number of queries after a push that needs confirmation.
const CONFIRMATIONS: u32 = 6;
/// The upper bound of doubling pauses, unless they begin above it.
const LONGEST: Duration = Duration::from_secs(30);
/// The longest pause that a service can ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(300);
/// The shortest time between two queries or subscriptions, whatever the options are.
const LEAST: Duration = Duration::from_millis(5);
/// The shortest time after a failed query.
const LEAST_AFTER_FAILURE: Duration = Duration::from_millis(200);

/// A step for the watch. It returns the answer to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The operation has ended, or its outcome has changed with time.
    End,
    /// The service does not return the operation in time.
    Missing,
    /// Begin a subscription.
    Subscribe,
    /// Query the operation.
    Query,
    /// Wait for a push, until this time.
    Wait(Until),
}

/// The state of an operation, and the times of queries and subscriptions. Jitter, from 0 to 1, keeps watches from
/// querying at the same time.
#[derive(Debug)]
pub(super) struct Schedule {
    tracker: Tracker,
    options: WatchOptions,
    is_subscribed: bool,
    subscribe_at: Until,
    query_at: Until,
    /// Before this time, no query is made: there was just one, or the service is failing.
    not_before: Until,
    /// The time of the last query that succeeded.
    queried_at: Option<Instant>,
    /// The remaining queries of a quick series, and the number of those already made.
    quick_queries: u32,
    round: u32,
    /// The number of queries in a row without news.
    unchanged: u32,
    drops: u32,
    /// The number of failed queries in a row.
    pub(super) failures: u32,
}

impl Schedule {
    /// Begins with a query, after a subscription if the kind has one.
    pub(super) fn new(tracker: Tracker, options: WatchOptions, has_subscription: bool, now: Instant) -> Self {
        Self {
            tracker,
            options,
            is_subscribed: false,
            subscribe_at: if has_subscription { Until::at(now) } else { Until::NEVER },
            query_at: Until::at(now),
            not_before: Until::at(now),
            queried_at: None,
            quick_queries: 0,
            round: 0,
            unchanged: 0,
            drops: 0,
            failures: 0,
        }
    }

    /// Returns the next action.
    pub(super) fn next(&mut self, now: Instant) -> Action {
        // A change by time alone is decided after one more query.
        let change = self.tracker.next_change();
        let is_current = !change.is_over(now) || self.queried_at.is_some_and(|queried| change.is_over(queried));
        if self.tracker.outcome(now).is_some_and(|outcome| outcome.is_final() || is_current) {
            return Action::End;
        }
        if is_current && self.tracker.is_missing(now) {
            return Action::Missing;
        }
        if self.subscribe_at.is_over(now) {
            (self.is_subscribed, self.subscribe_at) = (true, Until::NEVER);
            // The state may have changed before the subscription began.
            self.query_at = Until::at(now);
            self.begin_series(1);
            return Action::Subscribe;
        }
        let query_at = self.query_at.max(self.not_before);
        if query_at.is_over(now) || (!is_current && self.failures == 0) {
            return Action::Query;
        }
        let change = if change.is_over(now) { Until::NEVER } else { change };
        Action::Wait(query_at.min(self.subscribe_at).min(change))
    }

    /// The service answered a query. Returns the observation if it is news.
    pub(super) fn answered(&mut self, data: Value, now: Instant, jitter: f64) -> Option<Observation> {
        self.failures = 0;
        self.not_before = Until::from(now, LEAST);
        self.queried_at = Some(now);
        let news = self.tracker.query(data, now);
        if news.is_some() {
            self.unchanged = 0;
            self.quick_queries = self.quick_queries.min(1);
        }
        self.query_at = Until::from(now, self.pause(jitter));
        news
    }

    /// A query failed; `asked` is the pause that the service asked for. Returns whether the next one may succeed.
    pub(super) fn failed(&mut self, trouble: Trouble, asked: Option<Duration>, now: Instant, jitter: f64) -> bool {
        self.failures = self.failures.saturating_add(1);
        let first = self.options.interval.clamp(LEAST_AFTER_FAILURE, LONGEST);
        // A `Retry-After` lengthens the pause, and never shortens it.
        let asked = asked.unwrap_or_default().min(LONGEST_ASKED);
        self.not_before = Until::from(now, doubled(first, self.failures, jitter).max(asked));
        self.query_at = self.not_before;
        match trouble {
            Trouble::Passes => true,
            Trouble::Doubtful => self.failures < HITCHES,
            Trouble::Stays => false,
        }
    }

    /// The subscription delivered data. Returns the observation if it is news.
    pub(super) fn pushed(&mut self, data: Value, now: Instant) -> Option<Observation> {
        self.drops = 0;
        match self.tracker.push(data) {
            Push::Nothing => None,
            Push::Report(observation) => Some(*observation),
            Push::Confirm => {
                // A flood of pushes must not become a flood of queries.
                let rest = self.options.settle / 4;
                let soon = self.queried_at.map_or(Until::at(now), |queried| Until::from(queried, rest));
                self.query_at = self.query_at.min(soon);
                self.begin_series(CONFIRMATIONS);
                None
            }
        }
    }

    /// The subscription may have missed events.
    pub(super) fn missed(&mut self, now: Instant) {
        self.tracker.mark_gap();
        self.query_at = Until::at(now);
    }

    /// The subscription has ended. After every end, even a clean one, events may have been missed.
    pub(super) fn unsubscribed(&mut self, now: Instant, jitter: f64) {
        self.missed(now);
        self.is_subscribed = false;
        self.drops = self.drops.saturating_add(1);
        self.subscribe_at = Until::from(now, doubled(self.options.reconnect, self.drops, jitter));
    }

    /// Returns the state, for a worker's plan.
    pub(super) fn rest(&self) -> Rest {
        let looked = self.queried_at.is_some() || self.failures > 0;
        Rest { looked, pending: self.tracker.next_change() != Until::NEVER }
    }

    /// Returns the outcome, if it has ended.
    pub(super) fn outcome(&self, now: Instant) -> Option<OperationOutcome> {
        self.tracker.outcome(now)
    }

    /// Returns the outcome if the deadline passes now.
    pub(super) fn at_deadline(&self) -> OperationOutcome {
        self.tracker.at_deadline()
    }

    /// Begins a quick series of this many queries.
    fn begin_series(&mut self, queries: u32) {
        self.quick_queries = queries;
        self.round = 0;
    }

    /// Returns the time to the next query.
    fn pause(&mut self, jitter: f64) -> Duration {
        let pause = if self.quick_queries > 0 {
            self.quick_queries -= 1;
            self.round += 1;
            Backoff { first: self.options.settle, longest: Duration::MAX }.span(self.round - 1)
        } else if self.is_subscribed && !self.tracker.is_restless() {
            self.options.safety
        } else {
            self.unchanged = self.unchanged.saturating_add(1);
            doubled(self.options.interval, self.unchanged, jitter)
        };
        let pause = pause.min(self.options.safety);
        // Never stays never.
        if pause > clock::LONGEST { pause } else { pause.mul_f64(0.9 + jitter / 10.0).max(LEAST) }
    }
}

/// A doubling time, minus a random half.
fn doubled(first: Duration, count: u32, jitter: f64) -> Duration {
    let first = first.max(LEAST);
    Backoff { first, longest: LONGEST.max(first) }.pause_by(count.max(1), jitter)
}
