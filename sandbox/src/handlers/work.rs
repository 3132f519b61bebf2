//! Actions on items, and the asynchronous work that some of them begin.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::call::{Call, split};
use crate::clock;
use crate::problem;
use crate::state::Item;
use crate::workflow::{Kind, Workflow};

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// An action: it may change its target, and answers with it or begins work on it.
pub(super) fn act(mut call: Call<'_>) -> Response {
    let status = chosen(&call);
    let target = call.parent_address().unwrap_or_default().to_owned();
    if status == "202"
        && let Some(kind) = call.operation.behaviour.work(&call.body())
    {
        return begin(call, Uuid::new_v4(), kind, target);
    }
    let sets = &call.operation.behaviour.sets;
    let (collection, key) = split(&target);
    if !sets.is_empty() {
        call.view.extend(collection, key, sets.clone());
    }
    let mut fields = call.parent().cloned().unwrap_or_default();
    fields.extend(call.body());
    call.send(status, &fields)
}

/// Begins work on the item of an address, and answers with the accepted operation.
pub(super) fn begin(mut call: Call<'_>, id: Uuid, kind: Kind, target: String) -> Response {
    if call.view.state_of(&target).is_some_and(|state| kind.is_blocked_by(state)) {
        return problem::response(StatusCode::CONFLICT, "The state of the resource does not allow this.");
    }
    if let Some(key) = call.input.text(IDEMPOTENCY_KEY) {
        let remembered = remembered(&call.address, key);
        call.view.put_single(&remembered, Item::from_iter([("id".to_owned(), Value::from(id.to_string()))]));
    }
    let (outcome, step) = (call.outcome, call.api.step);
    call.view.begin(id, kind, target, outcome, step);
    accepted(&call, id)
}

/// The answer to an earlier request with the same idempotency key.
pub(super) fn repeated(call: &Call<'_>) -> Option<Response> {
    let key = call.input.text(IDEMPOTENCY_KEY)?;
    let id = call.view.single(&remembered(&call.address, key))?.get("id")?.as_str()?;
    Some(accepted(call, Uuid::try_parse(id).ok()?))
}

/// Cancels the work of the item above the address: at once, or as work of its own.
pub(super) fn cancel(mut call: Call<'_>) -> Response {
    let id = call.parent_address().and_then(|address| Uuid::try_parse(split(address).1).ok());
    let Some(id) = id.filter(|id| call.view.workflow(*id).is_some_and(|workflow| !workflow.phase.is_final())) else {
        return problem::response(StatusCode::CONFLICT, "The deployment has ended.");
    };
    let at_once = chosen(&call) == "204";
    let after = if at_once { 0 } else { call.api.step };
    call.view.cancel(id, after);
    match at_once {
        true => StatusCode::NO_CONTENT.into_response(),
        false => accepted(&call, id),
    }
}

/// The status that the request selects, else the first success status.
fn chosen(call: &Call<'_>) -> &'static str {
    let mut choices = call.operation.behaviour.when.iter();
    let chosen = choices.find(|(parameter, _)| call.input.is_set(parameter)).map(|(_, status)| status.as_str());
    chosen.or_else(|| call.operation.successes().next()).unwrap_or("204")
}

fn accepted(call: &Call<'_>, id: Uuid) -> Response {
    call.send("202", &call.view.workflow(id).map(fields).unwrap_or_default())
}

/// The fields of the contract's `AcceptedResult`.
fn fields(workflow: &Workflow) -> Item {
    match json!({
        "id": workflow.id,
        "state": workflow.phase.number(),
        "acceptedAt": clock::timestamp_of(workflow.created),
    }) {
        Value::Object(fields) => fields,
        _ => Item::new(),
    }
}

fn remembered(collection: &str, key: &str) -> String {
    format!("{collection}/idempotency/{key}")
}
