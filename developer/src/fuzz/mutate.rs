//! Mutations of a contract.

use driftless_codegen::pointer;
use serde_json::{Map, Value};

use super::{hostile, keywords, place, shapes};
use crate::random::Random;

/// Changes a tree at random. `donor` is another contract, from which parts are taken.
pub(super) fn mutate(tree: &mut Value, donor: &Value, random: &mut Random) {
    match random.below(20) {
        0 => set(tree, random, hostile::value),
        1 => {
            let from = place::anywhere(tree, random);
            let part = tree.pointer(&from).cloned().unwrap_or_default();
            set(tree, random, |_| part);
        }
        2 => {
            let from = place::anywhere(donor, random);
            let part = donor.pointer(&from).cloned().unwrap_or_default();
            set(tree, random, |_| part);
        }
        3 => swap(tree, random),
        4 => remove(tree, random),
        5 => duplicate(tree, random),
        6 => rename(tree, random, hostile::key),
        7 | 8 => {
            let pointer = place::such(tree, random, |value| value.get("$ref").is_some());
            let reference = place::reference(tree, random);
            if let Some(node) = pointer.and_then(|pointer| tree.pointer_mut(&pointer)) {
                *node = reference;
            }
        }
        9 => shapes::nest(tree, random),
        10 => {
            if let Some(pointer) = place::such(tree, random, Value::is_string) {
                let text = hostile::text(random);
                put(tree, &pointer, Value::from(text));
            }
        }
        11 => {
            if let Some(pointer) = place::such(tree, random, Value::is_number) {
                let number = hostile::number(random);
                put(tree, &pointer, number);
            }
        }
        12 => rename_in(tree, random, "responses"),
        13 => rename_in(tree, random, "paths"),
        14 => shapes::chain(tree, random),
        15 => shapes::tangle(tree, random),
        16 => rename_schema(tree, random),
        17 | 18 => keywords::change(tree, random),
        _ => shapes::multiply(tree, random),
    }
}

fn put(tree: &mut Value, pointer: &str, value: Value) {
    if let Some(node) = tree.pointer_mut(pointer) {
        *node = value;
    }
}

fn set(tree: &mut Value, random: &mut Random, value: impl FnOnce(&mut Random) -> Value) {
    let pointer = place::anywhere(tree, random);
    let value = value(random);
    // Replacing a whole document is one finding, not one in seven.
    if !pointer.is_empty() || random.once_in(50) {
        put(tree, &pointer, value);
    }
}

fn swap(tree: &mut Value, random: &mut Random) {
    let (one, other) = (place::anywhere(tree, random), place::anywhere(tree, random));
    let first = tree.pointer(&one).cloned().unwrap_or_default();
    let second = tree.pointer(&other).cloned().unwrap_or_default();
    if !one.is_empty() && !other.is_empty() {
        put(tree, &one, second);
        put(tree, &other, first);
    }
}

fn remove(tree: &mut Value, random: &mut Random) {
    let pointer = place::anywhere(tree, random);
    match tree.pointer_mut(&pointer) {
        Some(Value::Object(members)) => {
            let key = members.keys().nth(random.below(members.len())).cloned().unwrap_or_default();
            members.remove(&key);
        }
        Some(Value::Array(items)) if !items.is_empty() => {
            items.remove(random.below(items.len()));
        }
        _ => {}
    }
}

fn duplicate(tree: &mut Value, random: &mut Random) {
    let pointer = place::anywhere(tree, random);
    let key = hostile::key(random);
    match tree.pointer_mut(&pointer) {
        Some(Value::Object(members)) => {
            let value = members.values().nth(random.below(members.len())).cloned();
            members.extend(value.map(|value| (key, value)));
        }
        Some(Value::Array(items)) if !items.is_empty() => {
            let item = items.get(random.below(items.len())).cloned().unwrap_or_default();
            let index = random.below(items.len() + 1);
            items.insert(index, item);
        }
        _ => {}
    }
}

fn rename(tree: &mut Value, random: &mut Random, key: impl Fn(&mut Random) -> String) {
    if let Some(pointer) = place::such(tree, random, Value::is_object)
        && let Some(Value::Object(members)) = tree.pointer_mut(&pointer)
    {
        renamed(members, random, key);
    }
}

fn renamed(members: &mut Map<String, Value>, random: &mut Random, key: impl Fn(&mut Random) -> String) {
    *members = std::mem::take(members)
        .into_iter()
        .map(|(old, value)| if random.once_in(3) { (key(random), value) } else { (old, value) })
        .collect();
}

/// Renames a key in the object with this name.
fn rename_in(tree: &mut Value, random: &mut Random, name: &str) {
    if let Some(pointer) = place::such(tree, random, |value| value.get(name).is_some_and(Value::is_object))
        && let Some(Value::Object(members)) = tree.pointer_mut(&pointer).and_then(|object| object.get_mut(name))
    {
        renamed(members, random, hostile::key);
    }
}

/// Renames a named schema, and its references.
fn rename_schema(tree: &mut Value, random: &mut Random) {
    let (map, names) = place::named(tree);
    let Some(old) = random.pick(&names) else { return };
    let new = hostile::text(random);
    let Some(Value::Object(schemas)) = tree.pointer_mut(map) else { return };
    let Some(schema) = schemas.remove(old) else { return };
    schemas.insert(new.clone(), schema);
    let reference = |name: &str| {
        let mut reference = format!("#{map}");
        pointer::push(&mut reference, name);
        reference
    };
    redirect(tree, &reference(old), &reference(&new));
}

fn redirect(at: &mut Value, old: &str, new: &str) {
    match at {
        Value::Object(members) => members.values_mut().for_each(|value| redirect(value, old, new)),
        Value::Array(items) => items.iter_mut().for_each(|value| redirect(value, old, new)),
        Value::String(text) if text == old => new.clone_into(text),
        _ => {}
    }
}
