//! The control interface: the handles of [`crate::Sandbox`] over HTTP, below `/sandbox`, for people and programs in other
//! languages. The platform has nothing like it. `openapi.yaml` describes it, and is served.

mod directory;
mod faults;
mod journal;
mod operations;
mod overview;
mod reset;
mod resources;
mod settings;
mod snapshot;
mod taken;

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use http::header::{CONTENT_TYPE, HOST, SERVER};
use http::uri::Authority;
use http::{HeaderValue, Method, StatusCode};
use serde_json::Value;

use crate::fault::Rules;
use crate::issuer::Issuer;
use crate::publication::Publication;
use crate::reply;
use crate::requests::Log;
use crate::state::Store;

pub(crate) use directory::Places;
pub use reset::Part;
pub(crate) use reset::Resets;
use taken::ControlRefusal;

/// The value of the header `Server`, by which `platform-sandbox control` recognises a sandbox.
const NAME: &str = concat!("platform-sandbox/", env!("CARGO_PKG_VERSION"));
const DOCUMENT: &str = include_str!("openapi.yaml");

/// The addresses below `/sandbox`. The host of a request has to be a loopback address or the public host.
pub(crate) fn routes<S>(given_out: String) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<Issuer>: FromRef<S>,
    Arc<Store>: FromRef<S>,
    Arc<Rules>: FromRef<S>,
    Arc<Log>: FromRef<S>,
    Places: FromRef<S>,
    Publication: FromRef<S>,
    Resets: FromRef<S>,
{
    Router::new()
        .route("/sandbox/openapi.yaml", get(document))
        .route("/sandbox/state", get(overview::state))
        .route("/sandbox/events", get(overview::events))
        .route("/sandbox/collections", get(resources::collections))
        .route("/sandbox/items", get(resources::items).post(resources::create))
        .route("/sandbox/item", get(resources::get).put(resources::put).delete(resources::remove))
        .route("/sandbox/snapshot", get(snapshot::get).put(snapshot::put))
        .route("/sandbox/operations", get(operations::list))
        .route("/sandbox/operations/{id}", get(operations::get))
        .route("/sandbox/directory", get(directory::get))
        .route("/sandbox/reset", post(settings::reset))
        .route("/sandbox/clock", get(settings::clock).post(settings::set_clock))
        .route("/sandbox/faults", get(faults::list).post(faults::add).delete(faults::clear))
        .route("/sandbox/faults/{id}", get(faults::get).delete(faults::remove))
        .route("/sandbox/event-faults", post(faults::set_events))
        .route("/sandbox/sockets", post(faults::end_sockets))
        .route("/sandbox/requests", get(journal::list).delete(journal::clear))
        .route("/sandbox/requests/verify", post(journal::verify))
        .route("/sandbox/requests/{number}", get(journal::get))
        .route("/sandbox/issuer", get(settings::issuer).post(settings::set_issuer))
        .route("/sandbox/issuer/api-tokens", post(settings::make_api_token))
        .route("/sandbox/issuer/sessions", post(settings::begin_session))
        .route("/sandbox/contract", post(settings::set_contract))
        .route("/sandbox/{*rest}", any(nowhere))
        .method_not_allowed_fallback(other_method)
        .layer(from_fn_with_state(given_out, guard))
}

/// Protects the interface from pages of other origins: refuses unknown host names (DNS rebinding) and forms.
async fn guard(State(given_out): State<String>, request: Request, next: Next) -> Response {
    let mut response = match check(&given_out, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    response.headers_mut().insert(SERVER, HeaderValue::from_static(NAME));
    response
}

fn check(given_out: &str, request: &Request) -> Result<(), ControlRefusal> {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let is_known = |host: &str| is_loopback(host) || host.eq_ignore_ascii_case(given_out);
    if !host.is_some_and(|host| is_known(host.host())) {
        let detail = "The host has to be a loopback address, or the public host of the sandbox.";
        return Err(ControlRefusal::whole(StatusCode::FORBIDDEN, detail));
    }
    let has_body = [Method::POST, Method::PUT].contains(request.method());
    if has_body && reply::essence(request.headers()) != "application/json" {
        let detail = "The content type has to be application/json.";
        return Err(ControlRefusal::whole(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    Ok(())
}

async fn nowhere() -> ControlRefusal {
    ControlRefusal::whole(
        StatusCode::NOT_FOUND,
        "The address does not exist: /sandbox/openapi.yaml lists the addresses.",
    )
}

async fn other_method() -> ControlRefusal {
    let detail = "The address does not support this method: the header Allow lists those that it supports.";
    ControlRefusal::whole(StatusCode::METHOD_NOT_ALLOWED, detail)
}

/// Accepts loopback addresses, and of names only `localhost`, which cannot be rebound.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

async fn document() -> Response {
    ([(CONTENT_TYPE, "application/yaml; charset=utf-8")], DOCUMENT).into_response()
}

fn done() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

fn send(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
