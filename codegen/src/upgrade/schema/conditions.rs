//! Conditions that OpenAPI 3.0 cannot express, and that no client enforces.

use serde_json::Value;

use super::{Journal, Schema, drop_all, is_nothing};
use crate::members::Members as _;

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
    let mut dropped = drop_all(schema, &KEYS);
    // `{"not": {}}` is how `false` is written; any other `not` is a condition.
    let nothing = schema.member("not").and_then(Value::as_object).is_some_and(Schema::is_empty);
    if !nothing && schema.take_member("not").is_some() {
        dropped.push("`not`".to_owned());
    }
    if schema.member("additionalProperties").is_some_and(is_nothing) {
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
