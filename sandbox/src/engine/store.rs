//! State in memory, one shelf per team: what one team stores does not exist for another.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::seed;
use crate::team::Team;

/// The fields of a stored resource.
pub(crate) type Item = Map<String, Value>;

/// The state of all teams.
#[derive(Debug)]
pub(crate) struct Store {
    shelves: Mutex<HashMap<Uuid, Shelf>>,
}

/// The state of one team. Addresses are paths below the base address, with their parameters filled in.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    collections: HashMap<String, Vec<(String, Item)>>,
    singles: HashMap<String, Item>,
    blobs: HashMap<String, Blob>,
}

/// Stored bytes and their media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) media_type: String,
    pub(crate) bytes: Bytes,
}

impl Store {
    pub(crate) fn seeded(teams: &[Team]) -> Self {
        let shelves = teams.iter().map(|team| (team.id, seed::shelf(team))).collect();
        Self { shelves: Mutex::new(shelves) }
    }

    /// Runs something on the shelf of a team.
    pub(crate) fn with<T>(&self, team: Uuid, run: impl FnOnce(&mut Shelf) -> T) -> T {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        run(shelves.entry(team).or_default())
    }
}

impl Shelf {
    /// The items of a collection, oldest first.
    pub(crate) fn list(&self, collection: &str) -> impl Iterator<Item = &Item> {
        self.collections.get(collection).into_iter().flatten().map(|(_, item)| item)
    }

    pub(crate) fn get(&self, collection: &str, key: &str) -> Option<&Item> {
        let items = self.collections.get(collection)?;
        items.iter().find(|(found, _)| found == key).map(|(_, item)| item)
    }

    pub(crate) fn get_mut(&mut self, collection: &str, key: &str) -> Option<&mut Item> {
        let items = self.collections.get_mut(collection)?;
        items.iter_mut().find(|(found, _)| found == key).map(|(_, item)| item)
    }

    /// Finds an item by its key among the collections whose address ends so.
    pub(crate) fn find(&self, ending: &str, key: &str) -> Option<&Item> {
        let mut collections = self.collections.iter().filter(|(address, _)| address.ends_with(ending));
        collections.find_map(|(_, items)| items.iter().find(|(found, _)| found == key).map(|(_, item)| item))
    }

    /// Adds an item, or replaces the one with its key. Says whether there was one.
    pub(crate) fn put(&mut self, collection: &str, key: &str, item: Item) -> bool {
        if let Some(found) = self.get_mut(collection, key) {
            *found = item;
            return true;
        }
        self.collections.entry(collection.to_owned()).or_default().push((key.to_owned(), item));
        false
    }

    /// Removes an item with everything that lies below it. Says whether there was one.
    pub(crate) fn remove(&mut self, collection: &str, key: &str) -> bool {
        let Some(items) = self.collections.get_mut(collection) else { return false };
        let Some(index) = items.iter().position(|(found, _)| found == key) else { return false };
        items.remove(index);
        let below = format!("{collection}/{key}/");
        self.collections.retain(|address, _| !address.starts_with(&below));
        self.singles.retain(|address, _| !address.starts_with(&below));
        self.blobs.retain(|address, _| !address.starts_with(&below));
        true
    }

    pub(crate) fn single(&self, address: &str) -> Option<&Item> {
        self.singles.get(address)
    }

    pub(crate) fn put_single(&mut self, address: &str, item: Item) -> bool {
        self.singles.insert(address.to_owned(), item).is_some()
    }

    pub(crate) fn remove_single(&mut self, address: &str) {
        self.singles.remove(address);
    }

    pub(crate) fn blob(&self, address: &str) -> Option<&Blob> {
        self.blobs.get(address)
    }

    /// Stores bytes and gives back what lay there.
    pub(crate) fn put_blob(&mut self, address: &str, blob: Blob) -> Option<Blob> {
        self.blobs.insert(address.to_owned(), blob)
    }

    pub(crate) fn remove_blob(&mut self, address: &str) -> bool {
        self.blobs.remove(address).is_some()
    }
}
