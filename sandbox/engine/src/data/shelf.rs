//! The part of the file that has the state of one contract.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use rusqlite::{Connection, ToSql, Transaction, params};
use serde_json::json;

use super::Data;
use crate::state::{Change, Item, Keeper, Owner, State};

/// The part of a file that has the state of one contract.
#[derive(Debug)]
pub struct Shelf {
    pub(super) data: Arc<Data>,
    pub(super) contract: i64,
    /// The paths of the collections, by their indices.
    pub(super) collections: Vec<String>,
    /// The column of the marks of items.
    pub(super) mark: &'static str,
}

impl Shelf {
    /// The state of a file without contracts: the parents of its collections are all that they are known by.
    pub fn alone(connection: Connection, mark: &'static str) -> Self {
        let data = Arc::new(Data(Mutex::new(connection)));
        Self { data, contract: 0, collections: vec![String::new()], mark }
    }

    /// The connection, for tables of the sandbox's own.
    pub fn connection(&self) -> MutexGuard<'_, Connection> {
        self.data.lock()
    }

    /// Closes the file. Later statements go to an empty database, and fail.
    pub fn close(&self) {
        if let Ok(empty) = Connection::open_in_memory() {
            *self.connection() = empty;
        }
    }
}

impl<M: ToSql + Default> Keeper<M> for Shelf {
    fn save(&self, state: &State<M>, changes: &BTreeSet<Change>) -> Result<(), String> {
        let save = || {
            let mut connection = self.data.lock();
            let transaction = connection.transaction()?;
            for change in changes {
                self.save_one(&transaction, state, change)?;
            }
            transaction.commit()
        };
        save().map_err(|error: rusqlite::Error| error.to_string())
    }
}

/// The names of an instance in the tables.
pub(super) fn parents(owner: &Owner) -> String {
    json!(owner.1).to_string()
}

/// SQLite has signed numbers only. No sandbox counts as far as they do.
fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Shelf {
    fn save_one<M: ToSql + Default>(
        &self,
        transaction: &Transaction<'_>,
        state: &State<M>,
        change: &Change,
    ) -> rusqlite::Result<()> {
        let run = |sql: &str, values: &[&dyn ToSql]| transaction.prepare_cached(sql)?.execute(values).map(|_| ());
        let of_instance = |table: &str, owner: &Owner| {
            let sql = format!("DELETE FROM {table} WHERE contract = ? AND collection = ? AND parents = ?");
            run(&sql, params![self.contract, self.collection(owner), parents(owner)])
        };
        match change {
            Change::Instance(owner) => match state.instance(owner) {
                Some(instance) => run(
                    "INSERT OR REPLACE INTO instance VALUES (?, ?, ?, ?)",
                    params![self.contract, self.collection(owner), parents(owner), number(instance.numbers())],
                ),
                None => {
                    of_instance("instance", owner)?;
                    of_instance("item", owner)
                }
            },
            Change::Items(owner) => {
                of_instance("item", owner)?;
                let Some(instance) = state.instance(owner) else { return Ok(()) };
                for (place, id, item) in instance.places() {
                    self.put(transaction, owner, id, place, Some(item))?;
                }
                instance.removed().try_for_each(|id| self.put::<M>(transaction, owner, id, 0, None))
            }
            Change::Item(owner, id) => {
                let Some(instance) = state.instance(owner) else { return Ok(()) };
                match instance.item(id) {
                    Some(item) => self.put(transaction, owner, id, instance.place(id).unwrap_or(0), Some(item)),
                    None if instance.is_removed(id) => self.put::<M>(transaction, owner, id, 0, None),
                    None => run(
                        "DELETE FROM item WHERE contract = ? AND collection = ? AND parents = ? AND id = ?",
                        params![self.contract, self.collection(owner), parents(owner), id],
                    ),
                }
            }
            Change::Value(place) => match state.value(place) {
                Some(value) => run(
                    "INSERT OR REPLACE INTO value VALUES (?, ?, ?)",
                    params![self.contract, place, value.to_string()],
                ),
                None => run("DELETE FROM value WHERE contract = ? AND place = ?", params![self.contract, place]),
            },
            Change::File(place) => match state.file(place) {
                Some(file) => run(
                    "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)",
                    params![self.contract, place, file.media_type, file.bytes.as_ref()],
                ),
                None => run("DELETE FROM file WHERE contract = ? AND place = ?", params![self.contract, place]),
            },
        }
    }

    /// Stores an item, or that it was removed.
    fn put<M: ToSql + Default>(
        &self,
        transaction: &Transaction<'_>,
        owner: &Owner,
        id: &str,
        place: u64,
        item: Option<&Item<M>>,
    ) -> rusqlite::Result<()> {
        let (value, none) = (item.map(|item| item.value.to_string()), M::default());
        let mark = item.map_or(&none, |item| &item.mark);
        let mut statement =
            transaction.prepare_cached("INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, TRUE)")?;
        let row = params![self.contract, self.collection(owner), parents(owner), id, number(place), value, mark];
        statement.execute(row).map(|_| ())
    }

    fn collection(&self, owner: &Owner) -> &str {
        self.collections.get(owner.0).map_or("", String::as_str)
    }
}
