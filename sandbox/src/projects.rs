//! The three documented project operations (platform document §4.3).

use axum::response::{IntoResponse, Response};
use http::header::{HeaderValue, LOCATION};
use http::{Method, StatusCode};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::contract::operation::Operation;
use crate::engine::{Call, Payload, Shelf};
use crate::issuer::Caller;
use crate::{problem, reply};

const COLLECTION: &str = "/api/projects/v1/projects";

pub(crate) fn answer(operation: &Operation, caller: Caller, call: Call<'_>) -> Response {
    match (&operation.method, call.input.path.get("project_id").and_then(Value::as_str)) {
        (&Method::GET, None) => list(&call),
        (&Method::GET, Some(id)) => get(&call, id),
        (&Method::POST, None) => create(caller, call),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn list(call: &Call<'_>) -> Response {
    let projects: Vec<Value> = call.shelf.list(COLLECTION).cloned().map(Value::Object).collect();
    reply::json(StatusCode::OK, &call.input.headers, &projects.into())
}

/// Another team's project is not on this team's shelf, so that it cannot be told from a missing one.
fn get(call: &Call<'_>, id: &str) -> Response {
    match call.shelf.get(COLLECTION, id) {
        Some(project) => reply::json(StatusCode::OK, &call.input.headers, &project.clone().into()),
        None => problem::response(StatusCode::NOT_FOUND, "The project does not exist or is not visible to the caller."),
    }
}

/// The body has been checked against the contract: an object whose known fields have their types.
fn create(caller: Caller, call: Call<'_>) -> Response {
    let Payload::Json(Value::Object(fields)) = call.input.payload else {
        return problem::validation(vec![("$".to_owned(), "The body has to be a JSON object.".to_owned())]);
    };
    if let Some(name) = foreign(&fields, caller, call.shelf) {
        // The document asks for this refusal and shows no status for it: 403 is the sandbox's choice.
        let detail = format!("{name} does not belong to the authenticated team.");
        return problem::response(StatusCode::FORBIDDEN, &detail);
    }
    let id = Uuid::new_v4().to_string();
    let mut project = Map::from_iter([("id".to_owned(), Value::from(id.clone()))]);
    project.extend(fields.into_iter().filter(|(name, _)| name != "id"));
    call.shelf.put(COLLECTION, &id, project.clone());
    let mut response = reply::json(StatusCode::CREATED, &call.input.headers, &project.into());
    if let Ok(location) = HeaderValue::try_from(format!("{COLLECTION}/{id}")) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// The first identifier that is not the team's own. One that is absent or null belongs to nobody else.
fn foreign(fields: &Map<String, Value>, caller: Caller, shelf: &Shelf) -> Option<&'static str> {
    let id = |name: &str| Uuid::try_parse(fields.get(name)?.as_str()?).ok();
    if id("teamId").is_some_and(|team| team != caller.team_id) {
        return Some("teamId");
    }
    let accounts = format!("/api/teams/v1/teams/{}/billing-accounts", caller.team_id);
    if id("teamBillingAccountId").is_some_and(|account| shelf.get(&accounts, &account.to_string()).is_none()) {
        return Some("teamBillingAccountId");
    }
    let plan = id("storeItemPaymentPlanId");
    plan.is_some_and(|plan| shelf.find("/payment-plans", &plan.to_string()).is_none())
        .then_some("storeItemPaymentPlanId")
}
