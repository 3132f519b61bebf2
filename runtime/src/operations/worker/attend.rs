//! One operation: watched to its end, handed over, finished.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    WorkerEvent,
    handler::{Ended, Handler},
    life::Life,
    shared::Shared,
    shown,
};
use crate::{
    Error,
    clock::{self, Backoff},
    operations::{Deadline, Entry, HeldOperation, Lease, Operation, OperationOutcome, Operations},
};

/// One operation in the hands of this instance.
pub(super) struct Attendance {
    pub(super) shared: Arc<Shared>,
    pub(super) operations: Operations,
    pub(super) life: Arc<Life>,
    pub(super) lease: Lease,
    pub(super) kind: String,
    pub(super) failures: u32,
}

/// Why an operation is let go of.
enum Stop {
    /// The worker stops, or the leases are lost.
    Quiet,
    /// It is another instance's.
    Fenced,
    Watch(Error),
    Handler(String),
}

impl Attendance {
    /// Attends to what was claimed.
    pub(super) async fn run(self, held: HeldOperation) {
        let (_, _, entry, _) = held.into_parts();
        let work = async {
            match entry {
                Ok(entry) => self.work(entry).await,
                Err(unreadable) => Err(Stop::Watch(unreadable.into_error())),
            }
        };
        let stop = tokio::select! {
            biased;
            () = self.life.lost() => return,
            done = work => match done {
                Ok(()) => return,
                Err(stop) => stop,
            },
        };
        match stop {
            Stop::Quiet => {}
            Stop::Fenced => self.fenced(),
            Stop::Watch(error) => self.fail_to_watch(error).await,
            Stop::Handler(failure) => self.fail(&failure).await,
        }
    }

    async fn work(&self, entry: Entry) -> Result<(), Stop> {
        let operation = self.operations.resume(&entry).map_err(Stop::Watch)?.under(self.lease.clone());
        let outcome = self.watch(&operation).await?;
        let seen = Instant::now();
        let group = (self.operations.deployment(), self.kind.clone());
        let _turn = self.shared.turns.take(&group).await;
        // A program that stood still learns here that others have gone on, before it acts.
        if !self.life.holds() {
            return Err(Stop::Quiet);
        }
        let name = outcome.name();
        let ended = Ended { operation, outcome, intent: entry.intent().clone(), failures: self.failures };
        self.hand_over(ended, name).await?;
        self.tell(WorkerEvent::Handled {
            correlation: self.lease.correlation().to_owned(),
            kind: self.kind.clone(),
            outcome: name,
            took: seen.elapsed(),
        });
        Ok(())
    }

    /// Watches until it has ended. A store that fails is waited for, as long as the leases hold.
    async fn watch(&self, operation: &Operation) -> Result<OperationOutcome, Stop> {
        let mut failures = 0;
        loop {
            let outcome = tokio::select! {
                biased;
                () = self.shared.stopped() => return Err(Stop::Quiet),
                outcome = operation.wait(Deadline::never()) => outcome,
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

    async fn pause(&self, failures: u32) {
        let longest = self.shared.settings.lease;
        clock::sleep(Backoff { first: Duration::from_millis(100).min(longest), longest }.pause(failures)).await;
    }

    async fn hand_over(&self, ended: Ended, outcome: &'static str) -> Result<(), Stop> {
        match &self.shared.handler {
            Handler::Plain(handler) => {
                handler(ended).await.map_err(Stop::Handler)?;
                let mut failures = 0;
                loop {
                    let finished =
                        self.operations.store().finish(self.lease.correlation(), outcome, Some(&self.lease)).await;
                    match finished {
                        Ok(_) => return Ok(()),
                        Err(error) if error.is_lease_lost() => return Err(Stop::Fenced),
                        // The handler has returned: it is not called again for a store that comes back in time.
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
                let lease = self.shared.settings.lease;
                let done =
                    store.handled_in(&self.lease, outcome, lease, |transaction| handler.call(ended, transaction));
                match done.await {
                    Ok(()) => Ok(()),
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

    fn tell(&self, event: WorkerEvent) {
        self.shared.tell(&event);
    }

    fn fenced(&self) {
        let correlation = self.lease.correlation().to_owned();
        self.tell(WorkerEvent::Fenced { correlation, kind: self.kind.clone() });
    }

    /// Counts the failure, and gives the operation back for a while.
    async fn give_back(&self, failure: &str) -> Option<(u32, Duration)> {
        let failures = self.failures.saturating_add(1);
        let after = self.shared.settings.retry.pause(failures);
        let mut tries = 0;
        loop {
            match self.operations.store().put_back(&self.lease, after, Some(failure)).await {
                Ok(()) => return Some((failures, after)),
                Err(error) if error.is_lease_lost() => {
                    self.fenced();
                    return None;
                }
                Err(error) => {
                    self.shared.store_failed(&self.operations, error);
                    tries += 1;
                    tokio::select! {
                        () = self.life.lost() => return None,
                        () = self.pause(tries) => {}
                    }
                }
            }
        }
    }

    /// The handler has failed.
    pub(super) async fn fail(&self, failure: &str) {
        let failure = shown(failure);
        let Some((failures, after)) = self.give_back(&failure).await else { return };
        let correlation = self.lease.correlation().to_owned();
        self.tell(WorkerEvent::HandlerFailed { correlation, kind: self.kind.clone(), failure, failures, after });
    }

    async fn fail_to_watch(&self, error: Error) {
        let Some((failures, after)) = self.give_back(&shown(&error.to_string())).await else { return };
        let correlation = self.lease.correlation().to_owned();
        self.tell(WorkerEvent::WatchFailed { correlation, kind: self.kind.clone(), error, failures, after });
    }
}
