//! The state: items by collection and parents, and values that exist once. It knows no contract.

mod instance;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

pub use instance::{Instance, Item};

/// A body or a part of a form that is kept as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    pub media_type: String,
    pub bytes: Bytes,
}

impl StoredFile {
    fn size(&self) -> usize {
        self.media_type.len() + self.bytes.len()
    }
}

/// The limits of the state.
const MOST_INSTANCES: usize = 100_000;
const MOST_VALUES: usize = 100_000;
const MOST_ITEMS: usize = 1_000_000;
const MOST_BYTES: usize = 512 << 20;
/// The length of the media type of a file.
pub(crate) const MOST_MEDIA_TYPE: usize = 1 << 10;

/// The state has no room for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The index of a collection and the values of its parents.
pub type Owner = (usize, Vec<String>);

/// A part of the state that differs from the saved one. Its content is read from the state, so the order of changes does not matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// An instance has begun, has given a number, or is forgotten with its items.
    Instance(Owner),
    /// All items of an instance.
    Items(Owner),
    Item(Owner, String),
    Value(String),
    File(String),
}

/// Items of an instance that have changed since somebody took them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touched {
    All,
    Items(BTreeSet<String>),
}

/// Saves changes of the state.
pub trait Keeper<M = bool>: fmt::Debug + Send + Sync {
    /// Saves all of the changes, or none.
    fn save(&self, state: &State<M>, changes: &BTreeSet<Change>) -> Result<(), String>;
}

/// Items, values and files.
#[derive(Debug, Default)]
pub struct State<M = bool> {
    instances: BTreeMap<Owner, Instance<M>>,
    values: BTreeMap<String, Arc<Value>>,
    files: BTreeMap<String, Arc<StoredFile>>,
    items: usize,
    bytes: usize,
    /// Changes that are not saved yet. `None` if nobody saves them.
    changes: Option<BTreeSet<Change>>,
    /// The collections whose changed items are noted, and these items.
    watched: BTreeSet<usize>,
    touched: BTreeMap<Owner, Touched>,
}

#[cfg(test)]
impl State {
    /// All of it, in one order, for comparisons.
    pub(crate) fn described(&self) -> String {
        let instances = self.instances.iter().map(|(owner, instance)| format!("{owner:?}: {}\n", instance.described()));
        let Self { values, files, items, bytes, .. } = self;
        format!("{}{values:?}\n{files:?}\n{items} items, {bytes} bytes", instances.collect::<String>())
    }
}

