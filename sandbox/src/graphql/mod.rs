//! GraphQL (platform document §1, §4.4): beside REST, with the same bearer token. The schema is the sandbox's own.

mod http;
mod model;
mod query;
mod socket;
mod sse;
mod subscription;

use std::sync::Arc;

use async_graphql::EmptyMutation;
use axum::Router;
use axum::routing::get;

use crate::server::Shared;

/// Where GraphQL is served below the base address.
pub(crate) const PATH: &str = "/graphql";
/// Where the schema is served as SDL. `/graphql?sdl` is the same.
pub(crate) const SCHEMA_PATH: &str = "/graphql/schema";
/// Where subscriptions are served as server-sent events, whatever the request accepts.
const STREAM_PATH: &str = "/graphql/stream";

const DEPTH: usize = 24;
const COMPLEXITY: usize = 2000;

/// The executable schema.
pub(crate) type Schema = async_graphql::Schema<query::Query, EmptyMutation, subscription::Subscription>;

pub(crate) fn schema() -> Schema {
    Schema::build(query::Query, EmptyMutation, subscription::Subscription)
        .limit_depth(DEPTH)
        .limit_complexity(COMPLEXITY)
        .finish()
}

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route(PATH, get(http::get).post(http::post))
        .route(STREAM_PATH, get(sse::get).post(sse::post))
        .route(SCHEMA_PATH, get(http::sdl))
}
