//! The three documented project operations (platform document §4.3).

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{HeaderValue, LOCATION};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::call::Call;
use super::input::Payload;
use crate::directory::Role;
use crate::problem;
use crate::state::View;

pub(super) fn list(call: &Call<'_>) -> Response {
    let projects: Vec<Value> = call.view.list(&call.address).cloned().map(Value::Object).collect();
    call.json(StatusCode::OK, &projects.into())
}

/// Another team's project is not in the caller's view, so the answer is the same as for a missing one.
pub(super) fn get(call: &Call<'_>) -> Response {
    match call.item() {
        Some(project) => call.json(StatusCode::OK, &project.clone().into()),
        None => problem::response(StatusCode::NOT_FOUND, "The project does not exist or is not visible to the caller."),
    }
}

/// The body has been checked against the contract: it is an object whose known fields have their types.
pub(super) fn create(mut call: Call<'_>) -> Response {
    let Payload::Json(Value::Object(fields)) = std::mem::replace(&mut call.input.payload, Payload::None) else {
        return problem::validation(vec![("$".to_owned(), "The body has to be a JSON object.".to_owned())]);
    };
    let team = guid(&fields, "teamId").unwrap_or(call.view.caller.team_id);
    let Some(member) = call.view.caller.membership(team) else { return foreign("teamId") };
    if member.role < Role::Member || !member.projects.is_empty() {
        return StatusCode::FORBIDDEN.into_response();
    }
    if let Some(name) = first_foreign(&fields, team, &call.view) {
        return foreign(name);
    }
    let id = Uuid::new_v4().to_string();
    let mut project = Map::from_iter([("id".to_owned(), Value::from(id.clone()))]);
    project.extend(fields.into_iter().filter(|(name, _)| name != "id"));
    call.view.put_for(team, &call.address, &id, project.clone());
    let mut response = call.json(StatusCode::CREATED, &project.into());
    if let Ok(location) = HeaderValue::try_from(format!("{}/{id}", call.address)) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// The document demands this refusal and shows no status for it: 403 is the sandbox's choice.
fn foreign(name: &str) -> Response {
    let detail = format!("{name} does not belong to the authenticated team.");
    problem::response(StatusCode::FORBIDDEN, &detail)
}

/// The first identifier that belongs to another team. An absent or null one belongs to none.
fn first_foreign(fields: &Map<String, Value>, team: Uuid, view: &View<'_>) -> Option<&'static str> {
    let accounts = format!("/api/teams/v1/teams/{team}/billing-accounts");
    let is_ours = |collection: &str, id: Uuid| view.belongs_to(team, collection, &id.to_string());
    if guid(fields, "teamBillingAccountId").is_some_and(|account| !is_ours(&accounts, account)) {
        return Some("teamBillingAccountId");
    }
    if guid(fields, "storeItemPaymentPlanId").is_some_and(|plan| !is_ours("/payment-plans", plan)) {
        return Some("storeItemPaymentPlanId");
    }
    // The elements may be anything (platform document §2). A GUID, bare or as the `id` of an object, that names a stored provider
    // credential must name one of the team.
    let providers = fields.get("serviceProviders").and_then(Value::as_array).into_iter().flatten();
    let ids = providers.filter_map(|provider| {
        let id = provider.as_str().or_else(|| provider.get("id").and_then(Value::as_str));
        Uuid::try_parse(id?).ok()
    });
    let of_others = |id: Uuid| view.is_foreign(team, "/service-provider-credentials", &id.to_string());
    ids.into_iter().any(of_others).then_some("serviceProviders")
}

fn guid(fields: &Map<String, Value>, name: &str) -> Option<Uuid> {
    Uuid::try_parse(fields.get(name)?.as_str()?).ok()
}
