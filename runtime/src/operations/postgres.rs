//! A store in PostgreSQL, which all instances of a program share.
//!
//! ```no_run
//! # async fn run(client: driftless_runtime::Client) -> Result<(), Box<dyn std::error::Error>> {
//! use driftless_runtime::{auth::SecretFile, operations::{Ended, PostgresStore}};
//!
//! let store = PostgresStore::builder("postgresql://fleet@db.example/app")
//!     .password(SecretFile::new("/run/secrets/database"))
//!     .open()
//!     .await?;
//! let operations = client.operations().with_store(store);
//! let handler = async |ended: Ended| -> Result<(), std::io::Error> {
//!     println!("{} has {}", ended.reference().id(), ended.outcome().name());
//!     Ok(())
//! };
//! operations.worker().handle(handler, async { drop(tokio::signal::ctrl_c().await) }).await?;
//! # Ok(()) }
//! ```
//!
//! Everything is in one schema, which [`PostgresBuilder::migrate`] creates and migrates to the version of the program.
//! A role that runs the program only needs the rights to use the schema and to read and write its tables.

mod builder;
mod connection;
mod failure;
mod leases;
mod listen;
mod pool;
mod rows;
mod schema;
mod transaction;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

pub use builder::PostgresBuilder;
use tokio::sync::oneshot;
pub use tokio_postgres;
pub(super) use transaction::Undone;
pub use transaction::{Transaction, TransactionFuture};

use self::{connection::PATIENCE, listen::Listener, pool::Pool};
use tokio_postgres::types::ToSql;

use super::{
    Demand, Entry, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Overview, Store, StoreFuture,
    Unfinished, WakeFuture, Wanted,
    detached::detached,
    error::{absent, another, known, taken},
    row::{column, number, write},
};
use crate::{
    Error,
    clock::{self, Backoff, Until},
};

/// A store in PostgreSQL. Clones share its connections.
///
/// Each function is one transaction, committed when it returns. After a broken connection or during a restart of the
/// server, it is retried for 10 s if a repetition has no further effect.
#[derive(Clone)]
pub struct PostgresStore(Arc<Inner>);

struct Inner {
    steps: Pool,
    /// The connections of handlers, separate so that they cannot delay the renewal of a lease.
    handlers: Pool,
    listener: Listener,
    /// Ends with the step that stores an intent, by its correlation. The server completes a step whose caller was
    /// dropped.
    intending: Mutex<HashMap<String, oneshot::Receiver<()>>>,
}

impl Inner {
    fn intending(&self) -> MutexGuard<'_, HashMap<String, oneshot::Receiver<()>>> {
        self.intending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const EXISTS: &str = "SELECT 1 FROM @.submission WHERE correlation = $1";

impl PostgresStore {
    /// Starts the settings of a store: `postgresql://user@host:5432/database`. The address contains no password.
    pub fn builder(address: &str) -> PostgresBuilder {
        PostgresBuilder::new(address)
    }

