//! The token endpoint (platform document §4.5): client credentials, authorization code, refresh token.
//!
//! The document shows the client-credentials grant and its success only. The other two follow RFC 6749 §4.1 and §6.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::code::Rejected;
use super::fields::Fields;
use super::refresh::Login;
use super::refusal::{Refusal, send};
use super::scope::{self, API as SCOPE};
use super::settings::RefreshPolicy;
use super::{Issuer, claims, openid};
use crate::directory::{Client, Grant, Subject};

pub(crate) async fn token(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    let issuer = issuer.as_ref();
    let granted = match Fields::of_body(&headers, body).await {
        Ok(fields) => grant(issuer, &headers, &fields),
        Err(refusal) => Err(refusal),
    };
    match granted {
        Ok(body) => send(StatusCode::OK, &body),
        Err(refusal) => refusal.response(issuer.settings().errors),
    }
}

fn grant(issuer: &Issuer, headers: &HeaderMap, fields: &Fields) -> Result<Value, Refusal> {
    let client = client(issuer, headers, fields)?;
    let may = |grant| match client.may(grant) {
        true => Ok(()),
        false => Err(Refusal("unauthorized_client", "the grant is not enabled for this client")),
    };
    match fields.get("grant_type") {
        Some("client_credentials") => may(Grant::ClientCredentials).and_then(|()| credentials(issuer, client, fields)),
        Some("authorization_code") => may(Grant::AuthorizationCode).and_then(|()| code(issuer, client, fields)),
        Some("refresh_token") => may(Grant::RefreshToken).and_then(|()| refresh(issuer, client, fields)),
        Some(_) => Err(Refusal("unsupported_grant_type", "the discovery document lists the grants")),
        None => Err(Refusal("invalid_request", "grant_type is missing")),
    }
}

fn credentials(issuer: &Issuer, client: &Client, fields: &Fields) -> Result<Value, Refusal> {
    let requested = fields.get("scope");
    if requested.is_some_and(|scope| scope.split_whitespace().any(|scope| scope != SCOPE)) {
        return Err(Refusal("invalid_scope", "the only scope of this grant is api"));
    }
    let mut granted = access(issuer, client, Subject::Client(client), SCOPE, None)?;
    if requested.is_none() {
        // RFC 6749 §3.3: if the scope differs from the requested one, the answer contains it.
        granted["scope"] = SCOPE.into();
    }
    Ok(granted)
}

fn code(issuer: &Issuer, client: &Client, fields: &Fields) -> Result<Value, Refusal> {
    let text = fields.get("code").ok_or(Refusal("invalid_request", "code is missing"))?;
    let (redirect, verifier) = (fields.get("redirect_uri"), fields.get("code_verifier"));
    let code = match issuer.codes.redeem(text, &client.client_id, redirect, verifier, issuer.now()) {
        Ok(code) => code,
        Err(Rejected::With(refusal)) => return Err(refusal),
        Err(Rejected::UsedBefore(chain, tokens)) => {
            issuer.refresh.revoke_chain(chain).map_err(|_data| Refusal::RANDOM)?;
            for (id, expires) in tokens {
                issuer.revoke_access(&id, expires).map_err(|_data| Refusal::RANDOM)?;
            }
            return Err(Refusal("invalid_grant", "the code was used before; its tokens are revoked"));
        }
    };
    let user = issuer.directory.user(code.user).ok_or(Refusal("invalid_grant", "the user is gone"))?;
    let mut granted = access(issuer, client, Subject::User(user), &code.scope, Some(code.chain))?;
    let login = Login { user: user.id, chain: code.chain, auth_time: code.auth_time };
    if scope::has(&code.scope, scope::OFFLINE) {
        granted["refresh_token"] = next_refresh(issuer, client, login, &code.scope)?.into();
    }
    openid::add_id_token(issuer, client, user, login.auth_time, code.nonce.as_deref(), &code.scope, &mut granted)?;
    granted["scope"] = code.scope.into();
    Ok(granted)
}

