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

    /// The body as text, in the charset that the response says.
    ///
    /// # Errors
    ///
    /// The charset is unknown, or the bytes are not text in it.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Error> {
        charset::text(self.kind(), self.bytes()).map_err(|cause| self.unreadable(cause))
    }

    /// The body as the text of JSON.
    ///
    /// # Errors
    ///
    /// As of [`text`](Self::text).
    pub(crate) fn json_text(&self) -> Result<Cow<'_, str>, Error> {
        charset::json(self.kind(), self.bytes()).map_err(|cause| self.unreadable(cause))
    }

    /// The body as JSON in UTF-8; unchanged where it is no text.
    #[cfg(feature = "graphql")]
    pub(crate) fn json_bytes(&self) -> Bytes {
        charset::json_bytes(self.kind(), self.bytes())
    }

    /// The media type.
    pub(super) fn kind(&self) -> Option<&HeaderValue> {
        self.headers.get(header::CONTENT_TYPE)
    }

    pub(super) fn unreadable(&self, what: String) -> Error {
        Error::of(crate::error::Kind::Decode, what)
            .hint("read the body as bytes: the service does not say how it is encoded, or says it wrongly")
            .at(self.operation)
            .with_response(self.status, self.kind(), self.excerpt())
    }

    /// The body as JSON. A type that has a value for null has it for an empty body, too.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        if self.is_empty() {
            let empty = || Error::of(crate::error::Kind::Decode, "the response is empty, and its type is not optional");
            return lenient::from_slice(b"null").map_err(|_| {
                let hint = "the service does not answer as its contract says: regenerate the client";
                empty().hint(hint).at(self.operation).with_response(self.status, self.kind(), self.excerpt())
            });
        }
        lenient::from_slice(self.json_text()?.as_bytes()).map_err(|cause| self.fail(&cause))
    }

    /// True if there is nothing but white space, and a byte-order mark at most.
    pub(super) fn is_empty(&self) -> bool {
        let bytes = self.bytes();
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).iter().all(u8::is_ascii_whitespace)
    }

    /// A decode error of this response.
    pub fn fail(&self, cause: &serde_json::Error) -> Error {
        self.fail_as("json", cause)
    }

    /// A decode error of this response, which was to be of a kind of media types.
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

    /// A status that the contract does not declare.
    pub fn undeclared(&self) -> Error {
        let what = format!("the status {} is not declared", self.status.as_u16());
        Error::of(crate::error::Kind::Decode, what)
            .hint("the service does not answer as its contract says: regenerate the client")
            .at(self.operation)
            .with_response(self.status, self.kind(), self.excerpt())
    }

    fn excerpt(&self) -> Bytes {
        let bytes = self.bytes();
        bytes.slice(..bytes.len().min(crate::transport::ERROR_LIMIT))
    }
}
