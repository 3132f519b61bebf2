//! `components.mediaTypes` (OpenAPI 3.2): shared media types are written out where they are used.

use std::collections::BTreeSet;

use serde_json::Value;

use super::journal::Journal;
use super::references;
use crate::pointer::{self, LONGEST_CHAIN};
use crate::walk::{self, NodeKind};

const PASS: &str = "upgrade/media-types";
const PREFIX: &str = "#/components/mediaTypes/";

/// Writes out media types that are shared through the components.
pub(super) fn inline(tree: &mut Value, journal: &mut Journal<'_>) {
    let Some(components) = tree.get_mut("components").and_then(Value::as_object_mut) else { return };
    let Some(shared) = components.remove("mediaTypes") else { return };
    walk::each(tree, &mut |kind, value, pointer| {
        if kind != NodeKind::MediaType {
            return;
        }
        // Shared media types may refer to each other.
        let mut visited = BTreeSet::new();
        loop {
            let Some(name) = value.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(PREFIX))
            else {
                return;
            };
            let name = references::token(name);
            match shared.get(&name) {
                Some(target) if visited.len() < LONGEST_CHAIN && visited.insert(name.clone()) => {
                    journal.same(PASS, pointer, format!("wrote out the shared media type `{name}`"));
                    journal.origins.copied(&pointer::join("/components/mediaTypes", &name), pointer);
                    *value = target.clone();
                }
                target => {
                    let why = match target {
                        None => format!("`{name}` is not a media type"),
                        Some(_) if visited.contains(&name) => format!("`{name}` leads back to itself"),
                        Some(_) => format!("more than {LONGEST_CHAIN} references follow each other"),
                    };
                    journal.degraded(PASS, pointer, "left a media type open", why);
                    *value = Value::Object(serde_json::Map::new());
                    return;
                }
            }
        }
    });
}
