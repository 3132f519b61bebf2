//! `$defs` and `definitions` inside schemas become components; references by `$id`, `$anchor` and a unique
//! `$dynamicAnchor` become references by place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::journal::Journal;
use super::references;
use crate::pointer;
use crate::walk::{self, NodeKind};

const PASS: &str = "upgrade/definitions";
const KEYS: [&str; 2] = ["$defs", "definitions"];

#[derive(Default)]
struct Survey {
    /// Name of the new component, by owner of the definition and by its key there.
    names: BTreeMap<String, BTreeMap<String, String>>,
    /// Pointers by `$anchor`, and by `$id`.
    anchors: BTreeMap<String, String>,
    /// Pointers by `$dynamicAnchor`; `None` where it is not unique.
    dynamic: BTreeMap<String, Option<String>>,
}

/// Hoists local definitions, and resolves references by name.
pub(super) fn hoist(tree: &mut Value, journal: &mut Journal<'_>) {
    let survey = survey(tree);
    if survey.names.is_empty() && survey.anchors.is_empty() && survey.dynamic.is_empty() {
        return;
    }
    let nested: Vec<&String> = survey.names.keys().collect();
    let new = |pointer: &str| component(pointer, &survey);
    walk::each(tree, &mut |kind, value, pointer| {
        if kind != NodeKind::Schema {
            return;
        }
        let Value::Object(schema) = value else { return };
        if let Some(Value::String(anchor)) = schema.get("$dynamicRef")
            && let Some(Some(target)) = survey.dynamic.get(anchor.trim_start_matches('#'))
        {
            let target = new(target);
            schema.remove("$dynamicRef");
            schema.insert("$ref".to_owned(), Value::from(target));
            journal.same(PASS, pointer, "resolved `$dynamicRef`, which has one target only");
        }
        let Some(Value::String(reference)) = schema.get("$ref") else { return };
        let resolved = match references::local(reference) {
            Some(target) => nearest(&target, pointer, &nested, &survey).or_else(|| rehomed(&target, &survey)),
            None => survey.anchors.get(reference.as_str()).map(|target| new(target)),
        };
        if let Some(resolved) = resolved {
            journal.same(PASS, pointer, format!("wrote the reference `{reference}` as `{resolved}`"));
            schema.insert("$ref".to_owned(), Value::from(resolved));
        }
    });
    let mut hoisted = Vec::new();
    walk::schemas(tree, &mut |schema, pointer| take(schema, pointer, &survey, &mut hoisted, journal));
    let Value::Object(root) = tree else { return };
    take(root, "", &survey, &mut hoisted, journal);
    let mut components = object(root.remove("components"), "/components", journal);
    let mut schemas = object(components.remove("schemas"), "/components/schemas", journal);
    schemas.extend(hoisted);
    components.insert("schemas".to_owned(), Value::Object(schemas));
    root.insert("components".to_owned(), Value::Object(components));
}

fn object(value: Option<Value>, pointer: &str, journal: &mut Journal<'_>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map,
        None => Map::new(),
        Some(_) => {
            journal.degraded(PASS, pointer, "read as empty", "it is not an object");
            Map::new()
        }
    }
}

fn survey(tree: &mut Value) -> Survey {
    let mut survey = Survey::default();
    let mut taken: BTreeSet<String> = tree
        .pointer("/components/schemas")
        .and_then(Value::as_object)
        .map(|schemas| schemas.keys().cloned().collect())
        .unwrap_or_default();
    // A survey needs no changes, and the walk offers no other way.
    walk::schemas(tree, &mut |schema, pointer| {
        names(schema, pointer, &mut survey, &mut taken);
        let name = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(anchor) = name("$anchor") {
            survey.anchors.entry(format!("#{anchor}")).or_insert_with(|| pointer.to_owned());
        }
        if let Some(id) = name("$id") {
            survey.anchors.entry(id).or_insert_with(|| pointer.to_owned());
        }
        if let Some(anchor) = name("$dynamicAnchor") {
            let place = survey.dynamic.entry(anchor).or_insert_with(|| Some(pointer.to_owned()));
            if place.as_deref() != Some(pointer) {
                *place = None;
            }
        }
    });
    if let Some(root) = tree.as_object() {
        names(root, "", &mut survey, &mut taken);
    }
    survey
}

