//! Bodies of requests and of responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::parameter::{collection, style};
use super::{Body, Content, Dialect, Encoding, Header, Location, Response, SchemaRef, Status, escape, resolve};

const JSON: &str = "application/json";
const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The request body of OpenAPI 3.
pub(super) fn requests(document: &Value, pointer: &str) -> Option<Body> {
    let (pointer, body) = resolve(document, pointer)?;
    let required = body.get("required").and_then(Value::as_bool) == Some(true);
    Some(Body { required, content: content(document, &pointer) })
}

/// The media types below the member `content` at a pointer.
fn content(document: &Value, pointer: &str) -> Vec<Content> {
    let declared = document.pointer(pointer).and_then(|owner| owner.get("content")?.as_object());
    let read = |media_type: &String| {
        let (pointer, value) = resolve(document, &format!("{pointer}/content/{}", escape(media_type)))?;
        let encodings = value.get("encoding").and_then(Value::as_object).into_iter().flatten();
        let examples =
            value.get("examples").and_then(Value::as_object).into_iter().flat_map(|examples| examples.keys());
        let examples = examples.filter_map(|name| {
            let (_, example) = resolve(document, &format!("{pointer}/examples/{}", escape(name)))?;
            example.get("value").or_else(|| example.get("dataValue")).cloned()
        });
        let schema = resolve(document, &format!("{pointer}/schema")).map(|(_, schema)| schema);
        let examples = value.get("example").cloned().into_iter().chain(examples);
        let items = || {
            let reference = value.get("itemSchema").map(|_| format!("#{pointer}/itemSchema").replace('%', "%25"))?;
            Some(SchemaRef::Inline(Arc::new(json!({ "type": "array", "items": { "$ref": reference } }))))
        };
        Some(Content {
            media_type: media_type.clone(),
            schema: value.get("schema").map(|_| SchemaRef::pointer(format!("{pointer}/schema"))).or_else(items),
            is_sequence: value.get("schema").is_none() && value.get("itemSchema").is_some(),
            encoding: encodings.map(|(field, value)| (field.clone(), encoding(value))).collect(),
            examples: examples.map(|example| written(media_type, schema, example)).collect(),
        })
    };
    declared.into_iter().flat_map(|content| content.keys()).filter_map(read).collect()
}

/// The example that is meant: contracts also write that of an object as a text with its JSON.
fn written(media_type: &str, schema: Option<&Value>, example: Value) -> Value {
    let is_json = media_type.contains("json");
    let is_text =
        schema.and_then(|schema| schema.get("type")).is_some_and(|kind| kind.to_string().contains("\"string\""));
    let inner = example.as_str().filter(|_| is_json && !is_text).and_then(|text| serde_json::from_str(text).ok());
    inner.filter(|inner: &Value| inner.is_object() || inner.is_array()).unwrap_or(example)
}

fn encoding(value: &Value) -> Encoding {
    Encoding {
        media_type: value.get("contentType").and_then(Value::as_str).map(str::to_owned),
        style: value.get("style").and_then(Value::as_str).and_then(style),
        explode: value.get("explode").and_then(Value::as_bool),
    }
}

/// The body of Swagger 2.0: a parameter in `body`, or the object of the form fields.
pub(super) fn form(document: &Value, fields: &[String], body: Option<&str>, consumes: Vec<String>) -> Option<Body> {
    if let Some(pointer) = body {
        let parameter = document.pointer(pointer)?;
        let schema = parameter.get("schema").map(|_| SchemaRef::pointer(format!("{pointer}/schema")));
        let media_types = if consumes.is_empty() { vec![JSON.to_owned()] } else { consumes };
        let content = |media_type| Content {
            media_type,
            schema: schema.clone(),
            is_sequence: false,
            encoding: BTreeMap::new(),
            examples: Vec::new(),
        };
        return Some(Body {
            required: parameter.get("required").and_then(Value::as_bool) == Some(true),
            content: media_types.into_iter().map(content).collect(),
        });
    }
    if fields.is_empty() {
        return None;
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let (mut encodings, mut has_file) = (BTreeMap::new(), false);
    for field in fields.iter().filter_map(|field| document.pointer(field)?.as_object()) {
        let Some(name) = field.get("name").and_then(Value::as_str) else { continue };
        let mut schema = field.clone();
        let is_required = schema.remove("required") == Some(Value::Bool(true));
        schema.retain(|key, _| !["name", "in", "collectionFormat"].contains(&key.as_str()));
        if schema.get("type").and_then(Value::as_str) == Some("file") {
            has_file = true;
            schema.insert("type".to_owned(), json!("string"));
            schema.insert("format".to_owned(), json!("binary"));
        }
        let (style, explode) = collection(Location::Query, field.get("collectionFormat").and_then(Value::as_str));
        let encoding = Encoding { style: Some(style), explode: Some(explode), ..Encoding::default() };
        encodings.insert(name.to_owned(), encoding);
        if is_required {
            required.push(Value::String(name.to_owned()));
        }
        properties.insert(name.to_owned(), Value::Object(schema));
    }
    let mut schema =
        Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), Value::Object(properties))]);
    let is_needed = !required.is_empty();
    if is_needed {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    let schema = SchemaRef::Inline(Arc::new(Value::Object(schema)));
    let forms = |media_type: &String| media_type.starts_with(URLENCODED) || media_type.starts_with("multipart/");
    let mut media_types: Vec<String> = consumes.into_iter().filter(forms).collect();
    if media_types.is_empty() {
        media_types.push(if has_file { MULTIPART } else { URLENCODED }.to_owned());
    }
    let content = |media_type| Content {
        media_type,
        schema: Some(schema.clone()),
        is_sequence: false,
        encoding: encodings.clone(),
        examples: Vec::new(),
    };
    let content = media_types.into_iter().map(content).collect();
    Some(Body { required: is_needed, content })
}

