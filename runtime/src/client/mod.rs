//! The client of the service, and of the servers beside it: what every call goes through.

mod builder;
mod call;
mod content;
mod extension;
mod identity;
mod items;
mod link;
pub(crate) mod middleware;
mod network;
mod options;
mod pages;
mod preflight;
mod progress;
mod refused;
mod request;
mod retry;
mod send;
mod session;
mod settings;
mod submission;
mod trace;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use http::Extensions;

#[cfg(feature = "testing")]
pub(crate) use self::extension::Double;
#[cfg(feature = "graphql")]
pub(crate) use self::extension::Extension;
pub(crate) use self::options::{Options, options};
pub(crate) use self::send::send;
pub(crate) use self::session::Session;
pub use self::settings::{
    ConnectionSettings, CredentialSettings, Credentials, NamedFile, SecretFiles, SecretPlace, SettingSlot, Table,
    key_variable, secret_variables, table,
};
pub use self::{
    builder::{ClientBuilder, ServerSettings},
    call::{Call, CallFuture, RawResponse, Response},
    items::Items,
    pages::Pages,
    request::Request,
    retry::RetryPolicy,
    submission::Submission,
};
#[cfg(feature = "operations")]
pub(crate) use self::{content::open_file, progress::Progress, send::send_tracked};
use crate::{
    auth::Claims,
    clock::Until,
    error::{Error, Kind},
    protocol::{Method, Scheme, Security},
};

/// A client of the platform. Clones share their connections and their token.
///
/// ```no_run
/// use driftless_runtime::{Method, Client, auth::{ClientCredentials, SecretFile}};
///
/// # async fn run() -> Result<(), driftless_runtime::Error> {
/// let platform = Client::builder("https://platform.example")
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
pub struct Client {
    pub(crate) session: Arc<Session>,
    servers: Arc<BTreeMap<String, Self>>,
}

/// A type that wraps a [`Client`] and has the operations of one contract as methods.
pub trait GeneratedClient: Sized {
    /// The value of the `User-Agent` header, unless the builder sets another one.
    const USER_AGENT: &'static str;

    /// The prefix of the environment variables that configure it: [`Client::from_env`] lists them.
    const VARIABLES: &'static str = "SERVICE_";

    /// Names of the servers beside the main one that the contracts have: [`Client::from_env`] looks for their variables.
    const SERVERS: &'static [&'static str] = &[];

    /// What a request wants to be shown that no generated operation covers: what the contract says of all of its operations.
    const SECURITY: Security = Security::Token;

    /// The security schemes of the contracts. The builder refuses keys of others; where the list is empty, it takes all.
    const SCHEMES: &'static [Scheme] = &[];

    /// What generated code tells the layers above the client, such as its bindings.
    fn extensions() -> Extensions {
        Extensions::new()
    }

    /// Wraps a client.
    fn from_client(client: Client) -> Self;
}

impl GeneratedClient for Client {
    const USER_AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

    fn from_client(client: Client) -> Self {
        client
    }
}

impl Client {
    /// Starts the configuration of a client for the service at `base_url`: `https`, or `http` on loopback.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url)
    }

    /// A request with the client's connections, credential and limits, for what no generated operation covers. `path`
    /// begins with `/` and is taken below the base address.
    pub fn request(&self, method: Method, path: impl Into<String>) -> Request<'_> {
        Request::new(self, method, path.into())
    }

    /// The address of the service.
    pub fn base_url(&self) -> &str {
        self.session.base.as_str()
    }

    /// A server beside the main one, by the name that the builder gave it: a client of its own, with its own address, credential
    /// and token.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), driftless_runtime::Error> {
    /// use driftless_runtime::{Method, Client, ServerSettings, Uuid, auth::{ClientCredentials, SecretFile}};
    ///
    /// let secret = || SecretFile::new("/run/secrets/platform");
    /// let issuer = "https://issuer.example";
    /// let team: Uuid = "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b".parse().unwrap_or_default();
    /// let compliance = ServerSettings::new("https://compliance.example")
    ///     .credential(ClientCredentials::new(issuer, "my-auditor", secret()))
    ///     .team(team);
    /// let platform = Client::builder("https://platform.example")
    ///     .credential(ClientCredentials::new(issuer, "my-service", secret()))
    ///     .server("compliance", compliance)
    ///     .build()?;
    /// let answer = platform.server("compliance")?.request(Method::Get, "/api/compliance/v1").send().await?;
    /// # let _ = answer;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The client was built without it.
    pub fn server(&self, name: &str) -> Result<&Self, Error> {
        self.servers.get(name).ok_or_else(|| {
            let upper = name.to_uppercase();
            Error::of(Kind::Configuration, format!("the client has no server `{name}`"))
                .hint(format!("give its address and credential to the builder with `server`, or set `…{upper}_URL`"))
        })
    }

    /// Gets a token now, unless there is one: to sign in before the first call, with a deadline of its own. The claims that
    /// the token says about itself, when it is a JWT; they are not verified.
    ///
    /// # Errors
    ///
    /// The client has no credential, or no token could be obtained within `deadline`.
    pub async fn authenticate(&self, deadline: Duration) -> Result<Option<Claims>, Error> {
        use secrecy::ExposeSecret as _;

        let Some(cache) = &self.session.credential else {
            return Err(Error::of(Kind::Configuration, "the client has no credential").hint("give one to the builder"));
        };
        let held = match cache.ready(&self.session.transport, None) {
            Some(held) => held,
            None => cache.token(&self.session.transport, Until::after(deadline), None).await?,
        };
        Ok(Claims::read(held.secret.expose_secret()))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}
