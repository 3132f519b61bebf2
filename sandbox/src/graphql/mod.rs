//! GraphQL (platform document §1, §4.4): the same data and the same bearer token as REST. The schema is the sandbox's own.

use std::sync::Arc;

use axum::Router;

use crate::server::Shared;

/// Where GraphQL is served below the base address.
pub(crate) const PATH: &str = "/graphql";
pub(crate) type Schema = ();
pub(crate) fn schema() -> Schema {}
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
}
