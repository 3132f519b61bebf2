//! The client of the service and its additional servers, which every call goes through.

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
#[cfg(feature = "graphql")]
pub(crate) use self::pages::{MOST_EMPTY_PAGES, MOST_PAGES, circle};
pub(crate) use self::send::send;
pub(crate) use self::session::Session;
pub use self::settings::{
    ClientSource, ConnectionSettings, CredentialSettings, Credentials, DeclaredServer, Lookup, NamedFile,
    RequiredClaim, SecretFiles, SecretPlace, SettingSlot, Table, builder_from_lookup, key_variable, secret_variables,
    source, table,
};
#[cfg(feature = "profiles")]
pub use self::settings::{builder_from_text, profiles_path};
pub use self::{
    builder::{ClientBuilder, ServerSettings},
    call::{Call, CallFuture, Preview, RawResponse, Response},
    items::Items,
    pages::Pages,
    request::Request,
    retry::RetryPolicy,
    submission::Submission,
};
#[cfg(feature = "operations")]
pub(crate) use self::{content::open_file, progress::Progress, send::send_tracked};
use crate::{
    auth::{CachedToken, Claims},
    clock::Until,
    error::{Error, Kind},
    protocol::{Method, Scheme, Security},
};

/// A client of the service. Clones share their connections and their token.
///
/// ```no_run
/// use driftless_runtime::{Method, Client, auth::{ClientCredentials, SecretFile}};
///
/// # async fn run() -> Result<(), driftless_runtime::Error> {
/// let client = Client::builder("https://service.example")
///     .credential(ClientCredentials::new(
///         "https://issuer.example",
///         "my-service",
///         SecretFile::new("/run/secrets/service"),
///     ))
///     .build()?;
/// let projects = client.request(Method::Get, "/api/projects/v1/projects").send().await?;
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

    /// The additional servers of the contracts: [`Client::from_env`] reads their variables.
    const SERVERS: &'static [DeclaredServer] = &[];

    /// The security of requests without a generated operation: the one that the contract declares for all operations.
    const SECURITY: Security = Security::Token;

    /// The security schemes of the contracts. The builder refuses keys of others; if the list is empty, it accepts all.
    const SCHEMES: &'static [Scheme] = &[];

    /// Data of generated code for the layers above the client, such as its bindings.
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

    /// Creates a request with the client's connections, credential and limits, for endpoints without a generated
    /// operation. `path` begins with `/` and is appended to the base address.
    pub fn request(&self, method: Method, path: impl Into<String>) -> Request<'_> {
        Request::new(self, method, path.into())
    }

    /// Returns the address of the service.
    pub fn base_url(&self) -> &str {
        self.session.base.as_str()
    }

    /// Returns an additional server, by its name in the builder: a client with its own address, credential and token.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), driftless_runtime::Error> {
    /// use driftless_runtime::{Method, Client, ServerSettings, auth::{ClientCredentials, SecretFile}};
    ///
    /// let secret = || SecretFile::new("/run/secrets/service");
    /// let issuer = "https://issuer.example";
    /// let archive = ServerSettings::new("https://archive.example")
    ///     .credential(ClientCredentials::new(issuer, "my-archivist", secret()))
    ///     .required_claim(["tenant_id"], "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b");
    /// let client = Client::builder("https://service.example")
    ///     .credential(ClientCredentials::new(issuer, "my-service", secret()))
    ///     .server("archive", archive)
    ///     .build()?;
    /// let answer = client.server("archive")?.request(Method::Get, "/api/archive/v1").send().await?;
    /// # let _ = answer;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The client was built without this server.
    pub fn server(&self, name: &str) -> Result<&Self, Error> {
        self.servers.get(name).ok_or_else(|| {
            let upper = name.to_uppercase();
            Error::with(Kind::Configuration, format!("the client has no server `{name}`"))
                .hint(format!("give its address and credential to the builder with `server`, or set `…{upper}_URL`"))
        })
    }

    /// Gets a token now, unless there is one: to sign in before the first call, with a deadline of its own. Returns the
    /// token's claims if it is a JWT; they are not verified.
    ///
    /// # Errors
    ///
    /// The client has no credential, or no token could be obtained within `deadline`.
    pub async fn authenticate(&self, deadline: Duration) -> Result<Option<Claims>, Error> {
        use secrecy::ExposeSecret as _;

        Ok(Claims::read(current_token(self, deadline).await?.secret.expose_secret()))
    }
}

/// Gets a token now, unless there is one. It is not a method, so that a route family may be called `token`.
pub(crate) async fn current_token(client: &Client, deadline: Duration) -> Result<Arc<CachedToken>, Error> {
    let Some(cache) = &client.session.credential else {
        return Err(Error::with(Kind::Configuration, "the client has no credential").hint("give one to the builder"));
    };
    match cache.ready(&client.session.transport, None) {
        Some(token) => Ok(token),
        None => cache.token(&client.session.transport, Until::after(deadline), None).await,
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}
