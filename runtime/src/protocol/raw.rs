//! A response before it is decoded.

use std::borrow::Cow;

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};
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

    /// The body as UTF-8, without a byte-order mark. The mark says how it is encoded, else the `charset` of its media type, else it is
    /// UTF-8.
    ///
    /// # Errors
    ///
    /// The charset is unknown, or the bytes are not text in it.
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

    /// The charset of the media type, which is UTF-8 where it says none.
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

    /// The body as JSON. A type that has a value for null has it for an empty body, too.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = self.text()?;
        if self.is_empty() {
            let empty = || Error::of(crate::error::Kind::Decode, "the response is empty, and its type is not optional");
            return lenient::from_slice(b"null").map_err(|_| {
                let hint = "the service does not answer as its contract says: regenerate the client";
                empty().hint(hint).at(self.operation).with_response(self.status, self.excerpt())
            });
        }
        lenient::from_slice(text.as_bytes()).map_err(|cause| self.fail(&cause))
    }

    /// True if there is nothing but white space.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes().iter().all(u8::is_ascii_whitespace)
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
