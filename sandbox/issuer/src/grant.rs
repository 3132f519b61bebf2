//! The token endpoint: client credentials, authorization code, refresh token (RFC 6749 §4.4, §4.1 and §6).

use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::code::Rejected;
use crate::fields::{Fields, LONGEST, TOO_LONG};
use crate::realm::{RealmClient, Secret, TokenGrant, TokenSubject};
use crate::refresh::Login;
use crate::refusal::{Refusal, send};
use crate::settings::RefreshPolicy;
use crate::{AUDIENCE, Issuer, Visit, openid};

/// The user of a code or refresh token does not exist any more.
const GONE: Refusal = Refusal("invalid_grant", "the user is gone");

pub(crate) fn token(visit: &Visit<'_>, headers: &HeaderMap, sent: Result<Fields, Refusal>) -> Response {
    match sent.and_then(|fields| grant(visit, headers, &fields)) {
        Ok(body) => send(StatusCode::OK, &body),
        Err(refusal) => refusal.response(visit.issuer.settings().errors),
    }
}

fn grant(visit: &Visit<'_>, headers: &HeaderMap, fields: &Fields) -> Result<Value, Refusal> {
    fields.check_lengths()?;
    let client = &client(visit.issuer, headers, fields)?;
    let may = |grant| match client.may(grant) {
        true => Ok(()),
        false => Err(Refusal("unauthorized_client", "the grant is not enabled for this client")),
    };
    match fields.get("grant_type") {
        Some("client_credentials") => {
            may(TokenGrant::ClientCredentials).and_then(|()| credentials(visit, client, fields))
        }
        Some("authorization_code") => may(TokenGrant::AuthorizationCode).and_then(|()| code(visit, client, fields)),
        Some("refresh_token") => may(TokenGrant::RefreshToken).and_then(|()| refresh(visit, client, fields)),
        Some(_) => Err(Refusal("unsupported_grant_type", "the discovery document lists the grants")),
        None => Err(Refusal("invalid_request", "grant_type is missing")),
    }
}

fn credentials(visit: &Visit<'_>, client: &RealmClient, fields: &Fields) -> Result<Value, Refusal> {
    if client.is_public() {
        return Err(Refusal("invalid_client", "client_secret is missing"));
    }
    let requested = fields.get("scope");
    let scope = scope(visit.issuer, client, TokenGrant::ClientCredentials, requested)?;
    let mut granted = access(visit, client, TokenSubject::Client, &scope, None)?;
    if requested.is_none() && !scope.is_empty() {
        // RFC 6749 §3.3: if the scope differs from the requested one, the answer contains it.
        granted["scope"] = scope.into();
    }
    Ok(granted)
}

/// The scopes that a client gets for a grant.
pub(crate) fn scope(
    issuer: &Issuer,
    client: &RealmClient,
    grant: TokenGrant,
    asked: Option<&str>,
) -> Result<String, Refusal> {
    issuer.realm.granted(client, grant, asked).map_err(|description| Refusal("invalid_scope", description))
}

fn code(visit: &Visit<'_>, client: &RealmClient, fields: &Fields) -> Result<Value, Refusal> {
    let issuer = visit.issuer;
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
    if code.challenge.is_none() && client.is_public() {
        return Err(Refusal("invalid_grant", "a client without a secret has to send a PKCE challenge for its code"));
    }
    let user = issuer.realm.user(&code.user).ok_or(GONE)?;
    let mut granted = access(visit, client, TokenSubject::User(&user), &code.scope, Some(code.chain))?;
    let login = Login { user: user.sub.clone(), chain: code.chain, auth_time: code.auth_time };
    if client.may(TokenGrant::RefreshToken) && issuer.realm.gives_refresh_token(&code.scope) {
        granted["refresh_token"] = next_refresh(issuer, client, login, &code.scope)?.into();
    }
    openid::add_id_token(visit, client, &user, code.auth_time, code.nonce.as_deref(), &code.scope, &mut granted)?;
    if !code.scope.is_empty() {
        granted["scope"] = code.scope.into();
    }
    Ok(granted)
}

