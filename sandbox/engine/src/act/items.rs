//! Items: create, read, replace, patch, delete.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::files::below;
use super::{Call, Engine, Outcome, keys, merge, unknown};
use crate::contract::Status;
use crate::fit::Missing;
use crate::infer::Collection;
use crate::seed::mix;
use crate::state::{Full, Item, Owner};

/// Items that an instance begins with.
const FIRST: u64 = 2;

/// Attempts to find an identifier that is not in use.
const MOST_ATTEMPTS: u64 = 50;

impl Engine {
    /// Begins an instance with its first items.
    pub(super) fn begin(&self, owner: &Owner, collection: &Collection) {
        if self.state().instance(owner).is_some() {
            return;
        }
        let mut items = Vec::new();
        let count = if collection.names_identifiers || collection.parameter.is_none() { FIRST } else { 0 };
        let made_up = || (0..count).map(|_| Map::new()).collect();
        let seeds: Vec<Map<String, Value>> = collection.seeds.clone().unwrap_or_else(made_up);
        let is_invented = collection.seeds.is_none();
        let count = seeds.len() as u64;
        for (number, members) in (1..).zip(seeds) {
            let seed = self.seed_for(owner, collection, &format!("first {number}"));
            let sent = self.sent_key(collection, &members).and_then(|id| {
                let key = members.get(collection.identifier.as_ref()?)?.clone();
                Some((id, key))
            });
            let example = || self.example_key(collection).filter(|_| number == 1 && is_invented);
            let (id, key) = sent.or_else(example).unwrap_or_else(|| self.new_key(collection, number, seed));
            let (id, value) = self.invented(owner, collection, id, &key, members, seed);
            if items.iter().all(|(other, _)| *other != id) {
                items.push((id, Item::new(value, is_invented)));
            }
        }
        let mut state = self.state();
        state.begin(owner.clone(), items);
        (0..count).for_each(|_| {
            state.number(owner);
        });
    }

    /// An item that the sandbox makes up.
    fn invented(
        &self,
        owner: &Owner,
        collection: &Collection,
        id: String,
        key: &Value,
        mut members: Map<String, Value>,
        seed: u64,
    ) -> (String, Value) {
        self.place(collection, &owner.1, Some(key), &mut members);
        match &collection.item {
            Some(schema) => {
                let value = self.fitter().fit(schema, &Value::Object(members), Missing::AllBut(&[]), seed).value;
                (self.key_in(collection, &value).unwrap_or(id), value)
            }
            None => (id, Value::Object(members)),
        }
    }

    /// Adds items with these members, for a list that requires them of its elements.
    pub(super) fn add_invented(&self, owner: &Owner, collection: &Collection, members: &Map<String, Value>) {
        for _ in 0..FIRST {
            let number = self.state().number(owner);
            let seed = self.seed_for(owner, collection, &format!("added {number}"));
            let (id, key) = self.new_key(collection, number, seed);
            let (id, value) = self.invented(owner, collection, id, &key, members.clone(), seed);
            if self.put_invented(owner, &id, value).is_err() {
                return;
            }
        }
    }

    /// The identifier that a stored item holds.
    fn key_in(&self, collection: &Collection, value: &Value) -> Option<String> {
        let key = if collection.holds_scalars { value } else { value.get(collection.identifier.as_ref()?)? };
        keys::text(key)
    }

    /// Gives members the form of an item, and stores it with the file that the request sends.
    fn store(
        &self,
        call: &Call<'_>,
        owner: &Owner,
        collection: &Collection,
        id: String,
        members: Map<String, Value>,
        missing: Missing<'_>,
    ) -> Result<(String, Arc<Value>), Full> {
        let seed = self.seed_for(owner, collection, &id);
        let mut value = match collection.holds_scalars {
            true => self.scalar(collection, &id),
            false => Value::Object(members),
        };
        if let Some(schema) = &collection.item {
            value = self.fitter().fit(schema, &value, missing, seed).value;
        }
        let id = self.key_in(collection, &value).unwrap_or(id);
        let file = self.sent_file(call, collection).map(|file| (self.item_place(call, collection, &id), file));
        let item = self.put_item_with(owner, id.clone(), value, false, file)?;
        Ok((id, item.value))
    }

