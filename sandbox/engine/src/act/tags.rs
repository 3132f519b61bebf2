//! The tags of values: the strong one of the whole value, and the one in its member `etag`, which each change renews.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::{Call, Engine, Outcome};
use crate::contract::SchemaRef;
use crate::infer::{Role, plain};
use crate::seed::{guid, mix, mix_bytes};
use crate::state::{Full, Item, Owner, StoredFile};

/// Samples for a member that takes no digits. They all differ if the member can be a tag.
const MOST_SAMPLES: u64 = 8;

/// The strong tag of a value. The order of members does not matter.
pub(crate) fn tag(value: &Value) -> String {
    format!("\"{}\"", digest(value))
}

pub(super) fn digest(value: &Value) -> String {
    let mut text = String::new();
    write_sorted(value, &mut text);
    format!("{:016x}{:016x}", mix(1, &[&text]), mix(2, &[&text]))
}

fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                write_sorted(element, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                // A text can be written to always.
                let _ = write!(text, "{name:?}:");
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        // The text of a scalar as JSON cannot be taken for another one.
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// A value with the tag of a file.
pub(super) fn of_file(file: &StoredFile) -> Value {
    let mix = |seed| mix_bytes(seed, [file.media_type.as_bytes(), file.bytes.as_ref()].into_iter());
    format!("{:016x}{:016x}", mix(1), mix(2)).into()
}

/// The name and the text of the member `etag`.
fn member_tag(value: &Value) -> Option<(&String, &str)> {
    let (name, tag) = value.as_object()?.iter().find(|(name, _)| plain(name) == "etag")?;
    Some((name, tag.as_str().filter(|text| !text.is_empty())?))
}

/// Texts of several forms, for a member that takes one of them.
fn texts(seed: u64) -> [Value; 4] {
    let [long, short] = [mix(seed, &["long"]), mix(seed, &["short"]) >> 32];
    [format!("{long:016x}"), guid(seed), format!("{short:08x}"), format!("\"{long:016x}\"")].map(Value::from)
}

impl Engine {
    /// Stores an item. All changes of items come here, so that each renews the member `etag`: requests, work, and the control interface.
    pub(super) fn put_item(&self, owner: &Owner, id: String, value: Value, is_invented: bool) -> Result<Item, Full> {
        self.put_item_with(owner, id, value, is_invented, None)
    }

    /// Stores an item with its file, if it has one: nobody sees one without the other.
    pub(super) fn put_item_with(
        &self,
        owner: &Owner,
        id: String,
        mut value: Value,
        is_invented: bool,
        file: Option<(String, StoredFile)>,
    ) -> Result<Item, Full> {
        let before = {
            let state = self.state();
            let instance = state.instance(owner);
            match instance.and_then(|instance| instance.item(&id)) {
                Some(item) => Some(Arc::clone(&item.value)),
                // The tag of a new item is sampled by its identifier, so the removed one can have had it.
                None => instance.filter(|instance| instance.is_removed(&id)).map(|_| Arc::default()),
            }
        };
        if let Some(before) = before {
            let schema = self.plan.collections.get(owner.0).and_then(|collection| collection.item.as_ref());
            self.renew_tag(schema, &before, &mut value);
        }
        let item = Item::new(value, is_invented);
        match file {
            Some(file) => self.state().put_with_file(owner, id, item.clone(), file)?,
            None => self.state().put(owner, id, item.clone())?,
        }
        Ok(item)
    }

    /// Stores an item that the sandbox makes up. A request that has stored or removed it in the meantime wins: the answer is its item.
    pub(super) fn put_invented(&self, owner: &Owner, id: &str, value: Value) -> Result<Option<Item>, Full> {
        let mut state = self.state();
        let instance = state.instance(owner).ok_or(Full)?;
        if let Some(item) = instance.item(id) {
            return Ok(Some(item.clone()));
        }
        if instance.is_removed(id) {
            return Ok(None);
        }
        let item = Item::new(value, true);
        state.put(owner, id.to_owned(), item.clone())?;
        Ok(Some(item))
    }

    /// Stores a value that exists once, as `put_item` stores an item.
    pub(super) fn put_value(&self, place: &str, before: &Value, mut value: Value) -> Result<Arc<Value>, Full> {
        let schema = self.single_schema(place);
        self.keep_tag(schema, before, &mut value);
        self.renew_tag(schema, before, &mut value);
        self.state().set_value(place.to_owned(), value)
    }

    /// Gives the member `etag` of a changed value another text, also if the request has sent one: an old text that comes back
    /// would meet the conditions of old requests.
    fn renew_tag(&self, schema: Option<&SchemaRef>, before: &Value, value: &mut Value) {
        let Some((name, _)) = member_tag(value) else { return };
        let name = name.clone();
        let before = member_tag(before).map(|(_, text)| text).unwrap_or_default();
        // Of the text before, too: the same content that is sent again is another change.
        let seed = mix(3, &[before, &digest(value)]);
        let member = schema.and_then(|schema| self.member_schema(schema, &name));
        let fits = |text: &Value| member.as_ref().is_none_or(|member| self.fitter().is_valid(member, text));
        let sampled = member.as_ref().map(|member| self.samples(member, seed));
        let mut tags = texts(seed).into_iter().filter(fits).chain(sampled.into_iter().flatten());
        if let (Some(tag), Some(members)) = (tags.find(|tag| *tag != before), value.as_object_mut()) {
            members.insert(name, tag);
        }
    }

    /// Gives a value that exists once the member `etag` that its answers show.
    fn keep_tag(&self, schema: Option<&SchemaRef>, before: &Value, value: &mut Value) {
        let Some((name, text)) = member_tag(before) else { return };
        let is_declared = || schema.is_some_and(|schema| self.member_schema(schema, name).is_some());
        if member_tag(value).is_none()
            && is_declared()
            && let Some(members) = value.as_object_mut()
        {
            members.insert(name.clone(), text.into());
        }
    }

    fn member_schema(&self, schema: &SchemaRef, name: &str) -> Option<SchemaRef> {
        self.plan.outlines.get(schema).members.get(name).map(|member| member.schema.clone())
    }

    fn samples(&self, member: &SchemaRef, seed: u64) -> impl Iterator<Item = Value> {
        let samples = (0..MOST_SAMPLES).map(move |number| self.fitter().sample(member, seed.wrapping_add(number)));
        samples.filter(|sample| sample.as_str().is_some_and(|text| !text.is_empty()))
    }

    /// The text of the member `etag`, if it is a tag: a schema with few texts leaves no other one for the next change.
    pub(super) fn accepted_member<'v>(&self, call: &Call<'_>, value: &'v Value) -> Option<&'v str> {
        let (name, text) = member_tag(value)?;
        let text = text.trim_start_matches("W/").trim_matches('"');
        let Some(member) = self.tagged_schema(call).and_then(|schema| self.member_schema(schema, name)) else {
            return Some(text);
        };
        let takes_texts = texts(0).iter().any(|text| self.fitter().is_valid(&member, text));
        let differ = || {
            let samples: BTreeSet<String> = self.samples(&member, 0).map(|sample| sample.to_string()).collect();
            samples.len() as u64 == MOST_SAMPLES
        };
        (takes_texts || differ()).then_some(text)
    }

    /// The schema of the item, or of the value that exists once.
    fn tagged_schema(&self, call: &Call<'_>) -> Option<&SchemaRef> {
        let is_single = matches!(call.planned.role, Role::SingleReplace | Role::SinglePatch | Role::SingleDelete);
        let index = call.planned.collection.filter(|_| !is_single);
        match index.and_then(|index| self.plan.collections.get(index)) {
            Some(collection) => collection.item.as_ref(),
            None => self.single_schema(call.place),
        }
    }

    /// The value whose tag an item has: that of its file if reads answer with it.
    /// `None` if another request has changed it since it was read.
    pub(super) fn tagged_item(&self, call: &Call<'_>, id: &str, value: &Arc<Value>) -> Option<Arc<Value>> {
        let collection = call.planned.collection.and_then(|index| Some((index, self.plan.collections.get(index)?)));
        let file = collection.map(|collection| self.own_file(call, collection, id, value)).transpose().ok()?;
        Some(file.flatten().map_or_else(|| Arc::clone(value), |file| Arc::new(of_file(&file))))
    }

    /// The value whose tag an outcome has.
    pub(crate) fn tagged(&self, call: &Call<'_>, outcome: &Outcome) -> Option<Arc<Value>> {
        match outcome {
            Outcome::Item { value, id, .. } => self.tagged_item(call, id, value),
            Outcome::Value(Some(value)) => Some(Arc::clone(value)),
            Outcome::Value(None) => Some(self.unwritten(call)),
            Outcome::List(listed) => {
                let page = listed.page.iter().map(|value| Value::String(digest(value)));
                Some(Arc::new(page.chain([listed.total.into()]).collect()))
            }
            Outcome::File(file) => Some(Arc::new(of_file(file))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tag_is_of_the_value_and_not_of_its_order() {
        assert_eq!(
            tag(&json!({ "a": 1, "b": { "c": [1], "d": null } })),
            tag(&json!({ "b": { "d": null, "c": [1] }, "a": 1 }))
        );
        let all = [
            json!(null),
            json!("null"),
            json!([[1], 2]),
            json!([[1, 2]]),
            json!([2, [1]]),
            json!({ "a": 1 }),
            json!({ "a": "1" }),
            json!({ "a\":1,\"b": 1 }),
            json!({ "a": 1, "b": 1 }),
        ];
        let tags: std::collections::BTreeSet<_> = all.iter().map(tag).collect();
        assert_eq!(tags.len(), all.len());
    }
}
