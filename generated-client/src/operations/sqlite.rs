//! A store on disk.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Entry, Intent, Observation, OperationRef, Store, StoreFuture,
    memory::{absent, taken},
};
use crate::error::{Error, Kind};

/// The version of the tables, in `user_version`.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE submission (
        correlation TEXT PRIMARY KEY,
        deployment TEXT NOT NULL,
        label TEXT,
        intent TEXT NOT NULL,
        reference TEXT,
        outcome TEXT,
        UNIQUE (deployment, label)
    ) STRICT;
    CREATE TABLE observation (
        number INTEGER PRIMARY KEY,
        correlation TEXT NOT NULL REFERENCES submission ON DELETE CASCADE,
        observation TEXT NOT NULL
    ) STRICT;
    CREATE INDEX observation_of ON observation (correlation, number);
    PRAGMA user_version = 1;
";

/// An entry and its last observation.
const ENTRIES: &str = "
    SELECT intent, reference, outcome,
        (SELECT observation FROM observation o WHERE o.correlation = s.correlation ORDER BY number DESC LIMIT 1)
    FROM submission s";

/// A store in an SQLite file. What its functions have returned for survives the end of the program and of the machine;
/// several programs may use the file at once. It holds no secret.
#[derive(Clone)]
pub struct SqliteStore(Arc<Mutex<Connection>>);

impl SqliteStore {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, is no such store, or is one of a later version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let connection = Connection::open(path).map_err(|cause| failed("open", &cause))?;
        Self::prepare(connection)
    }

    fn prepare(mut connection: Connection) -> Result<Self, Error> {
        let step = |cause| failed("prepare", &cause);
        connection.busy_timeout(Duration::from_secs(10)).map_err(step)?;
        // The file is another one's while this fails.
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(step)?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;").map_err(step)?;
        let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(step)?;
        let version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(step)?;
        match version {
            0 => {
                change.execute_batch(TABLES).map_err(step)?;
                change.commit().map_err(step)?;
            }
            VERSION => drop(change),
            _ => {
                return Err(Error::new(
                    Kind::Store,
                    format!("the store has version {version}; this client knows {VERSION}"),
                )
                .hint("update the client, or use another file"));
            }
        }
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Runs on a thread that may wait for the disk.
    fn run<'a, T: Send + 'static>(
        &'a self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let connection = Arc::clone(&self.0);
        Box::pin(async move {
            let work = move || {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                work(&connection)
            };
            match tokio::task::spawn_blocking(work).await {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(Failure::Sql(cause))) => Err(failed(action, &cause)),
                Ok(Err(Failure::Own(error))) => Err(error),
                Err(_) => Err(Error::new(Kind::Store, format!("the store did not {action}")).hint("try again")),
            }
        })
    }
}

enum Failure {
    Sql(rusqlite::Error),
    Own(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(cause: rusqlite::Error) -> Self {
        Self::Sql(cause)
    }
}

fn failed(action: &str, cause: &rusqlite::Error) -> Error {
    Error::new(Kind::Store, format!("the store cannot {action}: {cause}"))
        .hint("check the file, its folder and the space on its disk")
}

fn is_conflict(cause: &rusqlite::Error) -> bool {
    cause.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
}

fn write(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|_| Failure::Own(Error::new(Kind::Store, "an entry cannot be written").hint("report this")))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|cause| {
        let what = format!("an entry of the store does not read: {cause}");
        Failure::Own(Error::new(Kind::Store, what).hint("the file was changed by other hands, or by a later version"))
    })
}

type Columns = (String, Option<String>, Option<String>, Option<String>);

fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn entry((intent, reference, outcome, last): Columns) -> Result<Entry, Failure> {
    let reference = reference.as_deref().map(read::<OperationRef>).transpose()?;
    let last = last.as_deref().map(read::<Observation>).transpose()?;
    Ok(Entry::new(read::<Intent>(&intent)?, reference, last, outcome))
}

impl Store for SqliteStore {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        let intent = intent.clone();
        self.run("keep an intent", move |store| {
            let text = write(&intent)?;
            let values = params![intent.correlation, intent.deployment, intent.label, text];
            let sql = "INSERT INTO submission (correlation, deployment, label, intent) VALUES (?1, ?2, ?3, ?4)";
            match store.execute(sql, values) {
                Ok(_) => Ok(()),
                Err(cause) if is_conflict(&cause) => Err(Failure::Own(taken())),
                Err(cause) => Err(cause.into()),
            }
        })
    }

    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        let reference = reference.clone();
        self.run("keep an acceptance", move |store| {
            let values = params![write(&reference)?, reference.correlation()];
            match store.execute("UPDATE submission SET reference = ?1 WHERE correlation = ?2", values)? {
                0 => Err(Failure::Own(absent())),
                _ => Ok(()),
            }
        })
    }

    fn forget<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, ()> {
        let correlation = correlation.to_owned();
        self.run("forget a submission", move |store| {
            store.execute("DELETE FROM submission WHERE correlation = ?1", [correlation])?;
            Ok(())
        })
    }

    fn observe<'a>(&'a self, correlation: &'a str, observation: &'a Observation) -> StoreFuture<'a, ()> {
        let (correlation, observation) = (correlation.to_owned(), observation.clone());
        self.run("keep an observation", move |store| {
            // Nothing is kept of an operation that is in another store.
            let sql = "INSERT INTO observation (correlation, observation)
                       SELECT correlation, ?2 FROM submission WHERE correlation = ?1";
            store.execute(sql, params![correlation, write(&observation)?])?;
            Ok(())
        })
    }

    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str) -> StoreFuture<'a, bool> {
        let (correlation, outcome) = (correlation.to_owned(), outcome.to_owned());
        self.run("keep an end", move |store| {
            let sql = "UPDATE submission SET outcome = ?2 WHERE correlation = ?1 AND outcome IS NULL";
            if store.execute(sql, params![correlation, outcome])? > 0 {
                return Ok(true);
            }
            let sql = "SELECT 1 FROM submission WHERE correlation = ?1";
            match store.query_row(sql, [correlation], |_| Ok(())).optional()? {
                Some(()) => Ok(false),
                None => Err(Failure::Own(absent())),
            }
        })
    }

    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let correlation = correlation.to_owned();
        self.run("read", move |store| {
            let sql = format!("{ENTRIES} WHERE correlation = ?1");
            store.query_row(&sql, [correlation], columns).optional()?.map(entry).transpose()
        })
    }

    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        let values = [deployment.to_owned(), label.to_owned()];
        self.run("read", move |store| {
            let sql = format!("{ENTRIES} WHERE deployment = ?1 AND label = ?2");
            store.query_row(&sql, values, columns).optional()?.map(entry).transpose()
        })
    }

    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Vec<Entry>> {
        let deployment = deployment.to_owned();
        self.run("read", move |store| {
            let sql = format!("{ENTRIES} WHERE deployment = ?1 AND outcome IS NULL ORDER BY s.rowid");
            let mut statement = store.prepare(&sql)?;
            let rows = statement.query_map([deployment], columns)?.collect::<Result<Vec<_>, _>>()?;
            rows.into_iter().map(entry).collect()
        })
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
