//! GET of an assumed operation.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value;

use super::act::{address, ancestors, beside, element_schema, known, missing, parent, place, send};
use super::{Call, act_files, list, shape};
use crate::clock;
use crate::contract;
use crate::contract::operation::{Operation, Place};
use crate::contract::schema::Schema;
use crate::reply;
use crate::workflow::{Event, Workflow};

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
        Some((media, _)) if *media == "text/event-stream" => events(media, log(operation, call)),
        Some((_, _)) => ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text(operation, call)).into_response(),
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

fn text(operation: &Operation, call: &Call<'_>) -> String {
    let lines = log(operation, call);
    let wanted = call.input.parameters.get("lines").and_then(Value::as_i64);
    let count = wanted.and_then(|count| usize::try_from(count).ok()).unwrap_or(lines.len());
    lines.iter().skip(lines.len().saturating_sub(count)).map(|line| format!("{line}\n")).collect()
}

/// Server-sent events, each in a chunk of its own.
fn events(media: &'static str, lines: Vec<String>) -> Response {
    let event = |(id, line): (usize, String)| Ok::<_, Infallible>(Bytes::from(format!("id: {id}\ndata: {line}\n\n")));
    let chunks = stream::iter(lines.into_iter().enumerate().map(event));
    ([(CONTENT_TYPE, media), (CACHE_CONTROL, "no-cache")], Body::from_stream(chunks)).into_response()
}

/// What has happened to the item that an operation lies below.
fn log(operation: &Operation, call: &Call<'_>) -> Vec<String> {
    let item = parent(&operation.path, call).cloned().unwrap_or_default();
    let field = |name: &str| item.get(name).map(Value::to_string).unwrap_or_default();
    let target = ancestors(&operation.path).next_back().map(|prefix| address(prefix, &call.input.path));
    let work = call.shelf.workflows().filter(|workflow| target.as_ref() == Some(&workflow.target));
    let line = |workflow: &Workflow, event: &Event| {
        format!("{} {} {} {:?}", clock::timestamp_of(event.at), workflow.kind.name(), event.kind, event.phase)
    };
    let mut happened: Vec<(i64, String)> =
        work.flat_map(|workflow| workflow.events.iter().map(move |event| (event.at, line(workflow, event)))).collect();
    happened.sort_by_key(|(at, _)| *at);
    let mut lines = vec!["log opened".to_owned(), format!("id {}", field("id"))];
    lines.extend(happened.into_iter().map(|(_, line)| line));
    lines.push(format!("state {}", field("state")));
    lines
}
