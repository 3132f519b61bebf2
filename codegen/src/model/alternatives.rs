//! The properties that distinguish the alternatives of a list.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;

/// Number of alternatives of a list that fix a member to a value, by the address of the list. Each list is counted
/// once.
#[derive(Debug, Default)]
pub(crate) struct Counted(RefCell<HashMap<usize, Counts>>);

/// (member, value) → how many have it.
type Counts = HashMap<(String, String), usize>;

impl Counted {
    pub(super) fn holders(&self, alternatives: &Value, name: &str, value: &str) -> usize {
        let mut counted = self.0.borrow_mut();
        let counts = counted.entry(std::ptr::from_ref(alternatives).addr()).or_insert_with(|| {
            let mut counts = Counts::new();
            for schema in alternatives.as_array().into_iter().flatten() {
                for (name, value) in members(schema) {
                    *counts.entry((name.to_owned(), value.to_owned())).or_default() += 1;
                }
            }
            counts
        });
        counts.get(&(name.to_owned(), value.to_owned())).copied().unwrap_or_default()
    }
}

/// The nature of an alternative without a title or a tag: the name of its only member if that is required, as serde
/// writes enumerations; otherwise its type if that is not an object.
pub(super) enum Nature<'v> {
    Member(&'v str),
    Type(&'v str),
}

impl<'v> Nature<'v> {
    pub(super) fn from_schema(schema: &'v Value) -> Option<Self> {
        let mut members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let required = schema.get("required").and_then(Value::as_array);
        let must_have = |name: &String| required.is_some_and(|required| required.iter().any(|other| other == name));
        match (members.next(), members.next()) {
            (Some((name, _)), None) if must_have(name) => Some(Self::Member(name)),
            _ => schema.get("type").and_then(Value::as_str).filter(|ty| *ty != "object").map(Self::Type),
        }
    }
}

/// The members that can have one value only, each with it.
pub(super) fn members(schema: &Value) -> impl Iterator<Item = (&str, &str)> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.filter_map(|(name, property)| match property.get("enum")?.as_array()?.as_slice() {
        [Value::String(only)] => Some((name.as_str(), only.as_str())),
        _ => None,
    })
}
