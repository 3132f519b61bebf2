//! The saved state as the contract has room for it. A contract can have changed since: an item, a value or a file that still fits
//! stays, and the others are named.

use std::sync::Arc;

use http::Method;
use rusqlite::types::FromSql;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::shelf::Shelf;
use super::unreadable;
use crate::act::Engine;
use crate::contract::SchemaRef;
use crate::error::{Error, printable};
use crate::fit::Missing;
use crate::seed::mix;
use crate::serve::{Routed, Router};
use crate::state::{Full, Item, Owner, State, StoredFile};

/// Lines about parts that do not fit.
const MOST_NAMED: usize = 100;

/// `left_out` is given if the contract has changed since the state was saved.
pub(super) fn restore<M: FromSql + Default>(
    shelf: &Shelf,
    contract: Option<(&Engine, &Router)>,
    left_out: Option<&mut Vec<String>>,
) -> Result<State<M>, Error> {
    let connection = shelf.data.lock();
    let engine = contract.map(|(engine, _)| engine);
    let mut reader = Reader { shelf, engine, connection: &connection, left_out, state: State::default(), unnamed: 0 };
    if reader.left_out.is_some() {
        connection.execute("UPDATE item SET fits = TRUE WHERE contract = ?", [shelf.contract])?;
    }
    let collections = reader.texts("SELECT DISTINCT collection FROM instance WHERE contract = ?")?;
    for path in collections {
        match shelf.collections.iter().position(|known| *known == path) {
            Some(index) => reader.collection(index, &path)?,
            None => reader.name(|| format!("{path}: the contract has no such collection")),
        }
    }
    let has_place = |place: &str| {
        let mut methods = [Method::GET, Method::PUT, Method::PATCH, Method::POST].iter();
        contract.is_none_or(|(_, router)| methods.any(|method| router.route(method, place) != Routed::Unknown))
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

impl Shelf {
    /// The state as it was saved, whose changes are noted from now on.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn saved<M: FromSql + Default>(&self) -> Result<State<M>, Error> {
        let mut state = restore(self, None, None)?;
        state.note_changes();
        Ok(state)
    }
}

struct Reader<'s, M> {
    shelf: &'s Shelf,
    /// Without one, everything fits.
    engine: Option<&'s Engine>,
    connection: &'s Connection,
    left_out: Option<&'s mut Vec<String>>,
    state: State<M>,
    /// Parts that do not fit, beyond those that are named.
    unnamed: usize,
}

impl<M: FromSql + Default> Reader<'_, M> {
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

    fn collection(&mut self, index: usize, path: &str) -> Result<(), Error> {
        let known = self.engine.and_then(|engine| engine.plan.collections.get(index));
        let connection = self.connection;
        let key = params![self.shelf.contract, path];
        let mut instances =
            connection.prepare("SELECT parents, numbers FROM instance WHERE contract = ? AND collection = ?")?;
        let mut rows = instances.query(key)?;
        while let Some(row) = rows.next()? {
            let (text, numbers): (String, i64) = (row.get(0)?, row.get(1)?);
            let parents: Vec<String> = serde_json::from_str(&text).map_err(|error| broken(&error))?;
            if known.is_some_and(|known| parents.len() != known.parents.len()) {
                self.name(|| format!("{path}: the collection has other parents"));
                continue;
            }
            let item = known.and_then(|known| known.item.as_ref());
            self.instance(path, item, &(index, parents), u64::try_from(numbers).unwrap_or(0), &text)?;
        }
        Ok(())
    }

    fn instance(
        &mut self,
        path: &str,
        schema: Option<&SchemaRef>,
        owner: &Owner,
        numbers: u64,
        parents: &str,
    ) -> Result<(), Error> {
        if self.state.restored(owner.clone(), numbers).is_none() {
            return Err(too_large(Full));
        }
        let connection = self.connection;
        let mut items = connection.prepare_cached(&format!(
            "SELECT id, place, value, {} FROM item
             WHERE contract = ? AND collection = ? AND parents = ? AND fits ORDER BY place",
            self.shelf.mark,
        ))?;
        let mut rows = items.query(params![self.shelf.contract, path, parents])?;
        while let Some(row) = rows.next()? {
            let (id, place): (String, i64) = (row.get(0)?, row.get(1)?);
            let Some(text) = row.get::<_, Option<String>>(2)? else {
                if let Some(instance) = self.state.restored(owner.clone(), numbers) {
                    instance.restore_removed(id);
                }
                continue;
            };
            let mut value: Value = serde_json::from_str(&text).map_err(|error| broken(&error))?;
            if let (Some(schema), Some(engine), true) = (schema, self.engine, self.left_out.is_some()) {
                let mut update = connection.prepare_cached(
                    "UPDATE item SET value = ?, fits = ? WHERE contract = ? AND collection = ? AND parents = ? AND id = ?",
                )?;
                let mut update = |text: &str, fits: bool| {
                    update.execute(params![text, fits, self.shelf.contract, path, parents, id])
                };
                match fitted(engine, schema, &value) {
                    Ok(None) => {}
                    Ok(Some(fitted)) => {
                        update(&fitted.to_string(), true)?;
                        value = fitted;
                    }
                    Err(reason) => {
                        update(&text, false)?;
                        self.name(|| format!("{path} {id}: {reason}"));
                        continue;
                    }
                }
            }
            let item = Item::new(value, row.get(3)?);
            self.state.restore(owner, u64::try_from(place).unwrap_or(0), id, item).map_err(too_large)?;
        }
        Ok(())
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
            Ok(StoredFile { media_type: row.get(0)?, bytes: row.get::<_, Vec<u8>>(1)?.into() })
        })?;
        self.state.set_file(place, file).map_err(too_large)
    }
}

/// The value with members that the schema requires now; `None` if it is valid as it is. An error if one of its members is not.
fn fitted(engine: &Engine, schema: &SchemaRef, value: &Value) -> Result<Option<Value>, String> {
    let fitter = engine.fitter();
    let Some(reason) = fitter.violation(schema, value) else { return Ok(None) };
    let seed = mix(engine.seed, &[&value.to_string()]);
    let fitted = fitter.fit(schema, value, Missing::Required, seed).value;
    let keeps_all = match (value, &fitted) {
        (Value::Object(before), Value::Object(now)) => before.iter().all(|(name, value)| now.get(name) == Some(value)),
        _ => false,
    };
    if keeps_all && fitter.is_valid(schema, &fitted) { Ok(Some(fitted)) } else { Err(reason) }
}

fn broken(error: &serde_json::Error) -> Error {
    unreadable(&format!("the file of the state is damaged: {error}"))
}

fn too_large(_: Full) -> Error {
    unreadable("the file has more state than a sandbox keeps")
}
