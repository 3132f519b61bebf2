//! The database: SQLite, in memory or in a file. It is authoritative; [`crate::state`] caches in memory the parts that are read
//! often.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::error::Error;

/// The version of the tables. A file of another version is refused.
const VERSION: i64 = 1;
/// Marks a file of this program, in the header of the database (`application_id`).
const APPLICATION: i64 = 0x504C_5342;
/// The number of tables.
const COUNT: i64 = 5;
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS item (
        collection TEXT NOT NULL, key TEXT NOT NULL, owner TEXT NOT NULL, position INTEGER NOT NULL, fields TEXT NOT NULL,
        PRIMARY KEY (collection, key)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS single (address TEXT NOT NULL PRIMARY KEY, fields TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS blob (address TEXT NOT NULL PRIMARY KEY, media_type TEXT NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS workflow (id TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, body TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS vault (
        shelf TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (shelf, name)
    ) WITHOUT ROWID;
";

/// A connection to the database.
#[derive(Debug)]
pub(crate) struct Data(Mutex<Connection>);

impl Data {
    /// Opens the database of a file, or one in memory.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Error> {
        let connection = match path {
            Some(path) => {
                create_private(path)?;
                refuse_foreign(path)?;
                owned(path).map_err(|error| match error.sqlite_error_code() {
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::InUse { path: path.to_owned() },
                    _ => Error::from(error),
                })?
            }
            None => Connection::open_in_memory()?,
        };
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != 0 && version != VERSION {
            let message = format!("it is of version {version}, and this sandbox reads version {VERSION}");
            return Err(Error::Data { message });
        }
        connection.execute_batch(TABLES)?;
        connection.pragma_update(None, "user_version", VERSION)?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Closes the file, even if other handles to this value exist. Later statements go to an empty database, and fail.
    pub(crate) fn close(&self) {
        if let Ok(empty) = Connection::open_in_memory() {
            *self.lock() = empty;
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn vault_all(&self, shelf: &str) -> Result<Vec<(String, String)>, Error> {
        let connection = self.lock();
        let mut statement =
            connection.prepare_cached("SELECT name, value FROM vault WHERE shelf = ? ORDER BY position, name")?;
        let rows = statement.query_map([shelf], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn vault_put(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), Error> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO vault VALUES (?, ?, ?, ?)")?;
        statement.execute(params![shelf, name, i64::try_from(position).unwrap_or(i64::MAX), value])?;
        Ok(())
    }

    pub(crate) fn vault_remove(&self, shelf: &str, name: &str) -> Result<(), Error> {
        self.lock().execute("DELETE FROM vault WHERE shelf = ? AND name = ?", [shelf, name])?;
        Ok(())
    }

    pub(crate) fn vault_clear(&self, shelf: &str) -> Result<(), Error> {
        self.lock().execute("DELETE FROM vault WHERE shelf = ?", [shelf])?;
        Ok(())
    }
}

/// Opens the database of a file for this connection alone. The lock is the operating system's, on the open file: it ends with the
/// process, even if that is killed.
fn owned(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    // A commit has to survive the process, not the operating system, so no write waits for the disk.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The lock comes with the first transaction.
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
    Ok(connection)
}

/// Refuses the database of another program, before changing anything in it.
fn refuse_foreign(path: &Path) -> Result<(), Error> {
    let number = |connection: &Connection, sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let read = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        // By default a connection waits five seconds for another one.
        connection.busy_timeout(Duration::ZERO)?;
        let ours = "SELECT count(*) FROM sqlite_master WHERE name IN ('item', 'single', 'blob', 'workflow', 'vault')";
        Ok((
            number(&connection, "PRAGMA application_id")?,
            number(&connection, "SELECT count(*) FROM sqlite_master")?,
            number(&connection, ours)?,
        ))
    };
    match read() {
        // A new file, one of this program, or one of an earlier version, which did not mark its files.
        Ok((APPLICATION, ..) | (0, 0, _) | (0, _, COUNT)) => Ok(()),
        Ok(_) => Err(Error::Data { message: format!("{} belongs to another program", path.display()) }),
        // The file is in use or not a database: the next step reports that.
        Err::<_, rusqlite::Error>(_unreadable) => Ok(()),
    }
}

/// Creates a missing file, for its owner only: it will hold secrets and the signing key. SQLite gives its other files the same
/// permissions.
fn create_private(path: &Path) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(Error::Data { message: error.to_string() }),
        _ => Ok(()),
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Data { message: error.to_string() }
    }
}
