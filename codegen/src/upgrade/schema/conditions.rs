//! Conditions that OpenAPI 3.0 cannot express, and that no client enforces.

use serde_json::Value;

use super::{Journal, Schema, is_nothing};

const PASS: &str = "upgrade/conditions";
const KEYS: [&str; 11] = [
    "contains",
    "contentSchema",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "propertyNames",
    "then",
];

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let mut dropped: Vec<String> =
        KEYS.iter().filter(|key| schema.remove(**key).is_some()).map(|key| format!("`{key}`")).collect();
    // `{"not": {}}` is how `false` is written; any other `not` is a condition.
    let nothing = schema.get("not").and_then(Value::as_object).is_some_and(Schema::is_empty);
    if !nothing && schema.remove("not").is_some() {
        dropped.push("`not`".to_owned());
    }
    if schema.get("additionalProperties").is_some_and(is_nothing) {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if !dropped.is_empty() {
        journal.prose(
            PASS,
            pointer,
            format!("dropped {}", dropped.join(", ")),
            "conditions that the client does not check",
        );
    }
}
