//! The observations of one operation.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_core::Stream;
use tokio::sync::watch;

use super::{
    Deadline, Observation, Operation, OperationOutcome,
    tracker::{Push, Tracker},
    trouble::Trouble,
};
use crate::{
    Error, Value,
    clock::{self, Backoff, Until, random},
    graphql::{Delivery, Subscription},
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

/// The observations of one operation, until it has ended. Dropping it only ends the watching.
///
/// Nothing happens between two calls of [`next`](Self::next), so that thousands of watches need no tasks; a call that
/// is dropped half-way loses no observation.
pub struct Watch {
    operation: Operation,
    tracker: Tracker,
    subscription: Option<Subscription<Value>>,
    subscribe_at: Until,
    /// The time of the next query.
    look_at: Until,
    /// Before this time, no query is made: the service is failing.
    not_before: Until,
    /// The time of the last query that succeeded.
    looked_at: Option<Instant>,
    /// The remaining queries of a quick series, and the number of those already made.
    quick_queries: u32,
    round: u32,
    /// The number of queries in a row without news.
    unchanged: u32,
    drops: u32,
    failures: u32,
    /// The reason that the last query failed.
    trouble: Option<Arc<Error>>,
    /// Observed, and not yet stored and returned.
    ready: Option<Observation>,
    done: bool,
    /// Receives a report each time that the watch starts to wait.
    rests: Option<watch::Sender<Rest>>,
}

/// The state of a watch that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rest {
    /// It has queried the operation since it began, with or without success.
    pub(super) looked: bool,
    /// The outcome changes with time alone, for which it has to wait.
    pub(super) pending: bool,
}

impl Operation {
    /// Watches it: a stream of observations that ends with the operation.
    pub fn watch(&self) -> Watch {
        Watch::new(self.clone())
    }

    /// Waits until it has ended, or the deadline passes. A passed deadline is not a failure of the operation.
    ///
    /// # Errors
    ///
    /// The service refuses the query, or does not return the operation in time; the store fails. Temporary failures are
    /// retried.
    pub async fn wait(&self, deadline: impl Into<Deadline>) -> Result<OperationOutcome, Error> {
        Self::end(self.watch(), deadline.into()).await
    }

    /// Waits until it has ended, and reports each time that the watch starts to wait.
    pub(super) async fn wait_reporting(&self, rests: &watch::Sender<Rest>) -> Result<OperationOutcome, Error> {
        rests.send_replace(Rest::default());
        Self::end(Watch { rests: Some(rests.clone()), ..self.watch() }, Deadline::never()).await
    }

    async fn end(mut watch: Watch, deadline: Deadline) -> Result<OperationOutcome, Error> {
        let passed = deadline.until().sleep();
        tokio::pin!(passed);
        loop {
            tokio::select! {
                biased;
                observation = watch.next() => match observation {
                    Some(observation) => drop(observation?),
                    None => return Ok(watch.outcome().unwrap_or_else(|| watch.at_deadline())),
                },
                () = &mut passed => return Ok(watch.at_deadline()),
            }
        }
    }
}

impl Watch {
    fn new(operation: Operation) -> Self {
        let now = clock::now();
        let age = operation.age();
        let tracker = Tracker::new(operation.binding(), operation.options(), age, now);
        Self {
            subscribe_at: operation.binding().subscription.map_or(Until::NEVER, |_| Until::at(now)),
            operation,
            tracker,
            subscription: None,
            look_at: Until::at(now),
            not_before: Until::at(now),
            looked_at: None,
            quick_queries: 0,
            round: 0,
            unchanged: 0,
            drops: 0,
            failures: 0,
            trouble: None,
            ready: None,
            done: false,
            rests: None,
        }
    }

    /// Returns the next observation: each state once, with the events that were observed up to then. `None` if the
    /// operation has ended; then [`outcome`](Self::outcome) is available.
    ///
    /// # Errors
    ///
    /// The service refuses the query, does not return the operation in time, or the store fails. The watching ends; the
    /// operation goes on. Temporary failures are retried.
    pub async fn next(&mut self) -> Option<Result<Observation, Error>> {
        if self.done {
            return None;
        }
        match self.observe().await {
            Ok(Some(observation)) => Some(Ok(observation)),
            Ok(None) => {
                self.done = true;
                self.subscription = None;
                None
            }
            Err(error) => {
                self.done = true;
                self.subscription = None;
                Some(Err(error))
            }
        }
    }

    /// Returns the outcome of the operation; `None` while it goes on.
    pub fn outcome(&self) -> Option<OperationOutcome> {
        self.tracker.outcome(clock::now())
    }

