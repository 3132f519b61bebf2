//! The saved state as the contract has room for it. A contract can have changed since: an item, a value or a file that still fits
//! stays, and the others are named.

use std::sync::Arc;

use http::Method;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::shelf::Shelf;
use super::unreadable;
use crate::act::Engine;
use crate::contract::SchemaRef;
use crate::error::{Error, printable};
use crate::fit::Missing;
use crate::infer::Collection;
use crate::seed::mix;
use crate::serve::{Routed, Router};
use crate::state::{Full, Item, Owner, State, StoredFile};

/// Lines about parts that do not fit.
const MOST_NAMED: usize = 100;

/// `left_out` is given if the contract has changed since the state was saved.
pub(super) fn restore(
    shelf: &Shelf,
    engine: &Engine,
    router: &Router,
    left_out: Option<&mut Vec<String>>,
) -> Result<State, Error> {
    let connection = shelf.data.lock();
    let mut reader = Reader { shelf, engine, connection: &connection, left_out, state: State::default(), unnamed: 0 };
    if reader.left_out.is_some() {
        connection.execute("UPDATE item SET fits = TRUE WHERE contract = ?", [shelf.contract])?;
    }
    let collections = reader.texts("SELECT DISTINCT collection FROM instance WHERE contract = ?")?;
    for path in collections {
        match engine.plan.collections.iter().position(|collection| collection.path == path) {
            Some(index) => reader.collection(index)?,
            None => reader.name(|| format!("{path}: the contract has no such collection")),
        }
    }
    let has_place = |place: &str| {
        [Method::GET, Method::PUT, Method::PATCH, Method::POST]
            .iter()
            .any(|method| !matches!(router.route(method, place), Routed::Unknown))
    };
    for place in reader.texts("SELECT place FROM value WHERE contract = ? ORDER BY place")? {
        match has_place(&place) {
            true => reader.value(place)?,
            false => reader.name(|| format!("{place}: the contract has no such path")),
        }
    }
    for place in reader.texts("SELECT place FROM file WHERE contract = ? ORDER BY place")? {
        match has_place(&place) {
            true => reader.file(place)?,
            false => reader.name(|| format!("the file {place}: the contract has no such path")),
        }
    }
    let more = reader.unnamed;
    if let Some(left_out) = reader.left_out.take().filter(|_| more > 0) {
        left_out.push(format!("{more} more"));
    }
    Ok(reader.state)
}

struct Reader<'s> {
    shelf: &'s Shelf,
    engine: &'s Engine,
    connection: &'s Connection,
    left_out: Option<&'s mut Vec<String>>,
    state: State,
    /// Parts that do not fit, beyond those that are named.
    unnamed: usize,
}

