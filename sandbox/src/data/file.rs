//! The file: a database of SQLite, for one sandbox at a time.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use driftless_sandbox_control::database::{self, Form, Unusable};
use rusqlite::{Connection, Transaction, params};
use uuid::Uuid;

use super::{Address, Row, Write};
use crate::error::Error;

const FORM: Form = Form {
    application: 0x504C_5342,
    version: 1,
    tables: "
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
",
};

/// A connection to the database.
#[derive(Debug)]
pub(super) struct Database(Mutex<Connection>);

impl Database {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let connection = database::open(path, FORM).map_err(|unusable| match unusable {
            Unusable::InUse => Error::InUse { path: path.to_owned() },
            Unusable::Because(reason) => Error::Data { message: format!("{}: {reason}", path.display()) },
        })?;
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

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Data { message: error.to_string() }
    }
}
