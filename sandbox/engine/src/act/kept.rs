//! The state as people and programs see it who control the sandbox: addresses of collections, items and values.

use std::sync::Arc;

use serde_json::Value;

use super::Engine;
use crate::contract::encoded_segment;
use crate::infer::Collection;
use crate::state::{Item, Owner, StoredFile};

/// All addresses of a state.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    /// The collections, with the numbers of their items.
    pub(crate) collections: Vec<(String, usize)>,
    pub(crate) singles: Vec<String>,
    pub(crate) files: Vec<(String, Arc<StoredFile>)>,
}

/// The part of the state at an address.
#[derive(Debug)]
pub(crate) enum Kept {
    /// The identifier and the item.
    Item(String, Item),
    Single(Arc<Value>),
    File(Arc<StoredFile>),
}

impl Engine {
    /// The addresses of the whole state. Collections that are not below an item begin with it.
    pub(crate) fn kept(&self) -> Addresses {
        self.begin_all();
        let state = self.state();
        let collections = state.instances().filter_map(|(owner, instance)| {
            let collection = self.plan.collections.get(owner.0)?;
            Some((self.address(collection, &owner.1), instance.len()))
        });
        let base = &self.contract.base_path;
        Addresses {
            collections: collections.collect(),
            singles: state.values().map(|(place, _)| format!("{base}{place}")).collect(),
            files: state.files().map(|(place, file)| (format!("{base}{place}"), Arc::clone(file))).collect(),
        }
    }

    /// The number of items of the collection at an address, and a page of them, newest first.
    pub(crate) fn items_at(&self, address: &str, skip: usize, limit: usize) -> Option<(usize, Vec<(String, Item)>)> {
        self.begin_all();
        let owner = self.owner_at(address)?;
        let state = self.state();
        let instance = state.instance(&owner)?;
        let page = instance.items().rev().skip(skip).take(limit);
        Some((instance.len(), page.map(|(id, item)| (id.to_owned(), item.clone())).collect()))
    }

    pub(crate) fn kept_at(&self, address: &str) -> Option<Kept> {
        if let Some((owner, id)) = self.item_at(address) {
            let item = self.state().instance(&owner)?.item(&id)?.clone();
            return Some(Kept::Item(id, item));
        }
        let place = address.strip_prefix(self.contract.base_path.as_str())?;
        let state = self.state();
        state.value(place).map(Kept::Single).or_else(|| state.file(place).map(Kept::File))
    }

    /// Removes an item, a value or a file with everything below it. Returns whether it existed.
    pub(crate) fn remove_at(&self, address: &str) -> Result<bool, String> {
        let _writing = self.writing();
        if self.kept_at(address).is_none() {
            return Ok(false);
        }
        if let Some((owner, id)) = self.item_at(address) {
            self.state().remove(&owner, &id);
            self.forget_below(owner.0, &[owner.1.as_slice(), &[id]].concat());
        }
        if let Some(place) = address.strip_prefix(self.contract.base_path.as_str()) {
            self.state().remove_below(place);
        }
        self.keep().map(|()| true)
    }

    /// Forgets the whole state: collections begin anew.
    pub(crate) fn reset(&self) -> Result<(), String> {
        let _writing = self.writing();
        self.state().forget_all();
        self.keep()
    }

    /// Saves the changes.
    fn keep(&self) -> Result<(), String> {
        match &self.keeper {
            Some(keeper) => self.state().save(keeper.as_ref()),
            None => Ok(()),
        }
    }

    /// Begins the collections that are not below an item.
    fn begin_all(&self) {
        for (index, collection) in self.plan.collections.iter().enumerate().filter(|(_, one)| one.parents.is_empty()) {
            self.begin(&(index, Vec::new()), collection);
        }
    }

    /// The path of a collection with its parameters filled in.
    fn address(&self, collection: &Collection, parents: &[String]) -> String {
        let mut parents = parents.iter();
        let mut address = self.contract.base_path.clone();
        let mut rest = collection.path.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((_, after)) = behind.split_once('}') else { break };
            let Some(parent) = parents.next() else { break };
            address.push_str(before);
            address.push_str(&encoded_segment(parent).to_string());
            rest = after;
        }
        address + rest
    }

    fn owner_at(&self, address: &str) -> Option<Owner> {
        let state = self.state();
        let mut owners = state.instances().map(|(owner, _)| owner);
        let is_at = |owner: &&Owner| {
            let collection = self.plan.collections.get(owner.0);
            collection.is_some_and(|collection| self.address(collection, &owner.1) == address)
        };
        owners.find(is_at).cloned()
    }

    fn item_at(&self, address: &str) -> Option<(Owner, String)> {
        let (collection, key) = address.rsplit_once('/')?;
        let owner = self.owner_at(collection)?;
        let state = self.state();
        let instance = state.instance(&owner)?;
        // A key is written in an address as it is, or encoded.
        let id = match instance.item(key) {
            Some(_) => key.to_owned(),
            None => instance.items().map(|(id, _)| id).find(|id| encoded_segment(id).to_string() == key)?.to_owned(),
        };
        drop(state);
        Some((owner, id))
    }
}
