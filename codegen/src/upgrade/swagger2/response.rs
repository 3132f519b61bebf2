//! Responses: schema, examples and headers move to where OpenAPI 3.0 has them.

use serde_json::{Value, json};

use super::{Journal, Object, parameter};
use crate::pointer;

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

/// Converts a response in place.
pub(in crate::upgrade) fn convert(
    response: &mut Value,
    from: &str,
    to: &str,
    produces: &[String],
    journal: &mut Journal<'_>,
) {
    let Value::Object(response) = response else { return };
    if response.contains_key("$ref") {
        return;
    }
    headers(response, from, to, journal);
    let schema = response.remove("schema");
    let examples = match response.remove("examples") {
        Some(Value::Object(examples)) => examples,
        _ => Object::new(),
    };
    if schema.is_none() && examples.is_empty() {
        return;
    }
    let mut content = match response.remove("content") {
        Some(Value::Object(content)) => content,
        _ => Object::new(),
    };
    let place = pointer::join(to, "content");
    if let Some(schema) = schema {
        let is_file = schema.get("type").and_then(Value::as_str) == Some("file");
        let default = [if is_file { BYTES.to_owned() } else { JSON.to_owned() }];
        for name in if produces.is_empty() { &default[..] } else { produces } {
            journal
                .origins
                .record(&pointer::join(from, "schema"), &pointer::join(&pointer::join(&place, name), "schema"));
            content.insert(name.clone(), json!({ "schema": schema }));
        }
    }
    for (name, example) in examples.into_iter().filter(|(name, _)| name.contains('/')) {
        let source = pointer::join(&pointer::join(from, "examples"), &name);
        journal.origins.record(&source, &pointer::join(&pointer::join(&place, &name), "example"));
        if let Value::Object(media_type) = content.entry(name).or_insert_with(|| json!({})) {
            media_type.insert("example".to_owned(), example);
        }
    }
    if !content.is_empty() {
        response.insert("content".to_owned(), Value::Object(content));
    }
}

fn headers(response: &mut Object, from: &str, to: &str, journal: &mut Journal<'_>) {
    let Some(Value::Object(headers)) = response.get_mut("headers") else { return };
    let (from, to) = (pointer::join(from, "headers"), pointer::join(to, "headers"));
    for (name, value) in headers {
        if let Value::Object(map) = value {
            header(map, &pointer::join(&from, name), &pointer::join(&to, name), journal);
        }
    }
}

/// Moves the type of a header into a schema.
pub(in crate::upgrade) fn header(header: &mut Object, from: &str, to: &str, journal: &mut Journal<'_>) {
    if header.contains_key("$ref") {
        return;
    }
    if !header.contains_key("schema") {
        journal.origins.record(from, &pointer::join(to, "schema"));
    }
    header.remove("collectionFormat");
    let schema = parameter::schema(header);
    header.insert("schema".to_owned(), Value::Object(schema));
}
