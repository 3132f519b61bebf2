//! The stored resources for the control interface. The rules are those of the contract: values that do not match its schema are
//! refused, and an item keeps its identifier.

use std::sync::Arc;

use driftless_sandbox_control::interface::{Addresses, Element, Resource, Resources, restore};
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::Places;
use super::taken::ControlRefusal;
use crate::contract::schema::Schema;
use crate::contract::{Contract, route};
use crate::problem::Complaint;
use crate::publication::Publication;
use crate::shape;
use crate::state::{Item, Store, Stored, StoredFile};

/// The state, with the contract and the teams that changes are checked against.
#[derive(Debug)]
pub(crate) struct StoredResources {
    pub(crate) store: Arc<Store>,
    pub(crate) publication: Publication,
    pub(crate) places: Places,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct CreateItem {
    collection: String,
    team_id: Option<Uuid>,
    key: Option<String>,
    #[serde(default)]
    fields: Item,
}

impl Resources for StoredResources {
    type New = CreateItem;

    fn addresses(&self) -> Result<Addresses, ControlRefusal> {
        Ok(self.store.read(|state| {
            let file =
                |(address, blob): (&str, &StoredFile)| (address.to_owned(), blob.media_type.clone(), blob.bytes.len());
            let counted = |(address, count): (&str, usize)| (address.to_owned(), count);
            Addresses {
                collections: state.collections().map(counted).collect(),
                singles: state.singles().map(|(address, _)| address.to_owned()).collect(),
                files: state.files().map(file).collect(),
            }
        })?)
    }

    fn visit(
        &self,
        collection: &str,
        skip: usize,
        most: usize,
        see: &mut dyn FnMut(Element),
    ) -> Result<usize, ControlRefusal> {
        let count = self.store.read(|state| {
            let page = state.items(collection).rev().skip(skip).take(most);
            page.for_each(|(key, team, fields)| see(element(&format!("{collection}/{key}"), team, fields)));
            state.items(collection).count()
        })?;
        let is_known = || schema(self.publication.contract(), &format!("{collection}/1"), true).is_some();
        if count > 0 || is_known() { Ok(count) } else { Err(ControlRefusal::missing("collection")) }
    }

    fn at(&self, address: &str) -> Result<Option<Resource>, ControlRefusal> {
        Ok(self.store.read(|state| {
            Some(match state.stored(address)? {
                Stored::Item(team, fields) => Resource::Item(element(address, team, fields)),
                Stored::Single(fields) => Resource::Single(fields.clone().into()),
                Stored::File(blob) => Resource::File(blob.media_type.clone(), blob.bytes.to_vec()),
            })
        })?)
    }

    /// Members that are left out get the plainest values that the schema allows.
    fn create(&self, new: CreateItem) -> Result<Element, ControlRefusal> {
        let CreateItem { collection, team_id, key, mut fields } = new;
        let id = fields.get("id").and_then(Value::as_str).map(str::to_owned);
        let key = key.or(id).unwrap_or_else(|| Uuid::new_v4().to_string());
        if key.is_empty() || key.contains(|letter: char| !letter.is_ascii_graphic() || "/%?#{}".contains(letter)) {
            return Err(ControlRefusal::at("$.key", "write a part of a path, without / % ? # { }"));
        }
        let team = team_id.unwrap_or_else(|| self.places.first_team());
        if !self.places.knows_team(team) {
            return Err(ControlRefusal::at(
                "$.teamId",
                "write the identifier of a team, as /sandbox/directory lists them",
            ));
        }
        let address = format!("{collection}/{key}");
        let Some(schema) = schema(self.publication.contract(), &address, true) else {
            let hint = "the contract has no such collection: write its path with its parameters filled in";
            return Err(ControlRefusal::at("$.collection", hint));
        };
        fields.entry("id").or_insert_with(|| key.clone().into());
        let mut item = shape::item(&schema, &fields);
        if !item.contains_key("id") {
            fields.remove("id");
        }
        item.extend(fields);
        let complaints = schema.complaints(&item.clone().into());
        if !complaints.is_empty() {
            let below = |(place, message): Complaint| (place.replacen('$', "$.fields", 1), message);
            return Err(ControlRefusal::from_complaints(complaints.into_iter().map(below).collect()));
        }
        self.store.change(|state| {
            if state.stored(&address).is_some() {
                return Err(ControlRefusal::whole(
                    StatusCode::CONFLICT,
                    &format!("The item {address} exists: replace it."),
                ));
            }
            state.put(team, &collection, &key, item.clone());
            Ok(element(&address, team, &item))
        })?
    }

    fn replace(&self, address: &str, mut fields: Item) -> Result<Value, ControlRefusal> {
        self.store.change(|state| {
            let (stored, key) = match state.stored(address) {
                Some(Stored::Item(_, stored)) => (stored, address.rsplit('/').next()),
                Some(Stored::Single(stored)) => (stored, None),
                Some(Stored::File(_)) => {
                    return Err(ControlRefusal::at("address", "these are bytes; the API replaces them"));
                }
                None => return Err(ControlRefusal::missing("item")),
            };
            let mut complaints = restore(&mut fields, stored);
            complaints.extend(changed_identifiers(stored, &fields, key));
            if let Some(schema) = schema(self.publication.contract(), address, key.is_some()) {
                complaints.extend(schema.complaints(&fields.clone().into()));
            }
            if !complaints.is_empty() {
                return Err(ControlRefusal::from_complaints(complaints));
            }
            state.overwrite(address, fields.clone());
            Ok(fields.into())
        })?
    }

    fn remove(&self, address: &str) -> Result<bool, ControlRefusal> {
        Ok(self.store.change(|state| state.discard(address))?)
    }
}

fn element(address: &str, team: Uuid, fields: &Item) -> Element {
    let key = address.rsplit('/').next().unwrap_or_default().to_owned();
    Element {
        address: address.to_owned(),
        key,
        fields: fields.clone().into(),
        own: ("teamId", team.to_string().into()),
    }
}

/// Refuses changes to members that hold the key of the item.
fn changed_identifiers(stored: &Item, fields: &Item, key: Option<&str>) -> Vec<Complaint> {
    let says_key = |(name, value): &(&String, &Value)| *name == "id" || key.is_some() && value.as_str() == key;
    let changed = stored.iter().filter(says_key).filter(|(name, value)| fields.get(*name) != Some(value));
    changed.map(|(name, _)| (format!("$.{name}"), "The identifier of an item cannot be changed.".to_owned())).collect()
}

/// The schema of the resource at an address: an item of a collection, or a singleton.
fn schema(contract: &'static Contract, address: &str, is_item: bool) -> Option<Schema> {
    let template = |address: &str| route::template(contract, &Method::GET, address);
    let parent = |path: &'static str| path.rsplit_once('/').map(|(collection, _)| collection);
    if is_item {
        let (collection, _) = address.rsplit_once('/')?;
        let collection = template(collection).or_else(|| template(address).and_then(parent))?;
        return contract.item_schema(collection);
    }
    contract.get(template(address)?)?.json_schema("200")
}
