//! The configuration of a client.

mod connections;
mod credentials;
mod retries;

use std::{collections::BTreeMap, fmt, fmt::Display, marker::PhantomData, sync::Arc, time::Duration};

use http::{Extensions, HeaderName, HeaderValue};
use tokio::sync::Semaphore;
use url::Url;

use super::{
    Client, GeneratedClient, Session,
    extension::Doubled,
    identity,
    middleware::Middleware,
    network,
    retry::{Budget, RetryPolicy},
    session::ClaimCheck,
};
use crate::{
    auth::{Audit, Cache, Credential, Key, SecretSource, TokenEvent},
    error::{Error, Kind},
    transport::{BODY_LIMIT, MinThroughput, Transport, address},
};

/// The configuration of a client: of a [`Client`], or of a type of a generated crate that wraps one.
#[must_use = "a builder does nothing before `build`"]
pub struct ClientBuilder<P = Client> {
    base: String,
    credential: Option<Box<dyn Credential>>,
    keys: Vec<Key>,
    servers: BTreeMap<String, ServerSettings>,
    api_version: Option<String>,
    any_server: bool,
    user_agent: String,
    request_id: Option<String>,
    deadline: Duration,
    connect: Duration,
    idle: Duration,
    retries: RetryPolicy,
    retry_budget: u32,
    least: MinThroughput,
    retry_writes: bool,
    retry_when_asked: bool,
    body_limit: usize,
    concurrency: Option<usize>,
    middleware: Vec<Box<dyn Middleware>>,
    pub(super) network: network::Network,
    audit: Audit,
    double: Doubled,
    extensions: Extensions,
    client: PhantomData<fn() -> P>,
}

