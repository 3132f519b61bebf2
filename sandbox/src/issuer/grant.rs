//! The token endpoint (platform document §4.5).
//!
//! The document shows the success only. Errors are the sandbox's choice: the bodies of RFC 6749 §5.2, and status 400 for all
//! of them, `invalid_client` included, as Duende answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, PRAGMA};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::{Issuer, SCOPE};
use crate::client::Client;
use crate::server::Shared;
use crate::{clock, reply};

const BODY_LIMIT: usize = 64 * 1024;

/// An OAuth error: its code and a sentence.
struct Refusal(&'static str, &'static str);

type Fields = BTreeMap<String, String>;

pub(crate) async fn token(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    let granted = match fields(&headers, body).await {
        Ok(fields) => grant(&shared.issuer, &headers, &fields),
        Err(refusal) => Err(refusal),
    };
    match granted {
        Ok(body) => send(StatusCode::OK, &body),
        Err(Refusal(error, description)) => {
            send(StatusCode::BAD_REQUEST, &json!({ "error": error, "error_description": description }))
        }
    }
}

async fn fields(headers: &HeaderMap, body: Body) -> Result<Fields, Refusal> {
    if reply::essence(headers) != "application/x-www-form-urlencoded" {
        return Err(Refusal("invalid_request", "the content type has to be application/x-www-form-urlencoded"));
    }
    let bytes = to_bytes(body, BODY_LIMIT).await;
    let bytes = bytes.map_err(|_unreadable| Refusal("invalid_request", "the body is too long or was cut off"))?;
    let mut fields = Fields::new();
    for (name, value) in form_urlencoded::parse(&bytes) {
        // RFC 6749 §3.2: a parameter without a value counts as omitted, and none is sent twice.
        if !value.is_empty() && fields.insert(name.into_owned(), value.into_owned()).is_some() {
            return Err(Refusal("invalid_request", "a parameter is sent more than once"));
        }
    }
    Ok(fields)
}

fn grant(issuer: &Issuer, headers: &HeaderMap, fields: &Fields) -> Result<Value, Refusal> {
    let client = client(issuer, headers, fields)?;
    match fields.get("grant_type").map(String::as_str) {
        Some("client_credentials") => {}
        Some(_) => return Err(Refusal("unsupported_grant_type", "the grant has to be client_credentials")),
        None => return Err(Refusal("invalid_request", "grant_type is missing")),
    }
    if !client.client_credentials {
        return Err(Refusal("unauthorized_client", "the client-credentials grant is not enabled for this client"));
    }
    let requested = fields.get("scope");
    if requested.is_some_and(|scope| scope.split_whitespace().any(|scope| scope != SCOPE)) {
        return Err(Refusal("invalid_scope", "the only scope is api"));
    }
    let lifetime = issuer.lifetime();
    let token = issuer.key.sign(&claims(issuer, client, lifetime));
    let token = token.map_err(|_random| Refusal("server_error", "the token cannot be signed"))?;
    let mut granted = json!({ "access_token": token, "expires_in": lifetime, "token_type": "Bearer" });
    if requested.is_none() {
        // RFC 6749 §3.3: a scope that differs from the requested one is told.
        granted["scope"] = SCOPE.into();
    }
    Ok(granted)
}

/// The client, by either method of RFC 6749 §2.3.1.
fn client<'a>(issuer: &'a Issuer, headers: &HeaderMap, fields: &Fields) -> Result<&'a Client, Refusal> {
    const WRONG: Refusal = Refusal("invalid_client", "the client is unknown or its secret is wrong");
    let (client_id, secret) = match headers.get(AUTHORIZATION) {
        Some(_) if fields.contains_key("client_secret") => {
            return Err(Refusal("invalid_request", "the client authenticates in two ways at once"));
        }
        Some(value) => value.to_str().ok().and_then(basic).ok_or(WRONG)?,
        None => match (fields.get("client_id"), fields.get("client_secret")) {
            (Some(client_id), Some(secret)) => (client_id.clone(), secret.clone()),
            _ => return Err(Refusal("invalid_client", "client_id or client_secret is missing")),
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

/// The claims of platform document §2, and those that RFC 9068 asks for.
fn claims(issuer: &Issuer, client: &Client, lifetime: u64) -> Value {
    let now = clock::seconds();
    json!({
        "iss": issuer.url,
        "aud": "api",
        "sub": client.client_id,
        "client_id": client.client_id,
        "iat": now,
        "exp": now.saturating_add_unsigned(lifetime),
        "jti": uuid::Uuid::new_v4(),
        "scope": SCOPE,
        "roles": client.roles,
        "team_id": client.team_id,
    })
}

fn send(status: StatusCode, body: &Value) -> Response {
    let headers =
        [(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-store"), (PRAGMA, "no-cache")];
    (status, headers, body.to_string()).into_response()
}
