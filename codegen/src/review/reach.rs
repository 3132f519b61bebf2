//! The families that use a component, and the other subjects of a text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::pointer;

/// A component: its group (`schemas`, `responses` …) and its name.
pub(super) type Component<'a> = (Cow<'a, str>, Cow<'a, str>);

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

    fn word(&self) -> &str {
        match self {
            Self::Family(name) => name,
            Self::Shared => "shared",
            Self::Outside => "outside",
            Self::Unreferenced => "unreferenced",
            Self::Documents => "documents",
            Self::Bindings => "bindings",
            Self::Servers => "servers",
        }
    }
}

/// The end of a text's name. A family may be called like one of the others; no family has a hyphen in its name.
impl fmt::Display for Home<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        let is_taken = || Self::OTHERS.iter().any(|other| other.word() == self.word());
        if matches!(self, Self::Family(_)) && is_taken() { f.write_str("-family") } else { Ok(()) }
    }
}

/// Families by component.
#[derive(Debug, Default)]
pub(super) struct Reached<'a> {
    families: BTreeMap<Component<'a>, BTreeSet<Home<'a>>>,
}

impl<'a> Reached<'a> {
    /// Follows the references of operations, given with their families.
    pub(super) fn new(tree: &'a Value, operations: impl Iterator<Item = (Home<'a>, &'a Value)>) -> Self {
        let mut links: BTreeMap<Component<'_>, Vec<Component<'_>>> = BTreeMap::new();
        for (group, components) in tree.get("components").and_then(Value::as_object).into_iter().flatten() {
            for (name, component) in components.as_object().into_iter().flatten() {
                links.insert((group.into(), name.into()), references(component));
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
        let families = self.families.get(&(group.into(), name.into()));
        match families.map(|families| (families.len(), families.first())) {
            Some((1, Some(family))) => *family,
            Some(_) => Home::Shared,
            None => Home::Unreferenced,
        }
    }
}

/// The components that a value refers to, by `$ref` or by the mapping of a discriminator.
fn references(value: &Value) -> Vec<Component<'_>> {
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

fn component(reference: &str) -> Option<Component<'_>> {
    let reference = reference.strip_prefix("#/components/")?;
    if reference.contains('%') {
        let (group, name) =
            part(&pointer::percent_decode(reference)).map(|(group, name)| (group.to_owned(), name.into_owned()))?;
        return Some((group.into(), name.into()));
    }
    part(reference).map(|(group, name)| (group.into(), name))
}

/// The group and the name of a component in a pointer behind `/components/`.
fn part(pointer: &str) -> Option<(&str, Cow<'_, str>)> {
    let (group, rest) = pointer.split_once('/')?;
    let name = rest.split('/').next().unwrap_or(rest);
    Some((group, pointer::unescaped(name)))
}
