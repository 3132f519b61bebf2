//! Random positions in a tree.

use driftless_codegen::pointer::push;
use serde_json::Value;

use crate::random::Random;

/// Pointers of the maps of named schemas.
pub(super) const SCHEMAS: [&str; 2] = ["/components/schemas", "/definitions"];

/// A pointer to a random position: often a schema, otherwise the end of a random walk from the root. Positions near the
/// root are rare, because a document without its version or its paths is always refused in the same way.
pub(super) fn anywhere(tree: &Value, random: &mut Random) -> String {
    let mut pointer = String::new();
    if random.once_in(2) {
        pointer =
            SCHEMAS.iter().find(|pointer| tree.pointer(pointer).is_some()).map_or("", |pointer| pointer).to_owned();
    }
    let mut depth = pointer.matches('/').count();
    let mut at = tree.pointer(&pointer).unwrap_or(&Value::Null);
    while !random.once_in(if depth < 2 { 60 } else { 7 }) {
        at = match at {
            Value::Object(members) => {
                let Some((key, value)) = members.iter().nth(random.below(members.len())) else { break };
                push(&mut pointer, key);
                value
            }
            Value::Array(items) => {
                let index = random.below(items.len());
                let Some(value) = items.get(index) else { break };
                push(&mut pointer, &index.to_string());
                value
            }
            // The walk ended at the version or another text near the root: walk again.
            _ if depth < 2 && !random.once_in(20) => {
                pointer.clear();
                depth = 0;
                at = tree;
                continue;
            }
            _ => break,
        };
        depth += 1;
    }
    pointer
}

/// The pointer of a position for which `wanted` holds, if a few attempts find one.
pub(super) fn such(tree: &Value, random: &mut Random, wanted: impl Fn(&Value) -> bool) -> Option<String> {
    (0..20).map(|_| anywhere(tree, random)).find(|pointer| tree.pointer(pointer).is_some_and(&wanted))
}

/// The names of the named schemas, and the pointer of the map that holds them.
pub(super) fn named(tree: &Value) -> (&'static str, Vec<String>) {
    let schemas = SCHEMAS.iter().find_map(|pointer| Some((*pointer, tree.pointer(pointer)?.as_object()?)));
    schemas.map_or((SCHEMAS[0], Vec::new()), |(pointer, schemas)| (pointer, schemas.keys().cloned().collect()))
}

/// A reference to a named schema, or to any position.
pub(super) fn reference(tree: &Value, random: &mut Random) -> Value {
    let (map, names) = named(tree);
    let target = match random.pick(&names).filter(|_| random.below(4) > 0) {
        Some(name) => {
            let mut pointer = map.to_owned();
            push(&mut pointer, name);
            pointer
        }
        None => anywhere(tree, random),
    };
    serde_json::json!({"$ref": format!("#{target}")})
}
