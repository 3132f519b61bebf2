//! One operation: watched to its end, handled, finished.

use std::{sync::Arc, time::Duration};

use super::{
    WorkerEvent,
    event::Discarded,
    handler::{Ended, Handler},
    instance_lease::InstanceLease,
    plan::TaskRequest,
    progress::TaskProgress,
    shared::Shared,
    stored_text,
    task_plan::{Failure, TaskAction, TaskPlan, Verdict},
};
use crate::{
    Error,
    clock::{self, random, seconds},
    operations::{Entry, HeldOperation, Lease, Observation, Operation, OperationOutcome, Operations},
};

/// The time for which an operation that made room for others cannot be claimed: they come first.
const BEHIND: Duration = Duration::from_millis(1);

/// One operation that this instance has leased.
pub(super) struct Attendance {
    pub(super) shared: Arc<Shared>,
    pub(super) operations: Operations,
    pub(super) instance_lease: Arc<InstanceLease>,
    pub(super) lease: Lease,
    pub(super) kind: String,
    pub(super) plan: TaskPlan,
    pub(super) progress: Arc<TaskProgress>,
}

/// The way in which an operation is released.
enum Parting<'a> {
    /// It is due again after this time, with one more failure if there is one.
    Back(Duration, Option<&'a str>),
    /// It is given up.
    Discard(&'a str),
}

/// The answer to an action of the plan.
enum Answer {
    Watched(Result<OperationOutcome, Error>),
    Queried(Result<Observation, Error>),
    /// Its time has passed.
    None,
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
    pub(super) async fn run(mut self, claimed: HeldOperation) {
        let (entry, instance_lease) = (claimed.into_entry(), Arc::clone(&self.instance_lease));
        let work = async {
            match entry {
                Ok(entry) => self.work(entry).await,
                Err(unreadable) => Err(Stop::Watch(unreadable.into_error())),
            }
        };
        let stop = tokio::select! {
            biased;
            () = instance_lease.lost() => return,
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

    async fn work(&mut self, entry: Entry) -> Result<(), Stop> {
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
        let ended = Ended { operation, outcome, intent: entry.intent().clone(), failures: self.plan.failures() };
        self.hand_over(ended, name).await?;
        self.report(WorkerEvent::Handled {
            correlation: self.lease.correlation().to_owned(),
            kind: self.kind.clone(),
            outcome: name,
            took: seen.elapsed(),
        });
        Ok(())
    }

    /// Watches until it has ended.
    async fn watch(&mut self, operation: &Operation) -> Result<OperationOutcome, Stop> {
        loop {
            let action = self.plan.next(clock::now());
            let answer = tokio::select! {
                biased;
                () = self.shared.stopped() => return Err(Stop::Quiet),
                answer = self.act(operation, action) => answer,
                () = self.progress.requested(TaskRequest::Yield) => return Err(Stop::Yield),
            };
            let (now, lease) = (clock::now(), self.shared.lease());
            let (verdict, error) = match answer {
                Answer::None => continue,
                Answer::Watched(Ok(outcome)) => return Ok(outcome),
                Answer::Watched(Err(error)) => {
                    (self.plan.watch_failed(Failure::from_error(&error), lease, now, random()), Some(error))
                }
                Answer::Queried(Ok(last)) => (self.plan.queried(Ok(last.state().is_final()), now), None),
                Answer::Queried(Err(error)) => (self.plan.queried(Err(Failure::from_error(&error)), now), Some(error)),
            };
            match (verdict, error) {
                (Verdict::Fenced, _) => return Err(Stop::Fenced),
                (Verdict::PutBack, Some(error)) => return Err(Stop::Watch(error)),
                (Verdict::Overdue | Verdict::PutBack, _) => return Err(Stop::Overdue),
                (Verdict::Again, Some(error)) if error.is_store() => self.shared.store_failed(&self.operations, error),
                (Verdict::Again, _) => {}
            }
        }
    }

    /// Carries out an action of the plan.
    async fn act(&self, operation: &Operation, action: TaskAction) -> Answer {
        match action {
            TaskAction::Watch(until) => match until.limit(operation.wait_reporting(&self.progress.rests)).await {
                Ok(outcome) => Answer::Watched(outcome),
                Err(clock::Over) => Answer::None,
            },
            TaskAction::Query => Answer::Queried(operation.poll().await),
            TaskAction::Pause(until) => {
                until.sleep().await;
                Answer::None
            }
        }
    }

    /// Reports a failure of the store, and waits for the time of the next attempt.
    async fn pause(&mut self, error: Error) {
        self.shared.store_failed(&self.operations, error);
        self.plan.store_failed(self.shared.lease(), clock::now(), random()).sleep().await;
    }

    async fn hand_over(&mut self, ended: Ended, outcome: &'static str) -> Result<(), Stop> {
        match &self.shared.handler {
            Handler::Plain(handler) => {
                let limit = self.shared.settings.handler_timeout;
                match clock::limit(limit, handler(ended)).await {
                    Ok(done) => done.map_err(Stop::Handler)?,
                    Err(clock::Over) => return Err(Stop::Handler(too_long(limit))),
                }
                self.plan.begin_step();
                loop {
                    let finished =
                        self.operations.store().finish(self.lease.correlation(), outcome, Some(&self.lease)).await;
                    match finished {
                        Ok(_) => return Ok(()),
                        Err(error) if error.is_lease_lost() => return Err(Stop::Fenced),
                        // The handler has returned: it is not called again if the store recovers in time.
                        Err(error) => self.pause(error).await,
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
    async fn part(&mut self, parting: Parting<'_>) -> bool {
        let instance_lease = Arc::clone(&self.instance_lease);
        self.plan.begin_step();
        loop {
            let store = self.operations.store();
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
                Err(error) => tokio::select! {
                    () = instance_lease.lost() => return false,
                    () = self.pause(error) => {}
                },
            }
        }
    }

    async fn give_way(&mut self) {
        if self.part(Parting::Back(BEHIND, None)).await {
            let correlation = self.lease.correlation().to_owned();
            self.report(WorkerEvent::Yielded { correlation, kind: self.kind.clone() });
        }
    }

    async fn fail_to_end(&mut self) {
        let failure = format!("it has not ended within {}", seconds(self.shared.settings.operation_timeout));
        self.discard(Discarded::OperationTimeout, failure, self.plan.failures().saturating_add(1)).await;
    }

    async fn discard(&mut self, cause: Discarded, failure: String, failures: u32) {
        if self.part(Parting::Discard(&failure)).await {
            let (correlation, kind) = (self.lease.correlation().to_owned(), self.kind.clone());
            self.report(WorkerEvent::Discarded { correlation, kind, cause, failure, failures });
        }
    }

    /// Counts a failure, and puts the operation back for a while, or gives it up after the last one. Returns the number
    /// of failures, and the time of the next try.
    async fn give_back(&mut self, failure: &str) -> Option<(u32, Duration)> {
        let after = self.plan.fail(random());
        let failures = self.plan.failures();
        let Some(after) = after else {
            self.discard(Discarded::MaxAttempts, failure.to_owned(), failures).await;
            return None;
        };
        self.part(Parting::Back(after, Some(failure))).await.then_some((failures, after))
    }

    /// Records a failure of the handler.
    pub(super) async fn fail(&mut self, failure: &str) {
        let failure = stored_text(failure);
        let Some((failures, after)) = self.give_back(&failure).await else { return };
        let correlation = self.lease.correlation().to_owned();
        self.report(WorkerEvent::HandlerFailed { correlation, kind: self.kind.clone(), failure, failures, after });
    }

    async fn fail_to_watch(&mut self, error: Error) {
        let Some((failures, after)) = self.give_back(&stored_text(&error.to_string())).await else { return };
        let correlation = self.lease.correlation().to_owned();
        self.report(WorkerEvent::WatchFailed { correlation, kind: self.kind.clone(), error, failures, after });
    }
}

fn too_long(limit: Duration) -> String {
    format!("the handler did not return within {}", seconds(limit))
}
