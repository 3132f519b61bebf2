//! The client of the service: the runtime's client, with the operations of the contract.

use std::{fmt, marker::PhantomData, ops::Deref};

#[cfg(feature = "operations")]
use driftless_runtime::codegen::{Bindings, Extensions};
use driftless_runtime::{
    Client, Error,
    codegen::{GeneratedClient, Scheme, Security},
};

use crate::PlatformBuilder;

/// A client of the platform. Clones share their connections and their token.
///
/// The operations of each route family are a method away, such as `platform.projects()`. Everything else is what a
/// [`Client`] does.
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
pub struct Platform {
    client: Client,
}

impl Platform {
    /// Starts the configuration of a client for the service at `base_url`: `https`, or `http` on loopback.
    pub fn builder(base_url: impl Into<String>) -> PlatformBuilder {
        PlatformBuilder::new(base_url)
    }

    /// A client that environment variables configure: those of [`Client::from_env`].
    ///
    /// # Errors
    ///
    /// As for [`Client::from_env`].
    pub fn from_env() -> Result<Self, Error> {
        PlatformBuilder::from_env()?.build()
    }

    /// A client that a profile configures: see [`Client::from_profile`].
    ///
    /// # Errors
    ///
    /// As for [`Client::from_profile`].
    #[cfg(feature = "profiles")]
    pub fn from_profile(file: impl AsRef<std::path::Path>, name: &str) -> Result<Self, Error> {
        PlatformBuilder::from_profile(file, name)?.build()
    }
}

impl GeneratedClient for Platform {
    const USER_AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    const SERVERS: &'static [&'static str] = crate::generated::servers::SERVERS;
    const SECURITY: Security = crate::generated::security::SECURITY;
    const SCHEMES: &'static [Scheme] = crate::generated::security::SCHEMES;

    #[cfg(feature = "operations")]
    fn extensions() -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(Bindings(crate::generated::bindings::BINDINGS));
        extensions
    }

    fn from_client(client: Client) -> Self {
        Self { client }
    }
}

impl Deref for Platform {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Platform").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}

/// A server beside the main one: a client with an address, a credential and limits of its own. `F` says which families it has.
pub struct Server<'a, F> {
    client: &'a Client,
    families: PhantomData<fn() -> F>,
}

impl<'a, F> Server<'a, F> {
    /// The server of this name.
    #[allow(dead_code, reason = "a contract may have the main server alone")]
    pub(crate) fn of(client: &'a Client, name: &str) -> Result<Self, Error> {
        client.server(name).map(|client| Self { client, families: PhantomData })
    }

    /// The client of the server.
    pub fn client(self) -> &'a Client {
        self.client
    }
}

impl<F> Clone for Server<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Server<'_, F> {}

impl<F> Deref for Server<'_, F> {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client
    }
}

impl<F> fmt::Debug for Server<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}

/// What the handles of families are with the feature `assumed` only: the methods of what is left out without it ask for it, so that the
/// compiler names the feature to whoever calls them.
#[diagnostic::on_unimplemented(
    message = "this operation needs the cargo feature `assumed` of this client",
    label = "its shape is assumed until the client is regenerated from a deployment",
    note = "turn the feature on in Cargo.toml: `features = [\"assumed\"]`"
)]
#[allow(dead_code, unreachable_pub, reason = "a contract may have nothing that is assumed")]
pub trait Assumed {
    /// Never called: nothing implements the trait.
    fn absent<T>(self) -> T;
}
