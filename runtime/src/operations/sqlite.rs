//! A store in an SQLite file.

mod leases;
mod overview;
mod rows;
mod tables;
mod worker;

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use tokio::sync::Notify;

use self::{
    rows::ENTRIES,
    worker::{Failure, SqliteThread},
};
use super::{
    Demand, Entry, HeldOperation, Instance, Intent, Lease, Observation, OperationRef, Overview, Store, StoreFuture,
    Unfinished, WakeFuture, Wanted,
    entry::DISCARDED,
    error::{absent, another, known, taken},
    row::{column, number, write},
};
use crate::Error;

/// A store in an SQLite file. Once a function has returned, its changes survive the end of the program and of the
/// machine; several programs may use the file at once. It contains no secret.
///
/// One thread uses the file, so that a file that another program has locked blocks no thread of the runtime. A step
/// that cannot be done within 10 s is an error, and one whose caller was dropped is not done.
#[derive(Clone)]
pub struct SqliteStore {
    work: SqliteThread,
    /// Wakes the instances of this process. Operations of another process are found by polling.
    due: Arc<Notify>,
}

impl SqliteStore {
    /// Opens the file, or creates it. A file of an earlier version is migrated.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, is not such a store, or is one of a later version; the system cannot start a thread.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let mut connection = Connection::open(path).map_err(|cause| worker::failed("open", &cause))?;
        tables::prepare(&mut connection)?;
        Ok(Self { work: SqliteThread::start(connection)?, due: Arc::new(Notify::new()) })
    }

    /// Wakes the instances that wait for work, after a step.
    fn waking<'a, T: Send + 'a>(&'a self, step: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let outcome = step.await;
            self.due.notify_waiters();
            outcome
        })
    }
}

/// An entry that is neither accepted nor finished.
const UNKNOWN: &str = "reference IS NULL AND outcome IS NULL";

fn is_there(change: &Transaction<'_>, correlation: &str) -> Result<(), Failure> {
    let sql = "SELECT 1 FROM submission WHERE correlation = ?1";
    let row = change.query_row(sql, [correlation], |_| Ok(())).optional()?;
    row.ok_or_else(|| Failure::Own(absent()))
}

