//! The state as people and programs see it who control the sandbox: addresses of collections, items and values.

use std::sync::{Arc, MutexGuard};

use serde_json::{Map, Value};

use super::Engine;
use crate::contract::{SchemaRef, decoded, encoded_segment, matches, segments, specificity};
use crate::fit::Missing;
use crate::infer::Collection;
use crate::schema::{Direction, Violation};
use crate::state::{Full, Item, Owner, StoredFile};

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
    /// The address, the identifier and the item.
    Item(String, String, Item),
    Single(Arc<Value>),
    File(Arc<StoredFile>),
}

/// A change over the control interface that is refused.
#[derive(Debug)]
pub(crate) enum ChangeRefused {
    /// Nothing is at the address.
    Nowhere,
    /// A parent does not exist, as this sentence says.
    Parent(String),
    /// The identifier is in use.
    Exists(String),
    /// A value that no two items share, as this sentence says.
    Shared(String),
    /// The member holds the identifier, which does not change.
    Identifier(String),
    /// Bytes, or a value without members.
    NoFields,
    /// The fields do not match the schema.
    Invalid(Vec<Violation>),
    Full,
    /// The change cannot be saved, for this reason.
    Unsaved(String),
}

impl From<Full> for ChangeRefused {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl Engine {
    /// The addresses of the whole state. Collections that are not below an item begin with it.
    pub(crate) fn kept(&self) -> Addresses {
        let _writing = self.refreshed();
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
    pub(crate) fn items_at(&self, address: &str, skip: usize, limit: usize) -> Option<(usize, Vec<Kept>)> {
        let _writing = self.refreshed();
        let owner = self.owner_at(address, None)?;
        let state = self.state();
        let instance = state.instance(&owner)?;
        let page = instance.items().rev().skip(skip).take(limit);
        let kept = |(id, item): (&str, &Item)| Kept::Item(self.item_address(&owner, id), id.to_owned(), item.clone());
        Some((instance.len(), page.map(kept).collect()))
    }

    pub(crate) fn kept_at(&self, address: &str) -> Option<Kept> {
        let _writing = self.refreshed();
        self.stored_at(address)
    }

    /// Begins the collections that are not below an item, and takes all work as far as the clock has gone. Nobody writes meanwhile.
    fn refreshed(&self) -> MutexGuard<'_, ()> {
        let writing = self.writing();
        self.begin_all();
        self.settle_all();
        writing
    }

    fn stored_at(&self, address: &str) -> Option<Kept> {
        if let Some((owner, id)) = self.item_at(address) {
            let item = self.state().instance(&owner)?.item(&id)?.clone();
            return Some(Kept::Item(self.item_address(&owner, &id), id, item));
        }
        let place = self.place_of(address)?;
        let state = self.state();
        let single = state.value(place).cloned().map(Kept::Single);
        single.or_else(|| state.file(place).cloned().map(Kept::File))
    }

    /// Removes an item, a value or a file with everything below it. Returns whether it existed.
    pub(crate) fn remove_at(&self, address: &str) -> Result<bool, String> {
        let _writing = self.refreshed();
        if self.stored_at(address).is_none() {
            return Ok(false);
        }
        let mut address = address.to_owned();
        if let Some((owner, id)) = self.item_at(&address) {
            address = self.item_address(&owner, &id);
            let collection = self.plan.collections.get(owner.0);
            let places = collection.map(|collection| self.places_of(&owner, collection, &[&id])).unwrap_or_default();
            let mut state = self.state();
            state.remove(&owner, &id);
            places.iter().for_each(|place| state.remove_below(place));
            drop(state);
            self.forget_below(owner.0, &[owner.1.as_slice(), &[id]].concat());
        }
        if let Some(place) = self.place_of(&address) {
            self.state().remove_below(place);
        }
        self.keep().map(|()| true)
    }

    /// Forgets the whole state: collections begin anew.
    pub(crate) fn reset(&self) -> Result<(), String> {
        let _writing = self.writing();
        self.state().forget_all();
        self.timers.clear();
        self.keep()
    }

    /// Adds an item to the collection at an address. Members that its schema requires are made up. Returns it with its address and identifier.
    pub(crate) fn create_at(
        &self,
        address: &str,
        key: Option<String>,
        mut members: Map<String, Value>,
    ) -> Result<Kept, ChangeRefused> {
        let _writing = self.refreshed();
        let owner = self.owner_at(address, None).ok_or(ChangeRefused::Nowhere)?;
        let collection = self.plan.collections.get(owner.0).ok_or(ChangeRefused::Nowhere)?;
        if let Some(unknown) = self.unknown_parent(collection.owner, &owner.1) {
            return Err(ChangeRefused::Parent(unknown));
        }
        self.begin(&owner, collection);
        let (id, value) = match key.or_else(|| self.sent_key(collection, &members)) {
            Some(id) => (id.clone(), self.key_value(collection, &id)),
            None => self.free_key(&owner, collection),
        };
        if self.is_taken(&owner, &id) {
            return Err(ChangeRefused::Exists(id));
        }
        if let Some(sentence) = self.shared(&owner, collection, &members, None) {
            return Err(ChangeRefused::Shared(sentence));
        }
        self.place(collection, &owner.1, Some(&value), &mut members);
        let mut value = Value::Object(members.clone());
        if let Some(schema) = &collection.item {
            value = self.fitter().fit(schema, &value, Missing::Required, self.seed_for(&owner, collection, &id)).value;
            // The fields that were sent are stored as they are, or refused.
            if let Value::Object(fitted) = &mut value {
                fitted.extend(members);
            }
            self.checked(schema, &value)?;
        }
        let item = self.put_item(&owner, id.clone(), value, false)?;
        self.settle(&owner, collection)?;
        self.keep().map_err(ChangeRefused::Unsaved)?;
        Ok(Kept::Item(self.item_address(&owner, &id), id, item))
    }