    pub(super) fn create(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        let owner = self.owner(call, index, collection);
        self.begin(&owner, collection);
        let body = call.read.body.as_ref().map(|body| merge::inside(body, &call.planned.within_body));
        if let Some(Value::Array(elements)) = body {
            let mut created = Vec::new();
            for members in elements.iter().filter_map(Value::as_object) {
                created.push(self.create_one(call, &owner, collection, self.renamed(collection, members.clone()))?);
            }
            // One element in, one item out; several are answered with the list.
            return Ok(match created.pop() {
                Some(one) if created.is_empty() => one,
                _ => self.list(call, index, collection),
            });
        }
        self.create_one(call, &owner, collection, self.sent(call, collection))
    }

    pub(super) fn is_taken(&self, owner: &Owner, id: &str) -> bool {
        self.state().instance(owner).is_some_and(|instance| instance.item(id).is_some())
    }

    /// A new identifier that is not in use, if one comes in some attempts: as it stands in the path, and in the item.
    pub(super) fn free_key(&self, owner: &Owner, collection: &Collection) -> (String, Value) {
        let mut attempt = 0;
        loop {
            let number = self.state().number(owner);
            let seed = mix(self.seed_for(owner, collection, "new"), &[&number.to_string()]);
            let (id, key) = self.new_key(collection, number, seed);
            attempt += 1;
            if !self.is_taken(owner, &id) || attempt > MOST_ATTEMPTS {
                return (id, key);
            }
        }
    }

    fn create_one(
        &self,
        call: &Call<'_>,
        owner: &Owner,
        collection: &Collection,
        mut members: Map<String, Value>,
    ) -> Result<Outcome, Full> {
        if let Some(conflict) = self.shared(owner, collection, &members, None) {
            return Ok(Outcome::Conflict(conflict));
        }
        let sent = self.sent_key(collection, &members);
        let declares_conflict =
            || call.operation.responses.iter().any(|response| response.status == Status::Exact(409));
        let id = match sent {
            Some(id) if self.is_taken(owner, &id) && declares_conflict() => {
                return Ok(Outcome::Conflict(format!("an item of {} has the identifier {id:?}", collection.path)));
            }
            Some(id) if !self.is_taken(owner, &id) => id,
            _ => {
                let (id, key) = self.free_key(owner, collection);
                self.place(collection, &[], Some(&key), &mut members);
                id
            }
        };
        self.place(collection, &owner.1, None, &mut members);
        let sendable = self.sendable(call, collection);
        let (id, value) = self.store(call, owner, collection, id, members, Missing::AllBut(&sendable))?;
        Ok(Outcome::Item { value, id, is_created: true, is_invented: false })
    }

    /// The identifier of the item that a request names: in its path, in its query, or in its body.
    pub(super) fn named(&self, call: &Call<'_>, owner: &Owner, collection: &Collection) -> Option<String> {
        let in_query = || keys::text(call.read.query.get(collection.identifier.as_ref()?)?);
        let in_path = self.id(call, collection).map(|id| self.canonical(owner, collection, id));
        in_path.or_else(in_query).or_else(|| self.key_in(collection, &Value::Object(self.sent(call, collection))))
    }

    /// The stored item. An item of a collection that nothing names comes into being when it is read.
    pub(super) fn item(&self, owner: &Owner, collection: &Collection, id: &str) -> Result<Option<Item>, Full> {
        self.begin(owner, collection);
        let stored = self.state().instance(owner).and_then(|instance| instance.item(id).cloned());
        if stored.is_some() || !self.is_known(owner, collection, id) {
            return Ok(stored);
        }
        let seed = self.seed_for(owner, collection, id);
        let key = self.key_value(collection, id);
        let (_, value) = self.invented(owner, collection, id.to_owned(), &key, Map::new(), seed);
        self.put_invented(owner, id, value)
    }

