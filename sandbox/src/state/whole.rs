//! The state of all teams, for the control interface: read and changed by address.

use uuid::Uuid;

use super::{Item, State, StoredFile, fields, place};

/// The contents of an address.
#[derive(Debug)]
pub(crate) enum Stored<'a> {
    /// An item of a collection, and the team that it belongs to.
    Item(Uuid, &'a Item),
    /// A singleton below an item.
    Single(&'a Item),
    /// Uploaded bytes.
    File(&'a StoredFile),
}

impl State {
    /// The addresses of all collections that have items, with their numbers of items, in order.
    pub(crate) fn collections(&self) -> impl Iterator<Item = (&str, usize)> {
        self.instances().map(|(address, items)| (address, items.len())).filter(|(_, count)| *count > 0)
    }

    /// Singletons by their addresses, in order.
    pub(crate) fn singles(&self) -> impl Iterator<Item = (&str, &Item)> {
        let singles = self.kept.values().filter(|(address, _)| address.starts_with('/'));
        singles.filter_map(|(address, value)| Some((address.as_str(), value.as_object()?)))
    }

    /// Bytes by their addresses, in order.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &StoredFile)> {
        self.kept.files().map(|(address, file)| (address.as_str(), file.as_ref()))
    }

    /// The items of a collection, oldest first: key, team, fields.
    pub(crate) fn items(&self, collection: &str) -> impl DoubleEndedIterator<Item = (&str, Uuid, &Item)> + use<'_> {
        let items = self.kept.instance(&place(collection)).into_iter().flat_map(|items| items.items());
        items.filter_map(|(key, entry)| Some((key, entry.mark.0, fields(entry)?)))
    }

    pub(crate) fn stored(&self, address: &str) -> Option<Stored<'_>> {
        let item = address.rsplit_once('/').and_then(|(collection, key)| self.entry(collection, key));
        // A place without a slash is that of a workflow.
        let value = || self.kept.value(address).filter(|_| address.starts_with('/'));
        let single = || value()?.as_object().map(Stored::Single);
        item.and_then(|entry| Some(Stored::Item(entry.mark.0, fields(entry)?)))
            .or_else(single)
            .or_else(|| self.kept.file(address).map(|file| Stored::File(file)))
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
            Some(Stored::File(_)) | None => false,
        }
    }

    /// Removes the resource at an address, with everything below it. Returns whether it existed.
    pub(crate) fn discard(&mut self, address: &str) -> bool {
        let (collection, key) = address.rsplit_once('/').unwrap_or_default();
        let is_stored = self.stored(address).is_some();
        if is_stored && !self.remove(collection, key) {
            self.kept.remove_value(address);
        }
        is_stored
    }
}
