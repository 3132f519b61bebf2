//! The control interface over HTTP, below `/sandbox`, for people and programs in every language: faults, clock and journal. A sandbox
//! adds the addresses of its own, and puts [`guard`] before all of them.

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
use axum::extract::FromRef;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::fault::Rules;
use crate::requests::Log;
use taken::ControlRefusal;

pub use guard::{Guard, guard};
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

/// The answer to a change without a result.
pub fn done() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// An answer in JSON.
pub fn send(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
