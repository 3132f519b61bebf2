//! The check of a bearer token.

use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use super::{Issuer, SCOPE};
use crate::clock;

/// Who calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub(crate) team_id: Uuid,
}

impl Issuer {
    /// The caller that a request's bearer token names, or the 401 that ASP.NET answers: no body, and a challenge. The
    /// platform document shows no status for this case.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, Box<Response>> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(challenge("Bearer"));
        };
        let value = value.to_str().unwrap_or_default();
        match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
                self.check(token.trim()).ok_or_else(|| challenge("Bearer error=\"invalid_token\""))
            }
            _ => Err(challenge("Bearer")),
        }
    }

    fn check(&self, token: &str) -> Option<Caller> {
        let claims = self.key.verify(token)?;
        let in_time = claims.get("exp").and_then(Value::as_i64)? > clock::seconds();
        let ours = claims.get("iss").and_then(Value::as_str)? == self.url;
        let scope = claims.get("scope").and_then(Value::as_str)?.split(' ').any(|scope| scope == SCOPE);
        let team_id = claims.get("team_id").and_then(Value::as_str)?.parse().ok()?;
        (in_time && ours && scope).then_some(Caller { team_id })
    }
}

fn challenge(challenge: &'static str) -> Box<Response> {
    Box::new((StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]).into_response())
}
