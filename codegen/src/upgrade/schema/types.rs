//! `type` as an array, and the type `null`.

use serde_json::{Value, json};

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/type-array";
/// Keywords that define a value by themselves.
const SHAPES: [&str; 6] = ["$ref", "allOf", "anyOf", "items", "oneOf", "properties"];
/// Keywords that mean something for one type only.
const KEYWORDS: [(&str, &[&str]); 4] = [
    ("array", &["items", "maxItems", "minItems", "uniqueItems"]),
    ("number", &["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"]),
    ("object", &["additionalProperties", "maxProperties", "minProperties", "properties", "required"]),
    ("string", &["maxLength", "minLength", "pattern"]),
];

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    match schema.member("type") {
        Some(Value::String(name)) if name == "null" => null(schema, pointer, journal),
        Some(Value::String(_)) | None => {}
        Some(Value::Array(names)) => {
            let mut types: Vec<String> = Vec::new();
            for name in names.iter().filter_map(Value::as_str) {
                if !types.iter().any(|present| present == name) {
                    types.push(name.to_owned());
                }
            }
            if names.iter().any(|name| !name.is_string()) {
                journal.degraded(PASS, pointer, "dropped members of `type`", "a name of a type is a text");
            }
            several(schema, types, pointer, journal);
        }
        Some(_) => {
            schema.take_member("type");
            journal.degraded(PASS, pointer, "dropped `type`", "it is neither text nor an array");
        }
    }
}

fn several(schema: &mut Schema, mut types: Vec<String>, pointer: &str, journal: &mut Journal<'_>) {
    let count = types.len();
    types.retain(|name| name != "null");
    let nullable = types.len() < count;
    if types.is_empty() && nullable {
        return null(schema, pointer, journal);
    }
    if types.iter().any(|name| name == "number") {
        types.retain(|name| name != "integer");
    }
    schema.take_member("type");
    if nullable {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    let suffix = if nullable { ", nullable" } else { "" };
    match types.as_slice() {
        [] => journal.same(PASS, pointer, "dropped an empty `type`"),
        [only] => {
            schema.insert("type".to_owned(), Value::from(only.as_str()));
            journal.same(PASS, pointer, format!("wrote the types as `{only}`{suffix}"));
        }
        _ if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|key| schema.member(key).is_some()) => {
            let what = format!("dropped the types {}{suffix}", types.join(", "));
            journal.prose(PASS, pointer, what, "the types of a value beside its composition");
        }
        _ => {
            let branches: Vec<Value> = types.iter().map(|name| branch(schema, name, &types)).collect();
            for key in KEYWORDS.iter().flat_map(|(_, keys)| *keys).chain(&["enum", "format"]) {
                schema.take_member(key);
            }
            schema.insert("anyOf".to_owned(), Value::Array(branches));
            journal.same(PASS, pointer, format!("wrote the types {} as `anyOf`{suffix}", types.join(", ")));
        }
    }
}

/// The part of a schema that concerns one of its types.
fn branch(schema: &Schema, name: &str, types: &[String]) -> Value {
    let mut branch = Schema::new();
    branch.insert("type".to_owned(), Value::from(name));
    let numeric = matches!(name, "integer" | "number");
    for (owner, keys) in KEYWORDS {
        if owner == name || (owner == "number" && numeric) {
            branch.extend(keys.iter().filter_map(|key| Some(((*key).to_owned(), schema.member(key)?.clone()))));
        }
    }
    if let Some(Value::Array(values)) = schema.member("enum") {
        let own: Vec<&Value> = values.iter().filter(|value| is_of(value, name)).collect();
        if !own.is_empty() {
            branch.insert("enum".to_owned(), json!(own));
        }
    }
    if let Some(Value::String(format)) = schema.member("format") {
        let number = format.starts_with("int")
            || format.starts_with("uint")
            || matches!(format.as_str(), "float" | "double" | "decimal");
        let has_number = types.iter().any(|name| matches!(name.as_str(), "integer" | "number"));
        if (number && has_number && numeric) || (!(number && has_number) && name == "string") {
            branch.insert("format".to_owned(), Value::from(format.as_str()));
        }
    }
    Value::Object(branch)
}

fn is_of(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) => name == "boolean",
        Value::Number(_) => matches!(name, "integer" | "number"),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// `type: null`. Beside a composition, Swashbuckle means "or null" by it.
fn null(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    schema.take_member("type");
    schema.insert("nullable".to_owned(), Value::Bool(true));
    if SHAPES.iter().any(|key| schema.member(key).is_some()) {
        journal.same(PASS, pointer, "wrote `type: null` beside another shape as `nullable`");
    } else {
        schema.insert("enum".to_owned(), json!([null]));
        if !is_branch(pointer) {
            journal.same(PASS, pointer, "wrote `type: null` as an `enum` of null");
        }
    }
}

/// A branch of a union: the pass that takes the null out of it says so.
fn is_branch(pointer: &str) -> bool {
    let mut tokens = pointer.rsplit('/');
    let index = tokens.next().is_some_and(|token| token.bytes().all(|byte| byte.is_ascii_digit()));
    index && matches!(tokens.next(), Some("anyOf" | "oneOf"))
}