impl<M: Default> State<M> {
    /// From now on, changes are noted.
    pub fn note_changes(&mut self) {
        self.changes.get_or_insert_default();
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| !changes.is_empty())
    }

    /// Saves the changes. They stay noted if that fails.
    pub fn save(&mut self, keeper: &dyn Keeper<M>) -> Result<(), String> {
        if let Some(changes) = self.changes.as_ref().filter(|changes| !changes.is_empty()) {
            keeper.save(self, changes)?;
            self.changes = Some(BTreeSet::new());
        }
        Ok(())
    }

    /// From now on, items of these collections that change are noted; those that are here count as changed.
    pub(crate) fn watch(&mut self, collections: BTreeSet<usize>) {
        self.watched = collections;
        let owners = self.instances.keys().filter(|owner| self.watched.contains(&owner.0));
        self.touched.extend(owners.map(|owner| (owner.clone(), Touched::All)));
    }

    /// The changed items of an instance, since the last call of this function.
    pub(crate) fn take_touched(&mut self, owner: &Owner) -> Option<Touched> {
        self.touched.remove(owner)
    }

    fn note(&mut self, change: impl FnOnce() -> Change) {
        if self.changes.is_none() && self.watched.is_empty() {
            return;
        }
        let change = change();
        match &change {
            Change::Items(owner) if self.watched.contains(&owner.0) => {
                self.touched.insert(owner.clone(), Touched::All);
            }
            Change::Item(owner, id) if self.watched.contains(&owner.0) => match self.touched.get_mut(owner) {
                Some(Touched::All) => {}
                Some(Touched::Items(ids)) => drop(ids.insert(id.clone())),
                None => {
                    self.touched.insert(owner.clone(), Touched::Items([id.clone()].into()));
                }
            },
            _ => {}
        }
        if let Some(changes) = &mut self.changes {
            changes.insert(change);
        }
    }

    /// Adds a saved item at its place in the order.
    pub(crate) fn restore(&mut self, owner: &Owner, place: u64, id: String, item: Item<M>) -> Result<(), Full> {
        let (bytes, items) = (self.bytes + item.size, self.items + 1);
        let instance = self.instances.get_mut(owner).ok_or(Full)?;
        if bytes > MOST_BYTES || items > MOST_ITEMS {
            return Err(Full);
        }
        (self.bytes, self.items) = (bytes, items);
        instance.restore(place, id, item);
        Ok(())
    }

    /// An instance to restore items of.
    pub(crate) fn restored(&mut self, owner: Owner, numbers: u64) -> Option<&mut Instance<M>> {
        self.begin(owner.clone(), Vec::new());
        let instance = self.instances.get_mut(&owner)?;
        instance.numbers = numbers;
        Some(instance)
    }

    pub fn instances(&self) -> impl Iterator<Item = (&Owner, &Instance<M>)> {
        self.instances.iter()
    }

    pub fn values(&self) -> impl Iterator<Item = (&String, &Arc<Value>)> {
        self.values.iter()
    }

    pub fn files(&self) -> impl Iterator<Item = (&String, &Arc<StoredFile>)> {
        self.files.iter()
    }

    /// Takes the content of another state, all of which is a change. Returns the content before.
    pub fn become_state(&mut self, other: Self) -> Self {
        self.note_all();
        let changes = self.changes.take();
        let watched = std::mem::take(&mut self.watched);
        let before = std::mem::replace(self, Self { changes, ..other });
        self.watch(watched);
        self.note_all();
        before
    }

    fn note_all(&mut self) {
        let Some(changes) = &mut self.changes else { return };
        let instances = self.instances.keys();
        changes.extend(instances.flat_map(|owner| [Change::Instance(owner.clone()), Change::Items(owner.clone())]));
        changes.extend(self.values.keys().cloned().map(Change::Value));
        changes.extend(self.files.keys().cloned().map(Change::File));
    }

    /// Forgets everything.
    pub(crate) fn forget_all(&mut self) {
        let collections: BTreeSet<usize> = self.instances.keys().map(|owner| owner.0).collect();
        collections.into_iter().for_each(|collection| self.forget(collection, &[]));
        self.remove_below("");
    }

    pub fn instance(&self, owner: &Owner) -> Option<&Instance<M>> {
        self.instances.get(owner)
    }

    /// Returns whether another item than `own` has this value of a member.
    pub(crate) fn is_shared(&mut self, owner: &Owner, member: &str, value: &Value, own: Option<&str>) -> bool {
        self.instances.get_mut(owner).is_some_and(|instance| instance.is_shared(member, value, own))
    }

    /// Adds an instance with its first items, if it does not exist yet.
    pub fn begin(&mut self, owner: Owner, items: Vec<(String, Item<M>)>) {
        let bytes: usize = items.iter().map(|(_, item)| item.size).sum();
        let bytes = self.bytes + bytes + owner.1.iter().map(String::len).sum::<usize>();
        let is_full = self.instances.len() >= MOST_INSTANCES || bytes > MOST_BYTES;
        if self.instances.contains_key(&owner) || is_full || self.items + items.len() > MOST_ITEMS {
            return;
        }
        self.bytes = bytes;
        let mut instance = Instance::default();
        for (id, item) in items {
            self.items += 1;
            instance.insert(id, item);
        }
        self.note(|| Change::Instance(owner.clone()));
        self.note(|| Change::Items(owner.clone()));
        self.instances.insert(owner, instance);
    }

    /// Adds or replaces an item. Replacing keeps its place in the order.
    pub fn put(&mut self, owner: &Owner, id: String, item: Item<M>) -> Result<(), Full> {
        let instance = self.instances.get_mut(owner).ok_or(Full)?;
        let before = instance.item(&id).map(|before| before.size);
        let bytes = self.bytes - before.unwrap_or(0) + item.size;
        let items = self.items + usize::from(before.is_none());
        if bytes > MOST_BYTES || items > MOST_ITEMS {
            return Err(Full);
        }
        (self.bytes, self.items) = (bytes, items);
        instance.insert(id.clone(), item);
        self.note(|| Change::Item(owner.clone(), id));
        Ok(())
    }

    pub fn remove(&mut self, owner: &Owner, id: &str) -> Option<Item<M>> {
        let item = self.instances.get_mut(owner)?.remove(id)?;
        self.items -= 1;
        self.bytes -= item.size;
        self.note(|| Change::Item(owner.clone(), id.to_owned()));
        Some(item)
    }

    pub(crate) fn clear(&mut self, owner: &Owner) {
        if let Some(instance) = self.instances.get_mut(owner) {
            let (items, bytes) = instance.clear();
            self.items -= items;
            self.bytes -= bytes;
            self.note(|| Change::Items(owner.clone()));
        }
    }

    /// The next number for an identifier of the instance.
    pub(crate) fn number(&mut self, owner: &Owner) -> u64 {
        self.note(|| Change::Instance(owner.clone()));
        self.instances.get_mut(owner).map_or(1, Instance::number)
    }

    /// The value at a place.
    pub fn value(&self, place: &str) -> Option<&Arc<Value>> {
        self.values.get(place)
    }

    pub fn set_value(&mut self, place: String, value: Value) -> Result<Arc<Value>, Full> {
        let size = place.len() + size(&value);
        let before = self.values.get(&place).map(|before| place.len() + instance::size(before));
        let bytes = self.bytes - before.unwrap_or(0) + size;
        if bytes > MOST_BYTES || before.is_none() && self.values.len() >= MOST_VALUES {
            return Err(Full);
        }
        self.bytes = bytes;
        let value = Arc::new(value);
        self.note(|| Change::Value(place.clone()));
        self.values.insert(place, Arc::clone(&value));
        Ok(value)
    }

    pub fn remove_value(&mut self, place: &str) {
        if let Some(value) = self.values.remove(place) {
            self.bytes -= place.len() + size(&value);
            self.note(|| Change::Value(place.to_owned()));
        }
        if let Some(file) = self.files.remove(place) {
            self.bytes -= place.len() + file.size();
            self.note(|| Change::File(place.to_owned()));
        }
    }

    /// Removes the values and files of a place and of all places below it.
    pub fn remove_below(&mut self, place: &str) {
        let is_below =
            |other: &String| other.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        // `/a.b` is sorted between `/a` and `/a/b`.
        let begins = |other: &&String| other.starts_with(place);
        let start = place.to_owned();
        let values = self.values.range(start.clone()..).map(|(other, _)| other).take_while(begins);
        let files = self.files.range(start..).map(|(other, _)| other).take_while(begins);
        let places: Vec<String> = values.chain(files).filter(|other| is_below(other)).cloned().collect();
        places.iter().for_each(|place| self.remove_value(place));
    }

    /// Forgets the items of a collection below these parents.
    pub fn forget(&mut self, collection: usize, parents: &[String]) {
        let start: Owner = (collection, parents.to_vec());
        let is_below = |owner: &&Owner| owner.0 == collection && owner.1.starts_with(parents);
        let owners: Vec<Owner> =
            self.instances.range(start..).map(|(owner, _)| owner).take_while(is_below).cloned().collect();
        for owner in owners {
            self.clear(&owner);
            self.instances.remove(&owner);
            self.bytes -= owner.1.iter().map(String::len).sum::<usize>();
            self.touched.remove(&owner);
            self.note(|| Change::Instance(owner));
        }
    }

    /// The file at a place.
    pub fn file(&self, place: &str) -> Option<&Arc<StoredFile>> {
        self.files.get(place)
    }

    pub fn set_file(&mut self, place: String, file: StoredFile) -> Result<(), Full> {
        let bytes = self.with_file(&place, &file)?;
        self.put_file(place, file, bytes);
        Ok(())
    }

    /// Adds or replaces an item together with the file at a place: both, or none.
    pub(crate) fn put_with_file(
        &mut self,
        owner: &Owner,
        id: String,
        item: Item<M>,
        (place, file): (String, StoredFile),
    ) -> Result<(), Full> {
        let (before, bytes) = (self.bytes, self.with_file(&place, &file)?);
        // The item has the room that the file leaves.
        self.bytes = bytes;
        let stored = self.put(owner, id, item);
        if stored.is_err() {
            self.bytes = before;
            return stored;
        }
        let bytes = self.bytes;
        self.put_file(place, file, bytes);
        Ok(())
    }

    /// The bytes of the state with a file.
    fn with_file(&self, place: &str, file: &StoredFile) -> Result<usize, Full> {
        let before = self.files.get(place).map(|before| place.len() + before.size());
        let bytes = self.bytes - before.unwrap_or(0) + place.len() + file.size();
        let is_full = bytes > MOST_BYTES || before.is_none() && self.files.len() >= MOST_VALUES;
        if is_full || file.media_type.len() > MOST_MEDIA_TYPE { Err(Full) } else { Ok(bytes) }
    }

    fn put_file(&mut self, place: String, file: StoredFile, bytes: usize) {
        self.bytes = bytes;
        self.note(|| Change::File(place.clone()));
        self.files.insert(place, Arc::new(file));
    }
}

pub(crate) use instance::size;
