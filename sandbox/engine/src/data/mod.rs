//! State that survives the program: a file of SQLite, which one program at a time uses. The state in memory answers requests; a
//! change is in the file before its request is answered.

mod restore;
mod shelf;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use driftless_sandbox_control::database::{self, Form, Unusable};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::act::Engine;
use crate::contract::Contract;
use crate::error::Error;
use crate::seed::mix;
use crate::serve::Router;

pub use shelf::Shelf;

/// The column of the engine's marks.
const MARK: &str = "is_invented";

const CONTRACTS: &str =
    "CREATE TABLE IF NOT EXISTS contract (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, digest TEXT NOT NULL);";

/// The tables of a state, with the name of the column for the marks of items. An item without a value was removed. One that does not fit
/// is of an earlier contract.
pub fn tables(mark: &str) -> String {
    format!(
        "
    CREATE TABLE IF NOT EXISTS instance (
        contract INTEGER NOT NULL, collection TEXT NOT NULL, parents TEXT NOT NULL, numbers INTEGER NOT NULL,
        PRIMARY KEY (contract, collection, parents)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS item (
        contract INTEGER NOT NULL, collection TEXT NOT NULL, parents TEXT NOT NULL, id TEXT NOT NULL,
        place INTEGER NOT NULL, value TEXT, {mark} NOT NULL, fits INTEGER NOT NULL,
        PRIMARY KEY (contract, collection, parents, id)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS value (
        contract INTEGER NOT NULL, place TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (contract, place)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS file (
        contract INTEGER NOT NULL, place TEXT NOT NULL, media_type TEXT NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (contract, place)
    );
"
    )
}

/// The open file.
#[derive(Debug)]
pub(crate) struct Data(Mutex<Connection>);

impl Data {
    pub(crate) fn open(path: &Path) -> Result<Arc<Self>, Error> {
        let form = Form { application: 0x444C_5342, version: 1, tables: tables(MARK) + CONTRACTS };
        let connection = database::open(path, &form).map_err(|unusable| match unusable {
            Unusable::InUse => {
                let message = format!("another sandbox uses {}", path.display());
                Error::new("data/in-use", "", message, "end the other sandbox, or pass another file with --data")
            }
            Unusable::Because(reason) => unreadable(&format!("{}: {reason}", path.display())),
        })?;
        Ok(Arc::new(Self(Mutex::new(connection))))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engines with their saved state, whose changes are saved from now on; and a line for each part of the saved state that
    /// does not fit its contract. That part stays in the file.
    pub(crate) fn attach(self: &Arc<Self>, engines: Vec<Engine>) -> Result<(Vec<Engine>, Vec<String>), Error> {
        let names: Vec<String> = engines.iter().map(|engine| name(&engine.contract)).collect();
        if let Some(same) =
            names.iter().enumerate().find_map(|(at, name)| names.get(..at)?.contains(name).then_some(name))
        {
            let message =
                format!("two contracts have the title and the base path {same:?}, so their states are not told apart");
            return Err(Error::new("data/same-name", "/info/title", message, "serve each by a sandbox of its own"));
        }
        let mut left_out = Vec::new();
        let mut attached = Vec::new();
        self.rename(&names)?;
        for (engine, name) in engines.into_iter().zip(&names) {
            let digest = format!("{:016x}", mix(0, &[&engine.contract.document.to_string()]));
            let (contract, is_changed) = self.contract(name, &digest)?;
            let collections = engine.plan.collections.iter().map(|collection| collection.path.clone()).collect();
            let shelf = Shelf { data: Arc::clone(self), contract, collections, mark: MARK };
            let router = Router::new(&engine.contract);
            let state = restore::restore(&shelf, Some((&engine, &router)), is_changed.then_some(&mut left_out))?;
            if is_changed {
                self.lock().execute("UPDATE contract SET digest = ? WHERE id = ?", params![digest, contract])?;
            }
            attached.push(engine.with_saved(state, Box::new(shelf)));
        }
        left_out.extend(self.others(&names)?.into_iter().map(|name| format!("all of the contract {name:?}")));
        Ok((attached, left_out))
    }

    /// The contract of a sandbox for one contract can change its title and its base path.
    fn rename(&self, names: &[String]) -> Result<(), Error> {
        let (Ok(others), [name]) = (self.others(&[]), names) else { return Ok(()) };
        if let [only] = others.as_slice() {
            self.lock().execute("UPDATE contract SET name = ? WHERE name = ?", [name, only])?;
        }
        Ok(())
    }

    /// The names of contracts in the file, except for these.
    fn others(&self, names: &[String]) -> Result<Vec<String>, Error> {
        let connection = self.lock();
        let mut statement = connection.prepare("SELECT name FROM contract ORDER BY id")?;
        let saved: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(saved.into_iter().filter(|name| !names.contains(name)).collect())
    }

    /// The number of a contract in the file, and whether it is another one than before.
    fn contract(&self, name: &str, digest: &str) -> Result<(i64, bool), Error> {
        let connection = self.lock();
        let known = connection
            .query_row("SELECT id, digest FROM contract WHERE name = ?", [name], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })
            .optional()?;
        if let Some((id, before)) = known {
            return Ok((id, before != digest));
        }
        connection.execute("INSERT INTO contract (name, digest) VALUES (?, ?)", params![name, digest])?;
        Ok((connection.last_insert_rowid(), false))
    }
}

/// The title and the base path.
fn name(contract: &Contract) -> String {
    let title = contract.document.pointer("/info/title").and_then(serde_json::Value::as_str).unwrap_or_default();
    format!("{title} {}", contract.base_path).trim().to_owned()
}

fn unreadable(message: &str) -> Error {
    Error::new("data/file", "", message, "pass another file with --data")
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        unreadable(&format!("the file of the state cannot be used: {error}"))
    }
}
