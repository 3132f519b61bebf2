//! Reads the state from the database, and writes pending changes.

use serde::de::DeserializeOwned;

use super::{Blob, Entry, State};
use crate::data::{Address, Data, Row, Write};
use crate::error::Error;

impl State {
    /// Reads everything from the database.
    pub(super) fn read(data: &Data) -> Result<Self, Error> {
        let mut state = Self::default();
        for row in data.rows()? {
            match row {
                Row::Item { collection, key, owner, position, fields } => {
                    let entry = Entry { owner, position, item: parse(&fields)? };
                    state.position = position;
                    state.collections.entry(collection).or_default().insert(key, entry);
                }
                Row::Single { address, fields } => {
                    state.singles.insert(address, parse(&fields)?);
                }
                Row::Blob { address, media_type, bytes } => {
                    state.blobs.insert(address, Blob { media_type, bytes });
                }
                Row::Workflow { body, .. } => state.workflows.put(parse(&body)?),
            }
        }
        Ok(state)
    }

    /// Stores the pending changes in one transaction.
    pub(super) fn write(&mut self, data: &Data) -> Result<(), Error> {
        let changes = std::mem::take(&mut self.changes);
        if changes.is_empty() {
            return Ok(());
        }
        data.write(changes.into_iter().map(|address| {
            let row = self.row(&address)?;
            Ok(row.map_or(Write::Remove(address), Write::Put))
        }))
    }

    /// The row at an address; `None` if nothing is there any more.
    fn row(&self, address: &Address) -> Result<Option<Row>, Error> {
        Ok(match address {
            Address::Item(collection, key) => match self.entry(collection, key) {
                Some(Entry { owner, position, item }) => Some(Row::Item {
                    collection: collection.clone(),
                    key: key.clone(),
                    owner: *owner,
                    position: *position,
                    fields: text(item)?,
                }),
                None => None,
            },
            Address::Below(_) => None,
            Address::Single(address) => match self.singles.get(address) {
                Some(item) => Some(Row::Single { address: address.clone(), fields: text(item)? }),
                None => None,
            },
            Address::Blob(address) => self.blobs.get(address).map(|Blob { media_type, bytes }| Row::Blob {
                address: address.clone(),
                media_type: media_type.clone(),
                bytes: bytes.clone(),
            }),
            Address::Workflow(id) => match self.workflows.get(*id) {
                Some(workflow) => Some(Row::Workflow { id: *id, created: workflow.created, body: text(workflow)? }),
                None => None,
            },
        })
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| Error::Data { message: error.to_string() })
}

fn text(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Data { message: error.to_string() })
}
