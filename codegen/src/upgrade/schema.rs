//! Schemas: one file per quirk, each a function over one schema whose parts are converted already.

mod binary;
mod bounds;
mod conditions;
mod constant;
mod discriminator;
mod dynamic;
mod examples;
mod file;
mod identifiers;
mod null_branch;
mod nullable;
mod number_text;
mod pattern_properties;
mod siblings;
mod tuples;
mod types;
mod unevaluated;

pub(crate) use number_text::is_numeric;
use serde_json::{Map, Value, json};

use super::journal::Journal;
use crate::members::Members as _;

/// The members of a schema.
type Schema = Map<String, Value>;

/// A pass over one schema.
type Pass = fn(&mut Schema, &str, &mut Journal<'_>);

/// In the order in which they build on each other.
const PASSES: [Pass; 16] = [
    dynamic::convert,
    identifiers::convert,
    nullable::convert,
    file::convert,
    constant::convert,
    conditions::convert,
    pattern_properties::convert,
    unevaluated::convert,
    tuples::convert,
    binary::convert,
    bounds::convert,
    examples::convert,
    number_text::convert,
    types::convert,
    null_branch::convert,
    discriminator::convert,
];

/// Converts one schema. `siblings` says whether members beside `$ref` count.
pub(super) fn convert(schema: &mut Value, pointer: &str, siblings: bool, journal: &mut Journal<'_>) {
    const PASS: &str = "upgrade/boolean-schema";
    match schema {
        Value::Object(map) => {
            for pass in PASSES {
                pass(map, pointer, journal);
            }
            siblings::convert(map, pointer, siblings, journal);
        }
        Value::Bool(true) => {
            journal.same(PASS, pointer, "wrote the schema `true` as `{}`");
            *schema = json!({});
        }
        Value::Bool(false) => {
            journal.same(PASS, pointer, "wrote the schema `false` as `{\"not\": {}}`");
            *schema = nothing();
        }
        _ => {
            journal.degraded("upgrade/no-schema", pointer, "read as a schema of anything", "there is no schema here");
            *schema = json!({});
        }
    }
}

/// The schema that nothing meets.
fn nothing() -> Value {
    json!({"not": {}})
}

fn is_nothing(schema: &Value) -> bool {
    *schema == nothing()
}

/// Returns whether only null is valid for a schema: `enum: [null]`.
fn is_null_only(schema: &Value) -> bool {
    schema.member("enum").and_then(Value::as_array).is_some_and(|values| matches!(values.as_slice(), [Value::Null]))
}

fn text<'a>(schema: &'a Schema, key: &str) -> Option<&'a str> {
    schema.member(key).and_then(Value::as_str)
}

/// Drops the members with these keys, and returns them in quotes. Most schemas have none.
fn drop_all(schema: &mut Schema, keys: &[&str]) -> Vec<String> {
    if !schema.keys().any(|key| keys.contains(&key.as_str())) {
        return Vec::new();
    }
    keys.iter().filter(|key| schema.take_member(key).is_some()).map(|key| format!("`{key}`")).collect()
}

/// One schema for several: `anyOf` of those that differ.
fn any_of(schemas: Vec<Value>) -> Value {
    let mut different: Vec<Value> = Vec::new();
    for schema in schemas {
        if !different.contains(&schema) {
            different.push(schema);
        }
    }
    if different.len() == 1 { different.swap_remove(0) } else { json!({ "anyOf": different }) }
}
