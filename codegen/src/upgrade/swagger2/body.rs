//! Body and form parameters become request bodies.

use serde_json::{Value, json};

use super::parameter::{self, ListStyle};
use super::{Journal, Object};
use crate::load::PART_ORDER;
use crate::pointer;

const PASS: &str = "upgrade/body";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// A request body out of a body parameter.
pub(in crate::upgrade) fn json(
    body: &Object,
    from: &str,
    to: &str,
    consumes: &[String],
    journal: &mut Journal<'_>,
) -> Value {
    journal.origins.record(from, to);
    let default = [JSON.to_owned()];
    let media_types = if consumes.is_empty() { &default[..] } else { consumes };
    let schema = body.get("schema").cloned().unwrap_or_else(|| {
        // Some contracts describe the body as they would a query parameter.
        let mut inline = body.clone();
        inline.remove("$ref");
        Value::Object(parameter::schema(&mut inline))
    });
    let mut content = Object::new();
    for name in media_types {
        let place = pointer::join(&pointer::join(to, "content"), name);
        let source = if body.contains_key("schema") { pointer::join(from, "schema") } else { from.to_owned() };
        journal.origins.record(&source, &pointer::join(&place, "schema"));
        content.insert(name.clone(), json!({ "schema": schema }));
    }
    let mut request = Object::new();
    for (key, value) in body {
        if key.starts_with("x-") || matches!(key.as_str(), "description" | "required") {
            request.insert(key.clone(), value.clone());
        }
    }
    request.insert("content".to_owned(), Value::Object(content));
    Value::Object(request)
}

/// A field of a form: the parameter, and where it stands.
pub(in crate::upgrade) struct FormField {
    pub(in crate::upgrade) parameter: Object,
    pub(in crate::upgrade) pointer: String,
}

/// A request body out of form parameters.
pub(in crate::upgrade) fn form(
    fields: Vec<FormField>,
    to: &str,
    consumes: &[String],
    journal: &mut Journal<'_>,
) -> Value {
    let names = media_types(&fields, consumes);
    if let Some(first) = fields.first() {
        journal.origins.record(&first.pointer, to);
    }
    let mut properties = Object::new();
    let mut required = Vec::new();
    let mut encoding = Object::new();
    for field in fields {
        let FormField { mut parameter, pointer } = field;
        let Some(Value::String(name)) = parameter.remove("name") else {
            journal.degraded(PASS, &pointer, "dropped a form field", "it has no name");
            continue;
        };
        for media_type in &names {
            let place = [to, "/content"].concat();
            let place = pointer::join(&pointer::join(&place, media_type), "schema");
            journal.origins.record(&pointer, &pointer::join(&[&place, "/properties"].concat(), &name));
        }
        if parameter.remove("required") == Some(Value::Bool(true)) {
            required.push(Value::from(name.as_str()));
        }
        let format = parameter.remove("collectionFormat");
        let mut schema = parameter::schema(&mut parameter);
        parameter.remove("in");
        parameter.remove("allowEmptyValue");
        schema.append(&mut parameter);
        if schema.get("type").and_then(Value::as_str) == Some("array") {
            let mut separated = Object::new();
            let format = format.as_ref().and_then(Value::as_str);
            parameter::style(&mut separated, format, ListStyle::Form, &pointer, journal);
            encoding.insert(name.clone(), Value::Object(separated));
        }
        properties.insert(name, Value::Object(schema));
    }
    let mut request = Object::new();
    if !required.is_empty() {
        request.insert("required".to_owned(), Value::Bool(true));
    }
    let mut schema = Object::new();
    schema.insert("type".to_owned(), Value::from("object"));
    if !properties.keys().is_sorted() {
        schema.insert(PART_ORDER.to_owned(), properties.keys().map(|name| Value::from(name.as_str())).collect());
    }
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    let mut media_type = Object::new();
    media_type.insert("schema".to_owned(), Value::Object(schema));
    if !encoding.is_empty() {
        media_type.insert("encoding".to_owned(), Value::Object(encoding));
    }
    let content: Object = names.into_iter().map(|name| (name, Value::Object(media_type.clone()))).collect();
    request.insert("content".to_owned(), Value::Object(content));
    Value::Object(request)
}

/// A file travels in a multipart body only; without one, the form that is declared, else the plain one.
fn media_types(fields: &[FormField], consumes: &[String]) -> Vec<String> {
    let is_file = |field: &FormField| field.parameter.get("type").and_then(Value::as_str) == Some("file");
    if fields.iter().any(is_file) {
        return vec![MULTIPART.to_owned()];
    }
    let is_form = |name: &String| {
        let name = name.split(';').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case(FORM) || name.eq_ignore_ascii_case(MULTIPART)
    };
    let declared: Vec<String> = consumes.iter().filter(|name| is_form(name)).cloned().collect();
    if declared.is_empty() { vec![FORM.to_owned()] } else { declared }
}