    /// Runs a step that can be repeated: again while the database is away, for a while. It receives the number of the
    /// try.
    async fn repeat<T, F: Future<Output = Result<T, Error>>>(
        &self,
        mut step: impl FnMut(u32) -> F,
    ) -> Result<T, Error> {
        let until = Until::after(PATIENCE);
        let mut failures = 0;
        loop {
            let error = match until.limit(step(failures)).await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => error,
                Err(_) => return Err(failure::silent()),
            };
            failures += 1;
            let pause = Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(2) }.pause(failures);
            if !error.is_retryable() || until.left(clock::now()) <= pause {
                return Err(error);
            }
            clock::sleep(pause).await;
        }
    }

    /// Runs a step once.
    async fn once<T>(&self, step: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        clock::limit(PATIENCE, step).await.unwrap_or_else(|_| Err(failure::silent()))
    }

    async fn exists(&self, correlation: &str) -> Result<bool, Error> {
        Ok(self.0.steps.get().await?.query_opt("read", EXISTS, &[&correlation]).await?.is_some())
    }

    async fn keep_intent(&self, intent: &Intent, failures: u32) -> Result<(), Error> {
        let action = "keep an intent";
        let mut connection = self.0.steps.get().await?;
        let sql = "INSERT INTO @.submission (correlation, deployment, kind, label, intent) VALUES ($1, $2, $3, $4, $5)
                   ON CONFLICT DO NOTHING";
        let text = write(intent)?;
        let values: [&(dyn ToSql + Sync); 5] =
            [&intent.correlation, &intent.deployment, &intent.kind, &intent.label, &text];
        if connection.execute(action, sql, &values).await? > 0 {
            return Ok(());
        }
        // The previous try may have done it, and only its response may be lost.
        let sql = "SELECT 1 FROM @.submission WHERE correlation = $1 AND intent = $2";
        match connection.query_opt(action, sql, &[&intent.correlation, &text]).await? {
            Some(_) if failures > 0 => Ok(()),
            _ => Err(taken()),
        }
    }

    async fn keep_attempt(&self, correlation: &str) -> Result<u64, Error> {
        let sql = "UPDATE @.submission SET revision = revision + 1, open = open || (revision + 1)
                   WHERE correlation = $1 AND reference IS NULL AND outcome IS NULL RETURNING revision";
        let row = self.0.steps.get().await?.query_opt("keep an attempt", sql, &[&correlation]).await?;
        match row {
            Some(row) => Ok(number(rows::get(&row, 0)?)),
            None if self.exists(correlation).await? => Err(known()),
            None => Err(absent()),
        }
    }

    async fn take_back(&self, correlation: &str, attempt: u64) -> Result<bool, Error> {
        let action = "take an attempt back";
        let mut connection = self.0.steps.get().await?;
        let mut change = connection.transaction(action).await?;
        // The row stays locked in between, so that of two withdrawals at once, one removes the entry.
        let sql = "UPDATE @.submission SET open = array_remove(open, $2) WHERE correlation = $1
                   RETURNING open = '{}' AND reference IS NULL AND outcome IS NULL";
        let gone = match change.query_opt(action, sql, &[&correlation, &column(attempt)]).await? {
            None => true,
            Some(row) if !rows::get::<bool>(&row, 0)? => false,
            Some(_) => {
                change.execute(action, "DELETE FROM @.submission WHERE correlation = $1", &[&correlation]).await?;
                true
            }
        };
        change.commit(action).await?;
        Ok(gone)
    }

    async fn keep_acceptance(&self, reference: &OperationRef) -> Result<(), Error> {
        let action = "keep an acceptance";
        let mut connection = self.0.steps.get().await?;
        let correlation = reference.correlation();
        let sql = "WITH accepted AS (
                       UPDATE @.submission SET reference = $2, revision = revision + 1, due = clock_timestamp(),
                           since = clock_timestamp()
                       WHERE correlation = $1 AND reference IS NULL RETURNING deployment)
                   SELECT pg_notify($3, deployment) FROM accepted";
        let channel = self.0.listener.channel();
        if connection.query_opt(action, sql, &[&correlation, &write(reference)?, &channel]).await?.is_some() {
            return Ok(());
        }
        let sql = "SELECT reference FROM @.submission WHERE correlation = $1";
        let row = connection.query_opt(action, sql, &[&correlation]).await?.ok_or_else(absent)?;
        let first: Option<String> = rows::get(&row, 0)?;
        match first.and_then(|first| serde_json::from_str::<OperationRef>(&first).ok()) {
            Some(first) if first.is_same_operation(reference) => Ok(()),
            _ => Err(another()),
        }
    }

    async fn one(&self, condition: &'static str, values: &[&(dyn ToSql + Sync)]) -> Result<Option<Entry>, Error> {
        let row = self.0.steps.get().await?.query_opt("read", condition, values).await?;
        row.map(|row| rows::read(&row)?.entry()).transpose()
    }

    async fn all_unfinished(&self, deployment: &str) -> Result<Unfinished, Error> {
        let rows = self.0.steps.get().await?.query("read", rows::UNFINISHED, &[&deployment]).await?;
        let mut unfinished = Unfinished::default();
        for row in &rows {
            let row = rows::read(row)?;
            unfinished.unreadable.extend(row.unreadable_observation());
            match row.entry() {
                Ok(entry) => unfinished.entries.push(entry),
                Err(error) => unfinished.unreadable.push(row.unreadable(error)),
            }
        }
        Ok(unfinished)
    }
}

