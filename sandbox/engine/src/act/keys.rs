//! Identifiers: those that were sent, and new ones.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Engine;
use crate::contract::SchemaRef;
use crate::infer::{Collection, is_identifying, plain};
use crate::number::of_text;
use crate::outline::Outline;
use crate::seed::guid;
use crate::state::Owner;

/// Items that are searched for another name.
const MOST_NAMED: usize = 1_000;

/// The identifier as it stands in a path.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

impl Engine {
    /// The identifier that the members hold, if it can name a new item: zeros and empty texts stand for none.
    pub(super) fn sent_key(&self, collection: &Collection, members: &Map<String, Value>) -> Option<String> {
        let value = members.get(collection.identifier.as_ref()?)?;
        let id = text(value).filter(|id| id != "0" && !id.chars().all(|letter| letter == '0' || letter == '-'))?;
        self.fits_path(collection, &id).then_some(id)
    }

    /// The identifier as the item holds it.
    pub(super) fn key_value(&self, collection: &Collection, id: &str) -> Value {
        match of_text(id).filter(|_| collection.is_numeric(&self.plan.outlines)) {
            Some(number) => Value::Number(number),
            None => Value::from(id),
        }
    }

    /// The item that is its own identifier.
    pub(super) fn scalar(&self, collection: &Collection, id: &str) -> Value {
        let number = of_text(id).map(Value::Number);
        let is_item = |value: &Value| collection.item.as_ref().is_some_and(|item| self.fitter().is_valid(item, value));
        number.filter(is_item).unwrap_or_else(|| json!(id))
    }

    fn fits_path(&self, collection: &Collection, id: &str) -> bool {
        let Some(key) = &collection.parameter else { return true };
        let is_valid = |value: Value| self.fitter().is_valid(&key.schema, &value);
        let number = of_text(id).is_some_and(|number| is_valid(Value::Number(number)));
        number || is_valid(json!(id))
    }

    /// A new identifier, the `number`th of its instance: as it stands in the path, and in the item.
    pub(super) fn new_key(&self, collection: &Collection, number: u64, seed: u64) -> (String, Value) {
        let outlines = &self.plan.outlines;
        let member = collection
            .item
            .as_ref()
            .zip(collection.identifier.as_ref())
            .and_then(|(item, name)| outlines.get(item).members.get(name).map(|member| member.schema.clone()));
        let parameter = collection.parameter.as_ref().map(|key| &key.schema);
        let schemas: Vec<&SchemaRef> = member.iter().chain(parameter).collect();
        let shapes: Vec<Arc<Outline>> = schemas.iter().map(|schema| outlines.get(schema)).collect();
        let is_number = shapes.iter().any(|shape| shape.allows("integer") || shape.allows("number"));
        let is_guid = |format: &str| ["uuid", "guid"].contains(&format);
        let has_guid = shapes.iter().any(|shape| shape.format.as_deref().is_some_and(is_guid));
        let slug = format!("{}-{number}", crate::infer::singular(&plain(&collection.name)));
        let mut candidates = match (is_number, has_guid) {
            (true, _) => vec![json!(number), json!(number.to_string())],
            (false, true) => vec![json!(guid(seed))],
            (false, false) => vec![json!(slug), json!(guid(seed))],
        };
        candidates.extend(schemas.iter().map(|schema| self.fitter().sample(schema, seed)));
        candidates.extend([json!(number.to_string()), json!(number)]);
        let fits = |value: &Value| {
            let id = text(value).filter(|id| self.fits_path(collection, id))?;
            member.as_ref().is_none_or(|member| self.fitter().is_valid(member, value)).then_some(id)
        };
        let key = candidates.into_iter().find_map(|value| Some((fits(&value)?, value)));
        key.unwrap_or_else(|| (slug.clone(), json!(slug)))
    }

    /// The identifier that the contract gives as an example for the path.
    pub(super) fn example_key(&self, collection: &Collection) -> Option<(String, Value)> {
        let parameter = collection.parameter.as_ref()?;
        let value = parameter.example.as_ref()?;
        let id = text(value).filter(|id| self.fits_path(collection, id))?;
        let member = self.key_schema(collection);
        let candidates = [Some(value.clone()), of_text(&id).map(Value::Number), Some(json!(id))];
        let fits = |value: &Value| member.as_ref().is_none_or(|member| self.fitter().is_valid(member, value));
        candidates.into_iter().flatten().find(fits).map(|value| (id, value))
    }

    /// The schema of the member that holds the identifier.
    fn key_schema(&self, collection: &Collection) -> Option<SchemaRef> {
        let shape = self.plan.outlines.get(collection.item.as_ref()?);
        shape.members.get(collection.identifier.as_ref()?).map(|member| member.schema.clone())
    }

    /// The identifier under which an item is stored. The contract does not say which member a parameter stands for, so an item
    /// answers to its other names, too.
    pub(super) fn canonical(&self, owner: &Owner, collection: &Collection, id: &str) -> String {
        self.begin(owner, collection);
        let state = self.state();
        let Some(instance) = state.instance(owner) else { return id.to_owned() };
        if instance.item(id).is_some() || instance.is_removed(id) {
            return id.to_owned();
        }
        let is_named = |value: &Value| {
            let members = value.as_object().into_iter().flatten();
            members.into_iter().any(|(name, value)| {
                is_identifying(name, &collection.name) && text(value).is_some_and(|text| text.eq_ignore_ascii_case(id))
            })
        };
        let named = instance.items().take(MOST_NAMED).find(|(_, item)| is_named(&item.value));
        named.map_or(id, |(id, _)| id).to_owned()
    }

    /// The members of a new item that the path and the identifier decide.
    pub(super) fn place(
        &self,
        collection: &Collection,
        parents: &[String],
        key: Option<&Value>,
        members: &mut Map<String, Value>,
    ) {
        if let (Some(name), Some(key)) = (&collection.identifier, key) {
            members.insert(name.clone(), key.clone());
        }
        let Some(item) = &collection.item else { return };
        let shape = self.plan.outlines.get(item);
        for (parameter, value) in collection.parents.iter().zip(parents) {
            let same =
                |name: &&String| plain(name) == plain(parameter) && collection.identifier.as_ref() != Some(*name);
            let Some((name, member)) =
                shape.members.keys().find(same).and_then(|name| shape.members.get_key_value(name))
            else {
                continue;
            };
            let number = of_text(value).map(Value::Number);
            let values = [Some(json!(value)), number].into_iter().flatten();
            if let Some(value) = values.into_iter().find(|value| self.fitter().is_valid(&member.schema, value)) {
                members.insert(name.clone(), value);
            }
        }
    }
}
