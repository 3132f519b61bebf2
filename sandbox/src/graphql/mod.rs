//! GraphQL (platform document §1, §4.4): beside REST, with the same bearer token. The schema is the sandbox's own.

mod http;
mod model;
mod query;
mod request;
mod socket;
mod sse;
mod subscription;

use std::sync::Arc;

use async_graphql::EmptyMutation;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;

use crate::fault::Rules;
use crate::issuer::Issuer;
use crate::state::Store;

/// The path of GraphQL below the base address.
pub(crate) const PATH: &str = "/graphql";
/// The path of the schema as SDL. `/graphql?sdl` is the same.
pub(crate) const SCHEMA_PATH: &str = "/graphql/schema";
/// The path of subscriptions as server-sent events, which ignores `Accept`.
const STREAM_PATH: &str = "/graphql/stream";

const DEPTH: usize = 24;
const COMPLEXITY: usize = 2000;

/// The executable schema.
pub(crate) type GraphqlSchema = async_graphql::Schema<query::Query, EmptyMutation, subscription::Subscription>;

/// The state that GraphQL requests read.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) schema: GraphqlSchema,
    pub(crate) issuer: Arc<Issuer>,
    pub(crate) store: Arc<Store>,
    pub(crate) faults: Arc<Rules>,
}

pub(crate) fn schema() -> GraphqlSchema {
    GraphqlSchema::build(query::Query, EmptyMutation, subscription::Subscription)
        .limit_depth(DEPTH)
        .limit_complexity(COMPLEXITY)
        .finish()
}

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Service: FromRef<S>,
{
    Router::new()
        .route(PATH, get(http::get).post(http::post))
        .route(STREAM_PATH, get(http::get_stream).post(http::post_stream))
        .route(SCHEMA_PATH, get(http::sdl))
}
