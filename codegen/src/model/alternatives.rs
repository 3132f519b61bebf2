//! What tells the alternatives of a list apart.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;

/// How many alternatives of a list have a member fixed to a value, by the place of the list. Each list is counted once.
#[derive(Debug, Default)]
pub(crate) struct Counted(RefCell<HashMap<*const Value, Counts>>);

/// (member, value) → how many have it.
type Counts = HashMap<(String, String), usize>;

impl Counted {
    pub(super) fn holders(&self, alternatives: &Value, name: &str, value: &str) -> usize {
        let mut counted = self.0.borrow_mut();
        let counts = counted.entry(std::ptr::from_ref(alternatives)).or_insert_with(|| {
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

/// The members that can have one value only, each with it.
pub(super) fn members(schema: &Value) -> impl Iterator<Item = (&str, &str)> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.filter_map(|(name, property)| match property.get("enum")?.as_array()?.as_slice() {
        [Value::String(only)] => Some((name.as_str(), only.as_str())),
        _ => None,
    })
}
