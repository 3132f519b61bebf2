//! The control interface over HTTP, below `/sandbox`, for people and programs in every language: faults, clock and journal. A sandbox
//! adds the addresses of its own and its console, and puts [`guarded`] before all of them.

mod clock;
mod faults;
mod guard;
mod journal;
mod overview;
mod resources;
pub mod taken;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::fault::Rules;
use crate::requests::Log;
use guard::guard;
use taken::{BODY_LIMIT, ControlRefusal};

pub use guard::Guard;
pub use resources::{Addresses, Element, Resource, Resources, resource_routes, restore};

/// The parts of a sandbox that the interface controls.
#[derive(Clone, Debug)]
pub struct Control {
    /// The journal.
    pub log: Arc<Log>,
    /// The pending faults.
    pub faults: Arc<Rules>,
    /// The clock of the state.
    pub clock: Clock,
    /// The state in figures.
    pub overview: Arc<dyn Overview>,
}

/// The part of the overview that depends on the service.
pub trait Overview: fmt::Debug + Send + Sync {
    /// The members of the overview: `resources`, the numbers of items by collection, and others.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read.
    fn members(&self) -> Result<Map<String, Value>, ControlRefusal>;

    /// Subscribes to changes of the state that no request to the service has made.
    fn watch(&self) -> watch::Receiver<()>;
}

/// The addresses of overview, faults, clock and journal.
pub fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Control: FromRef<S>,
{
    Router::new()
        .route("/sandbox/state", get(overview::state))
        .route("/sandbox/events", get(overview::events))
        .route("/sandbox/clock", get(clock::get).post(clock::set))
        .route("/sandbox/faults", get(faults::list).post(faults::add).delete(faults::clear))
        .route("/sandbox/faults/{id}", get(faults::get).delete(faults::remove))
        .route("/sandbox/requests", get(journal::list).delete(journal::clear))
        .route("/sandbox/requests/verify", post(journal::verify))
        .route("/sandbox/requests/{number}", get(journal::get))
}

/// The addresses of faults of subscriptions.
pub fn subscription_routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Control: FromRef<S>,
{
    Router::new()
        .route("/sandbox/event-faults", post(faults::set_events))
        .route("/sandbox/sockets", post(faults::end_sockets))
}

/// The paths and the schemas that the documents of all sandboxes have.
const SHARED: &str = include_str!("openapi.yaml");

/// The OpenAPI document of a control interface: the document of one sandbox with the paths and the schemas of all sandboxes. It has
/// to end with `paths` and then `components.schemas`, both in block style, because they are appended as text.
pub fn document(own: &str) -> String {
    let (own, schemas) = own.split_once("components:\n  schemas:\n").unwrap_or((own, ""));
    let shared = SHARED.split_once("\npaths:\n").map_or("", |(_, shared)| shared);
    format!("{own}{shared}{schemas}")
}

/// The console and the control interface of a sandbox, closed to pages of other hosts: with the document, and with an answer for
/// addresses and methods that it does not have.
pub fn guarded<S: Clone + Send + Sync + 'static>(routes: Router<S>, sandbox: Guard) -> Router<S> {
    let document = Bytes::from(document(sandbox.document));
    let serve = move || async move { ([(CONTENT_TYPE, "application/yaml; charset=utf-8")], document).into_response() };
    routes
        .route("/sandbox/openapi.yaml", get(serve))
        .route("/sandbox/{*rest}", any(nowhere))
        .method_not_allowed_fallback(other_method)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(sandbox, guard))
}

async fn nowhere() -> ControlRefusal {
    let detail = "The address does not exist: /sandbox/openapi.yaml lists the addresses.";
    ControlRefusal::whole(StatusCode::NOT_FOUND, detail)
}

async fn other_method() -> ControlRefusal {
    let detail = "The address does not support this method: the header Allow lists those that it supports.";
    ControlRefusal::whole(StatusCode::METHOD_NOT_ALLOWED, detail)
}

/// The answer to a change without a result.
pub fn done() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// An answer in JSON.
pub fn send(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
