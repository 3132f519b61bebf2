//! The configuration of the GraphQL interface.

use std::time::Duration;

use crate::ClientBuilder;

/// The transport of subscriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubscriptionTransport {
    /// A WebSocket; server-sent events for some time if the service refuses the upgrade.
    #[default]
    Auto,
    /// A WebSocket with `graphql-transport-ws`.
    WebSocket,
    /// Server-sent events, one request for each subscription.
    ServerSentEvents,
}

/// The form in which a request names a trusted document. Both contain the SHA-256 of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrustedDocuments {
    /// `documentId` with `sha256:` and the hash in hexadecimal digits (GraphQL over HTTP, appendix A).
    DocumentId,
    /// `persistedQuery` of `extensions` with the hash, as services with Apollo's persisted queries take it.
    PersistedQuery,
}

/// The configuration of the GraphQL interface. An OpenAPI document does not describe it, so every option has a
/// default that can be changed.
///
/// ```
/// use driftless_runtime::{Client, graphql::GraphqlOptions};
///
/// # fn build() -> Result<(), driftless_runtime::Error> {
/// let client = Client::builder("https://service.example")
///     .graphql(GraphqlOptions::new().path("/api/graphql"))
///     .build()?;
/// # let _ = client;
/// # Ok(()) }
/// # build().unwrap();
/// ```
#[derive(Clone, Debug)]
#[must_use = "the options do nothing before they are given to the builder"]
pub struct GraphqlOptions {
    pub(super) path: String,
    pub(super) socket_path: Option<String>,
    pub(super) transport: SubscriptionTransport,
    pub(super) get: bool,
    pub(super) persisted: bool,
    pub(super) trusted: Option<TrustedDocuments>,
    pub(super) header: bool,
    pub(super) payload_key: Option<String>,
    pub(super) message_limit: usize,
    pub(super) buffer: usize,
    pub(super) total: usize,
    pub(super) per_socket: usize,
    pub(super) upgrade: Duration,
    pub(super) connect: Duration,
    pub(super) keep_alive: Duration,
    pub(super) overlap: Duration,
    pub(super) idle: Duration,
}

impl Default for GraphqlOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl GraphqlOptions {
    /// Creates the defaults.
    pub fn new() -> Self {
        Self {
            path: "/graphql".to_owned(),
            socket_path: None,
            transport: SubscriptionTransport::Auto,
            get: false,
            persisted: false,
            trusted: None,
            header: true,
            payload_key: Some("Authorization".to_owned()),
            message_limit: crate::transport::BODY_LIMIT,
            buffer: 256,
            total: 64 * 1024 * 1024,
            per_socket: usize::MAX,
            upgrade: Duration::from_secs(60),
            connect: Duration::from_secs(10),
            keep_alive: Duration::from_secs(20),
            overlap: Duration::from_secs(2),
            idle: Duration::from_secs(5),
        }
    }

    /// Sets the path below the base address; `/graphql` unless set.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets the path of subscriptions, if it differs.
    pub fn subscription_path(mut self, path: impl Into<String>) -> Self {
        self.socket_path = Some(path.into());
        self
    }

    /// Sets whether documents without a mutation are sent with `GET`, so that caches may answer them; they are not
    /// unless set. The URL then contains the document and its variables, which servers and proxies write into their
    /// logs.
    pub fn queries_by_get(mut self, wanted: bool) -> Self {
        self.get = wanted;
        self
    }

    /// Sets whether documents are requested by their hash (automatic persisted queries); they are not unless set. If
    /// the service does not know a hash yet, the text follows; if it supports no hashes, only texts are sent.
    pub fn persisted_queries(mut self, wanted: bool) -> Self {
        self.persisted = wanted;
        self
    }

    /// Sends the identifiers of documents, and never their texts, for services that accept known documents only; the
    /// texts unless set. [`persisted_queries`](Self::persisted_queries) has no effect then.
    ///
    /// `cargo xtask regenerate` writes the documents of `specs/graphql` with their identifiers into
    /// `specs/graphql/manifest.json`, if `manifest` in `[graphql]` of `specs/codegen.toml` is `true`. Register that file
    /// with the service: a document that it does not know is an error.
    pub fn trusted_documents(mut self, form: TrustedDocuments) -> Self {
        self.trusted = Some(form);
        self
    }

    /// Sets the transport of subscriptions; [`SubscriptionTransport::Auto`] unless set.
    pub fn transport(mut self, transport: SubscriptionTransport) -> Self {
        self.transport = transport;
        self
    }

    /// Sets whether the upgrade to a WebSocket carries the token in its `Authorization` header, like all other
    /// requests; it does unless set.
    pub fn token_in_header(mut self, wanted: bool) -> Self {
        self.header = wanted;
        self
    }

    /// Sets the key for `Bearer` and the token in the payload of `connection_init`; `Authorization` unless set. `None`
    /// leaves it out.
    pub fn token_in_payload(mut self, key: Option<&str>) -> Self {
        self.payload_key = key.map(str::to_owned);
        self
    }

    /// Sets the longest message that is accepted, in bytes; 16 MiB unless set. A longer one ends the socket.
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.message_limit = bytes;
        self
    }

    /// Sets the number of messages that are buffered for the consumer of a subscription; 256 unless set. If there are
    /// more, or if their total length exceeds two messages of the longest size, the oldest are dropped, and the
    /// consumer gets a gap.
    pub fn buffer(mut self, messages: usize) -> Self {
        self.buffer = messages.max(1);
        self
    }

    /// Sets the number of bytes that are buffered for all consumers of a client together; 64 MiB unless set, and one
    /// message at least. If there are more, the subscription with the largest buffer loses its oldest messages, and its
    /// consumer gets a gap.
    pub fn buffered_bytes(mut self, bytes: usize) -> Self {
        self.total = bytes;
        self
    }

    /// Sets the most subscriptions on one socket; unlimited unless set. For more, another socket is opened. If a
    /// service refuses further subscriptions on a socket, the client learns its limit from the response.
    pub fn subscriptions_per_socket(mut self, count: usize) -> Self {
        self.per_socket = count.max(1);
        self
    }

    /// Sets the time for which server-sent events are used instead of a WebSocket after the service has refused the
    /// upgrade; a minute unless set. Then a socket is tried again; each further refusal doubles the time, to an hour at
    /// most.
    pub fn upgrade_again_after(mut self, time: Duration) -> Self {
        self.upgrade = time;
        self
    }

    /// Sets the time limit of a socket from its first byte to its acknowledgement; 10 s unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect = timeout;
        self
    }

    /// Sets the silence after which the service is pinged; after twice this time the socket counts as broken; 20 s
    /// unless set. Server-sent events have no pings: a stream counts as broken after twice this time without an event
    /// or a comment. Set a longer time for a service that sends no comments between events.
    pub fn keep_alive(mut self, silence: Duration) -> Self {
        self.keep_alive = silence.max(Duration::from_millis(10));
        self
    }

    /// Sets the time for which an old connection overlaps with its replacement; 2 s unless set.
    pub fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets the time for which a socket without subscriptions stays open; 5 s unless set.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle = timeout;
        self
    }

    /// Returns the silence after which a connection counts as broken.
    pub(super) fn silence(&self) -> Duration {
        self.keep_alive.saturating_mul(2)
    }

    pub(super) fn subscriptions(&self) -> &str {
        self.socket_path.as_deref().unwrap_or(&self.path)
    }
}

impl<P> ClientBuilder<P> {
    /// Sets the options of the GraphQL interface.
    pub fn graphql(self, options: GraphqlOptions) -> Self {
        self.extension(options)
    }
}