fn refresh(issuer: &Issuer, client: &Client, fields: &Fields) -> Result<Value, Refusal> {
    let token = fields.get("refresh_token").ok_or(Refusal("invalid_request", "refresh_token is missing"))?;
    let policy = issuer.settings().refresh;
    let entry = issuer.refresh.redeem(token, &client.client_id, issuer.now(), policy)?;
    let narrower = fields.get("scope").unwrap_or(&entry.scope);
    if narrower.split_whitespace().any(|scope| entry.scope.split(' ').all(|had| had != scope)) {
        return Err(Refusal("invalid_scope", "the scope is wider than the granted one"));
    }
    let user = issuer.directory.user(entry.user).ok_or(Refusal("invalid_grant", "the user is gone"))?;
    let mut granted = access(issuer, client, Subject::User(user), narrower, Some(entry.login().chain))?;
    granted["refresh_token"] = match policy {
        RefreshPolicy::Reused => token.to_owned(),
        RefreshPolicy::Rolling { .. } => next_refresh(issuer, client, entry.login(), &entry.scope)?,
    }
    .into();
    // OpenID Connect Core §12.2: the new ID token has the time of the first login, and no nonce.
    openid::add_id_token(issuer, client, user, entry.auth_time, None, narrower, &mut granted)?;
    granted["scope"] = narrower.into();
    Ok(granted)
}

fn next_refresh(issuer: &Issuer, client: &Client, login: Login, scope: &str) -> Result<String, Refusal> {
    let now = issuer.now();
    let expires = now.saturating_add_unsigned(issuer.settings().refresh_lifetime.as_secs());
    issuer.refresh.issue(&client.client_id, login, scope, expires, now).map_err(|_random| Refusal::RANDOM)
}

/// The three documented fields of a token response. A token of a login belongs to its chain.
fn access(
    issuer: &Issuer,
    client: &Client,
    subject: Subject<'_>,
    scope: &str,
    chain: Option<Uuid>,
) -> Result<Value, Refusal> {
    let lifetime = issuer.settings().lifetime.as_secs();
    let claims = claims::access_token(issuer, Some(client), subject, scope, lifetime);
    if let (Some(chain), Some(id)) = (chain, claims["jti"].as_str()) {
        issuer.codes.record_token(chain, id, claims["exp"].as_i64().unwrap_or(i64::MAX));
    }
    let token = issuer.keys.sign(&claims).map_err(|_random| Refusal::RANDOM)?;
    Ok(json!({ "access_token": token, "expires_in": lifetime, "token_type": "Bearer" }))
}

/// Authenticates the client by either method of RFC 6749 §2.3.1; a public one by its name alone.
pub(super) fn client<'a>(issuer: &'a Issuer, headers: &HeaderMap, fields: &Fields) -> Result<&'a Client, Refusal> {
    const WRONG: Refusal = Refusal("invalid_client", "the client is unknown or its secret is wrong");
    let (client_id, secret) = match headers.get(AUTHORIZATION) {
        Some(_) if fields.get("client_secret").is_some() => {
            return Err(Refusal("invalid_request", "the client authenticates in two ways at once"));
        }
        Some(value) => value.to_str().ok().and_then(basic).ok_or(WRONG)?,
        None => match (fields.get("client_id"), fields.get("client_secret")) {
            (Some(client_id), Some(secret)) => (client_id.to_owned(), secret.to_owned()),
            (Some(client_id), None) => {
                let public = issuer.directory.client(client_id).filter(|client| client.is_public());
                return public.ok_or(Refusal("invalid_client", "client_secret is missing"));
            }
            _ => return Err(Refusal("invalid_client", "client_id is missing")),
        },
    };
    issuer.authenticate(&client_id, &secret).ok_or(WRONG)
}

fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, credentials) = header.split_once(' ')?;
    let decoded = String::from_utf8(STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (client_id, secret) = decoded.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| (form_decoded(client_id), form_decoded(secret)))
}

fn form_decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}
