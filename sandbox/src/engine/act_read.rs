//! GET of an assumed operation.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::act::{address, beside, element_schema, known, missing, parent, place, send};
use super::{Call, act_files, act_log, list, shape};
use crate::contract;
use crate::contract::operation::{Operation, Place};
use crate::contract::schema::Schema;
use crate::live::EVENT_STREAM;
use crate::reply;

pub(super) fn get(operation: &'static Operation, call: &Call<'_>) -> Response {
    let Some(schema) = operation.json_schema("200") else {
        return raw(operation, call);
    };
    if let Some(element) = element_schema(schema) {
        return collection(operation, call, schema, element);
    }
    if let Some(cookie) = operation.parameters.iter().find(|found| found.place == Place::Cookie) {
        let key = call.input.text(&cookie.name).unwrap_or_default();
        return match call.shelf.find("/sessions", key) {
            Some(item) => send(operation, call, "200", item),
            None => missing(),
        };
    }
    match place(&operation.path, &call.input.path) {
        Some((collection, key)) => match call.shelf.get(&collection, &key) {
            Some(item) => send(operation, call, "200", item),
            None => missing(),
        },
        None => single(operation, call),
    }
}

fn collection(operation: &Operation, call: &Call<'_>, schema: &Schema, element: &Schema) -> Response {
    let address = address(&operation.path, &call.input.path);
    // A command that its agent has begun waits no more.
    let listed = call.shelf.list(&address).filter(|item| item.get("progress").is_none());
    let items = list::filtered(listed, &call.input.parameters);
    let items: Vec<Value> = items.into_iter().map(|item| shape::value(element, item)).collect();
    if contract::resolve(schema).is_array() {
        return reply::json(StatusCode::OK, &call.input.headers, &items.into());
    }
    send(operation, call, "200", &list::page(items, &call.input.parameters))
}

/// What exists once below an item: what was put there, else nothing where the contract has a 204, else what the item says.
fn single(operation: &Operation, call: &Call<'_>) -> Response {
    if let Some(item) = call.shelf.single(&single_address(operation, call)) {
        return send(operation, call, "200", item);
    }
    if operation.successes().any(|status| status == "204") {
        return StatusCode::NO_CONTENT.into_response();
    }
    send(operation, call, "200", parent(&operation.path, call).unwrap_or(&known(call)))
}

/// Where something lies that exists once below an item. A vote is its voter's own.
pub(super) fn single_address(operation: &Operation, call: &Call<'_>) -> String {
    let address = address(&operation.path, &call.input.path);
    match address.ends_with("/vote") {
        true => format!("{address}/{}", call.shelf.caller.sub),
        false => address,
    }
}

/// A body that is no JSON.
fn raw(operation: &Operation, call: &Call<'_>) -> Response {
    match operation.content("200").first() {
        Some((media, content)) if content.schema.is_binary() => bytes(operation, call, media),
        Some((media, _)) if *media == EVENT_STREAM => act_log::events(operation, call),
        Some((_, _)) => act_log::text(operation, call),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

fn bytes(operation: &Operation, call: &Call<'_>, media: &'static str) -> Response {
    match call.shelf.blob(&act_files::blob_address(operation, call)) {
        Some(blob) => ([(CONTENT_TYPE, blob.media_type.clone())], blob.bytes.clone()).into_response(),
        // Bytes that somebody uploads are missing until then; those that nobody can are made up.
        None if beside(operation, &http::Method::PUT, &operation.path).is_some() => missing(),
        None => {
            let item = parent(&operation.path, call).cloned().unwrap_or_default();
            ([(CONTENT_TYPE, media)], Value::Object(item).to_string()).into_response()
        }
    }
}
