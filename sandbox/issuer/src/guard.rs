//! Access tokens that a request presents.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use crate::error::IssuerError;
use crate::{AUDIENCE, Issuer};

/// A token that a request presents, in the eyes of an issuer.
#[derive(Clone, Debug)]
pub enum Presented {
    /// The issuer did not issue it.
    Foreign,
    /// The issuer issued it, and it is expired, revoked, or not an access token.
    Invalid,
    /// An access token that is signed by the issuer, in time and not revoked, with its claims.
    Valid(Arc<Map<String, Value>>),
}

impl Issuer {
    /// Checks a token.
    pub fn presented(&self, token: &str) -> Presented {
        let claims = match self.checked.get(token) {
            Some(claims) => claims,
            None => match self.keys.verify(token) {
                None if self.refresh.knows(token) => return Presented::Invalid,
                None => return Presented::Foreign,
                Some((kind, Value::Object(claims))) if kind == crate::keyring::ACCESS_TOKEN && self.is_own(&claims) => {
                    let claims = Arc::new(claims);
                    self.checked.put(token, Arc::clone(&claims));
                    claims
                }
                Some(_) => return Presented::Invalid,
            },
        };
        let in_time = claims.get("exp").and_then(Value::as_i64).is_some_and(|expires| expires > self.now());
        let is_revoked = claims.get("jti").and_then(Value::as_str).is_some_and(|id| self.revoked.has(id));
        match in_time && !is_revoked {
            true => Presented::Valid(claims),
            false => Presented::Invalid,
        }
    }

    /// The claims of an access token that is signed by this issuer, in time, and not revoked, with any scope.
    pub fn claims(&self, token: &str) -> Option<Arc<Map<String, Value>>> {
        match self.presented(token) {
            Presented::Valid(claims) => Some(claims),
            Presented::Foreign | Presented::Invalid => None,
        }
    }

    fn is_own(&self, claims: &Map<String, Value>) -> bool {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let is_ours = text("iss").is_some_and(|iss| self.realm.is_own_issuer(iss));
        is_ours && text("aud") == Some(AUDIENCE)
    }

    /// Revokes an access token by its `jti`.
    pub(crate) fn revoke_access(&self, id: &str, expires: i64) -> Result<(), IssuerError> {
        self.revoked.add(id, expires)
    }
}

/// The bearer token of a request, if it has exactly one.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}

/// A 401 without a body.
pub fn challenge(challenge: &'static str) -> Box<Response> {
    Box::new((StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]).into_response())
}
