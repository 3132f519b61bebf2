//! `components.pathItems`: shared path items are written out where they are used.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::journal::Journal;
use super::references;
use crate::pointer::{self, LONGEST_CHAIN};
use crate::walk;

const PASS: &str = "upgrade/path-items";
const PREFIX: &str = "#/components/pathItems/";

/// Writes out path items that are shared through the components.
pub(super) fn inline(tree: &mut Value, journal: &mut Journal<'_>) {
    let Some(components) = tree.get_mut("components").and_then(Value::as_object_mut) else { return };
    let Some(shared) = components.remove("pathItems") else { return };
    let Value::Object(shared) = shared else {
        journal.degraded(PASS, "/components/pathItems", "dropped `pathItems`", "it is not an object");
        return;
    };
    if let Some(paths) = tree.get_mut("paths") {
        expand_all(paths, "/paths", &shared, journal);
    }
    // Callbacks hold path items as well. The walk sees an operation after its children.
    walk::each(tree, &mut |kind, value, pointer| {
        if kind != walk::NodeKind::Operation {
            return;
        }
        let Some(Value::Object(callbacks)) = value.get_mut("callbacks") else { return };
        for (name, callback) in callbacks {
            expand_all(callback, &pointer::join(&pointer::join(pointer, "callbacks"), name), &shared, journal);
        }
    });
}

fn expand_all(paths: &mut Value, pointer: &str, shared: &Map<String, Value>, journal: &mut Journal<'_>) {
    let Value::Object(paths) = paths else { return };
    for (path, item) in paths {
        if let Value::Object(item) = item {
            expand(item, &pointer::join(pointer, path), shared, journal);
        }
    }
}

fn expand(item: &mut Map<String, Value>, pointer: &str, shared: &Map<String, Value>, journal: &mut Journal<'_>) {
    // Shared path items may refer to each other.
    let mut visited = BTreeSet::new();
    loop {
        let Some(name) = item.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(PREFIX)) else {
            return;
        };
        let name = references::token(name);
        item.remove("$ref");
        let Some(Value::Object(target)) = shared.get(&name) else {
            journal.degraded(
                PASS,
                pointer,
                "dropped a reference to a shared path item",
                format!("`{name}` is not a path item"),
            );
            return;
        };
        if visited.len() >= LONGEST_CHAIN || !visited.insert(name.clone()) {
            let why = match visited.contains(&name) {
                true => format!("`{name}` leads back to itself"),
                false => format!("more than {LONGEST_CHAIN} references follow each other"),
            };
            journal.degraded(PASS, pointer, "dropped a reference to a shared path item", why);
            return;
        }
        let source = pointer::join("/components/pathItems", &name);
        journal.same(PASS, pointer, format!("wrote out the shared path item `{name}`"));
        for (key, value) in target {
            if !item.contains_key(key) {
                journal.origins.copied(&pointer::join(&source, key), &pointer::join(pointer, key));
                item.insert(key.clone(), value.clone());
            }
        }
    }
}