impl<P: GeneratedClient> ClientBuilder<P> {
    /// Starts the configuration of a client for the service at `base_url`: `https`, or `http` on loopback.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base: base_url.into(),
            credential: None,
            keys: Vec::new(),
            servers: BTreeMap::new(),
            api_version: None,
            any_server: false,
            user_agent: P::USER_AGENT.to_owned(),
            request_id: Some("x-request-id".to_owned()),
            deadline: Duration::from_secs(60),
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            retries: RetryPolicy::default(),
            retry_budget: Budget::ATTEMPTS,
            least: MinThroughput::default(),
            retry_writes: false,
            retry_when_asked: false,
            body_limit: BODY_LIMIT,
            concurrency: None,
            middleware: Vec::new(),
            network: network::Network::default(),
            audit: Audit::default(),
            double: None,
            extensions: P::extensions(),
            client: PhantomData,
        }
    }

    /// Adds another server, with its own address and credential. See [`Client::server`].
    pub fn server(mut self, name: impl Into<String>, server: ServerSettings) -> Self {
        self.servers.insert(name.into(), server);
        self
    }

    /// Sets the time limit of a call, including all attempts and token requests; 60 s unless set. For a streamed
    /// response, it applies up to the head of the response.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the connect timeout; 5 s unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect = timeout;
        self
    }

    /// Sets the longest silence of the service: between the pieces of a body, and before the head of the response to a
    /// call that may be retried; 30 s unless set.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle = timeout;
        self
    }

    /// Sets the largest body that is kept in memory, in bytes; 16 MiB unless set. It applies to a decoded body, to a
    /// streamed one that is read whole ([`ByteStream::bytes`](crate::ByteStream::bytes)), and to one server-sent event.
    /// A body that is read piece by piece or saved to a file has no limit.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the limit of concurrent requests; unlimited unless set. Further requests wait for their turn, under their
    /// deadlines. A streamed response counts until its head has arrived.
    pub fn max_concurrency(mut self, requests: usize) -> Self {
        self.concurrency = Some(requests.clamp(1, Semaphore::MAX_PERMITS));
        self
    }

    /// Sets the version of the interface that is sent if the contract has a parameter for it, instead of the contract's
    /// default.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.api_version = Some(version.into());
        self
    }

    /// Sends operations to which the contract gives servers of their own to the base URL, too, with the credential of the client: for a
    /// test server or a gateway that has all operations.
    pub fn operations_of_other_servers(mut self) -> Self {
        self.any_server = true;
        self
    }

    /// Sets the `User-Agent` header.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Sets the header that identifies a call in the logs of both sides; `x-request-id` unless set. All attempts of a
    /// call carry the same value. If empty, none is sent.
    pub fn request_id_header(mut self, name: impl Into<String>) -> Self {
        self.request_id = Some(name.into()).filter(|name| !name.is_empty());
        self
    }

    /// Adds code around each attempt of each call. The first one added is outermost.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(Box::new(middleware));
        self
    }

    /// Sets a function that is called when a token is obtained, refreshed, refused or dropped: for audit logs. It must
    /// not block.
    pub fn on_token_event(mut self, hook: impl Fn(&TokenEvent) + Send + Sync + 'static) -> Self {
        self.audit = Audit(Some(Arc::new(hook)));
        self
    }

    /// Answers calls instead of the service.
    #[cfg(feature = "testing")]
    pub(crate) fn double(mut self, double: impl super::Double + 'static) -> Self {
        self.double = Some(Arc::new(double));
        self
    }

    /// Builds the client. Certificates, and the key of a client certificate, are read here; nothing else is read, and
    /// nothing is sent, before the first call.
    ///
    /// # Errors
    ///
    /// An address is invalid, uses `http` where that is not allowed, or contains a user; a certificate, a key or a
    /// proxy cannot be read; a header cannot be sent; a credential's configuration cannot work.
    pub fn build(mut self) -> Result<P, Error> {
        let mut network = std::mem::take(&mut self.network);
        let headers = std::mem::take(&mut network.headers);
        let connections = network.read()?;
        let plain = connections.plain.clone();
        let base: Url = address::server("the base address", &self.base, &plain)?;
        let refuse = |message: &str, hint: &str| Error::with(Kind::Configuration, message).hint(hint);
        let user_agent = HeaderValue::try_from(&self.user_agent)
            .map_err(|_| refuse("the user agent contains control characters", "remove them"))?;
        let request_id = self
            .request_id
            .as_ref()
            .map(|name| {
                HeaderName::try_from(name)
                    .map_err(|_| refuse("the name of the request id's header is not valid", "correct it"))
            })
            .transpose()?;
        let transport = Arc::new(Transport::new(user_agent, self.connect, connections));
        let middleware: Arc<[_]> = std::mem::take(&mut self.middleware).into();
        let credential = self.credential.take();
        let keys = std::mem::take(&mut self.keys);
        let servers = std::mem::take(&mut self.servers);
        let session = |base: Url, own: ServerSettings| -> Result<_, Error> {
            let ServerSettings { credential, keys, headers, claim, deadline, body_limit, concurrency, .. } = own;
            if let Some(credential) = &credential {
                credential.check()?;
            }
            let (mut kept, mut placed) = (BTreeMap::new(), Vec::new());
            for key in keys {
                if let Some(place) = key.place().cloned() {
                    placed.push((place, key.keep(self.audit.clone())?));
                    continue;
                }
                identity::check(key.scheme(), key.is_basic(), P::SCHEMES)?;
                kept.insert(key.scheme().to_owned(), key.keep(self.audit.clone())?);
            }
            Ok(Arc::new(Session {
                base,
                headers: network::headers(&headers)?,
                api_version: self.api_version.clone(),
                any_server: self.any_server || self.double.is_some(),
                deadline: deadline.unwrap_or(self.deadline),
                idle: self.idle,
                retries: self.retries,
                least: self.least,
                retry_writes: self.retry_writes,
                retry_when_asked: self.retry_when_asked,
                body_limit: body_limit.unwrap_or(self.body_limit),
                budget: Budget::new(self.retry_budget),
                gate: concurrency.or(self.concurrency).map(Semaphore::new),
                request_id: request_id.clone(),
                middleware: Arc::clone(&middleware),
                claim,
                credential: credential.map(|credential| Cache::new(credential, self.audit.clone())),
                keys: kept,
                placed,
                security: P::SECURITY,
                transport: Arc::clone(&transport),
                double: self.double.clone(),
                extensions: self.extensions.clone(),
                #[cfg(feature = "graphql")]
                graphql: super::Extension::default(),
            }))
        };
        let mut others = BTreeMap::new();
        for (name, server) in servers {
            let base = address::server(&format!("the address of the server `{name}`"), &server.base, &plain)?;
            others.insert(name, Client { session: session(base, server)?, servers: Arc::default() });
        }
        let main = ServerSettings { credential, keys, headers, ..ServerSettings::new(String::new()) };
        Ok(P::from_client(Client { session: session(base, main)?, servers: Arc::new(others) }))
    }
}

