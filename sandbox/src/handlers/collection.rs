//! Collections and their items.

use axum::response::Response;
use http::StatusCode;
use http::header::{HeaderValue, LOCATION};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::call::{Call, missing, split};
use super::work;
use crate::shape;
use crate::state::Item;

/// The items that match the query parameters, all of them or a page.
pub(super) fn list(call: &Call<'_>) -> Response {
    let Some(schema) = call.operation.json_schema("200") else { return missing() };
    let Some(element) = schema.element() else { return missing() };
    let parameters = &call.input.parameters;
    let is_listed =
        |item: &&Item| call.operation.behaviour.omits.as_ref().is_none_or(|field| !item.contains_key(field));
    let fits = |item: &&Item| parameters.iter().all(|(name, wanted)| matches(item, name, wanted));
    let items = call.view.list(&call.address).filter(is_listed).filter(fits);
    let items: Vec<Value> = items.map(|item| shape::value(&element, item)).collect();
    if schema.is_array() {
        return call.json(StatusCode::OK, &items.into());
    }
    call.send("200", &page(items, parameters))
}

pub(super) fn get(call: &Call<'_>) -> Response {
    call.item().map_or_else(missing, |item| call.send("200", item))
}

pub(super) fn create(mut call: Call<'_>) -> Response {
    if let Some(earlier) = work::repeated(&call) {
        return earlier;
    }
    let id = Uuid::new_v4();
    let mut fields = call.known();
    fields.extend(call.body());
    fields.insert("id".to_owned(), id.to_string().into());
    let contract = call.api.contract;
    let item = match contract.item_schema(call.operation.path) {
        Some(schema) => shape::item(&schema, &fields),
        None => fields.clone(),
    };
    fields.extend(item.clone());
    call.view.put(&call.address, &id.to_string(), item);
    let target = format!("{}/{id}", call.address);
    let status = call.operation.successes().next().unwrap_or("201");
    if let Some(kind) = call.operation.behaviour.work(&fields) {
        return work::begin(call, id, kind, target);
    }
    let mut response = call.send(status, &fields);
    if contract.item_operation(call.operation.path).is_some()
        && let Ok(location) = HeaderValue::try_from(target)
    {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

pub(super) fn replace(mut call: Call<'_>) -> Response {
    let existing = call.item().cloned();
    let status = match &existing {
        Some(_) => "200",
        None if call.operation.successes().any(|status| status == "201") => "201",
        None => return missing(),
    };
    let mut fields = existing.unwrap_or_else(|| call.known());
    fields.extend(call.body());
    let fields = stored(&call, fields);
    call.put_item(fields.clone());
    call.send(status, &fields)
}

pub(super) fn change(mut call: Call<'_>) -> Response {
    let changes = call.body();
    let (collection, key) = split(&call.address);
    let changed = call.view.extend(collection, key, changes);
    changed.map_or_else(missing, |item| call.send("200", &item))
}

pub(super) fn remove(mut call: Call<'_>) -> Response {
    match call.remove_item() {
        true => call.send("204", &Item::new()),
        false => missing(),
    }
}

/// The session that a cookie names, of any machine.
pub(super) fn current_session(call: &Call<'_>) -> Response {
    let cookie = call.operation.parameter("cookie");
    let key = cookie.and_then(|cookie| call.input.text(cookie)).unwrap_or_default();
    call.view.find("/sessions", key).map_or_else(missing, |item| call.send("200", item))
}

/// A page of a collection: the items from `skip` on, `take` of them.
fn page(items: Vec<Value>, parameters: &Map<String, Value>) -> Item {
    let number = |name: &str| parameters.get(name).and_then(Value::as_i64).and_then(|n| usize::try_from(n).ok());
    let total = items.len();
    let skip = number("skip").unwrap_or(0);
    let take = number("take").unwrap_or(total);
    let items: Vec<Value> = items.into_iter().skip(skip).take(take).collect();
    match json!({ "items": items, "totalCount": total, "skip": skip, "take": take }) {
        Value::Object(page) => page,
        _ => Map::new(),
    }
}

/// Returns whether an item matches a parameter: a field of its name, or of its singular, has this value, or no such field exists.
fn matches(item: &Item, name: &str, wanted: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(name, wanted)| matches(item, name, wanted)),
        Value::Array(wanted) => {
            let field = item.get(name).or_else(|| item.get(name.strip_suffix('s')?));
            match field {
                Some(Value::Array(field)) => wanted.iter().any(|one| field.contains(one)),
                Some(field) => wanted.contains(field),
                None => true,
            }
        }
        _ => item.get(name).is_none_or(|field| field == wanted),
    }
}

/// The fields of an item that its schema declares.
fn stored(call: &Call<'_>, fields: Item) -> Item {
    let path = call.operation.path;
    let collection = path.rsplit_once('/').map_or(path, |(collection, _)| collection);
    match call.api.contract.item_schema(collection) {
        Some(schema) => shape::item(&schema, &fields),
        None => fields,
    }
}