    pub(super) fn read(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        let owner = self.owner(call, index, collection);
        let Some(id) = self.named(call, &owner, collection) else { return Ok(Outcome::Invented) };
        Ok(match self.item(&owner, collection, &id)? {
            Some(item) => Outcome::Item { is_invented: item.is_invented(), value: item.value, id, is_created: false },
            None => Outcome::Unknown(unknown(collection, &id)),
        })
    }

    pub(super) fn replace(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        let owner = self.owner(call, index, collection);
        let Some(id) = self.named(call, &owner, collection) else { return Ok(Outcome::Invented) };
        self.begin(&owner, collection);
        let before = self.state().instance(&owner).and_then(|instance| instance.item(&id).cloned());
        if before.is_none() && !self.is_made_by_put(call, collection) {
            return Ok(Outcome::Unknown(unknown(collection, &id)));
        }
        let mut members = self.sent(call, collection);
        if let Some(conflict) = self.shared(&owner, collection, &members, Some(&id)) {
            return Ok(Outcome::Conflict(conflict));
        }
        let sendable = self.sendable(call, collection);
        let kept = before.as_ref().and_then(|before| before.value.as_object());
        for (name, value) in kept.into_iter().flatten().filter(|(name, _)| !sendable.contains(name)) {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let missing = Missing::AllBut(&sendable);
        let (id, value) = self.store_named(call, &owner, collection, id, members, missing)?;
        Ok(Outcome::Item { value, id, is_created: before.is_none(), is_invented: false })
    }

    /// Returns whether a PUT makes the item that it names. A POST makes the items of other collections, unless the PUT declares a 201.
    pub(super) fn is_made_by_put(&self, call: &Call<'_>, collection: &Collection) -> bool {
        let is_named_by_client = self.id(call, collection).is_none() || !collection.has_create;
        is_named_by_client
            || !collection.names_identifiers
            || call.operation.responses.iter().any(|response| response.status == Status::Exact(201))
    }

    /// Stores an item under the identifier that a request names: the path wins over the body.
    fn store_named(
        &self,
        call: &Call<'_>,
        owner: &Owner,
        collection: &Collection,
        id: String,
        mut members: Map<String, Value>,
        missing: Missing<'_>,
    ) -> Result<(String, Arc<Value>), Full> {
        let key = self.key_value(collection, &id);
        self.place(collection, &owner.1, Some(&key), &mut members);
        self.store(call, owner, collection, id, members, missing)
    }

    pub(super) fn patch(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        let owner = self.owner(call, index, collection);
        let Some(id) = self.named(call, &owner, collection) else { return Ok(Outcome::Invented) };
        let Some(item) = self.item(&owner, collection, &id)? else {
            // An item that the query or the body names comes into being.
            if self.id(call, collection).is_none() {
                return self.replace(call, index, collection);
            }
            return Ok(Outcome::Unknown(unknown(collection, &id)));
        };
        let mut value = Value::clone(&item.value);
        let body = call.read.body.as_ref().map(|body| merge::inside(body, &call.planned.within_body));
        match (body, &mut value) {
            (Some(Value::Array(steps)), value) if steps.iter().all(merge::is_step) => {
                merge::patch(value, steps);
            }
            (Some(Value::Object(change)), Value::Object(members)) if call.media_type.contains("merge-patch") => {
                merge::merge(members, change);
            }
            (Some(_), Value::Object(members)) => members.extend(self.sent(call, collection)),
            _ => {}
        }
        let members = value.as_object().cloned().unwrap_or_default();
        if let Some(conflict) = self.shared(&owner, collection, &members, Some(&id)) {
            return Ok(Outcome::Conflict(conflict));
        }
        // An optional member that the patch removed stays away.
        let (id, value) = self.store_named(call, &owner, collection, id, members, Missing::Required)?;
        Ok(Outcome::Item { value, id, is_created: false, is_invented: false })
    }

    pub(super) fn delete(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Outcome {
        let owner = self.owner(call, index, collection);
        let Some(name) = self.id(call, collection) else { return Outcome::Invented };
        let id = &*self.canonical(&owner, collection, name);
        // An item that nothing names has to exist before it can be deleted, so that it is gone afterwards.
        match self.item(&owner, collection, id) {
            Ok(Some(_)) => {}
            Ok(None) => return Outcome::Unknown(unknown(collection, id)),
            Err(full) => return full.into(),
        }
        let removed = {
            let places = self.places_of(&owner, collection, &[id]);
            let mut state = self.state();
            let removed = state.remove(&owner, id);
            state.remove_below(&self.item_place(call, collection, id));
            places.iter().for_each(|place| state.remove_below(place));
            removed
        };
        self.forget_below(index, &[owner.1.as_slice(), &[id.to_owned()]].concat());
        match removed {
            Some(item) => Outcome::Item { value: item.value, id: id.to_owned(), is_created: false, is_invented: false },
            None => Outcome::Unknown(unknown(collection, id)),
        }
    }

    /// Removes the items of all collections below the items that begin with these parents.
    pub(super) fn forget_below(&self, index: usize, parents: &[String]) {
        for (below, collection) in self.plan.collections.iter().enumerate() {
            let mut next = collection.owner;
            while let Some(above) = next.filter(|above| *above != index) {
                next = self.plan.collections.get(above).and_then(|above| above.owner);
            }
            if next.is_some() {
                self.state().forget(below, parents);
                self.timers.forget(below, parents);
            }
        }
    }

    pub(super) fn clear(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Outcome {
        let owner = self.owner(call, index, collection);
        self.begin(&owner, collection);
        let ids: Vec<String> = match self.state().instance(&owner) {
            Some(instance) => instance.items().map(|(id, _)| id.to_owned()).collect(),
            None => Vec::new(),
        };
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut places = self.places_of(&owner, collection, &ids);
        places.extend(ids.iter().map(|id| below(call.place, id)));
        let mut state = self.state();
        state.clear(&owner);
        places.iter().for_each(|place| state.remove_below(place));
        drop(state);
        self.forget_below(index, &owner.1);
        Outcome::Invented
    }

    /// The one item of a collection that is read without its identifier, as `/config/host` beside `/config/host/{id}`.
    pub(super) fn first(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Result<Outcome, Full> {
        let owner = self.owner(call, index, collection);
        self.begin(&owner, collection);
        let first = |(id, item): (&str, &Item)| (id.to_owned(), item.clone());
        let stored = self.state().instance(&owner).and_then(|instance| instance.items().next().map(first));
        let (id, item) = match stored {
            Some(stored) => stored,
            None => {
                let (id, _) = self.new_key(collection, 1, self.seed_for(&owner, collection, "first 1"));
                match self.item(&owner, collection, &id)? {
                    Some(item) => (id, item),
                    None => return Ok(Outcome::Invented),
                }
            }
        };
        Ok(Outcome::Item { is_invented: item.is_invented(), value: item.value, id, is_created: false })
    }

    /// An action on an item answers with the item, if it answers with items of this kind.
    pub(super) fn on_item(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Outcome {
        let owner = self.owner(call, index, collection);
        let id = self.id(call, collection).map(|id| self.canonical(&owner, collection, id));
        let item = id.as_ref().map(|id| (id, self.item(&owner, collection, id)));
        match item {
            Some((id, Ok(Some(item)))) if call.planned.answers_with_item => {
                Outcome::Item { is_invented: item.is_invented(), value: item.value, id: id.clone(), is_created: false }
            }
            Some((id, Ok(None))) => Outcome::Unknown(unknown(collection, id)),
            Some((_, Err(full))) => full.into(),
            _ => Outcome::Invented,
        }
    }
}
