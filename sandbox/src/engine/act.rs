//! Answers an assumed operation by its method and the form of its path: a collection, an item of one, something that exists
//! once below an item, or an action on an item.

use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use super::store::Item;
use super::{Call, access, act_read, act_write, shape};
use crate::contract;
use crate::contract::operation::Operation;
use crate::contract::schema::Schema;
use crate::{problem, reply};

/// What would be mistaken for the structure of an address.
const RESERVED: &AsciiSet = &CONTROLS.add(b'/').add(b'%').add(b'?').add(b'{').add(b'}');

pub(crate) fn answer(operation: &'static Operation, call: Call<'_>) -> Response {
    let address = address(&operation.path, &call.input.path);
    if ancestors(&operation.path).any(|prefix| is_missing(operation, prefix, &address, &call)) {
        return missing();
    }
    match call.shelf.role(&address) {
        Some(role) if role >= access::needed(operation) => {}
        // ASP.NET's answer to a caller whose role is not enough. The document shows none (§5).
        Some(_) => return StatusCode::FORBIDDEN.into_response(),
        None => return missing(),
    }
    match operation.method {
        Method::GET => act_read::get(operation, &call),
        Method::POST => act_write::post(operation, call),
        Method::PUT => act_write::put(operation, call),
        Method::PATCH => act_write::patch(operation, call),
        Method::DELETE => act_write::delete(operation, call),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

pub(super) fn missing() -> Response {
    problem::response(StatusCode::NOT_FOUND, "The resource does not exist or is not visible to the caller.")
}

/// A template with its parameters filled in.
pub(super) fn address(template: &str, path: &Map<String, Value>) -> String {
    let segment = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => utf8_percent_encode(&text(path.get(name)), RESERVED).to_string(),
        None => part.to_owned(),
    };
    template.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// The collection and key of a template that ends in a parameter.
pub(super) fn place(template: &str, path: &Map<String, Value>) -> Option<(String, String)> {
    if !template.ends_with('}') {
        return None;
    }
    let address = address(template, path);
    let (collection, key) = address.rsplit_once('/')?;
    Some((collection.to_owned(), key.to_owned()))
}

/// The templates of the items that a template lies below, outermost first.
pub(super) fn ancestors(template: &str) -> impl DoubleEndedIterator<Item = &str> {
    let ends: Vec<usize> = template.match_indices("}/").map(|(index, _)| index + 1).collect();
    ends.into_iter().filter_map(move |end| template.get(..end))
}

/// The stored fields of the nearest item that a template lies below.
pub(super) fn parent<'a>(template: &str, call: &'a Call<'_>) -> Option<&'a Item> {
    let (collection, key) = place(ancestors(template).next_back()?, &call.input.path)?;
    call.shelf.get(&collection, &key)
}

/// The path parameters as fields that bodies may have: `project_id` is known as `projectId` as well.
pub(super) fn known(call: &Call<'_>) -> Item {
    let mut known = Item::new();
    for (name, value) in &call.input.path {
        known.insert(camel(name), value.clone());
    }
    known
}

/// The operation with this method and template, in the same contract.
pub(super) fn beside(operation: &Operation, method: &Method, template: &str) -> Option<&'static Operation> {
    operation.contract().operations.iter().find(|found| found.method == *method && found.path == template)
}

/// The schema of the items of a collection: of the operation that gets one, else of the one that lists them.
pub(super) fn item_schema(operation: &Operation, collection: &str) -> Option<&'static Schema> {
    if let Some(one) = item_operations(operation, collection).find(|found| found.method == Method::GET) {
        return one.json_schema("200");
    }
    beside(operation, &Method::GET, collection)?.json_schema("200").and_then(element_schema)
}

/// The schema of the elements of an array, or of the `items` of a page.
pub(super) fn element_schema(schema: &'static Schema) -> Option<&'static Schema> {
    let schema = contract::resolve(schema);
    match &schema.items {
        Some(items) => Some(items),
        None => {
            let (_, items) = schema.properties.iter().find(|(name, _)| *name == "items")?;
            items.items.as_deref()
        }
    }
}

/// The operations on one item of a collection.
pub(super) fn item_operations(operation: &Operation, collection: &str) -> impl Iterator<Item = &'static Operation> {
    operation.contract().operations.iter().filter(move |found| {
        let rest = found.path.strip_prefix(collection).and_then(|rest| rest.strip_prefix("/{"));
        rest.is_some_and(|rest| rest.ends_with('}') && !rest.contains('/'))
    })
}

/// A response with this status, and a body where the contract has one.
pub(super) fn send(operation: &Operation, call: &Call<'_>, status: &str, known: &Item) -> Response {
    let code = status.parse().unwrap_or(StatusCode::OK);
    match operation.json_schema(status) {
        Some(schema) => reply::json(code, &call.input.headers, &shape::value(schema, known)),
        None => code.into_response(),
    }
}

fn is_missing(operation: &Operation, prefix: &str, address: &str, call: &Call<'_>) -> bool {
    let Some((collection_template, _)) = prefix.rsplit_once('/') else { return false };
    if item_schema(operation, collection_template).is_none() {
        return false;
    }
    place(prefix, &call.input.path).is_some_and(|(collection, key)| !call.shelf.leads_to(&collection, &key, address))
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| {
        let mut letters = word.chars();
        let head = letters.next().map(|letter| letter.to_ascii_uppercase());
        camel.chars().chain(head).chain(letters).collect()
    })
}
