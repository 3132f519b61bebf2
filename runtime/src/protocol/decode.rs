//! Decodes responses. `Call` stores one of these functions.

use std::borrow::Cow;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::{Body, Raw, Redirect};
#[cfg(feature = "xml")]
use crate::json::{charset, lenient};
use crate::{ByteStream, EventStream, error::Error};

/// Decodes a JSON body. A byte-order mark before it is skipped. Bytes that are UTF-8 are read as such, others in the charset of the
/// response.
pub fn json<T: DeserializeOwned>(raw: Raw) -> Result<T, Error> {
    raw.json()
}

/// Decodes an XML document.
#[cfg(feature = "xml")]
pub fn xml<T: DeserializeOwned>(raw: Raw, root: &super::xml::Root) -> Result<T, Error> {
    let text = charset::xml(raw.kind(), raw.bytes()).map_err(|cause| raw.unreadable(cause))?;
    super::xml::read(&text, root)
        .map_err(serde::de::Error::custom)
        .and_then(|value| lenient::from_str(&value.to_string()))
        .map_err(|cause| raw.fail_as("xml", &cause))
}

/// Decodes a JSON body, or none.
pub fn optional_json<T: DeserializeOwned>(raw: Raw) -> Result<Option<T>, Error> {
    if matches!(raw.status.as_u16(), 204 | 205) || raw.is_empty() {
        return Ok(None);
    }
    json(raw)
}

/// Decodes no body; one that is sent all the same is ignored.
pub fn empty(_raw: Raw) -> Result<(), Error> {
    Ok(())
}

/// Decodes a text body, in the charset of the response, or else in UTF-8. A byte-order mark is skipped. Bytes that are
/// invalid in the charset are an error.
pub fn text(raw: Raw) -> Result<String, Error> {
    raw.text().map(Cow::into_owned)
}

/// Returns the body's bytes.
pub fn bytes(raw: Raw) -> Result<Bytes, Error> {
    Ok(raw.bytes().clone())
}

/// Returns the body as a stream.
pub fn stream(raw: Raw) -> Result<ByteStream, Error> {
    let kind = raw.kind().cloned();
    Ok(match raw.body {
        Body::Live(stream) => stream,
        Body::Whole(bytes) => ByteStream::whole(raw.operation, kind, bytes),
    })
}

/// Returns a redirection.
pub fn redirect(raw: Raw) -> Result<Redirect, Error> {
    if raw.status.is_redirection() { Ok(Redirect::new(raw)) } else { Err(raw.undeclared()) }
}

/// Returns server-sent events.
pub fn events(raw: Raw) -> Result<EventStream, Error> {
    stream(raw).map(EventStream::new)
}

/// Implements `decode` for an enum of responses: one variant per status, or range of statuses.
///
/// Kinds: `Variant(json)`, `Variant(xml ROOT)`, `Variant(text)`, `Variant(bytes)`, `Variant(stream)`,
/// `Variant(events)`, `Variant(redirect)`, and `Variant` alone for no body. The last arm may be `default`. A status
/// without an arm is a decode error.
#[doc(hidden)]
#[macro_export]
macro_rules! __responses {
    ($type:ident { $($status:pat => $variant:ident $(($kind:ident $($root:expr)?))?),* $(,)? }) => {
        impl $type {
            #[allow(unused_variables, unreachable_patterns, reason = "`default` is a pattern that binds, and comes last")]
            #[inline]
            pub(crate) fn decode(raw: $crate::codegen::Raw) -> ::core::result::Result<Self, $crate::Error> {
                match raw.status() {
                    $($status => $crate::codegen::responses!(@ $variant raw $($kind $($root)?)?),)*
                    _ => ::core::result::Result::Err(raw.undeclared()),
                }
            }
        }
    };
    (@ $variant:ident $raw:ident xml $root:expr) => { $crate::codegen::decode::xml($raw, &$root).map(Self::$variant) };
    (@ $variant:ident $raw:ident $kind:ident) => { $crate::codegen::decode::$kind($raw).map(Self::$variant) };
    (@ $variant:ident $raw:ident) => { ::core::result::Result::Ok(Self::$variant) };
}
