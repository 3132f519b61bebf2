//! Starting and stopping a sandbox.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use driftless_sandbox_control::Operations;
use driftless_sandbox_control::server::{self as connections, Limits, MOST_CONNECTIONS, Server, is_host};
use http::Method;
use ring::rand::SystemRandom;
use uuid::Uuid;

use crate::clock::Clock;
use crate::compliance::Compliance;
use crate::contract::{self, Revision, route};
use crate::control::{Part, Places, Resets};
use crate::cors;
use crate::data::Data;
use crate::directory::{self, Client, SecretFile, SecretFolder, Seed, Team, User, random_text};
use crate::error::Error;
use crate::fault::{EventFaults, FaultControl, Rules};
use crate::graphql;
use crate::handlers::Api;
use crate::issuer::{Issuer, IssuerControl, Vault};
use crate::options::Options;
use crate::publication::Publication;
use crate::requests::{Log, Requests};
use crate::server::{self, App};
use crate::state::{Beginning, Store, Ticker};
use crate::ui::Graphiql;
use crate::workflow::Hub;

const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// A running sandbox. It stops when it is dropped.
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
    auth_url: String,
    compliance_url: String,
    app: App,
    servers: [Server; 2],
    goodbye: Goodbye,
    _ticker: Ticker,
    _owned: Owned,
}

/// Closes the file of the database when it is dropped: after the servers in an orderly end.
#[derive(Debug)]
struct Owned(Arc<Data>);

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Ends sockets and event streams when it is dropped: they would keep the server from stopping.
#[derive(Debug)]
struct Goodbye(Arc<Rules>);

impl Drop for Goodbye {
    fn drop(&mut self) {
        self.0.end_sockets(Some(1001));
    }
}

/// Starts a sandbox on any free port of the loopback address.
///
/// # Errors
///
/// Returns [`Error::Bind`] or [`Error::Random`].
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
/// Returns [`Error::Bind`], [`Error::Random`], [`Error::Seed`], [`Error::Full`], [`Error::Data`], [`Error::InUse`],
/// [`Error::Graphiql`], [`Error::Host`], [`Error::Cors`], [`Error::ComplianceTeam`], [`Error::Contract`] or [`Error::Revision`].
pub async fn start_with(options: Options) -> Result<Sandbox, Error> {
    let cors = cors::layer(&options.cors)?;
    let host = options.public_host.as_deref();
    if let Some(host) = host.filter(|host| !is_host(host)) {
        return Err(Error::Host { host: host.to_owned() });
    }
    let bind = async |port| {
        let address = options.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
        connections::bind(address, port, host).await.map_err(|source| Error::Bind { address, port, source })
    };
    let (listener, base_url) = bind(options.port).await?;
    let (separate, compliance_url) = bind(options.compliance_port).await?;
    let (app, owned) = assemble(&options, &base_url, &compliance_url)?;
    let ticker = Ticker::start(Arc::clone(&app.store));
    let head = options.header_timeout.unwrap_or(HEADER_TIMEOUT);
    let limits = Limits { head, connections: MOST_CONNECTIONS };
    let servers = [
        Server::start(listener, server::main(app.clone(), cors.as_ref()), limits),
        Server::start(separate, server::separate(app.clone(), cors.as_ref()), limits),
    ];
    let auth_url = app.issuer.url.clone();
    let goodbye = Goodbye(Arc::clone(&app.faults));
    Ok(Sandbox { base_url, auth_url, compliance_url, app, servers, goodbye, _ticker: ticker, _owned: owned })
}

