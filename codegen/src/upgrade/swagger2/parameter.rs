//! Parameters outside the body, and headers: their type moves into a schema.

use serde_json::Value;

use super::{Journal, Object, place};
use crate::pointer;

const PASS: &str = "upgrade/parameter";

/// Members that describe the value, and belong to its schema in OpenAPI 3.0.
const SCHEMA: [&str; 21] = [
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "additionalProperties",
    "allOf",
    "title",
    "type",
    "uniqueItems",
    "discriminator",
];

/// Takes the schema out of a parameter, a header or a form field.
pub(super) fn schema(parameter: &mut Object) -> Object {
    let mut schema = match parameter.remove("schema") {
        Some(Value::Object(schema)) => schema,
        _ => Object::new(),
    };
    let keys: Vec<String> = parameter.keys().filter(|key| belongs(key)).cloned().collect();
    for key in keys {
        if let Some(value) = parameter.remove(&key) {
            schema.entry(key).or_insert(value);
        }
    }
    schema
}

fn belongs(key: &str) -> bool {
    SCHEMA.contains(&key)
        || key.starts_with("x-enum")
        || matches!(key, "x-ms-enum" | "x-nullable" | "x-isnullable" | "x-format" | "x-pattern")
}

/// Converts a parameter of the path, the query or a header.
pub(in crate::upgrade) fn convert(mut parameter: Object, from: &str, to: &str, journal: &mut Journal<'_>) -> Value {
    journal.origins.record(from, to);
    if parameter.contains_key("$ref") {
        return Value::Object(parameter);
    }
    let format = parameter.remove("collectionFormat");
    if !parameter.contains_key("schema") {
        // The members of the schema stood in the parameter itself.
        journal.origins.record(from, &pointer::join(to, "schema"));
    }
    let schema = schema(&mut parameter);
    let is_array = schema.get("type").and_then(Value::as_str) == Some("array");
    if is_array {
        let place = if place(&parameter) == "query" { ListStyle::Form } else { ListStyle::Simple };
        style(&mut parameter, format.as_ref().and_then(Value::as_str), place, from, journal);
        nested(&schema, from, journal);
    }
    if let Some(example) = parameter.remove("x-example") {
        parameter.entry("example").or_insert(example);
    }
    parameter.insert("schema".to_owned(), Value::Object(schema));
    Value::Object(parameter)
}

/// The location of an array, which decides about its possible styles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListStyle {
    /// The query, or a form.
    Form,
    /// The path, or a header.
    Simple,
}

/// Writes `collectionFormat` as style and explode. A separator that OpenAPI 3.0 cannot express is kept in an extension.
pub(super) fn style(
    target: &mut Object,
    format: Option<&str>,
    place: ListStyle,
    pointer: &str,
    journal: &mut Journal<'_>,
) {
    let format = format.unwrap_or("csv");
    let (style, explode) = match (format, place) {
        ("multi", ListStyle::Form) => ("form", true),
        ("csv", ListStyle::Form) => ("form", false),
        ("ssv", ListStyle::Form) => ("spaceDelimited", false),
        ("pipes", ListStyle::Form) => ("pipeDelimited", false),
        ("csv", ListStyle::Simple) => ("simple", false),
        // The model reads the extension.
        ("ssv" | "pipes" | "tsv", _) => {
            target.insert("x-collection-format".to_owned(), Value::from(format));
            (if place == ListStyle::Form { "form" } else { "simple" }, false)
        }
        (other, _) => {
            target.insert("x-collection-format".to_owned(), Value::from(other));
            let why = format!("OpenAPI 3.0 has no `collectionFormat: {other}` here");
            journal.degraded(PASS, pointer, "read the array as separated by commas", why);
            (if place == ListStyle::Form { "form" } else { "simple" }, false)
        }
    };
    target.insert("style".to_owned(), Value::from(style));
    target.insert("explode".to_owned(), Value::Bool(explode));
}

/// Arrays in arrays can have separators of their own in Swagger 2.0.
fn nested(schema: &Object, pointer: &str, journal: &mut Journal<'_>) {
    let inner = schema.get("items").and_then(|items| items.get("collectionFormat")).and_then(Value::as_str);
    if let Some(format) = inner.filter(|format| *format != "csv") {
        let why = format!("OpenAPI 3.0 has no `collectionFormat: {format}` for an inner array");
        journal.degraded(PASS, pointer, "read the inner array as separated by commas", why);
    }
}
