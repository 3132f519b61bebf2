//! The members of an item in a request.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{Call, Engine, body_schema, merge};
use crate::infer::{Collection, ELEMENT, is_identifying, plain};
use crate::outline::Member;
use crate::state::Owner;

impl Engine {
    /// The members that a request sends for an item; of an array, those of its first element.
    pub(super) fn sent(&self, call: &Call<'_>, collection: &Collection) -> Map<String, Value> {
        let body = call.read.body.as_ref().map(|body| merge::inside(body, &call.planned.within_body));
        let body = body.map(|body| body.as_array().and_then(|elements| elements.first()).unwrap_or(body));
        self.renamed(collection, body.and_then(Value::as_object).cloned().unwrap_or_default())
    }

    /// Members under the names that the item has: a form sends `FriendlyName` for `friendly_name`.
    pub(super) fn renamed(&self, collection: &Collection, members: Map<String, Value>) -> Map<String, Value> {
        let Some(item) = &collection.item else { return members };
        let outline = self.plan.outlines.get(item);
        let known = &outline.members;
        let rename = |(name, value): (String, Value)| {
            if known.contains_key(&name) {
                return (name, value);
            }
            let mut same = known.keys().filter(|other| plain(other) == plain(&name));
            match (same.next(), same.next()) {
                (Some(other), None) => (other.clone(), value),
                _ => (name, value),
            }
        };
        members.into_iter().map(rename).map(|(name, value)| self.referenced(known, name, value)).collect()
    }

    /// The identifier of another item, sent for a member that answers show as an object: `{"workspace": "12"}` is read as
    /// `{"workspace": {"gid": "12", …}}`.
    fn referenced(&self, known: &IndexMap<String, Member>, name: String, value: Value) -> (String, Value) {
        let is_key = value.is_string() || value.is_number();
        let shape = known.get(&name).filter(|_| is_key).map(|member| self.plan.outlines.get(&member.schema));
        let Some(shape) =
            shape.filter(|shape| shape.is_object() && !shape.allows("string") && !shape.allows("integer"))
        else {
            return (name, value);
        };
        let key = shape.members.keys().find(|member| is_identifying(member, &name)).cloned();
        match key {
            Some(key) => (name, Value::Object(Map::from_iter([(key, value)]))),
            None => (name, value),
        }
    }

    /// The sentence about another item that has the same value of a unique member. `own` is the identifier of the item.
    pub(super) fn shared(
        &self,
        owner: &Owner,
        collection: &Collection,
        members: &Map<String, Value>,
        own: Option<&str>,
    ) -> Option<String> {
        let mut state = self.state();
        let shared = collection.unique.iter().find_map(|name| {
            let value = members.get(name)?;
            state.is_shared(owner, name, value, own).then_some((name, value))
        });
        let (name, value) = shared?;
        Some(format!("another item of {} has {value} as `{name}`", collection.path))
    }

    /// The names of members that a request can send.
    pub(super) fn sendable(&self, call: &Call<'_>, collection: &Collection) -> Vec<String> {
        let Some(schema) = body_schema(call) else { return Vec::new() };
        let outlines = &self.plan.outlines;
        let mut shape = outlines.get(schema);
        for name in &call.planned.within_body {
            let inner = match name.as_str() {
                ELEMENT => shape.items.as_ref(),
                name => shape.members.get(name).map(|member| &member.schema),
            };
            let Some(inner) = inner else { break };
            shape = outlines.get(inner);
        }
        if let Some(items) = shape.items.as_ref().filter(|_| !shape.is_object()) {
            shape = outlines.get(items);
        }
        let names: Map<String, Value> = shape.members.keys().map(|name| (name.clone(), Value::Null)).collect();
        self.renamed(collection, names).into_iter().map(|(name, _)| name).collect()
    }
}
