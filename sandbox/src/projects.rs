//! The three documented project operations (platform document §4.3).

use axum::response::{IntoResponse, Response};
use http::header::{HeaderValue, LOCATION};
use http::{Method, StatusCode};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::contract::operation::Operation;
use crate::directory::Role;
use crate::engine::{Call, Payload, Shelf};
use crate::{problem, reply};

const COLLECTION: &str = "/api/projects/v1/projects";

pub(crate) fn answer(operation: &Operation, call: Call<'_>) -> Response {
    match (&operation.method, call.input.path.get("project_id").and_then(Value::as_str)) {
        (&Method::GET, None) => list(&call),
        (&Method::GET, Some(id)) => get(&call, id),
        (&Method::POST, None) => create(call),
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
fn create(mut call: Call<'_>) -> Response {
    let Payload::Json(Value::Object(fields)) = call.input.payload else {
        return problem::validation(vec![("$".to_owned(), "The body has to be a JSON object.".to_owned())]);
    };
    let team = guid(&fields, "teamId").unwrap_or(call.shelf.caller.team_id);
    let Some(member) = call.shelf.caller.membership(team) else { return foreign("teamId") };
    if member.role < Role::Member || !member.projects.is_empty() {
        return StatusCode::FORBIDDEN.into_response();
    }
    if let Some(name) = first_foreign(&fields, team, &call.shelf) {
        return foreign(name);
    }
    let id = Uuid::new_v4().to_string();
    let mut project = Map::from_iter([("id".to_owned(), Value::from(id.clone()))]);
    project.extend(fields.into_iter().filter(|(name, _)| name != "id"));
    call.shelf.put_for(team, COLLECTION, &id, project.clone());
    let mut response = reply::json(StatusCode::CREATED, &call.input.headers, &project.into());
    if let Ok(location) = HeaderValue::try_from(format!("{COLLECTION}/{id}")) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// The document asks for this refusal and shows no status for it: 403 is the sandbox's choice.
fn foreign(name: &str) -> Response {
    let detail = format!("{name} does not belong to the authenticated team.");
    problem::response(StatusCode::FORBIDDEN, &detail)
}

/// The first identifier that is not the team's own. One that is absent or null belongs to nobody else.
fn first_foreign(fields: &Map<String, Value>, team: Uuid, shelf: &Shelf<'_>) -> Option<&'static str> {
    let accounts = format!("/api/teams/v1/teams/{team}/billing-accounts");
    let is_ours = |collection: &str, id: Uuid| shelf.belongs_to(team, collection, &id.to_string());
    if guid(fields, "teamBillingAccountId").is_some_and(|account| !is_ours(&accounts, account)) {
        return Some("teamBillingAccountId");
    }
    if guid(fields, "storeItemPaymentPlanId").is_some_and(|plan| !is_ours("/payment-plans", plan)) {
        return Some("storeItemPaymentPlanId");
    }
    // The elements may be anything (platform document §2). A GUID, bare or as the `id` of an object, that names a stored
    // provider credential has to name one of the team.
    let providers = fields.get("serviceProviders").and_then(Value::as_array).into_iter().flatten();
    let ids = providers.filter_map(|provider| {
        let id = provider.as_str().or_else(|| provider.get("id").and_then(Value::as_str));
        Uuid::try_parse(id?).ok()
    });
    let of_others = |id: Uuid| shelf.is_foreign(team, "/service-provider-credentials", &id.to_string());
    ids.into_iter().any(of_others).then_some("serviceProviders")
}

fn guid(fields: &Map<String, Value>, name: &str) -> Option<Uuid> {
    Uuid::try_parse(fields.get(name)?.as_str()?).ok()
}
