//! The additions of OpenID Connect Core to OAuth: the ID token (§2) and the UserInfo endpoint (§5.3).

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::guard::{bearer, challenge};
use crate::keyring::ID_TOKEN;
use crate::realm::{EMAIL, OPENID, PROFILE, RealmClient, RealmUser, has_scope};
use crate::refusal::Refusal;
use crate::{Issuer, Visit};

/// Adds an ID token to the answer of the token endpoint, if the scope contains `openid`.
pub(crate) fn add_id_token(
    visit: &Visit<'_>,
    client: &RealmClient,
    user: &RealmUser,
    auth_time: i64,
    nonce: Option<&str>,
    scopes: &str,
    granted: &mut Value,
) -> Result<(), Refusal> {
    if !has_scope(scopes, OPENID) {
        return Ok(());
    }
    let (issuer, now) = (visit.issuer, visit.issuer.now());
    let mut claims = json!({
        "iss": visit.url,
        "aud": client.client_id,
        "sub": user.sub,
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
    granted["id_token"] = issuer.keys.sign_as(ID_TOKEN, &claims).map_err(|_random| Refusal::RANDOM)?.into();
    Ok(())
}

/// The user's claims, for an access token whose scope has `openid`.
pub(crate) fn userinfo(issuer: &Issuer, headers: &HeaderMap) -> Response {
    let Some(token) = bearer(headers) else { return *challenge("Bearer") };
    let Some(claims) = issuer.claims(token) else { return *challenge("Bearer error=\"invalid_token\"") };
    let scopes = claims.get("scope").and_then(Value::as_str).unwrap_or_default();
    if !has_scope(scopes, OPENID) {
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"openid\"";
        return (StatusCode::FORBIDDEN, [(WWW_AUTHENTICATE, challenge)]).into_response();
    }
    let Some(user) = claims.get("sub").and_then(Value::as_str).and_then(|sub| issuer.realm.user(sub)) else {
        return *challenge("Bearer error=\"invalid_token\"");
    };
    let mut body = json!({ "sub": user.sub });
    if has_scope(scopes, PROFILE) {
        body["name"] = user.name.clone().into();
        body["preferred_username"] = user.name.clone().into();
    }
    if has_scope(scopes, EMAIL) {
        // The sandbox sends no mail: the domain is reserved (RFC 2606).
        let is_address = user.name.contains('@');
        body["email"] = if is_address { user.name } else { format!("{}@users.invalid", user.name) }.into();
        body["email_verified"] = false.into();
    }
    let headers = [(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-store")];
    (headers, body.to_string()).into_response()
}
