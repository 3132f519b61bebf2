//! The file: a database of SQLite, for one sandbox at a time.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, params};
use uuid::Uuid;

use super::{Address, Row, Write};
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
pub(super) struct Database(Mutex<Connection>);

impl Database {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        create_private(path)?;
        refuse_foreign(path)?;
        let connection = owned(path).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::InUse { path: path.to_owned() },
            _ => Error::from(error),
        })?;
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

    /// Later statements go to an empty database, and fail.
    pub(super) fn close(&self) {
        if let Ok(empty) = Connection::open_in_memory() {
            *self.lock() = empty;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rows(&self) -> Result<Vec<Row>, Error> {
        let mut all = Vec::new();
        let connection = self.lock();
        let mut items =
            connection.prepare("SELECT collection, key, owner, position, fields FROM item ORDER BY position")?;
        let mut rows = items.query([])?;
        while let Some(row) = rows.next()? {
            let (collection, key, position, fields) = (row.get(0)?, row.get(1)?, row.get(3)?, row.get(4)?);
            all.push(Row::Item { collection, key, owner: id(&row.get::<_, String>(2)?)?, position, fields });
        }
        let mut singles = connection.prepare("SELECT address, fields FROM single")?;
        let mut rows = singles.query([])?;
        while let Some(row) = rows.next()? {
            all.push(Row::Single { address: row.get(0)?, fields: row.get(1)? });
        }
        let mut blobs = connection.prepare("SELECT address, media_type, bytes FROM blob")?;
        let mut rows = blobs.query([])?;
        while let Some(row) = rows.next()? {
            let bytes = Bytes::from(row.get::<_, Vec<u8>>(2)?);
            all.push(Row::Blob { address: row.get(0)?, media_type: row.get(1)?, bytes });
        }
        let mut workflows = connection.prepare("SELECT id, position, body FROM workflow ORDER BY position")?;
        let mut rows = workflows.query([])?;
        while let Some(row) = rows.next()? {
            all.push(Row::Workflow { id: id(&row.get::<_, String>(0)?)?, created: row.get(1)?, body: row.get(2)? });
        }
        Ok(all)
    }

    pub(super) fn write(&self, changes: &[Write]) -> Result<(), Error> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        for change in changes {
            match change {
                Write::Put(row) => put(&transaction, row),
                Write::Remove(address) => remove(&transaction, address),
            }?;
        }
        Ok(transaction.commit()?)
    }

    pub(super) fn erase(&self) -> Result<(), Error> {
        let tables = "DELETE FROM item; DELETE FROM single; DELETE FROM blob; DELETE FROM workflow;";
        Ok(self.lock().execute_batch(tables)?)
    }

    pub(super) fn vault_all(&self, shelf: &str) -> Result<Vec<(String, String)>, Error> {
        let connection = self.lock();
        let mut statement =
            connection.prepare_cached("SELECT name, value FROM vault WHERE shelf = ? ORDER BY position, name")?;
        let rows = statement.query_map([shelf], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn vault_put(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), Error> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO vault VALUES (?, ?, ?, ?)")?;
        statement.execute(params![shelf, name, i64::try_from(position).unwrap_or(i64::MAX), value])?;
        Ok(())
    }

    pub(super) fn vault_remove(&self, shelf: &str, name: &str) -> Result<(), Error> {
        self.lock().execute("DELETE FROM vault WHERE shelf = ? AND name = ?", [shelf, name])?;
        Ok(())
    }

    pub(super) fn vault_clear(&self, shelf: &str) -> Result<(), Error> {
        self.lock().execute("DELETE FROM vault WHERE shelf = ?", [shelf])?;
        Ok(())
    }
}

fn put(transaction: &Transaction<'_>, row: &Row) -> rusqlite::Result<usize> {
    let statement = |sql: &str| transaction.prepare_cached(sql);
    match row {
        Row::Item { collection, key, owner, position, fields } => {
            statement("INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?)")?.execute(params![
                collection,
                key,
                owner.to_string(),
                position,
                fields
            ])
        }
        Row::Single { address, fields } => {
            statement("INSERT OR REPLACE INTO single VALUES (?, ?)")?.execute(params![address, fields])
        }
        Row::Blob { address, media_type, bytes } => statement("INSERT OR REPLACE INTO blob VALUES (?, ?, ?)")?
            .execute(params![address, media_type, bytes.as_ref()]),
        Row::Workflow { id, created, body } => statement("INSERT OR REPLACE INTO workflow VALUES (?, ?, ?)")?
            .execute(params![id.to_string(), created, body]),
    }
}

fn remove(transaction: &Transaction<'_>, address: &Address) -> rusqlite::Result<usize> {
    let statement = |sql: &str| transaction.prepare_cached(sql);
    match address {
        Address::Item(collection, key) => {
            statement("DELETE FROM item WHERE collection = ? AND key = ?")?.execute(params![collection, key])
        }
        Address::Below(prefix) => {
            // The prefix ends in a slash: its addresses end before the next character, `0`.
            let end = format!("{}0", prefix.strip_suffix('/').unwrap_or(prefix));
            statement("DELETE FROM item WHERE collection >= ? AND collection < ?")?.execute(params![prefix, end])?;
            statement("DELETE FROM single WHERE address >= ? AND address < ?")?.execute(params![prefix, end])?;
            statement("DELETE FROM blob WHERE address >= ? AND address < ?")?.execute(params![prefix, end])
        }
        Address::Single(address) => statement("DELETE FROM single WHERE address = ?")?.execute(params![address]),
        Address::Blob(address) => statement("DELETE FROM blob WHERE address = ?")?.execute(params![address]),
        Address::Workflow(id) => statement("DELETE FROM workflow WHERE id = ?")?.execute(params![id.to_string()]),
    }
}

fn id(text: &str) -> Result<Uuid, Error> {
    Uuid::try_parse(text).map_err(|error| Error::Data { message: error.to_string() })
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
