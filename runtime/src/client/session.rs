//! The session, which every call goes through.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use http::{Extensions, HeaderMap, HeaderName};
use tokio::sync::Semaphore;
use url::Url;

use super::{
    extension::Doubled,
    middleware::Middleware,
    retry::{Budget, RetryPolicy},
};
use crate::{
    auth::{Cache, KeptKey, KeyPlace},
    protocol::Security,
    transport::{MinThroughput, Transport},
};

/// A claim that tokens for a server must have.
#[derive(Clone, Debug)]
pub(crate) struct ClaimCheck {
    /// Its names: the first one that a token has counts.
    pub(crate) names: Vec<String>,
    pub(crate) value: String,
}

/// The configuration of a client and its connections.
pub(crate) struct Session {
    pub(crate) base: Url,
    /// The headers of every request to the server.
    pub(crate) headers: HeaderMap,
    pub(crate) api_version: Option<String>,
    /// `true` if the base address has operations of other servers, too.
    pub(crate) any_server: bool,
    pub(crate) deadline: Duration,
    pub(crate) idle: Duration,
    pub(crate) retries: RetryPolicy,
    pub(crate) least: MinThroughput,
    pub(crate) body_limit: usize,
    /// `PUT` and `DELETE` are retried like `GET`.
    pub(crate) retry_writes: bool,
    /// Every call is retried after 429 and 503 with `Retry-After`.
    pub(crate) retry_when_asked: bool,
    pub(crate) budget: Budget,
    pub(crate) gate: Option<Semaphore>,
    pub(crate) request_id: Option<HeaderName>,
    pub(crate) middleware: Arc<[Box<dyn Middleware>]>,
    /// The claim that tokens must have.
    pub(crate) claim: Option<ClaimCheck>,
    pub(crate) credential: Option<Cache>,
    /// Keys of security schemes, by their names in the contract.
    pub(crate) keys: BTreeMap<String, KeptKey>,
    /// Keys for every request with the token, and their places, if no contract names them.
    pub(crate) placed: Vec<(KeyPlace, KeptKey)>,
    /// The security of requests without a described operation.
    pub(crate) security: Security,
    pub(crate) transport: Arc<Transport>,
    /// Answers instead of the service, in tests.
    pub(crate) double: Doubled,
    /// The configuration of the layers above.
    #[cfg_attr(not(feature = "graphql"), allow(dead_code, reason = "only the layers above read it"))]
    pub(crate) extensions: Extensions,
    /// The state that subscriptions share.
    #[cfg(feature = "graphql")]
    pub(crate) graphql: super::Extension,
}
