//! A response before it is decoded.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;
use url::Url;

use crate::{
    ByteStream,
    error::Error,
    json::{charset, lenient},
};

/// A successful response: its status, its headers, and its body, whole or as a stream.
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
    /// The URL of the request, for a redirection. In a box, because responses are moved often, and few are redirections.
    pub url: Option<Box<Url>>,
}

/// The body of a response.
#[derive(Debug)]
pub enum Body {
    /// It has been read to its end.
    Whole(Bytes),
    /// It is streamed.
    Live(ByteStream),
}

impl Raw {
    /// Returns the status code.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Returns the body if it was buffered; an empty one otherwise.
    pub fn bytes(&self) -> &Bytes {
        static EMPTY: Bytes = Bytes::new();
        match &self.body {
            Body::Whole(bytes) => bytes,
            Body::Live(_) => &EMPTY,
        }
    }

    /// Returns the body as text, in the charset of the response.
    ///
    /// # Errors
    ///
    /// The charset is unknown, or the bytes are invalid in it.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Error> {
        charset::text(self.kind(), self.bytes()).map_err(|cause| self.unreadable(cause))
    }

    /// Returns the body as the text of JSON.
    ///
    /// # Errors
    ///
    /// As of [`text`](Self::text).
    pub(crate) fn json_text(&self) -> Result<Cow<'_, str>, Error> {
        charset::json(self.kind(), self.bytes()).map_err(|cause| self.unreadable(cause))
    }

    /// Returns the body as JSON in UTF-8; unchanged if it is not text.
    #[cfg(feature = "graphql")]
    pub(crate) fn json_bytes(&self) -> Bytes {
        charset::json_bytes(self.kind(), self.bytes())
    }

    /// Returns the media type.
    pub(super) fn kind(&self) -> Option<&HeaderValue> {
        self.headers.get(header::CONTENT_TYPE)
    }

    pub(super) fn unreadable(&self, what: String) -> Error {
        Error::with(crate::error::Kind::Decode, what)
            .hint("read the body as bytes: the service does not say how it is encoded, or says it wrongly")
            .at(self.operation)
            .with_response(self.status, self.kind(), self.excerpt())
    }

    /// Decodes the body as JSON. For an empty body, a type with a value for null has that value.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        if self.is_empty() {
            let empty =
                || Error::with(crate::error::Kind::Decode, "the response is empty, and its type is not optional");
            return lenient::from_str("null").map_err(|_| {
                let hint = "the response does not match the contract: regenerate the client";
                empty().hint(hint).at(self.operation).with_response(self.status, self.kind(), self.excerpt())
            });
        }
        lenient::from_str(&self.json_text()?).map_err(|cause| self.fail(&cause))
    }

    /// Returns whether the body is empty or only white space, perhaps after a byte-order mark.
    pub(super) fn is_empty(&self) -> bool {
        let bytes = self.bytes();
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).iter().all(u8::is_ascii_whitespace)
    }

    /// Creates a decode error of this response.
    pub fn fail(&self, cause: &serde_json::Error) -> Error {
        self.fail_as("json", cause)
    }

    /// Creates a decode error of this response, with the expected kind of media types.
    pub fn fail_as(&self, expected: &str, cause: &serde_json::Error) -> Error {
        let mut error = Error::decode("the response", cause).at(self.operation).with_response(
            self.status,
            self.kind(),
            self.excerpt(),
        );
        if let Some(kind) = self.kind().and_then(|kind| kind.to_str().ok())
            && !kind.contains(expected)
        {
            error = error.hint(format!(
                "the body is `{kind}`, not {}: check the base address, and proxies on the way",
                expected.to_uppercase()
            ));
        }
        error
    }

    /// Creates the error of a status that the contract does not declare.
    pub fn undeclared(&self) -> Error {
        let what = format!("the status {} is not declared", self.status.as_u16());
        Error::with(crate::error::Kind::Decode, what)
            .hint("the response does not match the contract: regenerate the client")
            .at(self.operation)
            .with_response(self.status, self.kind(), self.excerpt())
    }

    fn excerpt(&self) -> Bytes {
        let bytes = self.bytes();
        bytes.slice(..bytes.len().min(crate::transport::ERROR_LIMIT))
    }
}
