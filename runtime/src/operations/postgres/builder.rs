//! The connection settings of a store in PostgreSQL.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    Inner, PostgresStore,
    connection::{PATIENCE, Source},
    listen::Listener,
    pool::Pool,
    schema,
};
use crate::{
    auth::SecretSource,
    error::{Error, Kind},
    transport::{Certificates, Tls},
};

/// The schema of a store, unless another one is named.
const SCHEMA: &str = "driftless_operations";

/// The settings of a store in PostgreSQL.
#[must_use = "the description does nothing before `open`"]
pub struct PostgresBuilder {
    address: String,
    schema: String,
    password: Option<Arc<dyn SecretSource>>,
    roots: Vec<(Certificates, bool)>,
    plain: bool,
    connections: usize,
    transactions: usize,
    migrate: Option<usize>,
    wakes: bool,
}

impl PostgresBuilder {
    pub(super) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            schema: SCHEMA.to_owned(),
            password: None,
            roots: Vec::new(),
            plain: false,
            connections: 4,
            transactions: 8,
            migrate: None,
            wakes: true,
        }
    }

    /// Sets the schema, which only the store uses; `driftless_operations` unless set. It is 1 to 40 letters of `a` to
    /// `z`, digits and `_`, and begins with a letter.
    pub fn schema(mut self, name: &str) -> Self {
        self.schema = name.to_owned();
        self
    }

    /// Sets the source of the password. It is read for each connection, so that a rotated one is picked up.
    pub fn password(mut self, source: impl SecretSource) -> Self {
        self.password = Some(Arc::new(source));
        self
    }

    /// Trusts these root certificates, and those of further calls, in addition to those of the system. It requires TLS
    /// on loopback, too.
    pub fn root_certificates(mut self, certificates: Certificates) -> Self {
        self.roots.push((certificates, false));
        self
    }

    /// Trusts only these root certificates, and those of further calls, instead of those of the system. It requires TLS
    /// on loopback, too.
    pub fn only_root_certificates(mut self, certificates: Certificates) -> Self {
        self.roots.push((certificates, true));
        self
    }

    /// Allows a connection without TLS to a server on another machine: password and entries are readable on the way.
    /// For networks that encrypt by themselves.
    pub fn plain_text(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Sets the number of connections that the steps of the store share; 4 unless set. One more is used for `LISTEN` if
    /// an instance waits.
    pub fn connections(mut self, count: usize) -> Self {
        self.connections = count;
        self
    }

    /// Sets the number of connections that the handlers of [`Worker::handle_in`](crate::operations::Worker::handle_in)
    /// share; 8 unless set. They are opened on demand.
    pub fn transactions(mut self, count: usize) -> Self {
        self.transactions = count;
        self
    }

    /// Creates the schema if it is missing, and migrates it to the version of this program. Run this as a step of a
    /// deployment, with a role that may do so: without it, a database that lost the store is an error, and never
    /// silently a new store.
    ///
    /// Programs of the previous version continue to work during and after the migration, unless the changelog says
    /// otherwise.
    pub fn migrate(mut self) -> Self {
        self.migrate = Some(schema::STEPS.len());
        self
    }

    #[cfg(test)]
    pub(super) fn migrate_to(mut self, version: usize) -> Self {
        self.migrate = Some(version);
        self
    }

    /// Does without the connection that wakes waiting instances: for poolers that do not pass notifications on.
    /// Instances find work by polling.
    pub fn without_wakes(mut self) -> Self {
        self.wakes = false;
        self
    }

    /// Connects to the store.
    ///
    /// # Errors
    ///
    /// The address, the schema's name, the certificates or the password cannot be used; the database cannot be reached,
    /// has no such store, or has one of a version that this program does not support.
    pub async fn open(self) -> Result<PostgresStore, Error> {
        let name = self.schema.as_str();
        let fits = (1..=40).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            && name.starts_with(|letter: char| letter.is_ascii_lowercase())
            && !name.starts_with("pg_");
        if !fits {
            return Err(Error::with(Kind::Configuration, "the name of the schema is not valid")
                .hint("use 1 to 40 letters a to z, digits and `_`, beginning with a letter, and not with `pg_`"));
        }
        let config = self.config()?;
        let mut trusted = Tls::default();
        for (roots, only) in &self.roots {
            trusted.trust(roots, *only)?;
        }
        let mut tls = trusted.secure().map_err(|cause| {
            Error::with(Kind::Configuration, format!("TLS cannot be set up: {cause}")).hint("check the certificates")
        })?;
        // The default is that of HTTP.
        tls.alpn_protocols.clear();
        let source = Arc::new(Source {
            config,
            tls: MakeRustlsConnect::new(tls),
            password: self.password.clone(),
            schema: format!("\"{name}\""),
            known: OnceLock::new(),
        });
        if let Some(version) = self.migrate {
            schema::migrate(&mut source.connect().await?, version).await?;
        }
        let store = PostgresStore(Arc::new(Inner {
            steps: Pool::new(&source, self.connections)?,
            handlers: Pool::new(&source, self.transactions)?,
            listener: Listener::new(&source, name, !self.wakes),
            intending: Mutex::default(),
        }));
        // The first connection checks the schema.
        drop(store.repeat(|_| store.0.steps.get()).await?);
        Ok(store)
    }

    fn config(&self) -> Result<Config, Error> {
        let wrong = |message: &str| {
            // The cause repeats parts of the address.
            Error::with(Kind::Configuration, format!("the address of the database {message}"))
        };
        let form = "write it as `postgresql://user@host:5432/database`";
        let mut config: Config = self.address.parse().map_err(|_| wrong("cannot be read").hint(form))?;
        if config.get_password().is_some() {
            return Err(wrong("contains a password")
                .hint("leave it out, and name its source with `PostgresBuilder::password`: addresses end up in logs"));
        }
        if config.get_user().is_none() || config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(wrong("names no user or no host").hint(form));
        }
        let local = config.get_hosts().iter().all(is_local) && config.get_hostaddrs().iter().all(IpAddr::is_loopback);
        if !self.roots.is_empty() || !(local || self.plain) {
            config.ssl_mode(SslMode::Require);
        } else if config.get_ssl_mode() == SslMode::Prefer {
            // A fallback to clear text protects against nobody, and a server on loopback has an untrusted certificate.
            config.ssl_mode(SslMode::Disable);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE / 2);
        }
        if config.get_application_name().is_none() {
            config.application_name("driftless-operations");
        }
        // A server whose machine is gone does not answer.
        config
            .keepalives_idle(Duration::from_secs(30))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(30));
        Ok(config)
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

impl std::fmt::Debug for PostgresBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may contain a password, until it is refused.
        f.debug_struct("PostgresBuilder").field("schema", &self.schema).finish_non_exhaustive()
    }
}
