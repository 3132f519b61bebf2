//! The client and its configuration.

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderValue;
use url::Url;

use crate::{
    Call, Method, Request, address,
    auth::{Audit, Cache, Credential, TokenEvent},
    error::{Error, Kind},
    session::{BODY_LIMIT, Options, Session, Transport},
    wire::{Argument, Operation, Payload, Raw, prepare},
};

/// A client of the platform. Clones share their connections and their token.
///
/// ```no_run
/// use platform_client::{Method, Platform, auth::{ClientCredentials, SecretFile}};
///
/// # async fn run() -> Result<(), platform_client::Error> {
/// let platform = Platform::builder("https://platform.example")
///     .credential(ClientCredentials::new(
///         "https://issuer.example",
///         "my-service",
///         SecretFile::new("/run/secrets/platform"),
///     ))
///     .build()?;
/// let projects = platform.request(Method::Get, "/api/projects/v1/projects").send().await?;
/// # let _ = projects;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Platform(pub(crate) Arc<Session>);

impl Platform {
    /// Starts the configuration of a client for the service at `base_url`: `https`, or `http` on loopback.
    pub fn builder(base_url: impl Into<String>) -> PlatformBuilder {
        PlatformBuilder {
            base: base_url.into(),
            credential: None,
            api_version: None,
            user_agent: concat!("platform-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            deadline: Duration::from_secs(60),
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            retry: true,
            body_limit: BODY_LIMIT,
            audit: Audit::default(),
        }
    }

    /// A request with the client's connections, credential and limits, for what no generated operation covers. `path`
    /// begins with `/` and is taken below the base address.
    pub fn request(&self, method: Method, path: impl Into<String>) -> Request<'_> {
        Request::new(self, method, path.into())
    }

    /// The address of the service.
    pub fn base_url(&self) -> &str {
        self.0.base.as_str()
    }

    /// What generated operations call.
    #[allow(dead_code, reason = "a client without any family has no operation")]
    pub(crate) fn call<T>(
        &self,
        operation: &'static Operation,
        arguments: &[&dyn Argument],
        payload: Payload<'_>,
        decode: fn(Raw) -> Result<T, Error>,
    ) -> Call<'_, T> {
        let prepared = prepare(&self.0.base, self.0.api_version.as_deref(), operation, arguments, payload);
        Call::new(self, operation.name, prepared.map_err(|error| error.at(operation.name)), Options::default(), decode)
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Platform").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}

/// The configuration of a [`Platform`].
#[must_use = "a builder does nothing before `build`"]
pub struct PlatformBuilder {
    base: String,
    credential: Option<Box<dyn Credential>>,
    api_version: Option<String>,
    user_agent: String,
    deadline: Duration,
    connect: Duration,
    idle: Duration,
    retry: bool,
    body_limit: usize,
    audit: Audit,
}

impl PlatformBuilder {
    /// Sets where tokens come from. Without a credential, requests are sent without a token.
    pub fn credential(mut self, credential: impl Credential) -> Self {
        self.credential = Some(Box::new(credential));
        self
    }

    /// Sets the time that a call may take, all attempts and token requests included; 60 s unless set. For a streamed
    /// response, it ends with the head of the response.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the time that a connection may take to come about; 5 s unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect = timeout;
        self
    }

    /// Sets how long a streamed body may be silent; 30 s unless set.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle = timeout;
        self
    }

    /// Sets the most that is read of a body that is decoded, in bytes; 16 MiB unless set. Streamed bodies have no limit.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the version of the interface that is sent where the contract has a parameter for it, instead of the contract's
    /// default.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.api_version = Some(version.into());
        self
    }

    /// Sets the `User-Agent` header.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Sends each call once, whatever comes back.
    pub fn no_retry(mut self) -> Self {
        self.retry = false;
        self
    }

    /// Sets who is told when a token is obtained, refreshed, refused or dropped: for audit logs. It must not block.
    pub fn on_token_event(mut self, hook: impl Fn(&TokenEvent) + Send + Sync + 'static) -> Self {
        self.audit = Audit(Some(Arc::new(hook)));
        self
    }

    /// The client. Nothing is read or sent before the first call.
    ///
    /// # Errors
    ///
    /// The address is none, is `http` beyond loopback, or holds a user; the user agent holds control characters; the
    /// credential's configuration cannot work.
    pub fn build(self) -> Result<Platform, Error> {
        let base: Url = address::server("the base address", &self.base)?;
        let user_agent = HeaderValue::try_from(self.user_agent).map_err(|_| {
            Error::new(Kind::Configuration, "the user agent holds control characters").hint("take them out")
        })?;
        if let Some(credential) = &self.credential {
            credential.check()?;
        }
        Ok(Platform(Arc::new(Session {
            base,
            api_version: self.api_version,
            deadline: self.deadline,
            idle: self.idle,
            retry: self.retry,
            body_limit: self.body_limit,
            credential: self.credential.map(|credential| Cache::new(credential, self.audit)),
            transport: Arc::new(Transport::new(user_agent, self.connect)),
        })))
    }
}

impl fmt::Debug for PlatformBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlatformBuilder").finish_non_exhaustive()
    }
}