impl Store for SqliteStore {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        let intent = intent.clone();
        self.work.write("keep an intent", move |change| {
            let text = write(&intent)?;
            let values = params![intent.correlation, intent.deployment, intent.label, text];
            // A trigger adds the first attempt.
            let sql = "INSERT INTO submission (correlation, deployment, label, intent) VALUES (?1, ?2, ?3, ?4)";
            match change.execute(sql, values) {
                Ok(_) => Ok(()),
                Err(cause) if rows::is_conflict(&cause) => Err(Failure::Own(taken())),
                Err(cause) => Err(cause.into()),
            }
        })
    }

    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64> {
        let correlation = correlation.to_owned();
        self.work.write("keep an attempt", move |change| {
            let sql = format!(
                "UPDATE submission SET revision = revision + 1 WHERE correlation = ?1 AND {UNKNOWN} RETURNING revision"
            );
            let Some(revision) = change.query_row(&sql, [&correlation], |row| row.get::<_, i64>(0)).optional()? else {
                is_there(change, &correlation)?;
                return Err(Failure::Own(known()));
            };
            change
                .execute("INSERT INTO attempt (correlation, number) VALUES (?1, ?2)", params![correlation, revision])?;
            Ok(number(revision))
        })
    }

    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool> {
        let correlation = correlation.to_owned();
        self.work.write("take an attempt back", move |change| {
            let sql = "DELETE FROM attempt WHERE correlation = ?1 AND number = ?2";
            change.execute(sql, params![correlation, column(attempt)])?;
            let sql = format!(
                "DELETE FROM submission WHERE correlation = ?1 AND {UNKNOWN}
                 AND NOT EXISTS (SELECT 1 FROM attempt WHERE correlation = ?1)"
            );
            change.execute(&sql, [&correlation])?;
            match is_there(change, &correlation) {
                Ok(()) => Ok(false),
                Err(Failure::Own(_)) => Ok(true),
                Err(failure) => Err(failure),
            }
        })
    }

    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        let reference = reference.clone();
        self.waking(self.work.write("keep an acceptance", move |change| {
            let correlation = reference.correlation();
            let sql = "UPDATE submission SET reference = ?2, revision = revision + 1
                       WHERE correlation = ?1 AND reference IS NULL";
            if change.execute(sql, params![correlation, write(&reference)?])? > 0 {
                return Ok(());
            }
            is_there(change, correlation)?;
            let sql = "SELECT reference FROM submission WHERE correlation = ?1";
            let first: String = change.query_row(sql, [correlation], |row| row.get(0))?;
            match serde_json::from_str::<OperationRef>(&first) {
                Ok(first) if first.is_same_operation(&reference) => Ok(()),
                _ => Err(Failure::Own(another())),
            }
        }))
    }

    fn forget<'a>(&'a self, correlation: &'a str, revision: u64) -> StoreFuture<'a, bool> {
        let correlation = correlation.to_owned();
        self.work.write("forget a submission", move |change| {
            let sql = "DELETE FROM submission WHERE correlation = ?1 AND revision = ?2";
            Ok(change.execute(sql, params![correlation, column(revision)])? > 0)
        })
    }

    fn observe<'a>(
        &'a self,
        correlation: &'a str,
        observation: &'a Observation,
        lease: Option<&'a Lease>,
    ) -> StoreFuture<'a, ()> {
        let (correlation, observation, lease) = (correlation.to_owned(), observation.clone(), lease.cloned());
        self.work.write("keep an observation", move |change| {
            leases::check(change, lease.as_ref())?;
            // An operation of another store is not recorded.
            if is_there(change, &correlation).is_ok() {
                rows::observe(change, &correlation, observation)
            } else {
                Ok(())
            }
        })
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        let (correlation, outcome, lease) = (correlation.to_owned(), outcome.to_owned(), lease.cloned());
        self.work.write("keep an end", move |change| {
            if let Some(lease) = &lease {
                let sql = "SELECT 1 FROM submission WHERE correlation = ?1 AND finisher = ?2 AND outcome <> ?3";
                let values = params![correlation, column(lease.fence()), DISCARDED];
                if change.query_row(sql, values, |_| Ok(())).optional()?.is_some() {
                    return Ok(true);
                }
                leases::check(change, Some(lease))?;
            }
            let sql = "UPDATE submission SET outcome = ?2, finisher = ?3, finished = ?4, owner = NULL, discarded = NULL
                       WHERE correlation = ?1 AND (outcome IS NULL OR outcome = ?5)";
            let fence = lease.as_ref().map(|lease| column(lease.fence()));
            if change.execute(sql, params![correlation, outcome, fence, rows::now(), DISCARDED])? > 0 {
                return Ok(true);
            }
            is_there(change, &correlation)?;
            Ok(false)
        })
    }

    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let correlation = correlation.to_owned();
        self.work.read("read", move |store| {
            let sql = format!("{ENTRIES} WHERE s.correlation = ?1");
            let row = store.query_row(&sql, [correlation], |row| Ok(rows::read(row))).optional()?;
            row.map(|row| row.entry().map_err(Failure::Own)).transpose()
        })
    }

    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let values = [deployment.to_owned(), label.to_owned()];
        self.work.read("read", move |store| {
            let sql = format!("{ENTRIES} WHERE s.deployment = ?1 AND s.label = ?2");
            let row = store.query_row(&sql, values, |row| Ok(rows::read(row))).optional()?;
            row.map(|row| row.entry().map_err(Failure::Own)).transpose()
        })
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Unfinished> {
        let deployment = deployment.to_owned();
        self.work.read("read", move |store| {
            let sql = format!("{ENTRIES} WHERE s.deployment = ?1 AND s.outcome IS NULL ORDER BY s.rowid");
            let mut statement = store.prepare(&sql)?;
            let rows = statement.query_map([deployment], |row| Ok(rows::read(row)))?.collect::<Result<Vec<_>, _>>()?;
            let mut unfinished = Unfinished::default();
            for row in rows {
                unfinished.unreadable.extend(row.unreadable_observation());
                match row.entry() {
                    Ok(entry) => unfinished.entries.push(entry),
                    Err(error) => unfinished.unreadable.push(row.unreadable(error)),
                }
            }
            Ok(unfinished)
        })
    }

    fn enlist<'a>(&'a self, name: &'a str, lease: Duration) -> StoreFuture<'a, Instance> {
        let name = name.to_owned();
        self.work.write("take an instance in", move |change| leases::enlist(change, &name, lease))
    }

    fn renew(&self, instance: Instance, lease: Duration) -> StoreFuture<'_, bool> {
        self.work.write("renew leases", move |change| leases::renew(change, instance, lease))
    }

    fn claim<'a>(&'a self, instance: Instance, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<HeldOperation>> {
        let wanted = wanted.to_vec();
        self.work.write("give operations to an instance", move |change| leases::claim(change, instance, &wanted))
    }

    fn leases(&self, instance: Instance) -> StoreFuture<'_, Vec<Lease>> {
        self.work.read("read", move |store| leases::leased(store, instance))
    }

    fn put_back<'a>(&'a self, lease: &'a Lease, after: Duration, failure: Option<&'a str>) -> StoreFuture<'a, ()> {
        let (lease, failure) = (lease.clone(), failure.map(str::to_owned));
        self.waking(
            self.work
                .write("give a lease back", move |change| leases::put_back(change, &lease, after, failure.as_deref())),
        )
    }

    fn discard<'a>(&'a self, correlation: &'a str, reason: &'a str, lease: Option<&'a Lease>) -> StoreFuture<'a, bool> {
        let (correlation, reason, lease) = (correlation.to_owned(), reason.to_owned(), lease.cloned());
        self.work
            .write("discard an operation", move |change| leases::discard(change, &correlation, &reason, lease.as_ref()))
    }

    fn retry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, bool> {
        let correlation = correlation.to_owned();
        self.waking(self.work.write("retry an operation", move |change| leases::retry(change, &correlation)))
    }

    fn pause<'a>(&'a self, deployment: &'a str, kind: &'a str, paused: bool) -> StoreFuture<'a, ()> {
        let (deployment, kind) = (deployment.to_owned(), kind.to_owned());
        self.waking(self.work.write("pause a kind", move |change| leases::pause(change, &deployment, &kind, paused)))
    }

    fn demand<'a>(&'a self, wanted: &'a [Wanted]) -> StoreFuture<'a, Vec<Demand>> {
        let wanted = wanted.to_vec();
        self.work.read("read", move |store| leases::demand(store, &wanted))
    }

    fn leave(&self, instance: Instance) -> StoreFuture<'_, ()> {
        self.waking(self.work.write("let an instance go", move |change| leases::leave(change, instance)))
    }

    fn wake(&self) -> WakeFuture<'_> {
        Box::pin(self.due.notified())
    }

    fn purge<'a>(&'a self, deployment: &'a str, age: Duration, limit: u32) -> StoreFuture<'a, u64> {
        let deployment = deployment.to_owned();
        self.work.write("forget finished entries", move |change| leases::purge(change, &deployment, age, limit))
    }

    fn overview<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Overview> {
        let deployment = deployment.to_owned();
        self.work.read("read", move |store| overview::overview(store, &deployment))
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