    /// Replaces the members of an item, or a value that exists once, and returns them with their new tag. `change` gets the
    /// stored members, and makes the new ones.
    pub(crate) fn replace_at<E: From<ChangeRefused>>(
        &self,
        address: &str,
        change: impl FnOnce(&Map<String, Value>) -> Result<Map<String, Value>, E>,
    ) -> Result<Arc<Value>, E> {
        let _writing = self.refreshed();
        let changed = match self.stored_at(address).ok_or(ChangeRefused::Nowhere)? {
            Kept::Item(_, id, item) => {
                let changed = change(item.value.as_object().ok_or(ChangeRefused::NoFields)?)?;
                let (owner, _) = self.item_at(address).ok_or(ChangeRefused::Nowhere)?;
                let collection = self.plan.collections.get(owner.0).ok_or(ChangeRefused::Nowhere)?;
                let value = Value::Object(changed.clone());
                if let Some(name) =
                    collection.identifier.as_ref().filter(|name| value.get(name) != item.value.get(name))
                {
                    return Err(ChangeRefused::Identifier(name.clone()).into());
                }
                if let Some(schema) = &collection.item {
                    self.checked(schema, &value)?;
                }
                if let Some(sentence) = self.shared(&owner, collection, &changed, Some(&id)) {
                    return Err(ChangeRefused::Shared(sentence).into());
                }
                let item = self.put_item(&owner, id, value, false).map_err(ChangeRefused::from)?;
                self.settle(&owner, collection).map_err(ChangeRefused::from)?;
                item.value
            }
            Kept::Single(value) => {
                let changed = change(value.as_object().ok_or(ChangeRefused::NoFields)?)?.into();
                let place = self.place_of(address).unwrap_or(address);
                if let Some(schema) = self.single_schema(place) {
                    self.checked(schema, &changed)?;
                }
                self.put_value(place, &value, changed).map_err(ChangeRefused::from)?
            }
            Kept::File(_) => return Err(ChangeRefused::NoFields.into()),
        };
        self.keep().map_err(ChangeRefused::Unsaved)?;
        Ok(changed)
    }

    fn checked(&self, schema: &SchemaRef, value: &Value) -> Result<(), ChangeRefused> {
        let violations = self.schemas.violations(schema, value, Direction::Response);
        if violations.is_empty() { Ok(()) } else { Err(ChangeRefused::Invalid(violations)) }
    }

    /// Saves the changes.
    pub(super) fn keep(&self) -> Result<(), String> {
        match &self.keeper {
            Some(keeper) => self.state().save(keeper.as_ref()),
            None => Ok(()),
        }
    }

    /// Begins the collections that are not below an item.
    pub(super) fn begin_all(&self) {
        for (index, collection) in self.plan.collections.iter().enumerate().filter(|(_, one)| one.parents.is_empty()) {
            self.begin(&(index, Vec::new()), collection);
        }
    }

    /// The path of a collection with its parameters filled in.
    pub(super) fn address(&self, collection: &Collection, parents: &[String]) -> String {
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
        address.push_str(rest);
        if address.is_empty() { "/".to_owned() } else { address }
    }

    /// The address of an item: that of its collection, and its identifier, encoded.
    fn item_address(&self, owner: &Owner, id: &str) -> String {
        let collection = self.plan.collections.get(owner.0).map(|collection| self.address(collection, &owner.1));
        format!("{}/{}", collection.unwrap_or_default().trim_end_matches('/'), encoded_segment(id))
    }

    /// The part of an address behind the base path.
    pub(crate) fn place_of<'a>(&self, address: &'a str) -> Option<&'a str> {
        let place = address.strip_prefix(self.contract.base_path.as_str())?;
        (place.is_empty() || place.starts_with('/')).then_some(place)
    }

    /// The collection at an address, whether or not it has begun: of this template, or else the most literal one.
    pub(crate) fn owner_at(&self, address: &str, template: Option<&str>) -> Option<Owner> {
        let place = self.place_of(address).filter(|place| *place == "/" || !place.ends_with('/'))?;
        let path = decoded(place);
        let all = self.plan.collections.iter().enumerate();
        let all = all.filter(|(_, collection)| template.is_none_or(|template| template == collection.path));
        let at = |(index, collection): (usize, &Collection)| {
            let (template, mut parents) = (segments(&collection.path), Vec::new());
            let is_at = collection.parents.is_empty() && self.address(collection, &[]) == address
                || matches(&template, &path, &mut parents) && parents.len() == collection.parents.len();
            is_at.then(|| (specificity(&template), (index, parents.into_iter().map(|(_, value)| value).collect())))
        };
        all.filter_map(at).max_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, owner)| owner)
    }

    fn item_at(&self, address: &str) -> Option<(Owner, String)> {
        let (collection, key) = address.rsplit_once('/')?;
        let owner = self.owner_at(if collection.is_empty() { "/" } else { collection }, None)?;
        let state = self.state();
        let instance = state.instance(&owner)?;
        // A key is encoded in an address. A person can write it as it is.
        let id = [decoded(key).concat(), key.to_owned()].into_iter().find(|id| instance.item(id).is_some())?;
        drop(state);
        Some((owner, id))
    }
}
