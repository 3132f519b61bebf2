//! Reads the state from the database, and writes pending changes.

use bytes::Bytes;
use rusqlite::{Transaction, params};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Blob, Change, Entry, State};
use crate::data::Data;
use crate::error::Error;

impl State {
    /// Reads everything from the database.
    pub(super) fn read(data: &Data) -> Result<Self, Error> {
        let mut state = Self::default();
        let connection = data.lock();
        let mut items =
            connection.prepare("SELECT collection, key, owner, position, fields FROM item ORDER BY position")?;
        let mut rows = items.query([])?;
        while let Some(row) = rows.next()? {
            let (collection, key, owner): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let owner = Uuid::try_parse(&owner).map_err(|error| Error::Data { message: error.to_string() })?;
            let entry = Entry { owner, position: row.get(3)?, item: parse(&row.get::<_, String>(4)?)? };
            state.position = entry.position;
            state.collections.entry(collection).or_default().insert(key, entry);
        }
        let mut singles = connection.prepare("SELECT address, fields FROM single")?;
        let mut rows = singles.query([])?;
        while let Some(row) = rows.next()? {
            state.singles.insert(row.get(0)?, parse(&row.get::<_, String>(1)?)?);
        }
        let mut blobs = connection.prepare("SELECT address, media_type, bytes FROM blob")?;
        let mut rows = blobs.query([])?;
        while let Some(row) = rows.next()? {
            let blob = Blob { media_type: row.get(1)?, bytes: Bytes::from(row.get::<_, Vec<u8>>(2)?) };
            state.blobs.insert(row.get(0)?, blob);
        }
        let mut workflows = connection.prepare("SELECT body FROM workflow ORDER BY position")?;
        let mut rows = workflows.query([])?;
        while let Some(row) = rows.next()? {
            state.workflows.put(parse(&row.get::<_, String>(0)?)?);
        }
        Ok(state)
    }

    /// Empties the database.
    pub(super) fn erase(data: &Data) -> Result<(), Error> {
        let tables = "DELETE FROM item; DELETE FROM single; DELETE FROM blob; DELETE FROM workflow;";
        Ok(data.lock().execute_batch(tables)?)
    }

    /// Stores the pending changes in one transaction.
    pub(super) fn write(&mut self, data: &Data) -> Result<(), Error> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let changes = std::mem::take(&mut self.changes);
        let mut connection = data.lock();
        let transaction = connection.transaction()?;
        for change in &changes {
            self.write_change(&transaction, change)?;
        }
        Ok(transaction.commit()?)
    }

    fn write_change(&self, transaction: &Transaction<'_>, change: &Change) -> Result<(), Error> {
        let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<(), Error> {
            transaction.prepare_cached(sql)?.execute(values)?;
            Ok(())
        };
        match change {
            Change::Item(collection, key) => match self.entry(collection, key) {
                Some(Entry { owner, position, item }) => run(
                    "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?)",
                    params![collection, key, owner.to_string(), position, text(item)?],
                ),
                None => run("DELETE FROM item WHERE collection = ? AND key = ?", params![collection, key]),
            },
            Change::Below(prefix) => {
                // The prefix ends in a slash: its addresses end before the next character, `0`.
                let end = format!("{}0", prefix.strip_suffix('/').unwrap_or(prefix));
                run("DELETE FROM item WHERE collection >= ? AND collection < ?", params![prefix, end])?;
                run("DELETE FROM single WHERE address >= ? AND address < ?", params![prefix, end])?;
                run("DELETE FROM blob WHERE address >= ? AND address < ?", params![prefix, end])
            }
            Change::Single(address) => match self.singles.get(address) {
                Some(item) => run("INSERT OR REPLACE INTO single VALUES (?, ?)", params![address, text(item)?]),
                None => run("DELETE FROM single WHERE address = ?", params![address]),
            },
            Change::Blob(address) => match self.blobs.get(address) {
                Some(Blob { media_type, bytes }) => {
                    run("INSERT OR REPLACE INTO blob VALUES (?, ?, ?)", params![address, media_type, bytes.as_ref()])
                }
                None => run("DELETE FROM blob WHERE address = ?", params![address]),
            },
            Change::Workflow(id) => match self.workflows.get(*id) {
                Some(workflow) => run(
                    "INSERT OR REPLACE INTO workflow VALUES (?, ?, ?)",
                    params![id.to_string(), workflow.created, text(workflow)?],
                ),
                None => run("DELETE FROM workflow WHERE id = ?", params![id.to_string()]),
            },
        }
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| Error::Data { message: error.to_string() })
}

fn text(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Data { message: error.to_string() })
}