/// The responses of an operation, in the order of the contract.
pub(super) fn responses(document: &Value, dialect: Dialect, operation: &str, produces: &[String]) -> Vec<Response> {
    let declared = document.pointer(operation).and_then(|operation| operation.get("responses")?.as_object());
    let read = |code: &String| {
        let status = status(code)?;
        let (pointer, value) = resolve(document, &format!("{operation}/responses/{}", escape(code)))?;
        let content = match dialect {
            Dialect::Swagger20 => produced(value, &pointer, produces),
            _ => content(document, &pointer),
        };
        Some(Response { status, content, headers: headers(document, dialect, &pointer) })
    };
    declared.into_iter().flat_map(|responses| responses.keys()).filter_map(read).collect()
}

fn status(code: &str) -> Option<Status> {
    if code == "default" {
        return Some(Status::Default);
    }
    let bytes = code.as_bytes();
    match bytes {
        [digit @ b'1'..=b'5', b'x' | b'X', b'x' | b'X'] => Some(Status::Range(digit - b'0')),
        [_, _, _] => code.parse().ok().filter(|code| (100..=599).contains(code)).map(Status::Exact),
        _ => None,
    }
}

/// The bodies of a response of Swagger 2.0, which has one schema for all media types.
fn produced(value: &Value, pointer: &str, produces: &[String]) -> Vec<Content> {
    let examples = value.get("examples").and_then(Value::as_object);
    let example = |media_type: &str| examples.and_then(|examples| examples.get(media_type)).cloned();
    let Some(schema) = value.get("schema") else { return Vec::new() };
    let is_file = schema.get("type").and_then(Value::as_str) == Some("file");
    let binary = || SchemaRef::Inline(Arc::new(json!({ "type": "string", "format": "binary" })));
    let schema = if is_file { binary() } else { SchemaRef::pointer(format!("{pointer}/schema")) };
    let default = if is_file { "application/octet-stream" } else { JSON };
    let media_types = if produces.is_empty() { vec![default.to_owned()] } else { produces.to_vec() };
    let content = |media_type: String| Content {
        examples: example(&media_type).into_iter().collect(),
        schema: Some(schema.clone()),
        is_sequence: false,
        encoding: BTreeMap::new(),
        media_type,
    };
    media_types.into_iter().map(content).collect()
}

fn headers(document: &Value, dialect: Dialect, response: &str) -> Vec<Header> {
    let declared = document.pointer(response).and_then(|response| response.get("headers")?.as_object());
    let read = |name: &String| {
        if name.eq_ignore_ascii_case("content-type") {
            return None;
        }
        let (pointer, value) = resolve(document, &format!("{response}/headers/{}", escape(name)))?;
        let schema = match (dialect, value.get("schema")) {
            (Dialect::Swagger20, _) => SchemaRef::pointer(&pointer),
            (_, Some(_)) => SchemaRef::pointer(format!("{pointer}/schema")),
            (_, None) => SchemaRef::Inline(Arc::new(json!({}))),
        };
        Some(Header { name: name.clone(), schema })
    };
    declared.into_iter().flat_map(|headers| headers.keys()).filter_map(read).collect()
}
