//! The compliance resource server: separate from the main API, with a check of its own (platform document §5.7).

use axum::Router;
use axum::extract::{FromRef, Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use crate::caller::Caller;
use crate::directory::{Membership, Role};
use crate::handlers::{self, Api};
use crate::issuer::{Issuer, bearer, challenge, team_claims};

/// What the server is configured with: its team and its issuer.
#[derive(Clone, Debug)]
pub(crate) struct Compliance {
    pub(crate) team_id: Uuid,
}

/// The operations of the two compliance prefixes, and nothing else.
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
    if !path.starts_with("/api/compliance/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    let answer = async {
        let found = handlers::find(&api, &request)?;
        let caller = caller(&api.issuer, &compliance, request.headers())?;
        Ok::<_, Box<Response>>(handlers::run(&api, &caller, found, request).await)
    };
    answer.await.unwrap_or_else(|response| *response)
}

/// First the issuer and its keys; then a `team_id` or `tenant_id` claim whose GUID is the configured team's. An opaque API token
/// does not count here. The statuses are the sandbox's choice: 401 for the first check, 403 for the second.
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

/// What the caller may do (platform document §4.1, §5.9): the strongest role that the `roles` claim names, and no more than the
/// caller has in the team, since the claim may name roles of other teams. Without the claim the caller reads.
fn membership(issuer: &Issuer, claims: &Value, sub: &str, team_id: Uuid) -> Membership {
    let named = claims.get("roles").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let claimed = named.filter_map(Role::named).max().unwrap_or(Role::Viewer);
    let subject = issuer.directory.subject(sub);
    let known = subject.and_then(|subject| subject.memberships().iter().find(|member| member.team_id == team_id));
    match known {
        Some(known) => Membership { team_id, role: claimed.min(known.role), projects: known.projects.clone() },
        None => Membership { team_id, role: claimed, projects: Vec::new() },
    }
}
