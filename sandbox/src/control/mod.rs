//! The control interface: the handles of [`crate::Sandbox`] over HTTP, below `/sandbox`, for people and programs in other
//! languages. The platform has nothing like it. `openapi.yaml` describes it, and is served.

mod directory;
mod operations;
mod overview;
mod reset;
mod resources;
mod settings;
mod snapshot;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::routing::{get, post};
use driftless_sandbox_control::interface::{self, Control, Guard, done, guarded, send};

use crate::error::Error;
use crate::fault::Rules;
use crate::issuer::Issuer;
use crate::publication::Publication;
use crate::requests::Log;
use crate::state::Store;

pub(crate) use directory::Places;
use driftless_sandbox_control::interface::taken::{self, ControlRefusal};
pub use reset::Part;
pub(crate) use reset::Resets;
pub(crate) use resources::StoredResources;

/// The value of the header `Server`, by which `platform-sandbox control` recognises a sandbox.
const NAME: &str = concat!("platform-sandbox/", env!("CARGO_PKG_VERSION"));

impl From<Error> for ControlRefusal {
    fn from(error: Error) -> Self {
        Self::whole(error.status(), &error.to_string())
    }
}

/// The addresses below `/sandbox`, beside the pages of the console. The host of a request has to be a loopback address or the public host.
pub(crate) fn routes<S>(pages: Router<S>, base_url: &str) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<Issuer>: FromRef<S>,
    Arc<Store>: FromRef<S>,
    Arc<Rules>: FromRef<S>,
    Arc<Log>: FromRef<S>,
    Places: FromRef<S>,
    Control: FromRef<S>,
    Publication: FromRef<S>,
    Resets: FromRef<S>,
    Arc<StoredResources>: FromRef<S>,
{
    let routes = interface::routes()
        .merge(pages)
        .merge(interface::subscription_routes())
        .merge(interface::resource_routes::<S, StoredResources>())
        .route(
            "/sandbox/snapshot",
            get(snapshot::get).put(snapshot::put).layer(DefaultBodyLimit::max(taken::SNAPSHOT_LIMIT)),
        )
        .route("/sandbox/operations", get(operations::list))
        .route("/sandbox/operations/{id}", get(operations::get))
        .route("/sandbox/directory", get(directory::get))
        .route("/sandbox/reset", post(settings::reset))
        .route("/sandbox/issuer", get(settings::issuer).post(settings::set_issuer))
        .route("/sandbox/issuer/api-tokens", post(settings::make_api_token))
        .route("/sandbox/issuer/sessions", post(settings::begin_session))
        .route("/sandbox/contract", post(settings::set_contract));
    guarded(routes, Guard::new(NAME, base_url, include_str!("openapi.yaml")))
}
