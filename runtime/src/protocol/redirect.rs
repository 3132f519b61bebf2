//! A redirection that the contract declares.

use std::fmt;

use bytes::Bytes;
#[cfg(feature = "testing")]
use http::HeaderValue;
use http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use url::Url;

#[cfg(feature = "testing")]
use super::Body;
use super::Raw;
use crate::error::Error;

/// A redirection that the contract declares as a response of an operation. The client does not follow it: the caller
/// decides whether to do so, and with which credentials. The client's token is only for its own service.
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

    /// Returns the status, such as 302.
    pub fn status(&self) -> StatusCode {
        self.raw.status
    }

    /// Returns the target as an absolute address; `None` if the service sends none, or an invalid one. The address may
    /// give access by itself: do not log its query.
    pub fn location(&self) -> Option<&str> {
        self.location.as_ref().map(Url::as_str)
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.raw.headers
    }

    /// Returns the body, which is empty in most redirections.
    pub fn bytes(&self) -> &Bytes {
        self.raw.bytes()
    }

    /// Decodes the body as JSON.
    ///
    /// # Errors
    ///
    /// The body is not JSON of that type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.raw.json()
    }
}

#[cfg(feature = "testing")]
impl Redirect {
    /// Creates the redirection that a service would send with status 302, for tests of code that takes one.
    ///
    /// ```
    /// use driftless_runtime::Redirect;
    ///
    /// let redirect = Redirect::for_test("https://files.example/report.pdf");
    /// assert_eq!(redirect.location(), Some("https://files.example/report.pdf"));
    /// assert_eq!(redirect.status(), 302);
    /// assert_eq!(Redirect::for_test("report.pdf").location(), None);
    /// ```
    pub fn for_test(location: &str) -> Self {
        let headers = HeaderValue::from_str(location).map(|value| (header::LOCATION, value)).into_iter().collect();
        let body = Body::Whole(Bytes::new());
        let raw = Raw { operation: "test", status: StatusCode::FOUND, headers, body, url: None };
        Self { raw, location: Url::parse(location).ok() }
    }
}

/// Without query, user and headers, any of which may be a secret.
impl fmt::Debug for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = self.location.clone().map(|mut location| {
            location.set_query(None);
            location.set_fragment(None);
            // An address that cannot have a user has none.
            let _ = (location.set_username(""), location.set_password(None));
            location.to_string()
        });
        f.debug_struct("Redirect").field("status", &self.status()).field("location", &location).finish_non_exhaustive()
    }
}
