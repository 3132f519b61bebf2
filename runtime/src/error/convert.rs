//! The construction of errors by programs: in a credential, a middleware, a store of their own.

use std::{error::Error as StdError, io, sync::Arc};

use super::{Error, ErrorKind, display};

impl Error {
    /// Creates an error of this kind with the message of `source`: an error of another library, or a text. It must not
    /// contain a secret.
    ///
    /// The kind determines the client's reaction: an error of a middleware with the kind
    /// [`Connect`](ErrorKind::Connect) or [`Transport`](ErrorKind::Transport) is handled like one of the network.
    ///
    /// ```
    /// use driftless_runtime::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Token, "the vault is sealed");
    /// assert!(error.is_token());
    /// assert_eq!(error.to_string(), "the vault is sealed");
    ///
    /// let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
    /// let error = Error::new(ErrorKind::Secret, missing);
    /// assert!(error.get_ref().unwrap().is::<std::io::Error>());
    /// ```
    pub fn new(kind: ErrorKind, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source: Arc<dyn StdError + Send + Sync> = Arc::from(source.into());
        let mut error = Self::with(kind, source.to_string());
        error.0.cause = Some(source);
        error.0.transparent = true;
        error
    }
}

/// [`ErrorKind::File`].
impl From<io::Error> for Error {
    fn from(cause: io::Error) -> Self {
        Self::new(ErrorKind::File, cause)
    }
}

/// [`ErrorKind::Decode`]. The values that the decoder quotes are left out: one may be a secret.
impl From<serde_json::Error> for Error {
    fn from(cause: serde_json::Error) -> Self {
        Self::with(ErrorKind::Decode, display::mask(&cause.to_string()))
    }
}

/// [`ErrorKind::Request`].
impl From<http::Error> for Error {
    fn from(cause: http::Error) -> Self {
        Self::new(ErrorKind::Request, cause)
    }
}

/// [`ErrorKind::Request`].
impl From<http::header::InvalidHeaderName> for Error {
    fn from(cause: http::header::InvalidHeaderName) -> Self {
        Self::new(ErrorKind::Request, cause)
    }
}

/// [`ErrorKind::Request`].
impl From<http::header::InvalidHeaderValue> for Error {
    fn from(cause: http::header::InvalidHeaderValue) -> Self {
        Self::new(ErrorKind::Request, cause)
    }
}

/// [`ErrorKind::Other`], or the same error if it is one already.
impl From<Box<dyn StdError + Send + Sync>> for Error {
    fn from(cause: Box<dyn StdError + Send + Sync>) -> Self {
        cause.downcast::<Self>().map_or_else(|cause| Self::new(ErrorKind::Other, cause), |error| *error)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::{Error, ErrorKind, io};

    #[test]
    fn an_error_of_a_program_says_what_its_source_says_once() {
        let inner = io::Error::other("no\u{1b}[31m \u{202e}way");
        let error = Error::new(ErrorKind::Other, io::Error::other(inner));
        assert_eq!((error.kind(), error.code()), (ErrorKind::Other, "other"));
        assert_eq!(error.to_string(), "no\\u{1b}[31m \\u{202e}way", "no escape reaches a terminal");
        assert!(error.get_ref().is_some_and(|source| source.is::<io::Error>()));
        let again = error.clone();
        assert_eq!(again.to_string(), error.to_string());
        // The chain continues behind the source, and does not repeat it.
        assert!(error.source().is_none_or(|source| !source.is::<Error>()));
        let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(Error::new(ErrorKind::Timeout, "late"));
        assert!(Error::from(boxed).is_timeout());
        let boxed: Box<dyn std::error::Error + Send + Sync> = "late".into();
        assert_eq!(Error::from(boxed).kind(), ErrorKind::Other);
    }

    #[test]
    fn what_libraries_say_has_a_kind() {
        fn read() -> Result<(), Error> {
            std::fs::read("/no/such/file")?;
            Ok(())
        }
        assert_eq!(read().map_err(|error| error.kind()), Err(ErrorKind::File));
        let decoded: Error =
            serde_json::from_str::<u8>("\"canary\"").map_err(Error::from).err().unwrap_or_else(|| panic!());
        assert!(decoded.is_decode() && !decoded.to_string().contains("canary"), "{decoded}");
        let header = http::HeaderValue::from_str("\n").map_err(Error::from).map_err(|error| error.kind());
        assert_eq!(header.err(), Some(ErrorKind::Request));
    }
}
