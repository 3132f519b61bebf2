//! The state as people and programs see it who control the sandbox: addresses of collections, items and values.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Engine;
use crate::contract::{SchemaRef, decoded, encoded_segment, matches, segments, specificity};
use crate::fit::Missing;
use crate::infer::Collection;
use crate::schema::{Direction, Violation};
use crate::seed::mix;
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
    /// The identifier and the item.
    Item(String, Item),
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

    /// Adds an item to the collection at an address. Members that its schema requires are made up. Returns its identifier.
    pub(crate) fn create_at(
        &self,
        address: &str,
        key: Option<String>,
        mut members: Map<String, Value>,
    ) -> Result<(String, Item), ChangeRefused> {
        let _writing = self.writing();
        let owner = self.owner_at(address).ok_or(ChangeRefused::Nowhere)?;
        let collection = self.plan.collections.get(owner.0).ok_or(ChangeRefused::Nowhere)?;
        if let Some(unknown) = self.unknown_parent(collection.owner, &owner.1) {
            return Err(ChangeRefused::Parent(unknown));
        }
        self.begin(&owner, collection);
        let (id, value) = match key.or_else(|| self.sent_key(collection, &members)) {
            Some(id) => (id.clone(), self.key_value(collection, &id)),
            None => {
                let number = self.state().number(&owner);
                self.new_key(collection, number, mix(self.seed_for(&owner, collection, "new"), &[&number.to_string()]))
            }
        };
        if self.state().instance(&owner).is_some_and(|instance| instance.item(&id).is_some()) {
            return Err(ChangeRefused::Exists(id));
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
        let item = Item::new(value, false);
        self.state().put(&owner, id.clone(), item.clone())?;
        self.keep().map_err(ChangeRefused::Unsaved)?;
        Ok((id, item))
    }

    /// Replaces the members of an item, or a value that exists once. `change` gets the stored members, and makes the new ones.
    pub(crate) fn replace_at<E: From<ChangeRefused>>(
        &self,
        address: &str,
        change: impl FnOnce(&Map<String, Value>) -> Result<Map<String, Value>, E>,
    ) -> Result<Map<String, Value>, E> {
        let _writing = self.writing();
        let changed = match self.kept_at(address).ok_or(ChangeRefused::Nowhere)? {
            Kept::Item(id, item) => {
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
                self.state().put(&owner, id, Item::new(value, false)).map_err(ChangeRefused::from)?;
                changed
            }
            Kept::Single(value) => {
                let changed = change(value.as_object().ok_or(ChangeRefused::NoFields)?)?;
                let place = address.strip_prefix(self.contract.base_path.as_str()).unwrap_or(address);
                self.state().set_value(place.to_owned(), changed.clone().into()).map_err(ChangeRefused::from)?;
                changed
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
        address + rest
    }

    /// The collection at an address, the most literal one first, whether or not it has begun.
    pub(super) fn owner_at(&self, address: &str) -> Option<Owner> {
        let place = address.strip_prefix(self.contract.base_path.as_str()).filter(|place| !place.ends_with('/'))?;
        let path = decoded(place);
        let at = |(index, collection): (usize, &Collection)| {
            let (template, mut parents) = (segments(&collection.path), Vec::new());
            let is_at = matches(&template, &path, &mut parents);
            is_at.then(|| (specificity(&template), (index, parents.into_iter().map(|(_, value)| value).collect())))
        };
        let all = self.plan.collections.iter().enumerate().filter_map(at);
        all.max_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, owner)| owner)
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
