//! Operations that begin asynchronous work, and the one that cancels it.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Call;
use super::act::send;
use super::store::Item;
use crate::clock;
use crate::contract::operation::Operation;
use crate::problem;
use crate::workflow::{Kind, Workflow};

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Begins the work of an operation on a resource, and answers that it is accepted. Work on a resource that it has created
/// shares the resource's identifier.
pub(super) fn begin(operation: &'static Operation, mut call: Call<'_>, target: String, auto_approve: bool) -> Response {
    let kind = match Kind::of(&operation.path) {
        Kind::TerraformPlan if auto_approve => Kind::TerraformRun,
        kind => kind,
    };
    if call.shelf.state_of(&target).is_some_and(|state| kind.is_blocked_by(state)) {
        return problem::response(StatusCode::CONFLICT, "The state of the resource does not allow this.");
    }
    let created = matches!(kind, Kind::WorkloadDeployment | Kind::TerraformPlan | Kind::TerraformRun);
    let own = target.rsplit('/').next().and_then(|key| Uuid::try_parse(key).ok()).filter(|_| created);
    let id = own.unwrap_or_else(Uuid::new_v4);
    if let (Some(key), Some((collection, _))) =
        (call.input.text(IDEMPOTENCY_KEY).map(str::to_owned), target.rsplit_once('/'))
    {
        let address = remembered(collection, &key);
        call.shelf.put_single(&address, Item::from_iter([("id".to_owned(), Value::from(id.to_string()))]));
    }
    let (outcome, step) = (call.outcome, call.step);
    call.shelf.begin(id, kind, target, outcome, step);
    accepted(operation, &call, id)
}

/// The answer to a request that was sent before with the same idempotency key.
pub(super) fn repeated(operation: &'static Operation, call: &Call<'_>, collection: &str) -> Option<Response> {
    let key = call.input.text(IDEMPOTENCY_KEY)?;
    let id = call.shelf.single(&remembered(collection, key))?.get("id")?.as_str()?;
    Some(accepted(operation, call, Uuid::try_parse(id).ok()?))
}

/// Cancels the work of a deployment: at once, or as work of its own.
pub(super) fn cancel(operation: &'static Operation, mut call: Call<'_>, status: &str) -> Response {
    let id = call.input.path.get("deploymentId").and_then(Value::as_str).and_then(|id| Uuid::try_parse(id).ok());
    let Some(id) = id.filter(|id| call.shelf.workflow(*id).is_some_and(|workflow| !workflow.phase.is_final())) else {
        return problem::response(StatusCode::CONFLICT, "The deployment has ended.");
    };
    let at_once = status == "204";
    let after = if at_once { 0 } else { call.step };
    call.shelf.cancel(id, after);
    match at_once {
        true => StatusCode::NO_CONTENT.into_response(),
        false => accepted(operation, &call, id),
    }
}

/// A shutdown timer stops its machine: `shutdownAt` follows from the minutes, and the work of stopping waits until then.
pub(super) fn set_timer(operation: &'static Operation, call: &mut Call<'_>, fields: &mut Item) {
    let Some(machine) = machine_of_timer(operation, call) else { return };
    unset_timer(operation, call);
    let minutes = fields.get("minutes").and_then(Value::as_i64).unwrap_or_default().max(0);
    let due = call.shelf.now.saturating_add(minutes.saturating_mul(60_000));
    fields.insert("shutdownAt".to_owned(), clock::timestamp_of(due).into());
    let id = Uuid::new_v4();
    call.shelf.put_single(&timer(&machine), Item::from_iter([("id".to_owned(), Value::from(id.to_string()))]));
    call.shelf.begin_later(id, Kind::TimedStop, machine, due);
}

/// Forgets the work of a shutdown timer that has not begun.
pub(super) fn unset_timer(operation: &'static Operation, call: &mut Call<'_>) {
    let Some(machine) = machine_of_timer(operation, call) else { return };
    let id = call.shelf.single(&timer(&machine)).and_then(|waiting| waiting.get("id")).and_then(Value::as_str);
    let id = id.and_then(|id| Uuid::try_parse(id).ok());
    if let Some(id) = id.filter(|id| call.shelf.workflow(*id).is_some_and(|waiting| !waiting.phase.is_final())) {
        call.shelf.cancel(id, 0);
    }
}

fn machine_of_timer(operation: &Operation, call: &Call<'_>) -> Option<String> {
    let is_timer = operation.path.ends_with("/shutdown-timer") || operation.path.ends_with("/timers/shutdown");
    let id = call.input.path.get("virtualMachineId").and_then(Value::as_str).filter(|_| is_timer)?;
    Some(format!("/api/virtual-machines/{id}"))
}

fn timer(machine: &str) -> String {
    format!("{machine}/waiting-stop")
}

fn accepted(operation: &'static Operation, call: &Call<'_>, id: Uuid) -> Response {
    let fields = call.shelf.workflow(id).map(fields).unwrap_or_default();
    send(operation, call, "202", &fields)
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
