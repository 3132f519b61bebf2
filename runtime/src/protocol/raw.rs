//! A response before it is decoded.

use std::borrow::Cow;

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

use crate::{ByteStream, error::Error, json::lenient};

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
    /// The URL of the request, for a redirection.
    pub url: Option<Url>,
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

    /// Returns the body as text, without a byte-order mark. The encoding is that of the mark, else the `charset` of the
    /// media type, else UTF-8.
    ///
    /// # Errors
    ///
    /// The charset is unknown, or the bytes are invalid in it.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Error> {
        let bytes = self.bytes();
        let (encoding, mark) = match Encoding::for_bom(bytes) {
            Some(marked) => marked,
            None => (self.charset()?, 0),
        };
        encoding
            .decode_without_bom_handling_and_without_replacement(&bytes[mark..])
            .ok_or_else(|| self.unreadable(format!("the body is not text in the charset {}", encoding.name())))
    }

    /// Returns the charset of the media type, or UTF-8 if it has none.
    fn charset(&self) -> Result<&'static Encoding, Error> {
        let kind = self.headers.get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let mut parameters = kind.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
        let said = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
        let Some((_, label)) = said else { return Ok(UTF_8) };
        let label = label.trim().trim_matches(['"', '\'']);
        let unknown = || self.unreadable(format!("the charset `{}` is unknown", crate::error::escape(label)));
        Encoding::for_label(label.as_bytes()).ok_or_else(unknown)
    }

    fn unreadable(&self, what: String) -> Error {
        Error::of(crate::error::Kind::Decode, what)
            .hint("read the body as bytes: the service does not say how it is encoded, or says it wrongly")
            .at(self.operation)
            .with_response(self.status, self.excerpt())
    }

    /// Decodes the body as JSON. For an empty body, a type with a value for null has that value.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = self.text()?;
        if self.is_empty() {
            let empty = || Error::of(crate::error::Kind::Decode, "the response is empty, and its type is not optional");
            return lenient::from_slice(b"null").map_err(|_| {
                let hint = "the response does not match the contract: regenerate the client";
                empty().hint(hint).at(self.operation).with_response(self.status, self.excerpt())
            });
        }
        lenient::from_slice(text.as_bytes()).map_err(|cause| self.fail(&cause))
    }

    /// Returns whether the body is empty or only white space.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes().iter().all(u8::is_ascii_whitespace)
    }

    /// Creates a decode error of this response.
    pub fn fail(&self, cause: &serde_json::Error) -> Error {
        self.fail_as("json", cause)
    }

    /// Creates a decode error of this response, with the expected kind of media types.
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

    /// Creates the error of a status that the contract does not declare.
    pub fn undeclared(&self) -> Error {
        let what = format!("the status {} is not declared", self.status.as_u16());
        Error::of(crate::error::Kind::Decode, what)
            .hint("the response does not match the contract: regenerate the client")
            .at(self.operation)
            .with_response(self.status, self.excerpt())
    }

    fn excerpt(&self) -> Bytes {
        let bytes = self.bytes();
        bytes.slice(..bytes.len().min(crate::transport::ERROR_LIMIT))
    }
}
