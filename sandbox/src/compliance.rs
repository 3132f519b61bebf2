//! The compliance resource server: separate from the main API, with a check of its own (platform document §5.7).

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use crate::caller::Caller;
use crate::issuer::{bearer, challenge, team_claims};
use crate::server::Shared;
use crate::{engine, fault, requests};

/// What the server is configured with: its team and its issuer.
#[derive(Clone, Debug)]
pub(crate) struct Compliance {
    pub(crate) team_id: Uuid,
}

/// The operations of the two compliance prefixes, and nothing else.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .fallback(serve)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), fault::apply))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), requests::record))
        .with_state(shared)
}

async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path();
    if !path.starts_with("/api/compliance/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    let found = match engine::find(&shared, &request) {
        Ok(found) => found,
        Err(response) => return *response,
    };
    match caller(&shared, request.headers()) {
        Ok(caller) => engine::run(&shared, &caller, found, request).await,
        Err(response) => *response,
    }
}

/// First the issuer and its keys; then a `team_id` or `tenant_id` claim whose GUID is the configured team's. Neither the
/// caller's teams in the directory nor an opaque API token count here. The statuses are the sandbox's choice: 401 for the
/// first check, 403 for the second.
fn caller(shared: &Shared, headers: &HeaderMap) -> Result<Caller, Box<Response>> {
    let token = bearer(headers).ok_or_else(|| challenge("Bearer"))?;
    let claims = shared.issuer.claims_of(token).ok_or_else(|| challenge("Bearer error=\"invalid_token\""))?;
    let team = shared.compliance.team_id;
    if !team_claims(&claims).any(|claimed| claimed == team) {
        return Err(Box::new(StatusCode::FORBIDDEN.into_response()));
    }
    let sub = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
    Ok(Caller::for_team(sub.to_owned(), team))
}