    /// Converts it into a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<Observation, Error>> + Send {
        futures_util::stream::unfold(self, |mut watch| async move { watch.next().await.map(|item| (item, watch)) })
    }

    /// Returns the outcome if the deadline passes now.
    pub(super) fn at_deadline(&self) -> OperationOutcome {
        match (self.tracker.at_deadline(), &self.trouble) {
            (OperationOutcome::StillRunning(last), Some(error)) => {
                OperationOutcome::Unreachable { last, error: Arc::clone(error) }
            }
            (outcome, _) => outcome,
        }
    }

    /// Returns the time of the next query.
    fn next_look(&self) -> Until {
        self.look_at.max(self.not_before)
    }

    async fn observe(&mut self) -> Result<Option<Observation>, Error> {
        loop {
            if let Some(observation) = &self.ready {
                self.operation.keep(observation).await?;
                return Ok(self.ready.take());
            }
            let now = clock::now();
            // A change by time alone is decided after one more query.
            let change = self.tracker.next_change();
            let looked = !change.is_over(now) || self.looked_at.is_some_and(|looked| change.is_over(looked));
            if self.tracker.outcome(now).is_some_and(|outcome| outcome.is_final() || looked) {
                return Ok(None);
            }
            if looked && self.tracker.is_missing(now) {
                return Err(self.operation.missing());
            }
            if self.subscribe_at.is_over(now) {
                self.subscribe_at = Until::NEVER;
                self.subscription = self.operation.subscribe();
                // The state may have changed before the subscription began.
                self.look_at = Until::at(now);
                self.schedule(1);
            }
            if self.next_look().is_over(now) || (!looked && self.failures == 0) {
                self.look().await?;
                continue;
            }
            if let Some(rests) = &self.rests {
                let looked = self.looked_at.is_some() || self.failures > 0;
                let rest = Rest { looked, pending: change != Until::NEVER };
                rests.send_if_modified(|known| std::mem::replace(known, rest) != rest);
            }
            let change = if change.is_over(now) { Until::NEVER } else { change };
            let wake = self.next_look().min(self.subscribe_at).min(change);
            let delivery = async {
                match &mut self.subscription {
                    Some(subscription) => subscription.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                delivery = delivery => self.delivered(delivery),
                () = wake.sleep() => {}
            }
        }
    }

    async fn look(&mut self) -> Result<(), Error> {
        let outcome = self.operation.look().await;
        let now = clock::now();
        match outcome {
            Ok(data) => {
                self.failures = 0;
                self.trouble = None;
                self.not_before = Until::at(now);
                self.looked_at = Some(now);
                self.ready = self.tracker.query(data, now);
                if self.ready.is_some() {
                    self.unchanged = 0;
                    self.quick_queries = self.quick_queries.min(1);
                }
                self.look_at = Until::from(now, self.pause());
                Ok(())
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                let passes = match Trouble::from_error(&error) {
                    Trouble::Passes => true,
                    Trouble::Doubtful => self.failures < HITCHES,
                    Trouble::Stays => false,
                };
                if !passes {
                    return Err(error);
                }
                let first = self.operation.options().interval.clamp(LEAST_AFTER_FAILURE, LONGEST);
                // A `Retry-After` lengthens the pause, and never shortens it.
                let asked = error.retry_after().unwrap_or_default().min(LONGEST_ASKED);
                self.not_before = Until::from(now, doubled(first, self.failures).max(asked));
                self.look_at = self.not_before;
                tracing::debug!(code = error.code(), failures = self.failures, "a look at an operation failed");
                self.trouble = Some(Arc::new(error));
                Ok(())
            }
        }
    }

    /// Schedules a quick series of this many queries.
    fn schedule(&mut self, times: u32) {
        self.quick_queries = times;
        self.round = 0;
    }

    /// Returns the time to the next query.
    fn pause(&mut self) -> Duration {
        let options = self.operation.options();
        let pause = if self.quick_queries > 0 {
            self.quick_queries -= 1;
            self.round += 1;
            Backoff { first: options.settle, longest: Duration::MAX }.span(self.round.saturating_sub(1))
        } else if self.subscription.is_some() && !self.tracker.is_restless() {
            options.safety
        } else {
            self.unchanged = self.unchanged.saturating_add(1);
            doubled(options.interval, self.unchanged)
        };
        // With jitter, so that many watchers do not query at once.
        part(pause.min(options.safety), 0.9).max(LEAST)
    }

    fn delivered(&mut self, delivery: Option<Result<Delivery<Value>, Error>>) {
        let now = clock::now();
        match delivery {
            Some(Ok(Delivery::Next(answer))) => {
                self.drops = 0;
                let data = answer.data().cloned().unwrap_or_default();
                match self.tracker.push(data) {
                    Push::Nothing => {}
                    Push::Report(observation) => self.ready = Some(*observation),
                    Push::Confirm => {
                        // A flood of pushes must not become a flood of queries.
                        let rest = self.operation.options().settle / 4;
                        let soon = self.looked_at.map_or(Until::at(now), |looked| Until::from(looked, rest));
                        self.look_at = self.look_at.min(soon);
                        self.schedule(CONFIRMATIONS);
                    }
                }
            }
            Some(Ok(Delivery::Gap(gap))) => {
                tracing::debug!(?gap, "the subscription of an operation has a gap");
                self.tracker.mark_gap();
                self.look_at = Until::at(now);
            }
            // After every end of the stream, even a clean one, events may have been missed.
            Some(Err(_)) | None => {
                self.subscription = None;
                self.tracker.mark_gap();
                self.look_at = Until::at(now);
                self.drops = self.drops.saturating_add(1);
                self.subscribe_at = Until::from(now, doubled(self.operation.options().reconnect, self.drops));
            }
        }
    }
}

/// A doubling time, minus a random half.
fn doubled(first: Duration, count: u32) -> Duration {
    let first = first.max(LEAST);
    Backoff { first, longest: LONGEST.max(first) }.pause(count.max(1))
}

/// A random part of a time, from `least` of it to all of it. Never stays never.
fn part(span: Duration, least: f64) -> Duration {
    if span > clock::LONGEST { span } else { span.mul_f64(least + random() * (1.0 - least)) }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("operation", &self.operation).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests;