fn assemble(options: &Options, base_url: &str, compliance_url: &str) -> Result<(App, Owned), Error> {
    let revision = Revision::from_number(options.contract_revision)
        .ok_or(Error::Revision { revision: options.contract_revision })?;
    let data = Arc::new(Data::open(options.data.as_deref())?);
    let owned = Owned(Arc::clone(&data));
    let vault = Vault::new(Arc::<Data>::clone(&data));
    let contract = revision.contract()?;
    let seed = Seed::read(options.seed.as_deref())?;
    seed.check(options.seed.as_deref(), |resource| {
        let item = format!("{}/{}", resource.collection, resource.key);
        [resource.collection.as_str(), &item].iter().any(|path| route::template(contract, &Method::GET, path).is_some())
    })?;
    let directory = Arc::new(seed.directory(secrets(&vault)?)?);
    let beginning = Beginning { directory: Arc::clone(&directory), resources: seed.resources() };
    let teams: Vec<Uuid> = directory.teams.iter().map(|team| team.id).collect();
    let team_id = match options.compliance_team {
        Some(team) if !teams.contains(&team) => return Err(Error::ComplianceTeam { team, known: teams }),
        Some(team) => team,
        None => teams.first().copied().unwrap_or_default(),
    };
    let events = Arc::new(EventFaults::default());
    let store = Arc::new(Store::open(data, Clock::default(), Hub::new(Arc::clone(&events)), beginning)?);
    let places = Places::new(base_url, compliance_url, Arc::clone(&directory));
    let issuer = Arc::new(Issuer::new(base_url, directory, &vault)?);
    let known: Arc<dyn Operations> = Arc::new(contract);
    let faults = Arc::new(Rules::new(Arc::clone(&known), events));
    let step = options.step.unwrap_or(Duration::from_millis(150)).as_millis();
    let api = Api {
        contract,
        issuer: Arc::clone(&issuer),
        store: Arc::clone(&store),
        faults: Arc::clone(&faults),
        step: i64::try_from(step).unwrap_or(i64::MAX),
    };
    let graphql = graphql::Service {
        schema: graphql::schema(),
        issuer: Arc::clone(&issuer),
        store: Arc::clone(&store),
        faults: Arc::clone(&faults),
    };
    let publication = Publication::new(contract, Arc::clone(&issuer), options.contract_requires_token);
    let log = Arc::new(Log::new(known));
    let resets = Resets {
        store: Arc::clone(&store),
        faults: Arc::clone(&faults),
        issuer: Arc::clone(&issuer),
        log: Arc::clone(&log),
        publication: publication.clone(),
    };
    let app = App {
        api,
        publication,
        issuer,
        store,
        faults,
        log,
        resets,
        places,
        compliance: Compliance { team_id },
        graphql,
        graphiql: options.graphiql.as_deref().map(Graphiql::read).transpose()?.map(Arc::new),
    };
    Ok((app, owned))
}

/// Secrets that a database keeps between starts, by their owners' names.
fn secrets(vault: &Vault) -> Result<impl FnMut(&str) -> Result<String, Error>, Error> {
    const SHELF: &str = "secret";
    let random = SystemRandom::new();
    let known: std::collections::HashMap<String, String> = vault.all(SHELF)?.into_iter().collect();
    Ok(move |owner: &str| match known.get(owner) {
        Some(secret) => Ok(secret.clone()),
        None => {
            let secret = random_text(&random)?;
            vault.put_at(SHELF, owner, 0, &secret)?;
            Ok(secret)
        }
    })
}

impl Sandbox {
    #[cfg(test)]
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// Returns the base address of the platform, such as `http://127.0.0.1:40123`, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns the address of the identity issuer: the `iss` of tokens, and the base of `/connect/token`.
    pub fn auth_url(&self) -> &str {
        &self.auth_url
    }

    /// Returns the base address of the compliance resource server. It accepts tokens whose `team_id` or `tenant_id` claim names
    /// its team (platform document §5.7): the first one, or [`Options::compliance_team`].
    pub fn compliance_url(&self) -> &str {
        &self.compliance_url
    }

    /// Returns the address of GraphQL: queries by POST and GET, subscriptions over WebSocket and server-sent events, and the
    /// schema as SDL with `?sdl`.
    pub fn graphql_url(&self) -> String {
        format!("{}{}", self.base_url, graphql::PATH)
    }

    /// Returns the address of the contract in JSON. The YAML form ends in `.yaml`.
    pub fn contract_url(&self) -> String {
        format!("{}{}", self.base_url, contract::JSON_PATH)
    }

    /// Returns the seeded clients. The first acts for [`Sandbox::team`], the second for [`Sandbox::other_team`], and the third
    /// may not use the client-credentials grant; use [`Sandbox::client`] to get the others by name.
    pub fn clients(&self) -> &[Client] {
        &self.app.issuer.directory.clients
    }

    /// Returns the seeded client of this name.
    pub fn client(&self, client_id: &str) -> Option<&Client> {
        self.app.issuer.directory.client(client_id)
    }

