//! Errors of an issuer.

use std::fmt;

/// An error of an issuer. It holds no secret.
#[derive(Debug)]
pub enum IssuerError {
    /// A key or a text cannot be made.
    Random,
    /// The kept state cannot be read or written.
    Kept(String),
}

impl fmt::Display for IssuerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => formatter.write_str("the operating system returns no random bytes for keys and tokens"),
            Self::Kept(message) => write!(formatter, "the kept state cannot be used: {message}"),
        }
    }
}

impl std::error::Error for IssuerError {}
