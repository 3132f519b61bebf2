//! One operation: watched to its end, handled, finished.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    WorkerEvent,
    event::Discarded,
    handler::{Ended, Handler},
    instance_lease::InstanceLease,
    plan::TaskRequest,
    progress::TaskProgress,
    shared::Shared,
    stored_text,
};
use crate::{
    Error,
    clock::{self, Backoff, Until, seconds},
    operations::{Entry, HeldOperation, Lease, Operation, OperationOutcome, Operations},
};

/// The time for which an operation that made room for others cannot be claimed: they come first.
const BEHIND: Duration = Duration::from_millis(1);
/// The shortest time between two queries of an operation whose time is over.
const LEAST: Duration = Duration::from_secs(1);

/// One operation that this instance has leased.
pub(super) struct Attendance {
    pub(super) shared: Arc<Shared>,
    pub(super) operations: Operations,
    pub(super) instance_lease: Arc<InstanceLease>,
    pub(super) lease: Lease,
    pub(super) kind: String,
    pub(super) failures: u32,
    /// The time since it was accepted, or retried by hand, at the claim of this instance.
    pub(super) age: Duration,
    pub(super) progress: Arc<TaskProgress>,
}

/// The way in which an operation is released.
enum Parting<'a> {
    /// It is due again after this time, with one more failure if there is one.
    Back(Duration, Option<&'a str>),
    /// It is given up.
    Discard(&'a str),
}

/// The reason for releasing an operation.
enum Stop {
    /// The worker stops, or the leases are lost.
    Quiet,
    /// Another instance has the lease.
    Fenced,
    /// Others wait for its slot, or its kind is paused.
    Yield,
    /// Its time is over.
    Overdue,
    Watch(Error),
    Handler(String),
}

impl Attendance {
    /// Runs a claimed operation.
    pub(super) async fn run(self, claimed: HeldOperation) {
        let entry = claimed.into_entry();
        let work = async {
            match entry {
                Ok(entry) => self.work(entry).await,
                Err(unreadable) => Err(Stop::Watch(unreadable.into_error())),
            }
        };
        let stop = tokio::select! {
            biased;
            () = self.instance_lease.lost() => return,
            done = work => match done {
                Ok(()) => return,
                Err(stop) => stop,
            },
        };
        match stop {
            Stop::Quiet => {}
            Stop::Fenced => self.fenced(),
            Stop::Yield => self.give_way().await,
            Stop::Overdue => self.fail_to_end().await,
            Stop::Watch(error) => self.fail_to_watch(error).await,
            Stop::Handler(failure) => self.fail(&failure).await,
        }
    }

    async fn work(&self, entry: Entry) -> Result<(), Stop> {
        let operation = self.operations.resume(&entry).map_err(Stop::Watch)?.under(self.lease.clone());
        let outcome = self.watch(&operation).await?;
        self.progress.end();
        let seen = clock::now();
        let group = (self.operations.deployment(), self.kind.clone());
        let _turn = tokio::select! {
            biased;
            () = self.progress.requested(TaskRequest::LetGo) => return Err(Stop::Yield),
            turn = self.shared.turns.take(&group) => turn,
        };
        // A program that stalled learns here that others have taken over, before it acts.
        if !self.instance_lease.holds() {
            return Err(Stop::Quiet);
        }
        let name = outcome.name();
        let ended = Ended { operation, outcome, intent: entry.intent().clone(), failures: self.failures };
        self.hand_over(ended, name).await?;
        self.report(WorkerEvent::Handled {
            correlation: self.lease.correlation().to_owned(),
            kind: self.kind.clone(),
            outcome: name,
            took: seen.elapsed(),
        });
        Ok(())
    }

    /// Watches until it has ended. If the store fails, it is retried while the leases are valid.
    async fn watch(&self, operation: &Operation) -> Result<OperationOutcome, Stop> {
        let mut failures = 0;
        let begun = self.progress.since();
        let mut overdue = Until::from(begun, self.shared.settings.operation_timeout.saturating_sub(self.age));
        let mut has_ended = false;
        loop {
            let outcome = tokio::select! {
                biased;
                () = self.shared.stopped() => return Err(Stop::Quiet),
                outcome = operation.wait_reporting(&self.progress.rests) => outcome,
                () = self.progress.requested(TaskRequest::Yield) => return Err(Stop::Yield),
                () = overdue.sleep() => match self.last_look(operation, begun, has_ended).await {
                    Ok(again) => {
                        has_ended = true;
                        overdue = again;
                        continue;
                    }
                    Err(stop) => return Err(stop),
                }
            };
            match outcome {
                Ok(outcome) => return Ok(outcome),
                Err(error) if error.is_lease_lost() => return Err(Stop::Fenced),
                Err(error) if error.is_store() => {
                    self.shared.store_failed(&self.operations, error);
                    failures += 1;
                    self.pause(failures).await;
                }
                Err(error) => return Err(Stop::Watch(error)),
            }
        }
    }

    /// Queries an operation whose time is over once more: it may have ended while it was not watched. Returns the time
    /// at which to give it up if it has ended, or if the service does not tell: the same time again is granted for
    /// that.
    async fn last_look(&self, operation: &Operation, begun: Instant, has_ended: bool) -> Result<Until, Stop> {
        let timeout = self.shared.settings.operation_timeout;
        let age = self.age.saturating_add(clock::now().saturating_duration_since(begun));
        match operation.poll().await {
            Ok(last) if !last.state().is_final() || has_ended => Err(Stop::Overdue),
            Ok(_) => Ok(Until::after(self.operations.options().patience().max(LEAST))),
            Err(error) if error.is_lease_lost() => Err(Stop::Fenced),
            Err(error) if error.is_store() => {
                self.shared.store_failed(&self.operations, error);
                Ok(Until::after(LEAST))
            }
            Err(error) if error.is_operation_missing() => Err(Stop::Watch(error)),
            Err(_) if age >= timeout.saturating_mul(2) => Err(Stop::Overdue),
            Err(_) => Ok(Until::after(self.shared.settings.turn.max(LEAST))),
        }
    }

    async fn pause(&self, failures: u32) {
        let longest = self.shared.lease();
        clock::sleep(Backoff { first: Duration::from_millis(100).min(longest), longest }.pause(failures)).await;
    }

    async fn hand_over(&self, ended: Ended, outcome: &'static str) -> Result<(), Stop> {
        match &self.shared.handler {
            Handler::Plain(handler) => {
                let limit = self.shared.settings.handler_timeout;
                match clock::limit(limit, handler(ended)).await {
                    Ok(done) => done.map_err(Stop::Handler)?,
                    Err(clock::Over) => return Err(Stop::Handler(too_long(limit))),
                }
                let mut failures = 0;
                loop {
                    let finished =
                        self.operations.store().finish(self.lease.correlation(), outcome, Some(&self.lease)).await;
                    match finished {
                        Ok(_) => return Ok(()),
                        Err(error) if error.is_lease_lost() => return Err(Stop::Fenced),
                        // The handler has returned: it is not called again if the store recovers in time.
                        Err(error) => {
                            self.shared.store_failed(&self.operations, error);
                            failures += 1;
                            self.pause(failures).await;
                        }
                    }
                }
            }
            #[cfg(feature = "postgres")]
            Handler::In(handler) => {
                use crate::operations::postgres::Undone;

                let Some(store) = self.operations.postgres() else {
                    return Err(Stop::Handler("the store has no transactions to hand out".to_owned()));
                };
                let times = (self.shared.lease(), self.shared.settings.handler_timeout);
                let done =
                    store.handled_in(&self.lease, outcome, times, |transaction| handler.call(ended, transaction));
                match done.await {
                    Ok(()) => Ok(()),
                    Err(Undone::Late) => Err(Stop::Handler(too_long(times.1))),
                    Err(Undone::Handler(error)) => Err(Stop::Handler(error.to_string())),
                    Err(Undone::Store(error)) if error.is_lease_lost() => Err(Stop::Fenced),
                    Err(Undone::Store(error)) => {
                        let failure = error.to_string();
                        self.shared.store_failed(&self.operations, error);
                        Err(Stop::Handler(failure))
                    }
                }
            }
        }
    }

    fn report(&self, event: WorkerEvent) {
        self.shared.report(&event);
    }

    fn fenced(&self) {
        let correlation = self.lease.correlation().to_owned();
        self.report(WorkerEvent::Fenced { correlation, kind: self.kind.clone() });
    }

    /// Releases the operation, as soon as the store accepts it. Returns `false` if the lease is lost.
    async fn part(&self, parting: Parting<'_>) -> bool {
        let (store, mut tries) = (self.operations.store(), 0);
        loop {
            let parted = match parting {
                Parting::Back(after, failure) => store.put_back(&self.lease, after, failure).await,
                Parting::Discard(reason) => {
                    store.discard(self.lease.correlation(), reason, Some(&self.lease)).await.map(drop)
                }
            };
            match parted {
                Ok(()) => return true,
                Err(error) if error.is_lease_lost() => {
                    self.fenced();
                    return false;
                }
                Err(error) => {
                    self.shared.store_failed(&self.operations, error);
                    tries += 1;
                    tokio::select! {
                        () = self.instance_lease.lost() => return false,
                        () = self.pause(tries) => {}
                    }
                }
            }
        }
    }

    async fn give_way(&self) {
        if self.part(Parting::Back(BEHIND, None)).await {
            let correlation = self.lease.correlation().to_owned();
            self.report(WorkerEvent::Yielded { correlation, kind: self.kind.clone() });
        }
    }

    async fn fail_to_end(&self) {
        let failure = format!("it has not ended within {}", seconds(self.shared.settings.operation_timeout));
        self.discard(Discarded::OperationTimeout, failure).await;
    }

    async fn discard(&self, cause: Discarded, failure: String) {
        if self.part(Parting::Discard(&failure)).await {
            let (correlation, kind) = (self.lease.correlation().to_owned(), self.kind.clone());
            let failures = self.failures.saturating_add(1);
            self.report(WorkerEvent::Discarded { correlation, kind, cause, failure, failures });
        }
    }

    /// Counts a failure, and puts the operation back for a while, or gives it up after the last one. Returns the number
    /// of failures, and the time of the next try.
    async fn give_back(&self, failure: &str) -> Option<(u32, Duration)> {
        let failures = self.failures.saturating_add(1);
        if failures >= self.shared.settings.max_attempts {
            self.discard(Discarded::MaxAttempts, failure.to_owned()).await;
            return None;
        }
        let after = self.shared.settings.retry.pause(failures);
        self.part(Parting::Back(after, Some(failure))).await.then_some((failures, after))
    }

    /// Records a failure of the handler.
    pub(super) async fn fail(&self, failure: &str) {
        let failure = stored_text(failure);
        let Some((failures, after)) = self.give_back(&failure).await else { return };
        let correlation = self.lease.correlation().to_owned();
        self.report(WorkerEvent::HandlerFailed { correlation, kind: self.kind.clone(), failure, failures, after });
    }

    async fn fail_to_watch(&self, error: Error) {
        let Some((failures, after)) = self.give_back(&stored_text(&error.to_string())).await else { return };
        let correlation = self.lease.correlation().to_owned();
        self.report(WorkerEvent::WatchFailed { correlation, kind: self.kind.clone(), error, failures, after });
    }
}

fn too_long(limit: Duration) -> String {
    format!("the handler did not return within {}", seconds(limit))
}
