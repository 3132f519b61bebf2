//! The observations of one operation.

mod schedule;

use std::{fmt, sync::Arc};

use futures_core::Stream;
use tokio::sync::watch;

use self::schedule::{Action, Schedule};
use super::{Deadline, Observation, Operation, OperationOutcome, tracker::Tracker, trouble::Trouble};
use crate::{
    Error, Value,
    clock::{self, random},
    graphql::{Delivery, Subscription},
};

/// The observations of one operation, until it has ended. Dropping it only ends the watching.
///
/// Nothing happens between two calls of [`next`](Self::next), so that thousands of watches need no tasks; a call that
/// is dropped half-way loses no observation.
pub struct Watch {
    operation: Operation,
    schedule: Schedule,
    subscription: Option<Subscription<Value>>,
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
        let (binding, options) = (operation.binding(), operation.options());
        let tracker = Tracker::new(binding, options, operation.age(), now);
        Self {
            schedule: Schedule::new(tracker, options, binding.subscription.is_some(), now),
            operation,
            subscription: None,
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
        self.schedule.outcome(clock::now())
    }

    /// Converts it into a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<Observation, Error>> + Send {
        futures_util::stream::unfold(self, |mut watch| async move { watch.next().await.map(|item| (item, watch)) })
    }

    /// Returns the outcome if the deadline passes now.
    pub(super) fn at_deadline(&self) -> OperationOutcome {
        match (self.schedule.at_deadline(), &self.trouble) {
            (OperationOutcome::StillRunning(last), Some(error)) => {
                OperationOutcome::Unreachable { last, error: Arc::clone(error) }
            }
            (outcome, _) => outcome,
        }
    }

    async fn observe(&mut self) -> Result<Option<Observation>, Error> {
        loop {
            if let Some(observation) = &self.ready {
                self.operation.keep(observation).await?;
                return Ok(self.ready.take());
            }
            match self.schedule.next(clock::now()) {
                Action::End => return Ok(None),
                Action::Missing => return Err(self.operation.missing()),
                Action::Subscribe => self.subscription = self.operation.subscribe(),
                Action::Query => self.look().await?,
                Action::Wait(until) => {
                    if let Some(rests) = &self.rests {
                        let rest = self.schedule.rest();
                        rests.send_if_modified(|known| std::mem::replace(known, rest) != rest);
                    }
                    let delivery = async {
                        match &mut self.subscription {
                            Some(subscription) => subscription.next().await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        delivery = delivery => self.delivered(delivery),
                        () = until.sleep() => {}
                    }
                }
            }
        }
    }

    async fn look(&mut self) -> Result<(), Error> {
        let outcome = self.operation.look().await;
        let now = clock::now();
        match outcome {
            Ok(data) => {
                self.trouble = None;
                self.ready = self.schedule.answered(data, now, random());
            }
            Err(error) => {
                if !self.schedule.failed(Trouble::from_error(&error), error.retry_after(), now, random()) {
                    return Err(error);
                }
                let failures = self.schedule.failures;
                tracing::debug!(code = error.code(), failures, "a look at an operation failed");
                self.trouble = Some(Arc::new(error));
            }
        }
        Ok(())
    }

    fn delivered(&mut self, delivery: Option<Result<Delivery<Value>, Error>>) {
        let now = clock::now();
        match delivery {
            Some(Ok(Delivery::Next(answer))) => {
                self.ready = self.schedule.pushed(answer.data().cloned().unwrap_or_default(), now);
            }
            Some(Ok(Delivery::Gap(gap))) => {
                tracing::debug!(?gap, "the subscription of an operation has a gap");
                self.schedule.missed(now);
            }
            Some(Err(_)) | None => {
                self.subscription = None;
                self.schedule.unsubscribed(now, random());
            }
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("operation", &self.operation).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests;
