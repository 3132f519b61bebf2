//! Parameters of OAuth requests, from a query or a form.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use http::HeaderMap;

use crate::refusal::Refusal;
use driftless_sandbox_control::media;
use driftless_sandbox_control::upload::TooSlow;

const BODY_LIMIT: usize = 64 * 1024;

/// The longest value that codes and tokens keep, apart from the list of scopes.
pub(crate) const LONGEST: usize = 2 * 1024;
const LONGEST_SCOPE: usize = 8_000;
pub(crate) const TOO_LONG: &str =
    "client_id, nonce and redirect_uri have 2048 bytes at most, and scope has 8000 bytes at most";

/// Parameters by name.
#[derive(Debug)]
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// The parameters of a form.
    ///
    /// # Errors
    ///
    /// Refuses other media types, and parameters that are repeated.
    pub async fn of_body(headers: &HeaderMap, body: Body) -> Result<Self, Refusal> {
        if media::essence(headers) != "application/x-www-form-urlencoded" {
            return Err(Refusal("invalid_request", "the content type has to be application/x-www-form-urlencoded"));
        }
        let bytes = to_bytes(body, BODY_LIMIT).await;
        let refused = |error| match TooSlow::is_cause_of(&error) {
            true => Refusal("invalid_request", TooSlow::DETAIL),
            false => Refusal("invalid_request", "the body is too long or was cut off"),
        };
        Self::parse(&bytes.map_err(refused)?)
    }

    /// The parameters of a query.
    ///
    /// # Errors
    ///
    /// Refuses parameters that are repeated.
    pub fn of_query(query: &str) -> Result<Self, Refusal> {
        Self::parse(query.as_bytes())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Refuses long values of those parameters that codes and tokens keep.
    pub(crate) fn check_lengths(&self) -> Result<(), Refusal> {
        const KEPT: [(&str, usize); 4] =
            [("client_id", LONGEST), ("nonce", LONGEST), ("redirect_uri", LONGEST), ("scope", LONGEST_SCOPE)];
        let is_short = |(name, most): &(&str, usize)| self.get(name).is_none_or(|value| value.len() <= *most);
        KEPT.iter().all(is_short).then_some(()).ok_or(Refusal("invalid_request", TOO_LONG))
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// RFC 6749 §3.1, §3.2: a parameter without a value counts as omitted, and none may be repeated.
    fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            if !value.is_empty() && fields.insert(name.into_owned(), value.into_owned()).is_some() {
                return Err(Refusal("invalid_request", "a parameter is sent more than once"));
            }
        }
        Ok(Self(fields))
    }
}
