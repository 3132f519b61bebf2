//! The state of all teams, for the control interface: read and changed by address.

use uuid::Uuid;

use super::{Blob, Item, State};
use crate::data::Address;

/// The contents of an address.
#[derive(Debug)]
pub(crate) enum Stored<'a> {
    /// An item of a collection, and the team that it belongs to.
    Item(Uuid, &'a Item),
    /// A singleton below an item.
    Single(&'a Item),
    /// Uploaded bytes.
    Blob(&'a Blob),
}

impl State {
    /// The addresses of all collections that have items, with their numbers of items, in order.
    pub(crate) fn collections(&self) -> Vec<(&str, usize)> {
        let filled = self.collections.iter().filter(|(_, entries)| !entries.is_empty());
        let mut collections: Vec<_> = filled.map(|(address, entries)| (address.as_str(), entries.len())).collect();
        collections.sort_unstable();
        collections
    }

    /// The addresses of singletons, in order.
    pub(crate) fn singles(&self) -> Vec<&str> {
        let mut addresses: Vec<_> = self.singles.keys().map(String::as_str).collect();
        addresses.sort_unstable();
        addresses
    }

    /// The addresses of bytes, in order.
    pub(crate) fn blobs(&self) -> Vec<(&str, &Blob)> {
        let mut entries: Vec<_> = self.blobs.iter().map(|(address, blob)| (address.as_str(), blob)).collect();
        entries.sort_unstable_by_key(|(address, _)| *address);
        entries
    }

    /// The items of a collection, oldest first: key, team, fields.
    pub(crate) fn items(&self, collection: &str) -> impl DoubleEndedIterator<Item = (&str, Uuid, &Item)> {
        let entries = self.collections.get(collection).into_iter().flatten();
        entries.map(|(key, entry)| (key.as_str(), entry.owner, &entry.item))
    }

    pub(crate) fn stored(&self, address: &str) -> Option<Stored<'_>> {
        let item = address.rsplit_once('/').and_then(|(collection, key)| self.entry(collection, key));
        item.map(|entry| Stored::Item(entry.owner, &entry.item))
            .or_else(|| self.singles.get(address).map(Stored::Single))
            .or_else(|| self.blobs.get(address).map(Stored::Blob))
    }

    /// Replaces the fields of the resource at an address. Returns whether there was one with fields.
    pub(crate) fn overwrite(&mut self, address: &str, fields: Item) -> bool {
        match self.stored(address) {
            Some(Stored::Item(owner, _)) => {
                let (collection, key) = address.rsplit_once('/').unwrap_or_default();
                self.put(owner, collection, key, fields)
            }
            Some(Stored::Single(_)) => {
                self.put_single(address, fields);
                true
            }
            Some(Stored::Blob(_)) | None => false,
        }
    }

    /// Removes the resource at an address, with everything below it. Returns whether it existed.
    pub(crate) fn discard(&mut self, address: &str) -> bool {
        match self.stored(address) {
            Some(Stored::Item(..)) => {
                let (collection, key) = address.rsplit_once('/').unwrap_or_default();
                self.remove(collection, key)
            }
            Some(Stored::Single(_)) => {
                self.changes.push(Address::Single(address.to_owned()));
                self.singles.remove(address).is_some()
            }
            Some(Stored::Blob(_)) => {
                self.changes.push(Address::Blob(address.to_owned()));
                self.blobs.remove(address).is_some()
            }
            None => false,
        }
    }
}
