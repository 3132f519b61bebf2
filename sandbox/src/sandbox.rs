//! Starting and stopping a sandbox.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ring::rand::SystemRandom;

use crate::client::{self, Client, SecretFile};
use crate::contract;
use crate::engine::Store;
use crate::error::Error;
use crate::issuer::Issuer;
use crate::server::{self, Server, Shared};
use crate::team::{self, Team};

/// What differs from the default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The port on 127.0.0.1; 0 is any free one.
    pub port: u16,
    /// Whether the contract is served only to callers with a bearer token.
    pub contract_requires_token: bool,
}

/// A running sandbox. It stops when it is dropped.
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
    auth_url: String,
    teams: [Team; 2],
    shared: Arc<Shared>,
    server: Server,
}

/// Starts a sandbox on any free port of the loopback address.
///
/// # Errors
///
/// [`Error::Bind`] and [`Error::Random`].
pub async fn start() -> Result<Sandbox, Error> {
    start_with(Options::default()).await
}

/// Starts a sandbox with options.
///
/// ```
/// # async fn example() -> Result<(), platform_sandbox::Error> {
/// use platform_sandbox::Options;
///
/// let options = Options { contract_requires_token: true, ..Options::default() };
/// let sandbox = platform_sandbox::start_with(options).await?;
/// # sandbox.stop().await;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::Bind`] and [`Error::Random`].
pub async fn start_with(options: Options) -> Result<Sandbox, Error> {
    let listener = server::bind(options.port).await?;
    let base_url = server::address(&listener).map_err(|source| Error::Bind { port: options.port, source })?;
    let auth_url = format!("{base_url}{}", crate::issuer::PATH);
    let teams = team::seed();
    let clients = client::seed(&teams, &SystemRandom::new())?;
    let shared = Arc::new(Shared {
        issuer: Issuer::new(auth_url.clone(), clients)?,
        store: Store::seeded(&teams),
        contract_requires_token: options.contract_requires_token.into(),
    });
    let server = Server::start(listener, Arc::clone(&shared));
    Ok(Sandbox { base_url, auth_url, teams, shared, server })
}

impl Sandbox {
    /// The base address of the platform, such as `http://127.0.0.1:40123`, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The address of the identity issuer: what tokens name in `iss`, and what `/connect/token` is appended to.
    pub fn auth_url(&self) -> &str {
        &self.auth_url
    }

    /// The address of the contract in JSON. The YAML form ends in `.yaml`.
    pub fn contract_url(&self) -> String {
        format!("{}{}", self.base_url, contract::JSON_PATH)
    }

    /// The seeded clients: one for [`Sandbox::team`], one for [`Sandbox::other_team`], and one that may not use the
    /// client-credentials grant.
    pub fn clients(&self) -> &[Client] {
        self.shared.issuer.clients()
    }

    /// The team of the first client.
    pub fn team(&self) -> &Team {
        let [team, _] = &self.teams;
        team
    }

    /// The team of the second client. Nothing that it owns is visible to the first.
    pub fn other_team(&self) -> &Team {
        let [_, team] = &self.teams;
        team
    }

    /// Writes the secret of each client into a file `<client_id>.secret` in the directory, with mode 0600. A file of that
    /// name is replaced; a missing directory is made with mode 0700.
    ///
    /// # Errors
    ///
    /// [`Error::SecretFile`] with the file or directory that could not be written.
    pub fn write_secret_files(&self, directory: &Path) -> Result<Vec<SecretFile>, Error> {
        client::write_secret_files(self.clients(), directory)
    }

    /// Demands a bearer token for the contract from now on, or stops demanding one.
    pub fn set_contract_requires_token(&self, required: bool) {
        self.shared.contract_requires_token.store(required, Ordering::Relaxed);
    }

    /// Sets how long the tokens last that are issued from now on. The default is an hour. Less than a second gives tokens
    /// that are expired when they arrive.
    pub fn set_token_lifetime(&self, lifetime: Duration) {
        self.shared.issuer.set_lifetime(lifetime);
    }

    /// Stops the server: no new connections, and the running requests end first (for up to five seconds).
    pub async fn stop(self) {
        self.server.stop().await;
    }
}