impl Store for PostgresStore {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let (store, intent) = (self.clone(), intent.clone());
            let (done, end) = oneshot::channel();
            self.0.intending().insert(intent.correlation.clone(), end);
            let step = async move {
                let kept = store.repeat(|failures| store.keep_intent(&intent, failures)).await;
                store.0.intending().remove(&intent.correlation);
                drop(done);
                kept
            };
            detached(step).await
        })
    }

    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64> {
        // A second try would leave an attempt that is never withdrawn.
        Box::pin(self.once(self.keep_attempt(correlation)))
    }

    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let intending = self.0.intending().remove(correlation);
            if let Some(end) = intending {
                drop(end.await);
            }
            self.repeat(|_| self.take_back(correlation, attempt)).await
        })
    }

    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        Box::pin(self.repeat(move |_| self.keep_acceptance(reference)))
    }

    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool> {
        let revision = column(revision);
        Box::pin(self.once(async move {
            let sql = "DELETE FROM @.submission WHERE correlation = $1 AND revision = $2";
            let mut connection = self.0.steps.get().await?;
            Ok(connection.execute("forget a submission", sql, &[&correlation, &revision]).await? > 0)
        }))
    }

    fn observe<'a>(
        &'a self,
        correlation: &'a str,
        observation: &'a Observation,
        lease: Option<&'a Lease>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(self.repeat(move |_| leases::observe(&self.0.steps, correlation, observation, lease)))
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        match lease {
            Some(lease) => Box::pin(self.repeat(move |_| leases::finish(&self.0.steps, outcome, lease))),
            // Without a lease, a second try cannot tell whether the first one did it.
            None => Box::pin(self.once(async move {
                let sql = "UPDATE @.submission
                           SET outcome = $2, finished = clock_timestamp(), owner = NULL, discarded = NULL, finisher = NULL
                           WHERE correlation = $1 AND (outcome IS NULL OR outcome = 'discarded')";
                let action = "keep an end";
                if self.0.steps.get().await?.execute(action, sql, &[&correlation, &outcome]).await? > 0 {
                    return Ok(true);
                }
                if self.exists(correlation).await? { Ok(false) } else { Err(absent()) }
            })),
        }
    }

    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        Box::pin(self.repeat(move |_| async move { self.one(rows::ENTRY, &[&correlation]).await }))
    }

    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        Box::pin(self.repeat(move |_| async move { self.one(rows::LABELLED, &[&deployment, &label]).await }))
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished> {
        Box::pin(self.repeat(move |_| self.all_unfinished(deployment)))
    }

    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance> {
        // An instance whose response was lost ends with its time.
        Box::pin(self.repeat(move |_| leases::enlist(&self.0.steps, name, lease)))
    }

    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool> {
        Box::pin(self.repeat(move |_| leases::renew(&self.0.steps, instance, lease)))
    }

    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>> {
        // The response may be lost: `leases` returns them.
        Box::pin(self.once(leases::claim(&self.0.steps, instance, wanted)))
    }

    fn leases(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>> {
        Box::pin(self.repeat(move |_| leases::leased(&self.0.steps, instance)))
    }

    fn put_back<'a>(&'a self, lease: &'a Lease, after: Duration, failure: Option<&'a str>) -> StoreFuture<'a, ()> {
        let channel = self.0.listener.channel();
        Box::pin(self.once(leases::put_back(&self.0.steps, channel, lease, after, failure)))
    }

    fn discard<'a>(&'a self, correlation: &'a str, reason: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        let step = move || leases::discard(&self.0.steps, correlation, reason, lease);
        match lease {
            Some(_) => Box::pin(self.repeat(move |_| step())),
            // Without a lease, a second try cannot tell whether the first one did it.
            None => Box::pin(async move {
                if self.once(step()).await? {
                    return Ok(true);
                }
                if self.exists(correlation).await? { Ok(false) } else { Err(absent()) }
            }),
        }
    }

    fn retry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, bool> {
        let channel = self.0.listener.channel();
        Box::pin(async move {
            if self.once(leases::retry(&self.0.steps, channel, correlation)).await? {
                return Ok(true);
            }
            if self.exists(correlation).await? { Ok(false) } else { Err(absent()) }
        })
    }

    fn pause<'a>(&'a self, deployment: &'a str, kind: &'a str, paused: bool) -> StoreFuture<'a, ()> {
        let channel = self.0.listener.channel();
        Box::pin(self.repeat(move |_| leases::pause(&self.0.steps, channel, deployment, kind, paused)))
    }

    fn demand<'a>(&'a self, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<Demand>> {
        Box::pin(self.repeat(move |_| leases::demand(&self.0.steps, wanted)))
    }

    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()> {
        Box::pin(self.repeat(move |_| leases::leave(&self.0.steps, self.0.listener.channel(), instance)))
    }

    fn wake(&self) -> WakeFuture<'_> {
        self.0.listener.wake()
    }

    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64> {
        Box::pin(self.once(leases::purge(&self.0.steps, deployment, age, limit)))
    }

    fn overview<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Overview> {
        Box::pin(self.repeat(move |_| rows::overview(&self.0.steps, deployment)))
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "testing"))]
mod latency_tests;
#[cfg(all(test, feature = "testing"))]
mod scale_tests;
#[cfg(test)]
pub(super) mod tests;
#[cfg(all(test, feature = "testing"))]
mod worker_tests;
