//! The thread that uses the file of a store.

use std::{
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use crate::{
    error::{Error, Kind},
    operations::StoreFuture,
};

/// The time that a step waits for another program to release the file, from its request on: steps behind it do not wait
/// anew.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The number of steps that wait for the thread. Further callers wait for a free slot, without a limit.
const QUEUE: usize = 64;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The thread that uses the file, one step after the other. It ends with the last clone of this.
#[derive(Clone)]
pub(super) struct SqliteThread(mpsc::Sender<Job>);

pub(super) enum Failure {
    Sql(rusqlite::Error),
    Own(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Own(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(cause: rusqlite::Error) -> Self {
        Self::Sql(cause)
    }
}

impl SqliteThread {
    pub(super) fn start(mut connection: Connection) -> Result<Self, Error> {
        let (sender, mut queue) = mpsc::channel::<Job>(QUEUE);
        let work = move || {
            while let Some(step) = queue.blocking_recv() {
                step(&mut connection);
            }
        };
        thread::Builder::new().name("driftless-store".to_owned()).spawn(work).map_err(|cause| {
            Error::with(Kind::Store, format!("no thread can be started for the store: {cause}")).hint("try again")
        })?;
        Ok(Self(sender))
    }

    /// Runs a step that reads.
    pub(super) fn read<'a, T: Send + 'static>(
        &'a self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        self.run(action, move |connection, _| work(connection))
    }

    /// Runs a step that changes the file, in one transaction. If its caller was dropped, nothing is changed.
    pub(super) fn write<'a, T: Send + 'static>(
        &'a self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        self.run(action, move |connection, reply| {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&change)?;
            if !reply.is_closed() {
                change.commit()?;
            }
            Ok(value)
        })
    }

    fn run<'a, T: Send + 'static>(
        &'a self,
        action: &'static str,
        work: impl FnOnce(&mut Connection, &oneshot::Sender<Result<T, Failure>>) -> Result<T, Failure> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let asked = Instant::now();
            let (reply, answer) = oneshot::channel();
            let step: Job = Box::new(move |connection| {
                if reply.is_closed() {
                    return;
                }
                let left = PATIENCE.saturating_sub(asked.elapsed());
                let outcome = match connection.busy_timeout(left) {
                    Ok(()) => work(connection, &reply),
                    Err(cause) => Err(cause.into()),
                };
                // The caller may have been dropped just now.
                drop(reply.send(outcome));
            });
            let ended = || Error::with(Kind::Store, format!("the store did not {action}")).hint("open the store again");
            self.0.send(step).await.map_err(|_| ended())?;
            match answer.await {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(Failure::Sql(cause))) => Err(failed(action, &cause)),
                Ok(Err(Failure::Own(error))) => Err(error),
                Err(_) => Err(ended()),
            }
        })
    }
}

pub(super) fn failed(action: &str, cause: &rusqlite::Error) -> Error {
    Error::with(Kind::Store, format!("the store cannot {action}: {cause}"))
        .hint("check the file, its folder, the space on its disk, and other programs that hold it")
}
