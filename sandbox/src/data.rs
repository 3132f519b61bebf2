//! The database of `--data`: a file of SQLite, for one sandbox at a time. [`crate::state`] and the issuer read it when they start, and
//! have everything in memory. Without a file, nothing is stored.

use std::path::Path;

use driftless_sandbox::host::{self, Shelf};
use driftless_sandbox_control::database::{self, Form, Unusable};
use driftless_sandbox_issuer::{IssuerError, Shelves};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params};
use uuid::Uuid;

use crate::error::Error;

/// The column of the teams of items.
const TEAM: &str = "team";

/// The table of the issuer.
const VAULT: &str = "
    CREATE TABLE IF NOT EXISTS vault (
        shelf TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (shelf, name)
    ) WITHOUT ROWID;
";

/// The team that an item belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemTeam(pub(crate) Uuid);

/// Items with their teams, singletons, bytes.
pub(crate) type Kept = host::State<ItemTeam>;

/// The database, if there is a file.
#[derive(Debug)]
pub(crate) struct Data(Option<Shelf>);

impl Data {
    /// Opens the database of a file.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(Self(None)) };
        let form = Form { application: 0x504C_5342, version: 2, tables: host::tables(TEAM) + VAULT };
        let connection = database::open(path, &form).map_err(|unusable| match unusable {
            Unusable::InUse => Error::InUse { path: path.to_owned() },
            Unusable::Because(reason) => Error::Data { message: format!("{}: {reason}", path.display()) },
        })?;
        Ok(Self(Some(Shelf::alone(connection, TEAM))))
    }

    /// Closes the file, even if other handles to this value exist. Later statements fail.
    pub(crate) fn close(&self) {
        self.0.iter().for_each(Shelf::close);
    }

    /// Returns whether the state is in a file.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// The state of the file, or an empty one.
    pub(crate) fn saved(&self) -> Result<Kept, Error> {
        let saved = self.0.as_ref().map_or_else(|| Ok(Kept::default()), Shelf::saved);
        saved.map_err(|error| Error::Data { message: error.to_string() })
    }

    /// Stores the changes of the state in one transaction.
    pub(crate) fn save(&self, state: &mut Kept) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |file| state.save(file)).map_err(|message| Error::Data { message })
    }

    fn vault<T: Default>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, IssuerError> {
        let done = self.0.as_ref().map_or_else(|| Ok(T::default()), |file| run(&file.connection()));
        done.map_err(|error| IssuerError::Kept(error.to_string()))
    }
}

/// The persistent state of the issuer: keys, secrets, refresh tokens, API tokens.
impl Shelves for Data {
    fn all(&self, shelf: &str) -> Result<Vec<(String, String)>, IssuerError> {
        self.vault(|file| {
            let mut named =
                file.prepare_cached("SELECT name, value FROM vault WHERE shelf = ? ORDER BY position, name")?;
            named.query_map([shelf], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    fn put(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), IssuerError> {
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        self.vault(|file| {
            let mut put = file.prepare_cached("INSERT OR REPLACE INTO vault VALUES (?, ?, ?, ?)")?;
            put.execute(params![shelf, name, position, value]).map(drop)
        })
    }

    fn remove(&self, shelf: &str, name: &str) -> Result<(), IssuerError> {
        self.vault(|file| file.execute("DELETE FROM vault WHERE shelf = ? AND name = ?", [shelf, name]).map(drop))
    }

    fn clear(&self, shelf: &str) -> Result<(), IssuerError> {
        self.vault(|file| file.execute("DELETE FROM vault WHERE shelf = ?", [shelf]).map(drop))
    }
}

impl ToSql for ItemTeam {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl FromSql for ItemTeam {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Uuid::try_parse(value.as_str()?).map(Self).map_err(FromSqlError::other)
    }
}
