//! What every call goes through.

mod body;
mod clients;
mod content;
pub(crate) mod middleware;
mod options;
mod preflight;
mod progress;
mod refused;
mod retry;
mod send;
mod transport;

use std::{sync::Arc, time::Duration};

use http::HeaderName;
use tokio::sync::Semaphore;
use url::Url;
use uuid::Uuid;

use crate::{Client, auth::Cache};

#[cfg(feature = "operations")]
pub(crate) use crate::clock::random;
#[cfg(feature = "graphql")]
pub(crate) use body::excerpt;
pub(crate) use middleware::Middleware;
pub(crate) use options::{Options, options};
#[cfg(feature = "graphql")]
pub(crate) use retry::retry_after;
pub(crate) use retry::{Budget, unique};
pub(crate) use send::send;
pub(crate) use transport::{Reply, Transport, broken};

/// The most that is read of a body that is decoded, in bytes, unless the client is told otherwise.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The most that is read of the body of an error, in bytes.
pub(crate) const ERROR_LIMIT: usize = 64 * 1024;

/// The configuration of a client and its connections.
pub(crate) struct Session {
    pub(crate) base: Url,
    pub(crate) api_version: Option<String>,
    pub(crate) deadline: Duration,
    pub(crate) idle: Duration,
    pub(crate) retry: bool,
    pub(crate) body_limit: usize,
    /// Whether `PUT` and `DELETE` are retried as `GET` is.
    pub(crate) retry_writes: bool,
    /// Whether every call is sent again after 429 and 503 with `Retry-After`.
    pub(crate) retry_when_asked: bool,
    pub(crate) budget: Budget,
    pub(crate) gate: Option<Semaphore>,
    pub(crate) request_id: Option<HeaderName>,
    pub(crate) middleware: Arc<[Box<dyn Middleware>]>,
    /// The team of a compliance resource server.
    pub(crate) team: Option<Uuid>,
    pub(crate) compliance: Option<Client>,
    pub(crate) credential: Option<Cache>,
    pub(crate) transport: Arc<Transport>,
    #[cfg(feature = "testing")]
    pub(crate) fake: Option<crate::testing::Fake>,
    #[cfg(feature = "graphql")]
    pub(crate) graphql: crate::graphql::Hub,
    /// The asynchronous operations that the generated code knows.
    #[cfg(feature = "operations")]
    pub(crate) bindings: &'static [&'static crate::operations::Binding],
}
