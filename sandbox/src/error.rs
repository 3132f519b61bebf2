//! Errors of starting a sandbox and of writing files.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

#[cfg(feature = "server")]
use driftless_sandbox_issuer::IssuerError;
use uuid::Uuid;

/// An error of starting a sandbox or of one of its operations. No variant holds a secret.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The port cannot be bound. Free it, or ask for port 0.
    Bind {
        /// The requested address.
        address: IpAddr,
        /// The requested port.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The issuer's signing key or a client's secret cannot be made.
    Random,
    /// A secret file cannot be written.
    SecretFile {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The seed cannot be read.
    Seed {
        /// The file; `None` for the built-in seed.
        path: Option<PathBuf>,
        /// The problem, with its line.
        message: String,
    },
    /// The database cannot be opened, read or written.
    Data {
        /// The message of SQLite.
        message: String,
    },
    /// The state has no room for a change.
    Full,
    /// Another sandbox uses the database. A file of a killed sandbox is not in use.
    InUse {
        /// The file of the database.
        path: PathBuf,
    },
    /// Another sandbox keeps its secrets in the folder.
    SecretsInUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file exists at the path of a secret, and was not written by a sandbox, or has changed since.
    ForeignFile {
        /// The file.
        path: PathBuf,
    },
    /// A file of GraphiQL cannot be read.
    Graphiql {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The text is not a valid host of a URL.
    Host {
        /// The given text.
        host: String,
    },
    /// The origin is not one that a browser sends.
    Cors {
        /// The given origin.
        origin: String,
        /// The problem with it.
        message: String,
    },
    /// The seed does not have the team of the compliance resource server.
    ComplianceTeam {
        /// The requested team.
        team: Uuid,
        /// The teams of the seed.
        known: Vec<Uuid>,
    },
    /// The contract or the behaviour of its operations, which are built in, cannot be read.
    Contract {
        /// The file, the place and the problem.
        message: String,
    },
    /// The contract has no such revision.
    Revision {
        /// The requested revision.
        revision: u32,
    },
}

impl Error {
    /// Returns a short code that is stable between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Bind { .. } => "sandbox-bind",
            Self::Random => "sandbox-random",
            Self::SecretFile { .. } => "sandbox-secret-file",
            Self::Seed { .. } => "sandbox-seed",
            Self::Data { .. } => "sandbox-data",
            Self::Full => "sandbox-full",
            Self::InUse { .. } => "sandbox-data-in-use",
            Self::SecretsInUse { .. } => "sandbox-secrets-in-use",
            Self::ForeignFile { .. } => "sandbox-foreign-file",
            Self::Graphiql { .. } => "sandbox-graphiql",
            Self::Host { .. } => "sandbox-host",
            Self::Cors { .. } => "sandbox-cors",
            Self::ComplianceTeam { .. } => "sandbox-compliance-team",
            Self::Contract { .. } => "sandbox-contract",
            Self::Revision { .. } => "sandbox-revision",
        }
    }
}

#[cfg(feature = "server")]
impl Error {
    /// The status of the answer to a request that fails with it.
    pub(crate) fn status(&self) -> http::StatusCode {
        match self {
            Self::Full => http::StatusCode::INSUFFICIENT_STORAGE,
            _ => http::StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

#[cfg(feature = "server")]
impl From<IssuerError> for Error {
    fn from(error: IssuerError) -> Self {
        match error {
            IssuerError::Random => Self::Random,
            IssuerError::Kept(message) => Self::Data { message },
        }
    }
}

#[cfg(feature = "server")]
impl From<Error> for IssuerError {
    fn from(error: Error) -> Self {
        match error {
            Error::Data { message } => Self::Kept(message),
            other => Self::Kept(other.to_string()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind { address, port, .. } => {
                let address = SocketAddr::new(*address, *port);
                write!(formatter, "cannot listen on {address}; free the port or use port 0 for any free one")
            }
            Self::Random => write!(formatter, "the operating system returns no random bytes for keys and secrets"),
            Self::SecretFile { path, .. } => {
                write!(formatter, "cannot write {}; choose a directory that this user may write to", path.display())
            }
            Self::Seed { path: Some(path), message } => {
                write!(formatter, "cannot read the seed {}: {message}; fix the file or leave it out", path.display())
            }
            Self::Seed { path: None, message } => write!(formatter, "cannot read the built-in seed: {message}"),
            Self::Data { message } => {
                write!(formatter, "cannot use the database: {message}; release it, or choose another file")
            }
            Self::Full => write!(formatter, "the state has no room: remove resources, or reset it"),
            Self::InUse { path } => {
                let path = path.display();
                write!(formatter, "another sandbox uses the database {path}; stop it, or choose another file")
            }
            Self::SecretsInUse { path } => {
                let path = path.display();
                write!(formatter, "another sandbox keeps its secrets in {path}; stop it, or choose another folder")
            }
            Self::ForeignFile { path } => {
                let path = path.display();
                write!(
                    formatter,
                    "{path} was not written by a sandbox, or has changed since, and a secret needs its path; move it away"
                )
            }
            Self::Graphiql { path, .. } => {
                write!(formatter, "cannot read {}; install GraphiQL with sandbox/graphiql/install.sh", path.display())
            }
            Self::Host { host } => {
                write!(formatter, "invalid host {host:?}; write a name or an address, without a port")
            }
            Self::Cors { origin, message } => write!(formatter, "invalid CORS origin {origin:?}: {message}"),
            Self::ComplianceTeam { team, known } => {
                let known: Vec<String> = known.iter().map(Uuid::to_string).collect();
                write!(formatter, "the seed has no team {team}; its teams are {}", known.join(", "))
            }
            Self::Contract { message } => write!(formatter, "cannot read the built-in contract: sandbox/{message}"),
            Self::Revision { revision } => {
                write!(formatter, "the contract has no revision {revision}; choose 1 or 2")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Bind { source, .. } | Self::SecretFile { source, .. } | Self::Graphiql { source, .. } => Some(source),
            Self::Random
            | Self::Seed { .. }
            | Self::Data { .. }
            | Self::Full
            | Self::InUse { .. }
            | Self::SecretsInUse { .. }
            | Self::ForeignFile { .. }
            | Self::ComplianceTeam { .. }
            | Self::Host { .. }
            | Self::Cors { .. }
            | Self::Contract { .. }
            | Self::Revision { .. } => None,
        }
    }
}
