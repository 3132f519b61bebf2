//! Authentication by bearer token.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use super::Issuer;
use super::scope::API;
use crate::caller::Caller;
use crate::directory::Subject;
use crate::error::Error;

impl Issuer {
    /// The caller of a request's bearer token, or ASP.NET's 401 without a body and with a challenge. The platform document shows
    /// no status for this case.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Arc<Caller>, Box<Response>> {
        let token = bearer(headers).ok_or_else(|| challenge("Bearer"))?;
        self.caller_of(token).ok_or_else(|| challenge("Bearer error=\"invalid_token\""))
    }

    /// The caller of an access token or API token.
    pub(crate) fn caller_of(&self, token: &str) -> Option<Arc<Caller>> {
        let now = self.now();
        if let Some(user) = self.api_tokens.user(token, now) {
            return self.directory.user(user).map(|user| Arc::new(Caller::new(Subject::User(user), None)));
        }
        if let Some((expires, caller)) = self.checked.get(token) {
            return (expires > now).then_some(caller);
        }
        let claims = self.claims_of(token)?;
        let expires = claims.get("exp").and_then(Value::as_i64)?;
        let is_api_token = claims.get("api_token").is_some();
        if is_api_token && !self.api_tokens.is_listed(token) {
            return None;
        }
        let subject = self.directory.subject(claims.get("sub").and_then(Value::as_str)?)?;
        let caller = Arc::new(Caller::new(subject, Some(expires)));
        if !is_api_token {
            self.checked.put(token, expires, Arc::clone(&caller));
        }
        Some(caller)
    }

    /// Revokes an access token by its `jti`.
    pub(super) fn revoke_access(&self, id: &str, expires: i64) -> Result<(), Error> {
        self.revoked.add(id, expires, self.now())?;
        self.checked.clear();
        Ok(())
    }

    /// The claims of an access token that is signed by this issuer, has the API as its audience, and is in time. Claims may be
    /// missing (platform document §2).
    pub(crate) fn claims_of(&self, token: &str) -> Option<Value> {
        let claims = self.own_claims(token)?;
        let scope = match claims.get("scope").and_then(Value::as_str) {
            Some(scopes) => scopes.split(' ').any(|scope| scope == API),
            None => true,
        };
        scope.then_some(claims)
    }

    /// The claims of an access token that is signed by this issuer, in time, and not revoked, with any scope.
    pub(super) fn own_claims(&self, token: &str) -> Option<Value> {
        let claims = self.keys.verify(token)?;
        let in_time = claims.get("exp").and_then(Value::as_i64)? > self.now();
        let ours = claims.get("iss").and_then(Value::as_str)? == self.url;
        let for_api = claims.get("aud").and_then(Value::as_str)? == "api";
        let revoked = claims.get("jti").and_then(Value::as_str).is_some_and(|id| self.revoked.has(id));
        (in_time && ours && for_api && !revoked).then_some(claims)
    }
}

/// The bearer token of a request, if it has exactly one.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}

/// A 401 without a body.
pub(crate) fn challenge(challenge: &'static str) -> Box<Response> {
    Box::new((StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]).into_response())
}

/// The GUIDs that a token's team claims name.
pub(crate) fn team_claims(claims: &Value) -> impl Iterator<Item = Uuid> {
    let claim = |name: &str| claims.get(name).and_then(Value::as_str).and_then(|text| Uuid::try_parse(text).ok());
    ["team_id", "tenant_id"].map(claim).into_iter().flatten()
}
