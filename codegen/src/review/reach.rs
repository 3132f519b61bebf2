//! The families that use a component, and the other subjects of a text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::pointer;

/// A component: its group (`schemas`, `responses` …) and its name.
pub(super) type Component = (String, String);

/// The subject of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home<'a> {
    Family(&'a str),
    /// Items that several families use, or all of them.
    Shared,
    /// Operations that the client does not have.
    Outside,
    /// Items that no operation uses.
    Unreferenced,
    Documents,
    Bindings,
    Servers,
}

impl Home<'_> {
    const OTHERS: [Self; 6] =
        [Self::Shared, Self::Outside, Self::Unreferenced, Self::Documents, Self::Bindings, Self::Servers];
}

/// The end of a text's name. A family may be called like one of the others; no family has a hyphen in its name.
impl fmt::Display for Home<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family(name) if Self::OTHERS.iter().any(|other| other.to_string() == *name) => {
                write!(f, "{name}-family")
            }
            Self::Family(name) => f.write_str(name),
            Self::Shared => f.write_str("shared"),
            Self::Outside => f.write_str("outside"),
            Self::Unreferenced => f.write_str("unreferenced"),
            Self::Documents => f.write_str("documents"),
            Self::Bindings => f.write_str("bindings"),
            Self::Servers => f.write_str("servers"),
        }
    }
}

/// Families by component.
#[derive(Debug, Default)]
pub(super) struct Reached<'a> {
    families: BTreeMap<Component, BTreeSet<Home<'a>>>,
}

impl<'a> Reached<'a> {
    /// Follows the references of operations, given with their families.
    pub(super) fn new(tree: &Value, operations: impl Iterator<Item = (Home<'a>, &'a Value)>) -> Self {
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
                if reached.families.entry(component).or_default().insert(family) {
                    waiting.extend(next.iter().cloned());
                }
            }
        }
        reached
    }

    /// The family that alone uses it; else whether several do, or none.
    pub(super) fn home(&self, group: &str, name: &str) -> Home<'a> {
        let families = self.families.get(&(group.to_owned(), name.to_owned()));
        match families.map(|families| (families.len(), families.first())) {
            Some((1, Some(family))) => *family,
            Some(_) => Home::Shared,
            None => Home::Unreferenced,
        }
    }
}

/// The components that a value refers to, by `$ref` or by the mapping of a discriminator.
fn references(value: &Value) -> Vec<Component> {
    let mut components = Vec::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(map) => waiting.extend(map.values()),
            Value::Array(items) => waiting.extend(items),
            Value::String(text) => components.extend(component(text)),
            _ => {}
        }
    }
    components
}

fn component(reference: &str) -> Option<Component> {
    let pointer = pointer::percent_decode(reference.strip_prefix("#/components/")?);
    let (group, rest) = pointer.split_once('/')?;
    let name = rest.split('/').next().unwrap_or(rest);
    Some((group.to_owned(), pointer::unescape(name)))
}
