//! What can go wrong while a sandbox starts or writes files.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a sandbox could not do what was asked. No variant holds a secret.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The loopback port cannot be bound. Free it, or ask for port 0.
    Bind {
        /// The port that was asked for.
        port: u16,
        /// What the operating system says.
        source: io::Error,
    },
    /// The issuer's signing key or a client's secret cannot be made.
    Random,
    /// A secret file cannot be written.
    SecretFile {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

impl Error {
    /// A short code that does not change.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Bind { .. } => "sandbox-bind",
            Self::Random => "sandbox-random",
            Self::SecretFile { .. } => "sandbox-secret-file",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind { port, .. } => {
                write!(formatter, "cannot listen on 127.0.0.1:{port}; free the port or use port 0 for any free one")
            }
            Self::Random => write!(formatter, "the operating system gives no random bytes for keys and secrets"),
            Self::SecretFile { path, .. } => {
                write!(formatter, "cannot write {}; choose a directory that this user may write to", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Bind { source, .. } | Self::SecretFile { source, .. } => Some(source),
            Self::Random => None,
        }
    }
}
