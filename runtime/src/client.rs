//! The client of the service, and of the compliance resource server beside it.

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    Call, ClientBuilder, Method, Request,
    auth::Claims,
    clock::Until,
    error::{Error, Kind},
    session::{Options, Session},
    wire::{Argument, Operation, Payload, Raw, prepare},
};

/// A client of the platform. Clones share their connections and their token.
///
/// ```no_run
/// use platform_runtime::{Method, Client, auth::{ClientCredentials, SecretFile}};
///
/// # async fn run() -> Result<(), platform_runtime::Error> {
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
pub struct Client(pub(crate) Arc<Session>);

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
        self.0.base.as_str()
    }

    /// The compliance resource server (platform document §5.7): a client of its own, with its own address, credential and
    /// token.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), platform_runtime::Error> {
    /// use platform_runtime::{Compliance, Method, Client, Uuid, auth::{ClientCredentials, SecretFile}};
    ///
    /// let secret = || SecretFile::new("/run/secrets/platform");
    /// let issuer = "https://issuer.example";
    /// let team: Uuid = "7f9c24e8-3b12-4d5e-9a6f-0c1d2e3f4a5b".parse().unwrap_or_default();
    /// let platform = Client::builder("https://platform.example")
    ///     .credential(ClientCredentials::new(issuer, "my-service", secret()))
    ///     .compliance(
    ///         Compliance::new("https://compliance.example")
    ///             .credential(ClientCredentials::new(issuer, "my-auditor", secret()))
    ///             .team(team),
    ///     )
    ///     .build()?;
    /// let answer = platform.compliance_server()?.request(Method::Get, "/api/compliance/v1").send().await?;
    /// # let _ = answer;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The client was built without one.
    pub fn compliance_server(&self) -> Result<&Self, Error> {
        self.0.compliance.as_ref().ok_or_else(|| {
            Error::new(Kind::Configuration, "the client has no compliance resource server")
                .hint("give its address and credential to the builder with `compliance`")
        })
    }

    /// Gets a token now, unless there is one: to sign in before the first call, with a deadline of its own. The claims that
    /// the token says about itself, when it is a JWT; they are not verified.
    ///
    /// # Errors
    ///
    /// There is no credential, or no token could be had within `deadline`.
    pub async fn authenticate(&self, deadline: Duration) -> Result<Option<Claims>, Error> {
        use secrecy::ExposeSecret as _;

        let Some(cache) = &self.0.credential else {
            return Err(Error::new(Kind::Configuration, "the client has no credential").hint("give one to the builder"));
        };
        let held = match cache.ready(&self.0.transport, None) {
            Some(held) => held,
            None => cache.token(&self.0.transport, Until::after(deadline), None).await?,
        };
        Ok(Claims::read(held.secret.expose_secret()))
    }

    /// What generated operations call.
    #[doc(hidden)]
    pub fn call<T>(
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

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}
