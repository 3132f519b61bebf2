//! Which families use a component.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::pointer;

/// A component: its group (`schemas`, `responses` …) and its name.
pub(super) type Component = (String, String);

/// Families by component.
#[derive(Debug, Default)]
pub(super) struct Reached {
    families: BTreeMap<Component, BTreeSet<String>>,
}

impl Reached {
    /// Follows the references of operations, given with their families.
    pub(super) fn of<'a>(tree: &Value, operations: impl Iterator<Item = (&'a str, &'a Value)>) -> Self {
        let mut links: BTreeMap<Component, Vec<Component>> = BTreeMap::new();
        for (group, components) in tree.get("components").and_then(Value::as_object).into_iter().flatten() {
            for (name, component) in components.as_object().into_iter().flatten() {
                links.insert((group.clone(), name.clone()), references(component));
            }
        }
        let mut reached = Self::default();
        for (family, operation) in operations {
            let mut waiting = references(operation);
            while let Some(component) = waiting.pop() {
                let Some(next) = links.get(&component) else { continue };
                if reached.families.entry(component).or_default().insert(family.to_owned()) {
                    waiting.extend(next.iter().cloned());
                }
            }
        }
        reached
    }

    /// The family that alone uses it; else whether several do, or none.
    pub(super) fn home(&self, group: &str, name: &str) -> &str {
        let families = self.families.get(&(group.to_owned(), name.to_owned()));
        match families.map(|families| (families.len(), families.first())) {
            Some((1, Some(family))) => family,
            Some(_) => "shared",
            None => "unreferenced",
        }
    }
}

/// The components that a value refers to, by `$ref` or by the mapping of a discriminator.
fn references(value: &Value) -> Vec<Component> {
    let mut found = Vec::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(map) => waiting.extend(map.values()),
            Value::Array(items) => waiting.extend(items),
            Value::String(text) => found.extend(component(text)),
            _ => {}
        }
    }
    found
}

fn component(reference: &str) -> Option<Component> {
    let pointer = pointer::percent_decode(reference.strip_prefix("#/components/")?);
    let (group, rest) = pointer.split_once('/')?;
    let name = rest.split('/').next().unwrap_or(rest);
    Some((group.to_owned(), pointer::unescape(name)))
}