impl Reader<'_> {
    fn name(&mut self, line: impl FnOnce() -> String) {
        let Some(left_out) = self.left_out.as_deref_mut() else { return };
        match left_out.len() < MOST_NAMED {
            true => left_out.push(line().chars().map(printable).take(500).collect()),
            false => self.unnamed += 1,
        }
    }

    fn texts(&self, sql: &str) -> Result<Vec<String>, Error> {
        let mut statement = self.connection.prepare(sql)?;
        Ok(statement.query_map([self.shelf.contract], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    fn collection(&mut self, index: usize) -> Result<(), Error> {
        let engine = self.engine;
        let Some(collection) = engine.plan.collections.get(index) else { return Ok(()) };
        let connection = self.connection;
        let key = params![self.shelf.contract, collection.path];
        let mut instances =
            connection.prepare("SELECT parents, numbers FROM instance WHERE contract = ? AND collection = ?")?;
        let mut rows = instances.query(key)?;
        while let Some(row) = rows.next()? {
            let (text, numbers): (String, i64) = (row.get(0)?, row.get(1)?);
            let parents: Vec<String> = serde_json::from_str(&text).map_err(|error| broken(&error))?;
            if parents.len() != collection.parents.len() {
                self.name(|| format!("{}: the collection has other parents", collection.path));
                continue;
            }
            self.instance(collection, &(index, parents), u64::try_from(numbers).unwrap_or(0), &text)?;
        }
        Ok(())
    }

    fn instance(&mut self, collection: &Collection, owner: &Owner, numbers: u64, parents: &str) -> Result<(), Error> {
        if self.state.restored(owner.clone(), numbers).is_none() {
            return Err(too_large(Full));
        }
        let connection = self.connection;
        let mut items = connection.prepare_cached(
            "SELECT id, place, value, is_invented FROM item
             WHERE contract = ? AND collection = ? AND parents = ? AND fits ORDER BY place",
        )?;
        let mut rows = items.query(params![self.shelf.contract, collection.path, parents])?;
        while let Some(row) = rows.next()? {
            let (id, place): (String, i64) = (row.get(0)?, row.get(1)?);
            let Some(text) = row.get::<_, Option<String>>(2)? else {
                if let Some(instance) = self.state.restored(owner.clone(), numbers) {
                    instance.restore_removed(id);
                }
                continue;
            };
            let mut value: Value = serde_json::from_str(&text).map_err(|error| broken(&error))?;
            if let Some(schema) = collection.item.as_ref().filter(|_| self.left_out.is_some()) {
                let mut update = connection.prepare_cached(
                    "UPDATE item SET value = ?, fits = ? WHERE contract = ? AND collection = ? AND parents = ? AND id = ?",
                )?;
                let mut update = |text: &str, fits: bool| {
                    update.execute(params![text, fits, self.shelf.contract, collection.path, parents, id])
                };
                match self.fitted(schema, &value) {
                    Ok(None) => {}
                    Ok(Some(fitted)) => {
                        update(&fitted.to_string(), true)?;
                        value = fitted;
                    }
                    Err(reason) => {
                        update(&text, false)?;
                        self.name(|| format!("{} {id}: {reason}", collection.path));
                        continue;
                    }
                }
            }
            let item = Item::new(value, row.get(3)?);
            self.state.restore(owner, u64::try_from(place).unwrap_or(0), id, item).map_err(too_large)?;
        }
        Ok(())
    }

    /// The value with members that the schema requires now; `None` if it is valid as it is. An error if one of its members is not.
    fn fitted(&self, schema: &SchemaRef, value: &Value) -> Result<Option<Value>, String> {
        let fitter = self.engine.fitter();
        let Some(reason) = fitter.violation(schema, value) else { return Ok(None) };
        let seed = mix(self.engine.seed, &[&value.to_string()]);
        let fitted = fitter.fit(schema, value, Missing::Required, seed).value;
        let keeps_all = match (value, &fitted) {
            (Value::Object(before), Value::Object(now)) => {
                before.iter().all(|(name, value)| now.get(name) == Some(value))
            }
            _ => false,
        };
        if keeps_all && fitter.is_valid(schema, &fitted) { Ok(Some(fitted)) } else { Err(reason) }
    }

    fn value(&mut self, place: String) -> Result<(), Error> {
        let sql = "SELECT value FROM value WHERE contract = ? AND place = ?";
        let text: String = self.connection.query_row(sql, params![self.shelf.contract, place], |row| row.get(0))?;
        let value = serde_json::from_str(&text).map_err(|error| broken(&error))?;
        self.state.set_value(place, value).map(|_: Arc<Value>| ()).map_err(too_large)
    }

    fn file(&mut self, place: String) -> Result<(), Error> {
        let sql = "SELECT media_type, bytes FROM file WHERE contract = ? AND place = ?";
        let file = self.connection.query_row(sql, params![self.shelf.contract, place], |row| {
            Ok(StoredFile { media_type: row.get(0)?, bytes: row.get(1)? })
        })?;
        self.state.set_file(place, file).map_err(too_large)
    }
}

fn broken(error: &serde_json::Error) -> Error {
    unreadable(&format!("the file of the state is damaged: {error}"))
}

fn too_large(_: Full) -> Error {
    unreadable("the file has more state than a sandbox keeps")
}
