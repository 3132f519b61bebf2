//! The database of `--data`: a file of SQLite. [`crate::state`] and the issuer read it when they start, and have everything in
//! memory. Without a file, nothing is stored.

mod file;

use std::path::Path;

use bytes::Bytes;
use driftless_sandbox_issuer::{IssuerError, Shelves};
use uuid::Uuid;

use crate::error::Error;
use file::Database;

/// The address of a row of the state.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Item(String, String),
    /// All addresses with this prefix, which ends in a slash.
    Below(String),
    Single(String),
    Blob(String),
    Workflow(Uuid),
}

/// A row of the state. Fields are JSON.
#[derive(Debug)]
pub(crate) enum Row {
    Item { collection: String, key: String, owner: Uuid, position: i64, fields: String },
    Single { address: String, fields: String },
    Blob { address: String, media_type: String, bytes: Bytes },
    Workflow { id: Uuid, created: i64, body: String },
}

/// A change of the file.
#[derive(Debug)]
pub(crate) enum Write {
    Put(Row),
    Remove(Address),
}

/// The database, if there is a file.
#[derive(Debug)]
pub(crate) struct Data(Option<Database>);

impl Data {
    /// Opens the database of a file.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Error> {
        Ok(Self(path.map(Database::open).transpose()?))
    }

    /// Closes the file, even if other handles to this value exist. Later statements fail.
    pub(crate) fn close(&self) {
        if let Some(file) = &self.0 {
            file.close();
        }
    }

    /// All rows of the state. Items and workflows come in the order of their positions.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Error> {
        self.stored(Database::rows)
    }

    /// Makes changes in one transaction. They are only computed if there is a file.
    pub(crate) fn write(&self, changes: impl IntoIterator<Item = Result<Write, Error>>) -> Result<(), Error> {
        self.stored(|file| file.write(&changes.into_iter().collect::<Result<Vec<_>, _>>()?))
    }

    /// Removes the rows of the state.
    pub(crate) fn erase(&self) -> Result<(), Error> {
        self.stored(Database::erase)
    }

    fn stored<T: Default>(&self, run: impl FnOnce(&Database) -> Result<T, Error>) -> Result<T, Error> {
        self.0.as_ref().map_or_else(|| Ok(T::default()), run)
    }
}

/// The persistent state of the issuer: keys, secrets, refresh tokens, API tokens.
impl Shelves for Data {
    fn all(&self, shelf: &str) -> Result<Vec<(String, String)>, IssuerError> {
        Ok(self.stored(|file| file.vault_all(shelf))?)
    }

    fn put(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), IssuerError> {
        Ok(self.stored(|file| file.vault_put(shelf, name, position, value))?)
    }

    fn remove(&self, shelf: &str, name: &str) -> Result<(), IssuerError> {
        Ok(self.stored(|file| file.vault_remove(shelf, name))?)
    }

    fn clear(&self, shelf: &str) -> Result<(), IssuerError> {
        Ok(self.stored(|file| file.vault_clear(shelf))?)
    }
}