fn refresh(visit: &Visit<'_>, client: &RealmClient, fields: &Fields) -> Result<Value, Refusal> {
    let issuer = visit.issuer;
    let token = fields.get("refresh_token").ok_or(Refusal("invalid_request", "refresh_token is missing"))?;
    let policy = issuer.settings().refresh;
    let entry = issuer.refresh.redeem(token, &client.client_id, issuer.now(), policy)?;
    let narrower = fields.get("scope").unwrap_or(&entry.scope);
    if narrower.split_whitespace().any(|scope| entry.scope.split(' ').all(|had| had != scope)) {
        return Err(Refusal("invalid_scope", "the scope is wider than the granted one"));
    }
    let user = issuer.realm.user(&entry.user).ok_or(GONE)?;
    let mut granted = access(visit, client, TokenSubject::User(&user), narrower, Some(entry.chain))?;
    granted["refresh_token"] = match policy {
        RefreshPolicy::Reused => token.to_owned(),
        RefreshPolicy::Rolling { .. } => next_refresh(issuer, client, entry.login(), &entry.scope)?,
    }
    .into();
    // OpenID Connect Core §12.2: the new ID token has the time of the first login, and no nonce.
    openid::add_id_token(visit, client, &user, entry.auth_time, None, narrower, &mut granted)?;
    if !narrower.is_empty() {
        granted["scope"] = narrower.into();
    }
    Ok(granted)
}

fn next_refresh(issuer: &Issuer, client: &RealmClient, login: Login, scope: &str) -> Result<String, Refusal> {
    let now = issuer.now();
    let expires = now.saturating_add_unsigned(issuer.settings().refresh_lifetime.as_secs());
    issuer.refresh.issue(&client.client_id, login, scope, expires, now).map_err(|_random| Refusal::RANDOM)
}

/// The answer with an access token (RFC 9068). A token of a login belongs to its chain.
fn access(
    visit: &Visit<'_>,
    client: &RealmClient,
    subject: TokenSubject<'_>,
    scope: &str,
    chain: Option<Uuid>,
) -> Result<Value, Refusal> {
    let issuer = visit.issuer;
    let lifetime = issuer.settings().lifetime.as_secs();
    let (now, id) = (issuer.now(), Uuid::new_v4().to_string());
    let expires = now.saturating_add_unsigned(lifetime);
    let sub = match subject {
        TokenSubject::Client => &client.client_id,
        TokenSubject::User(user) => &user.sub,
    };
    let mut claims = Map::from_iter([
        ("iss".to_owned(), visit.url.clone().into()),
        ("aud".to_owned(), AUDIENCE.into()),
        ("sub".to_owned(), sub.clone().into()),
        ("iat".to_owned(), now.into()),
        ("exp".to_owned(), expires.into()),
        ("jti".to_owned(), id.clone().into()),
        ("client_id".to_owned(), client.client_id.clone().into()),
    ]);
    issuer.realm.add_claims(&mut claims, client, subject, scope);
    if let Some(chain) = chain {
        issuer.codes.record_token(chain, &id, expires);
    }
    let token = issuer.keys.sign(&claims.into()).map_err(|_random| Refusal::RANDOM)?;
    Ok(json!({ "access_token": token, "expires_in": lifetime, "token_type": "Bearer" }))
}

/// Authenticates the client by either method of RFC 6749 §2.3.1; a public one by its name alone.
pub(crate) fn client(issuer: &Issuer, headers: &HeaderMap, fields: &Fields) -> Result<RealmClient, Refusal> {
    const WRONG: Refusal = Refusal("invalid_client", "the client is unknown or its secret is wrong");
    let (client_id, secret) = match headers.get(AUTHORIZATION) {
        Some(_) if fields.get("client_secret").is_some() => {
            return Err(Refusal("invalid_request", "the client authenticates in two ways at once"));
        }
        Some(value) => value.to_str().ok().and_then(basic).ok_or(WRONG)?,
        None => match fields.get("client_id") {
            Some(client_id) => (client_id.to_owned(), fields.get("client_secret").map(str::to_owned)),
            None => return Err(Refusal("invalid_client", "client_id is missing")),
        },
    };
    if client_id.len() > LONGEST {
        return Err(Refusal("invalid_request", TOO_LONG));
    }
    let Some(secret) = secret else {
        let client = issuer.realm.client(&client_id);
        let public = client.filter(|client| matches!(client.secret, None | Some(Secret::Any)));
        let public = public.map(|client| RealmClient { secret: None, ..client });
        return public.ok_or(Refusal("invalid_client", "client_secret is missing"));
    };
    let client = issuer.realm.client(&client_id).filter(|client| !client.is_public());
    let is_right = issuer.fits(client.as_ref().and_then(|client| client.secret.as_ref()), &secret);
    client.filter(|_| is_right).ok_or(WRONG)
}

/// The client and its secret. An empty secret counts as omitted, as in a form.
fn basic(header: &str) -> Option<(String, Option<String>)> {
    let (scheme, credentials) = header.split_once(' ')?;
    let decoded = String::from_utf8(STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (client_id, secret) = decoded.split_once(':')?;
    let secret = Some(form_decoded(secret)).filter(|secret| !secret.is_empty());
    let is_basic = scheme.eq_ignore_ascii_case("basic") && !client_id.is_empty();
    is_basic.then(|| (form_decoded(client_id), secret))
}

fn form_decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}
