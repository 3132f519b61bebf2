//! POST, PUT, PATCH and DELETE of an assumed operation.

use axum::response::Response;
use http::Method;
use http::header::{HeaderValue, LOCATION};
use serde_json::Value;
use uuid::Uuid;

use super::act::{address, ancestors, item_operations, item_schema, known, missing, parent, place, send};
use super::act_read::single_address;
use super::input::Payload;
use super::store::{Blob, Item};
use super::{Call, act_files, act_work, shape};
use crate::contract::operation::Operation;

pub(super) fn post(operation: &'static Operation, mut call: Call<'_>) -> Response {
    let creates = operation.successes().any(|status| status == "201");
    if let Payload::Form(_, files) = &mut call.input.payload
        && creates
    {
        let files = std::mem::take(files);
        return act_files::upload(operation, call, files);
    }
    if creates || item_operations(operation, &operation.path).next().is_some() {
        return create(operation, call);
    }
    act(operation, call)
}

pub(super) fn put(operation: &'static Operation, mut call: Call<'_>) -> Response {
    if let Payload::Bytes(media_type, bytes) = &mut call.input.payload {
        let blob = Blob { media_type: std::mem::take(media_type), bytes: std::mem::take(bytes) };
        return act_files::put(operation, call, blob);
    }
    let Some((collection, key)) = place(&operation.path, &call.input.path) else {
        return put_single(operation, call);
    };
    let found = call.shelf.get(&collection, &key).cloned();
    let status = match &found {
        Some(_) => "200",
        None if operation.successes().any(|status| status == "201") => "201",
        None => return missing(),
    };
    let mut fields = found.unwrap_or_else(|| known(&call));
    fields.extend(body(&mut call));
    let fields = stored(operation, fields);
    call.shelf.put(&collection, &key, fields.clone());
    send(operation, &call, status, &fields)
}

pub(super) fn patch(operation: &'static Operation, mut call: Call<'_>) -> Response {
    let changes = body(&mut call);
    let Some((collection, key)) = place(&operation.path, &call.input.path) else { return missing() };
    let Some(item) = call.shelf.get_mut(&collection, &key) else { return missing() };
    item.extend(changes);
    let item = item.clone();
    send(operation, &call, "200", &item)
}

pub(super) fn delete(operation: &'static Operation, mut call: Call<'_>) -> Response {
    let existed = if call.input.text("path").is_some() {
        act_files::remove(operation, &mut call)
    } else if let Some((collection, key)) = place(&operation.path, &call.input.path) {
        call.shelf.remove(&collection, &key)
    } else {
        let address = single_address(operation, &call);
        call.shelf.remove_single(&address);
        act_work::unset_timer(operation, &mut call);
        true
    };
    if existed { send(operation, &call, "204", &Item::new()) } else { missing() }
}

fn create(operation: &'static Operation, mut call: Call<'_>) -> Response {
    let collection = address(&operation.path, &call.input.path);
    if let Some(earlier) = act_work::repeated(operation, &call, &collection) {
        return earlier;
    }
    let key = Uuid::new_v4().to_string();
    let mut fields = known(&call);
    fields.extend(body(&mut call));
    fields.insert("id".to_owned(), key.clone().into());
    let item = match item_schema(operation, &operation.path) {
        Some(schema) => shape::item(schema, &fields),
        None => fields.clone(),
    };
    fields.extend(item.clone());
    call.shelf.put(&collection, &key, item);
    let status = operation.successes().next().unwrap_or("201");
    if status == "202" {
        let auto_approve = fields.get("autoApprove") == Some(&Value::Bool(true));
        return act_work::begin(operation, call, format!("{collection}/{key}"), auto_approve);
    }
    let mut response = send(operation, &call, status, &fields);
    let location = HeaderValue::try_from(format!("{collection}/{key}"));
    let has_address = item_operations(operation, &operation.path).any(|found| found.method == Method::GET);
    if let Ok(location) = location
        && status == "201"
        && has_address
    {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// An action: it may change the item that it targets, and answers with that item or with a workflow.
fn act(operation: &'static Operation, mut call: Call<'_>) -> Response {
    let target = ancestors(&operation.path).next_back().map(|prefix| address(prefix, &call.input.path));
    let chosen = operation.choices.iter().find(|(parameter, _)| call.input.is_set(parameter));
    let status = chosen.map(|(_, status)| *status).or_else(|| operation.successes().next()).unwrap_or("204");
    if operation.path.ends_with("/cancel") {
        return act_work::cancel(operation, call, status);
    }
    if status == "202" {
        return act_work::begin(operation, call, target.unwrap_or_default(), false);
    }
    if let Some(target) = target
        && let Some((collection, key)) = target.rsplit_once('/')
        && let Some(item) = call.shelf.get_mut(collection, key)
    {
        item.extend(operation.effects.iter().map(|(field, value)| ((*field).to_owned(), value.clone())));
    }
    let mut fields = parent(&operation.path, &call).cloned().unwrap_or_default();
    fields.extend(body(&mut call));
    send(operation, &call, status, &fields)
}

fn put_single(operation: &'static Operation, mut call: Call<'_>) -> Response {
    let mut fields = known(&call);
    fields.extend(body(&mut call));
    act_work::set_timer(operation, &mut call, &mut fields);
    let fields = match operation.json_schema("200") {
        Some(schema) => shape::item(schema, &fields),
        None => fields,
    };
    let address = single_address(operation, &call);
    call.shelf.put_single(&address, fields.clone());
    let status = operation.successes().next().unwrap_or("200");
    send(operation, &call, status, &fields)
}

/// The fields of the body.
pub(super) fn body(call: &mut Call<'_>) -> Item {
    match std::mem::replace(&mut call.input.payload, Payload::None) {
        Payload::Json(Value::Object(fields)) | Payload::Form(fields, _) => fields,
        _ => Item::new(),
    }
}

/// The fields of an item as its schema has them.
fn stored(operation: &Operation, fields: Item) -> Item {
    let template = operation.path.as_str();
    let collection = template.rsplit_once('/').map_or(template, |(collection, _)| collection);
    match item_schema(operation, collection) {
        Some(schema) => shape::item(schema, &fields),
        None => fields,
    }
}
