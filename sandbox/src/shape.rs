//! Builds bodies that match a schema of the contract, from the known fields.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::clock;
use crate::contract::schema::Schema;

/// A value of this schema. Known fields are used if they match; unknown nullable ones are null; all others get the plainest value
/// that their schema allows.
pub(crate) fn value(schema: &Schema, known: &Map<String, Value>) -> Value {
    let alternatives = schema.parts("oneOf");
    if let Some(first) = alternatives.first() {
        let fitting = alternatives.iter().find(|one| one.fits(&declared(one, known)));
        return value(fitting.unwrap_or(first), known);
    }
    let properties = properties(schema);
    if properties.is_empty() {
        return match schema.kind() {
            Some("object") | None => Value::Object(known.clone()),
            Some(_) => plainest(schema),
        };
    }
    let field = |(name, schema): (&'static str, Schema)| {
        let field = match known.get(name) {
            Some(value) if schema.fits(value) => value.clone(),
            _ if schema.is_nullable() => Value::Null,
            _ => plainest(&schema),
        };
        (name.to_owned(), field)
    };
    Value::Object(properties.into_iter().map(field).collect())
}

/// The fields of an object as a value of this schema, to be stored.
pub(crate) fn item(schema: &Schema, known: &Map<String, Value>) -> Map<String, Value> {
    match value(schema, known) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The known fields that a schema declares.
fn declared(schema: &Schema, known: &Map<String, Value>) -> Value {
    let known = |(name, _)| known.get(name).map(|value| (String::from(name), value.clone()));
    Value::Object(properties(schema).into_iter().filter_map(known).collect())
}

/// The properties of a schema and of its bases; its own take precedence.
fn properties(schema: &Schema) -> Vec<(&'static str, Schema)> {
    let mut merged: Vec<(&'static str, Schema)> = Vec::new();
    for base in schema.parts("allOf") {
        merged.extend(properties(&base));
    }
    for (name, property) in schema.properties() {
        merged.retain(|(key, _)| *key != name);
        merged.push((name, property));
    }
    merged
}

fn plainest(schema: &Schema) -> Value {
    if let Some(first) = schema.first_value() {
        return first.clone();
    }
    match (schema.kind(), schema.format()) {
        (Some("string"), Some("uuid")) => Uuid::nil().to_string().into(),
        (Some("string"), Some("date-time")) => clock::timestamp().into(),
        (Some("string"), _) => "sandbox".into(),
        (Some("integer" | "number"), _) => 0.into(),
        (Some("boolean"), _) => false.into(),
        (Some("array"), _) => json!([]),
        _ => value(schema, &Map::new()),
    }
}
