//! A redirection that the contract declares.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use url::Url;

use super::Raw;
use crate::error::Error;

/// A redirection, which the contract declares as what an operation answers. The client follows none: whether to go there, and
/// with which credentials, is the caller's to say. The token of the client belongs to its own service.
pub struct Redirect {
    raw: Raw,
    location: Option<Url>,
}

impl Redirect {
    pub(super) fn new(raw: Raw) -> Self {
        let named = raw.headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
        // A reference is relative to the address of the request (RFC 9110, section 10.2.2).
        let location = named.and_then(|named| raw.url.as_ref()?.join(named).ok());
        Self { raw, location }
    }

    /// The status, such as 302.
    pub fn status(&self) -> StatusCode {
        self.raw.status
    }

    /// Where it leads, as an absolute address; `None` where the service gives no address, or one that cannot be read. The address may
    /// give access by itself: what is behind its `?` does not belong into a log.
    pub fn location(&self) -> Option<&str> {
        self.location.as_ref().map(Url::as_str)
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.raw.headers
    }

    /// The body, which most redirections come without.
    pub fn bytes(&self) -> &Bytes {
        self.raw.bytes()
    }

    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// The body is not JSON of that type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.raw.json()
    }
}

/// Without query, user and headers, any of which may be a secret.
impl fmt::Debug for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.location.clone().map(|mut place| {
            place.set_query(None);
            place.set_fragment(None);
            // An address that cannot have a user has none.
            let _ = (place.set_username(""), place.set_password(None));
            place.to_string()
        });
        f.debug_struct("Redirect").field("status", &self.status()).field("location", &place).finish_non_exhaustive()
    }
}