    /// Returns the seeded users, who log in on the issuer's page.
    pub fn users(&self) -> &[User] {
        &self.app.issuer.directory.users
    }

    /// Returns the seeded user of this name.
    pub fn user(&self, name: &str) -> Option<&User> {
        self.app.issuer.directory.user_named(name)
    }

    /// Returns the seeded teams.
    pub fn teams(&self) -> &[Team] {
        &self.app.issuer.directory.teams
    }

    /// Returns the team of the first client.
    pub fn team(&self) -> &Team {
        self.two_teams().0
    }

    /// Returns the team of the second client. Its resources are invisible to the first.
    pub fn other_team(&self) -> &Team {
        self.two_teams().1
    }

    /// Returns a handle to the issuer.
    pub fn issuer(&self) -> IssuerControl<'_> {
        IssuerControl(&self.app.issuer)
    }

    /// Returns the clock of asynchronous work.
    pub fn clock(&self) -> &Clock {
        self.app.store.clock()
    }

    /// Returns a handle to the faults.
    pub fn faults(&self) -> FaultControl<'_> {
        FaultControl::new(&self.app.faults)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Requests<'_> {
        Requests::new(&self.app.log)
    }

    /// Resets everything to the start: state, clock, faults, issuer, requests. Keys, secrets and access tokens stay.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Data`] if the change cannot be stored.
    pub fn reset(&self) -> Result<(), Error> {
        self.reset_only(&Part::ALL)
    }

    /// Resets some parts to the start.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Data`] if the change cannot be stored.
    pub fn reset_only(&self, parts: &[Part]) -> Result<(), Error> {
        self.app.resets.reset(parts)
    }

    /// Writes the secret of each client that has one into a file `<client_id>.secret` in the directory, with mode 0600. A file of
    /// that name is replaced; a missing directory is created with mode 0700.
    ///
    /// # Errors
    ///
    /// Returns [`Error::SecretFile`] with the file or directory that could not be written.
    pub fn write_secret_files(&self, directory: &Path) -> Result<Vec<SecretFile>, Error> {
        directory::write_secret_files(self.clients(), directory)
    }

    /// Writes the password of each user into a file `<name>.password` in the directory, as [`Sandbox::write_secret_files`] does,
    /// and returns names and files.
    ///
    /// # Errors
    ///
    /// Returns [`Error::SecretFile`] with the file that could not be written.
    pub fn write_password_files(&self, directory: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
        let write = |user: &User| {
            let path = directory::write_one(directory, &format!("{}.password", user.name), user.password())?;
            Ok((user.name.clone(), path))
        };
        self.users().iter().map(write).collect()
    }

    /// Writes secrets and passwords into a folder that is emptied when the handle is dropped; without a folder, into a new one. A
    /// given folder has the same paths at every start. The files of a killed sandbox in it are removed, and no others.
    ///
    /// # Errors
    ///
    /// Returns [`Error::SecretFile`] with the path that could not be written, [`Error::SecretsInUse`], or [`Error::ForeignFile`]
    /// with another program's file at the path of a secret.
    pub fn publish_secrets(&self, folder: Option<&Path>) -> Result<SecretFolder, Error> {
        let folder = SecretFolder::fill(folder, &self.app.issuer.directory)?;
        self.app.places.publish(&folder);
        Ok(folder)
    }

    /// Sets whether the contract requires a bearer token from now on.
    pub fn set_contract_requires_token(&self, required: bool) {
        self.app.publication.set_requires_token(required);
    }

    /// Sets the lifetime of tokens that are issued from now on: [`IssuerControl::set_token_lifetime`].
    pub fn set_token_lifetime(&self, lifetime: Duration) {
        self.issuer().set_token_lifetime(lifetime);
    }

    /// Stops the servers: no new connections are accepted, and running requests have up to five seconds to end.
    pub async fn stop(self) {
        const PATIENCE: Duration = Duration::from_secs(5);
        let [main, separate] = self.servers;
        drop(self.goodbye);
        tokio::join!(main.stop(PATIENCE), separate.stop(PATIENCE));
    }

    /// The first two teams. A seed without two is refused at the start.
    fn two_teams(&self) -> (&Team, &Team) {
        match self.teams() {
            [first, second, ..] => (first, second),
            [only] => (only, only),
            [] => (&NOBODY, &NOBODY),
        }
    }
}

static NOBODY: Team = Team::nobody();
