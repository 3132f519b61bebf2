//! Schemas in numbers and arrangements that make a careless algorithm slow.

use serde_json::{Map, Value, json};

use super::place;
use crate::random::Random;

const COMPOSED: [&str; 3] = ["allOf", "oneOf", "anyOf"];

/// Nests a part deeply. `load` refuses schemas beyond its limit of depth; most of these stay below.
pub(super) fn nest(tree: &mut Value, random: &mut Random) {
    let pointer = place::anywhere(tree, random);
    let deep = random.mostly_below(90, 10, 300);
    let way = random.below(6);
    if pointer.is_empty() {
        return;
    }
    if let Some(node) = tree.pointer_mut(&pointer) {
        for _ in 0..deep {
            let inner = node.take();
            *node = match way {
                0 => json!({"type": "array", "items": inner}),
                1 => json!({"type": "object", "properties": {"a": inner}}),
                2 => json!({"type": "object", "additionalProperties": inner}),
                3 => json!({"allOf": [inner, {"properties": {"b": {"type": "string"}}}]}),
                4 => json!({"oneOf": [inner, {"type": "null"}]}),
                _ => json!({"anyOf": [inner, {"type": "string"}]}),
            };
        }
    }
}

fn schemas<'t>(tree: &'t mut Value, map: &str) -> Option<&'t mut Map<String, Value>> {
    tree.pointer_mut(map).and_then(Value::as_object_mut)
}

/// Adds named schemas, each of which refers to the next.
pub(super) fn chain(tree: &mut Value, random: &mut Random) {
    let (map, names) = place::named(tree);
    let length = 1 + random.mostly_below(60, 20, 400);
    let way = random.below(6);
    let end = random.pick(&names).cloned();
    let reference = |name: &str| json!({"$ref": format!("#{map}/{name}")});
    let Some(schemas) = schemas(tree, map) else { return };
    for index in 0..length {
        let next = match &end {
            Some(end) if index + 1 == length => reference(end),
            _ => reference(&format!("Chain{}", index + 1)),
        };
        let schema = match way {
            0 => next,
            1 => json!({"allOf": [next, {"type": "object", "properties": {"own": {"type": "string"}}}]}),
            2 => json!({"type": "object", "properties": {"next": next}}),
            3 => json!({"type": "array", "items": next}),
            4 => json!({"oneOf": [next, {"type": "string"}]}),
            _ => json!({"allOf": [next], "nullable": true}),
        };
        schemas.insert(format!("Chain{index}"), schema);
    }
    if let Some(end) = end {
        schemas.insert(end, reference("Chain0"));
    }
}

/// Adds named schemas that refer to each other.
pub(super) fn tangle(tree: &mut Value, random: &mut Random) {
    let (map, mut names) = place::named(tree);
    names.extend(["KnotA", "KnotB", "KnotC"].map(str::to_owned));
    let members: Vec<String> = (0..2 + random.below(6)).filter_map(|_| random.pick(&names).cloned()).collect();
    let mut knots = Vec::new();
    for name in &members {
        let parts: Vec<Value> = (0..1 + random.below(4))
            .filter_map(|_| random.pick(&members))
            .map(|other| {
                let mut pointer = format!("#{map}");
                driftless_codegen::pointer::push(&mut pointer, other);
                json!({"$ref": pointer})
            })
            .collect();
        let keyword = random.pick(&COMPOSED).copied().unwrap_or_default();
        let mut knot = json!({keyword: parts});
        if random.once_in(3) {
            knot["properties"] = json!({"own": {"type": "string", "enum": [name]}});
        }
        if random.once_in(4) {
            knot["discriminator"] = json!({"propertyName": "own"});
        }
        knots.push((name.clone(), knot));
    }
    if let Some(schemas) = schemas(tree, map) {
        schemas.extend(knots);
    }
}

/// Duplicates an element many times.
pub(super) fn multiply(tree: &mut Value, random: &mut Random) {
    let many = 2 + random.mostly_below(40, 20, 1_000);
    if random.once_in(3) {
        let values: Vec<String> = (0..many).map(|index| format!("value {index}")).collect();
        if let Some(pointer) = place::such(tree, random, |value| value.get("type").is_some())
            && let Some(Value::Object(schema)) = tree.pointer_mut(&pointer)
        {
            schema.insert("enum".to_owned(), json!(values));
        }
        return;
    }
    let Some(pointer) = place::such(tree, random, Value::is_object) else { return };
    // Duplicating the whole document would only show that more takes longer.
    if pointer.matches('/').count() < 2 {
        return;
    }
    if let Some(Value::Object(members)) = tree.pointer_mut(&pointer)
        && let Some((key, value)) = members.iter().nth(random.below(members.len()))
    {
        let (key, value) = (key.clone(), value.clone());
        members.extend((0..many).map(|index| (format!("{key}{index}"), value.clone())));
    }
}
