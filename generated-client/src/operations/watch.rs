//! The observations of one operation.

use std::{
    fmt,
    time::{Duration, Instant, SystemTime},
};

use futures_core::Stream;
use serde_json::Value;

use super::{
    Observation, Operation, Outcome,
    tracker::{Push, Tracker},
};
use crate::{
    Error,
    graphql::{Delivery, Subscription},
    session::random,
};

/// GraphQL errors in a row that count as a hitch of the service.
const HITCHES: u32 = 3;
/// Looks that follow a push which only a query can confirm.
const CONFIRMATIONS: u32 = 6;
const LONGEST: Duration = Duration::from_secs(30);

/// The observations of one operation, until it has ended. Dropping it ends the watching, and nothing else.
///
/// Nothing happens between two calls of [`next`](Self::next), so that thousands of them cost no task each; a call that is
/// dropped half-way loses no observation.
pub struct Watch {
    operation: Operation,
    tracker: Tracker,
    subscription: Option<Subscription<Value>>,
    subscribe_at: Option<Instant>,
    look_at: Instant,
    /// When a look last succeeded.
    looked_at: Option<Instant>,
    /// How many more looks follow soon, and how many have followed.
    eager: u32,
    round: u32,
    /// Looks in a row that brought nothing.
    quiet: u32,
    drops: u32,
    failures: u32,
    /// Observed, and not yet stored and handed over.
    ready: Option<Observation>,
    done: bool,
}

impl Watch {
    pub(super) fn new(operation: Operation) -> Self {
        let now = Instant::now();
        let age = SystemTime::now().duration_since(operation.reference().accepted_at()).unwrap_or_default();
        let tracker = Tracker::new(operation.binding(), operation.options(), age, now);
        Self {
            subscribe_at: operation.binding().subscription.map(|_| now),
            operation,
            tracker,
            subscription: None,
            look_at: now,
            looked_at: None,
            eager: 0,
            round: 0,
            quiet: 0,
            drops: 0,
            failures: 0,
            ready: None,
            done: false,
        }
    }

    /// The next observation: each state once, with the events that were seen up to then. `None` when the operation has
    /// ended; then [`outcome`](Self::outcome) says how.
    ///
    /// # Errors
    ///
    /// The service refuses the query, does not show the operation in time, or the store fails. The watching ends; the
    /// operation goes on. Failures that pass are waited out.
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

    /// How the operation ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.tracker.outcome(Instant::now())
    }

    /// As a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<Observation, Error>> + Send {
        futures_util::stream::unfold(self, |mut watch| async move { watch.next().await.map(|item| (item, watch)) })
    }

    pub(super) fn at_deadline(&self) -> Outcome {
        self.tracker.at_deadline()
    }

    async fn observe(&mut self) -> Result<Option<Observation>, Error> {
        loop {
            if let Some(observation) = &self.ready {
                self.operation.keep(observation).await?;
                return Ok(self.ready.take());
            }
            let now = Instant::now();
            // What time alone decides is decided after one more look.
            let due = self.tracker.next_change().filter(|due| *due <= now);
            let looked = due.is_none_or(|due| self.looked_at.is_some_and(|looked| looked >= due));
            if self.tracker.outcome(now).is_some_and(|outcome| outcome.is_final() || looked) {
                return Ok(None);
            }
            if looked && self.tracker.is_missing(now) {
                return Err(self.operation.missing());
            }
            if self.subscribe_at.is_some_and(|at| at <= now) {
                self.subscribe_at = None;
                self.subscription = self.operation.subscribe();
                // The state may have changed before the service heard of the subscription.
                self.look_at = now;
                self.schedule(1);
            }
            if self.look_at <= now || (!looked && self.failures == 0) {
                self.look().await?;
                continue;
            }
            let wake = [self.subscribe_at, self.tracker.next_change().filter(|change| *change > now)]
                .into_iter()
                .flatten()
                .fold(self.look_at, Instant::min);
            let delivery = async {
                match &mut self.subscription {
                    Some(subscription) => subscription.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                delivery = delivery => self.delivered(delivery),
                () = tokio::time::sleep_until(wake.into()) => {}
            }
        }
    }

    async fn look(&mut self) -> Result<(), Error> {
        let outcome = self.operation.look().await;
        let now = Instant::now();
        match outcome {
            Ok(data) => {
                self.failures = 0;
                self.looked_at = Some(now);
                self.ready = self.tracker.query(data, now);
                if self.ready.is_some() {
                    self.quiet = 0;
                    self.eager = self.eager.min(1);
                }
                self.look_at = now + self.pause();
                Ok(())
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                let hitch = error.is_graphql() && self.failures < HITCHES;
                if !(error.is_retryable() || error.is_server_error() || hitch) {
                    return Err(error);
                }
                let interval = self.operation.options().interval;
                let wait = error.retry_after().unwrap_or_else(|| doubled(interval, self.failures));
                self.look_at = now + wait.min(LONGEST);
                Ok(())
            }
        }
    }

    /// Looks again soon, that many times.
    fn schedule(&mut self, times: u32) {
        self.eager = times;
        self.round = 0;
    }

    /// The time to the next look.
    fn pause(&mut self) -> Duration {
        let options = self.operation.options();
        let pause = if self.eager > 0 {
            self.eager -= 1;
            self.round += 1;
            options.settle.saturating_mul(1 << self.round.saturating_sub(1).min(10))
        } else if self.subscription.is_some() && !self.tracker.is_restless() {
            options.safety
        } else {
            self.quiet = self.quiet.saturating_add(1);
            doubled(options.interval, self.quiet)
        };
        // Apart from each other, so that many watchers do not look at once.
        pause.min(options.safety).mul_f64(0.9 + random() / 10.0)
    }

    fn delivered(&mut self, delivery: Option<Result<Delivery<Value>, Error>>) {
        let now = Instant::now();
        match delivery {
            Some(Ok(Delivery::Next(answer))) => {
                self.drops = 0;
                let data = answer.data().cloned().unwrap_or_default();
                match self.tracker.push(data) {
                    Push::Nothing => {}
                    Push::Report(observation) => self.ready = Some(*observation),
                    Push::Confirm => {
                        // A flood of pushes is no flood of looks.
                        let soon =
                            self.looked_at.map_or(now, |looked| now.max(looked + self.operation.options().settle / 4));
                        self.look_at = self.look_at.min(soon);
                        self.schedule(CONFIRMATIONS);
                    }
                }
            }
            Some(Ok(Delivery::Gap(gap))) => {
                tracing::debug!(?gap, "the subscription of an operation has a gap");
                self.tracker.mark_gap();
                self.look_at = now;
            }
            // Every end of the stream, a clean one too: nobody knows what was missed.
            Some(Err(_)) | None => {
                self.subscription = None;
                self.tracker.mark_gap();
                self.look_at = now;
                self.drops = self.drops.saturating_add(1);
                self.subscribe_at = now.checked_add(doubled(self.operation.options().reconnect, self.drops));
            }
        }
    }
}

/// A doubling span, of which a random half is taken off.
fn doubled(first: Duration, count: u32) -> Duration {
    let span = first.saturating_mul(1 << count.saturating_sub(1).min(10)).min(LONGEST);
    span.mul_f64(0.5 + random() / 2.0)
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("operation", &self.operation).finish_non_exhaustive()
    }
}