#[cfg(feature = "graphql")]
impl<P> ClientBuilder<P> {
    /// Configures a layer above the client.
    pub(crate) fn extension(mut self, extension: impl Clone + Send + Sync + 'static) -> Self {
        self.extensions.insert(extension);
        self
    }
}

impl<P> fmt::Debug for ClientBuilder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").finish_non_exhaustive()
    }
}

/// An additional server: its address, its credential, and its limits. Other settings are those of the main server,
/// except for its credential and its headers.
#[must_use = "give it to `ClientBuilder::server`"]
pub struct ServerSettings {
    base: String,
    credential: Option<Box<dyn Credential>>,
    keys: Vec<Key>,
    headers: Vec<(String, String)>,
    claim: Option<ClaimCheck>,
    deadline: Option<Duration>,
    body_limit: Option<usize>,
    concurrency: Option<usize>,
}

impl ServerSettings {
    /// Creates the settings of the server at `base_url`: `https`, or `http` on loopback.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base: base_url.into(),
            credential: None,
            keys: Vec::new(),
            headers: Vec::new(),
            claim: None,
            deadline: None,
            body_limit: None,
            concurrency: None,
        }
    }

    /// Sets its credential. The main server's token is never sent to it.
    pub fn credential(mut self, credential: impl Credential) -> Self {
        self.credential = Some(Box::new(credential));
        self
    }

    /// Sets the API key of a security scheme: see [`ClientBuilder::api_key`]. The main server's keys are never sent to
    /// it.
    pub fn api_key(mut self, scheme: impl Into<String>, key: impl SecretSource) -> Self {
        self.keys.push(Key::new(scheme.into(), None, key));
        self
    }

    /// Sets user and password of a security scheme: see [`ClientBuilder::basic`].
    pub fn basic(mut self, scheme: impl Into<String>, user: impl Into<String>, password: impl SecretSource) -> Self {
        self.keys.push(Key::new(scheme.into(), Some(user.into()), password));
        self
    }

    pub(super) fn key(mut self, key: Key) -> Self {
        self.keys.push(key);
        self
    }

    /// Adds a header to every request to it: see [`ClientBuilder::default_header`]. The main server's headers are not
    /// sent to it.
    pub fn default_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the value of a claim that tokens for the server must have, such as the identifier of the tenant that the
    /// server is configured for. The first of `names` that a token has counts. A token with another value is an error
    /// before anything is sent; a token without such a claim is sent, and the server decides. UUIDs are compared as
    /// UUIDs.
    pub fn required_claim<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>, value: impl Display) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.claim = Some(ClaimCheck { names, value: value.to_string() });
        self
    }

    /// Sets the time limit of a call: see [`ClientBuilder::deadline`].
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the largest body that is kept in memory: see [`ClientBuilder::body_limit`].
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = Some(bytes);
        self
    }

    /// Sets the limit of concurrent requests: see [`ClientBuilder::max_concurrency`].
    pub fn max_concurrency(mut self, requests: usize) -> Self {
        self.concurrency = Some(requests.clamp(1, Semaphore::MAX_PERMITS));
        self
    }
}

impl fmt::Debug for ServerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSettings").field("claim", &self.claim).finish_non_exhaustive()
    }
}
