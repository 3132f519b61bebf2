//! The compliance resource server: separate from the main API, with its own token check (platform document §5.7).

use std::collections::BTreeSet;

use axum::extract::{FromRef, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::caller::Caller;
use crate::contract::JSON_PATH;
use crate::directory::{Membership, Role};
use crate::handlers::{self, Api};
use crate::issuer::{Issuer, bearer, challenge, team_claims};

/// The configuration of the server: its team and its issuer.
#[derive(Clone, Debug)]
pub(crate) struct Compliance {
    pub(crate) team_id: Uuid,
}

/// The operations of the two compliance prefixes and their contract, and nothing else.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Api: FromRef<S>,
    Compliance: FromRef<S>,
{
    Router::new().fallback(serve)
}

async fn serve(State(api): State<Api>, State(compliance): State<Compliance>, request: Request) -> Response {
    let path = request.uri().path();
    if path == JSON_PATH && request.method() == http::Method::GET {
        return match caller(&api.issuer, &compliance, request.headers()) {
            Ok(_) => contract(&api),
            Err(response) => *response,
        };
    }
    if !path.starts_with("/api/compliance/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    let answer = async {
        let routed = handlers::find(&api, &request)?;
        let caller = caller(&api.issuer, &compliance, request.headers())?;
        Ok::<_, Box<Response>>(handlers::run(&api, &caller, routed, request).await)
    };
    answer.await.unwrap_or_else(|response| *response)
}

/// The contract of this server for authenticated callers: its operations, and the schemas that these refer to.
fn contract(api: &Api) -> Response {
    let mut document = api.contract.document.value.clone();
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        paths.retain(|path, _| path.starts_with("/api/compliance/"));
    }
    let mut kept = BTreeSet::new();
    let mut waiting = vec![document["paths"].clone()];
    while let Some(value) = waiting.pop() {
        for name in references(&value) {
            if kept.insert(name.clone()) {
                waiting.push(document["components"]["schemas"][&name].clone());
            }
        }
    }
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.retain(|name, _| kept.contains(name));
    }
    document["info"]["title"] = "Sandbox: compliance resource server".into();
    document["tags"] = Value::Array(Vec::new());
    Json(document).into_response()
}

/// The names of the schemas that a value refers to.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str).and_then(|text| text.rsplit('/').next());
            own.map(str::to_owned).into_iter().chain(members.values().flat_map(references)).collect()
        }
        _ => Vec::new(),
    }
}

/// Checks the issuer and its keys first, then that a `team_id` or `tenant_id` claim names the configured team. Opaque API tokens
/// are refused here. The statuses are the sandbox's choice: 401 for the first check, 403 for the second.
fn caller(issuer: &Issuer, compliance: &Compliance, headers: &HeaderMap) -> Result<Caller, Box<Response>> {
    let token = bearer(headers).ok_or_else(|| challenge("Bearer"))?;
    let claims = issuer.claims_of(token).ok_or_else(|| challenge("Bearer error=\"invalid_token\""))?;
    let team = compliance.team_id;
    if !team_claims(&claims).any(|claimed| claimed == team) {
        return Err(Box::new(StatusCode::FORBIDDEN.into_response()));
    }
    let sub = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
    Ok(Caller::for_team(sub.to_owned(), membership(issuer, &claims, sub, team)))
}

/// The caller's rights (platform document §4.1, §5.9): the strongest role of the `roles` claim, limited to the caller's role in
/// the team, since the claim may name roles of other teams. Without the claim, the caller may only read.
fn membership(issuer: &Issuer, claims: &Map<String, Value>, sub: &str, team_id: Uuid) -> Membership {
    let named = claims.get("roles").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let claimed = named.filter_map(Role::named).max().unwrap_or(Role::Viewer);
    let subject = issuer.directory.subject(sub);
    let known = subject.and_then(|subject| subject.memberships().iter().find(|member| member.team_id == team_id));
    match known {
        Some(known) => Membership { team_id, role: claimed.min(known.role), projects: known.projects.clone() },
        None => Membership { team_id, role: claimed, projects: Vec::new() },
    }
}
