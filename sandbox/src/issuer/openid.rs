//! The additions of OpenID Connect Core to OAuth: the ID token (§2) and the UserInfo endpoint (§5.3).

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::refusal::Refusal;
use super::{Issuer, bearer, challenge, scope};
use crate::directory::{Client, User};

/// Adds an ID token to the answer of the token endpoint, if the scope contains `openid`.
pub(super) fn add_id_token(
    issuer: &Issuer,
    client: &Client,
    user: &User,
    auth_time: i64,
    nonce: Option<&str>,
    scopes: &str,
    granted: &mut Value,
) -> Result<(), Refusal> {
    if !scope::has(scopes, scope::OPENID) {
        return Ok(());
    }
    let now = issuer.now();
    let mut claims = json!({
        "iss": issuer.url,
        "aud": client.client_id,
        "sub": user.id,
        "iat": now,
        "exp": now.saturating_add_unsigned(issuer.settings().lifetime.as_secs()),
        "auth_time": auth_time,
    });
    if let Some(nonce) = nonce {
        claims["nonce"] = nonce.into();
    }
    if let Some(token) = granted["access_token"].as_str() {
        // The left half of the digest (§3.1.3.6).
        claims["at_hash"] = URL_SAFE_NO_PAD.encode(&Sha256::digest(token.as_bytes())[..16]).into();
    }
    granted["id_token"] = issuer.keys.sign_as("JWT", &claims).map_err(|_random| Refusal::RANDOM)?.into();
    Ok(())
}

/// The user's claims, for an access token whose scope has `openid`.
pub(super) async fn userinfo(State(issuer): State<Arc<Issuer>>, headers: HeaderMap) -> Response {
    let Some(token) = bearer(&headers) else { return *challenge("Bearer") };
    let Some(claims) = issuer.own_claims(token) else { return *challenge("Bearer error=\"invalid_token\"") };
    let scopes = claims.get("scope").and_then(Value::as_str).unwrap_or_default();
    if !scope::has(scopes, scope::OPENID) {
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"openid\"";
        return (StatusCode::FORBIDDEN, [(WWW_AUTHENTICATE, challenge)]).into_response();
    }
    let id = claims.get("sub").and_then(Value::as_str).and_then(|sub| uuid::Uuid::try_parse(sub).ok());
    let Some(user) = id.and_then(|id| issuer.directory.user(id)) else {
        return *challenge("Bearer error=\"invalid_token\"");
    };
    let mut body = json!({ "sub": user.id });
    if scope::has(scopes, scope::PROFILE) {
        body["name"] = user.name.clone().into();
        body["preferred_username"] = user.name.clone().into();
    }
    if scope::has(scopes, scope::EMAIL) {
        // The sandbox sends no mail: the domain is reserved (RFC 2606).
        body["email"] = format!("{}@users.invalid", user.name).into();
        body["email_verified"] = false.into();
    }
    let headers = [(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-store")];
    (headers, body.to_string()).into_response()
}