/// Chooses the names of the definitions that lie in a schema.
fn names(schema: &Map<String, Value>, pointer: &str, survey: &mut Survey, taken: &mut BTreeSet<String>) {
    for definitions in KEYS.iter().filter_map(|key| schema.get(*key)?.as_object()) {
        for key in definitions.keys() {
            let owner = pointer
                .strip_prefix("/components/schemas/")
                .and_then(|rest| rest.split('/').next())
                .unwrap_or_default();
            let mut name = key.clone();
            let mut count = 1;
            while taken.contains(&name) {
                name = if count == 1 && !owner.is_empty() { format!("{owner}{key}") } else { format!("{key}{count}") };
                count += 1;
            }
            taken.insert(name.clone());
            survey.names.entry(pointer.to_owned()).or_default().insert(key.clone(), name);
        }
    }
}

/// Splits a pointer behind the first `$defs` or `definitions`: owner, key, rest.
fn split<'a>(pointer: &'a str, survey: &Survey) -> Option<(&'a str, String, &'a str)> {
    let mut best = None;
    for marker in ["/$defs/", "/definitions/"] {
        for (at, _) in pointer.match_indices(marker) {
            let (owner, rest) = (&pointer[..at], &pointer[at + marker.len()..]);
            let end = rest.find('/').unwrap_or(rest.len());
            let key = references::token(&rest[..end]);
            if survey.names.get(owner).is_some_and(|names| names.contains_key(&key)) {
                best = best.max(Some((owner.len(), owner, key, &rest[end..])));
            }
        }
    }
    best.map(|(_, owner, key, rest)| (owner, key, rest))
}

/// A reference to the place that a pointer leads to once definitions are hoisted.
fn component(pointer: &str, survey: &Survey) -> String {
    rehomed(pointer, survey).unwrap_or_else(|| format!("#{pointer}"))
}

fn rehomed(pointer: &str, survey: &Survey) -> Option<String> {
    let (owner, key, rest) = split(pointer, survey)?;
    let name = survey.names.get(owner)?.get(&key)?;
    Some(format!("#{}{rest}", pointer::join("/components/schemas", name)))
}

/// `#/$defs/Name` is meant within the schema at hand, although a contract's root has no such member.
fn nearest(target: &str, pointer: &str, owners: &[&String], survey: &Survey) -> Option<String> {
    let key = target.strip_prefix("/$defs/").or_else(|| target.strip_prefix("/definitions/"))?;
    let (key, rest) = key.split_at(key.find('/').unwrap_or(key.len()));
    let key = references::token(key);
    let holds = |owner: &&&String| {
        pointer.strip_prefix(owner.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            && survey.names.get(owner.as_str()).is_some_and(|names| names.contains_key(&key))
    };
    let owner = owners.iter().filter(holds).max_by_key(|owner| owner.len())?;
    let name = survey.names.get(owner.as_str())?.get(&key)?;
    Some(format!("#{}{rest}", pointer::join("/components/schemas", name)))
}

/// Takes the definitions out of a schema.
fn take(
    schema: &mut Map<String, Value>,
    pointer: &str,
    survey: &Survey,
    hoisted: &mut Vec<(String, Value)>,
    journal: &mut Journal<'_>,
) {
    for holder in KEYS {
        let Some(definitions) = schema.remove(holder) else { continue };
        let place = pointer::join(pointer, holder);
        let Value::Object(definitions) = definitions else {
            journal.degraded(PASS, &place, format!("dropped `{holder}`"), "it is not an object");
            continue;
        };
        for (key, value) in definitions {
            let Some(name) = survey.names.get(pointer).and_then(|names| names.get(&key)) else { continue };
            let from = pointer::join(&place, &key);
            journal.same(PASS, &from, format!("made the definition the component `{name}`"));
            journal.origins.moved(&from, &pointer::join("/components/schemas", name));
            hoisted.push((name.clone(), value));
        }
    }
}
