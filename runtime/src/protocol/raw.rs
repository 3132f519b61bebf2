//! A response before it is decoded.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

use crate::{ByteStream, error::Error, json::lenient};

/// A response that is an answer: its status, its headers, and its body, whole or while it arrives.
#[derive(Debug)]
pub struct Raw {
    /// The name of the operation, for errors.
    pub operation: &'static str,
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Body,
    /// Where the request went, of a redirection.
    pub url: Option<Url>,
}

/// The body of a response.
#[derive(Debug)]
pub enum Body {
    /// It has been read to its end.
    Whole(Bytes),
    /// It is read while it arrives.
    Live(ByteStream),
}

impl Raw {
    /// The status code.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// The body, when it was buffered; an empty one otherwise.
    pub fn bytes(&self) -> &Bytes {
        static EMPTY: Bytes = Bytes::new();
        match &self.body {
            Body::Whole(bytes) => bytes,
            Body::Live(_) => &EMPTY,
        }
    }

    /// The body without a byte-order mark before it.
    pub(super) fn text(&self) -> &[u8] {
        let bytes = self.bytes();
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
    }

    /// The body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        lenient::from_slice(self.text()).map_err(|cause| self.fail(&cause))
    }

    /// A decode error of this response.
    pub fn fail(&self, cause: &serde_json::Error) -> Error {
        self.fail_as("json", cause)
    }

    /// A decode error of this response, which was to be of a kind of media types.
    pub fn fail_as(&self, expected: &str, cause: &serde_json::Error) -> Error {
        let mut error =
            Error::decode("the response", cause).at(self.operation).with_response(self.status, self.excerpt());
        if let Some(kind) = self.headers.get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok())
            && !kind.contains(expected)
        {
            error = error.hint(format!(
                "the body is `{kind}`, not {}: check the base address, and proxies on the way",
                expected.to_uppercase()
            ));
        }
        error
    }

    /// A status that the contract does not declare.
    pub fn undeclared(&self) -> Error {
        let what = format!("the status {} is not declared", self.status.as_u16());
        Error::of(crate::error::Kind::Decode, what)
            .hint("the service does not answer as its contract says: regenerate the client")
            .at(self.operation)
            .with_response(self.status, self.excerpt())
    }

    fn excerpt(&self) -> Bytes {
        let bytes = self.bytes();
        bytes.slice(..bytes.len().min(crate::transport::ERROR_LIMIT))
    }
}
