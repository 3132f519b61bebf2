//! Singletons below an item: a vote, a shutdown timer, a status.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::Value;
use uuid::Uuid;

use super::call::Call;
use crate::clock;
use crate::shape;
use crate::state::Item;
use crate::workflow::Kind;

/// The stored singleton. Without one: 204 if the contract has it, else fields of the item.
pub(super) fn get(call: &Call<'_>) -> Response {
    if let Some(item) = call.view.single(&address(call)) {
        return call.send("200", item);
    }
    if call.operation.successes().any(|status| status == "204") {
        return StatusCode::NO_CONTENT.into_response();
    }
    call.send("200", call.parent().unwrap_or(&call.known()))
}

pub(super) fn put(mut call: Call<'_>) -> Response {
    let mut fields = call.known();
    fields.extend(call.body());
    store(call, fields)
}

pub(super) fn remove(mut call: Call<'_>) -> Response {
    let address = address(&call);
    call.view.clear(&address);
    call.send("204", &Item::new())
}

/// A shutdown timer stops its machine: `shutdownAt` follows from the minutes, and the work of stopping waits until then.
pub(super) fn set_timer(mut call: Call<'_>) -> Response {
    forget_stop(&mut call);
    let mut fields = call.known();
    fields.extend(call.body());
    let minutes = fields.get("minutes").and_then(Value::as_i64).unwrap_or_default().max(0);
    let due = call.view.now.saturating_add(minutes.saturating_mul(60_000));
    fields.insert("shutdownAt".to_owned(), clock::timestamp_of(due).into());
    if let Some(machine) = call.parent_address().map(str::to_owned) {
        let id = Uuid::new_v4();
        let waiting = Item::from_iter([("id".to_owned(), Value::from(id.to_string()))]);
        call.view.put_single(&waiting_stop(&machine), waiting);
        call.view.begin_later(id, Kind::TimedStop, machine, due);
    }
    store(call, fields)
}

pub(super) fn clear_timer(mut call: Call<'_>) -> Response {
    forget_stop(&mut call);
    remove(call)
}

fn store(mut call: Call<'_>, fields: Item) -> Response {
    let fields = match call.operation.json_schema("200") {
        Some(schema) => shape::item(&schema, &fields),
        None => fields,
    };
    let address = address(&call);
    call.view.put_single(&address, fields.clone());
    let status = call.operation.successes().next().unwrap_or("200");
    call.send(status, &fields)
}

/// Cancels the work of a shutdown timer that has not begun.
fn forget_stop(call: &mut Call<'_>) {
    let Some(machine) = call.parent_address() else { return };
    let waiting = call.view.single(&waiting_stop(machine)).and_then(|waiting| waiting.get("id"));
    let id = waiting.and_then(Value::as_str).and_then(|id| Uuid::try_parse(id).ok());
    if let Some(id) = id.filter(|id| call.view.workflow(*id).is_some_and(|stop| !stop.phase.is_final())) {
        call.view.cancel(id, 0);
    }
}

fn waiting_stop(machine: &str) -> String {
    format!("{machine}/waiting-stop")
}

fn address(call: &Call<'_>) -> String {
    match call.operation.behaviour.per_caller {
        true => format!("{}/{}", call.address, call.view.caller.sub),
        false => call.address.clone(),
    }
}
