//! The authorization endpoint (RFC 6749 §4.1.1) with PKCE (RFC 7636) and `iss` in the answer (RFC 9207). The platform
//! document names the flow (§5.4) and shows none of its parameters.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, StatusCode};
use uuid::Uuid;

use super::code::Code;
use super::fields::Fields;
use super::refusal::Refusal;
use super::{AUTHORIZE_PATH, Issuer, LOGIN_PATH, OFFLINE_SCOPE, SCOPE, html, redirect};
use crate::directory::{Client, Grant};

pub(crate) async fn authorize(
    State(issuer): State<Arc<Issuer>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let issuer = issuer.as_ref();
    let query = query.unwrap_or_default();
    let fields = match Fields::of_query(&query) {
        Ok(fields) => fields,
        Err(refusal) => return explain(&refusal),
    };
    let (client, target) = match target(issuer, &fields) {
        Ok(found) => found,
        // Nothing may be sent to an address that the client has not registered.
        Err(refusal) => return explain(&refusal),
    };
    let user = issuer.sessions.user(&headers);
    match request(issuer, client, &target, &fields, user) {
        Ok(Some(code)) => answer(issuer, &target, &fields, &[("code", &code)]),
        Ok(None) => {
            let back = format!("{AUTHORIZE_PATH}?{query}");
            found(&redirect::with_parameters(LOGIN_PATH, &[("returnUrl", &back)]))
        }
        Err(Refusal(error, description)) => {
            answer(issuer, &target, &fields, &[("error", error), ("error_description", description)])
        }
    }
}

fn target<'a>(issuer: &'a Issuer, fields: &Fields) -> Result<(&'a Client, String), Refusal> {
    let client = fields.get("client_id").and_then(|client_id| issuer.directory.client(client_id));
    let client = client.ok_or(Refusal("invalid_request", "client_id is missing or names no client"))?;
    let address = fields.get("redirect_uri").unwrap_or_default();
    match redirect::is_registered(&client.redirect_uris, address) {
        true => Ok((client, address.to_owned())),
        false => Err(Refusal("invalid_request", "redirect_uri is missing or not registered for the client")),
    }
}

/// The code, or `None` when the user has to log in first.
fn request(
    issuer: &Issuer,
    client: &Client,
    target: &str,
    fields: &Fields,
    user: Option<Uuid>,
) -> Result<Option<String>, Refusal> {
    if !client.may(Grant::AuthorizationCode) {
        return Err(Refusal("unauthorized_client", "the grant is not enabled for this client"));
    }
    if fields.get("response_type") != Some("code") {
        return Err(Refusal("unsupported_response_type", "response_type has to be code"));
    }
    let challenge = fields.get("code_challenge").filter(|challenge| challenge.len() == 43);
    let challenge = challenge.ok_or(Refusal("invalid_request", "code_challenge is missing or no SHA-256 digest"))?;
    if fields.get("code_challenge_method") != Some("S256") {
        return Err(Refusal("invalid_request", "code_challenge_method has to be S256"));
    }
    let scopes: Vec<&str> = fields.get("scope").unwrap_or(SCOPE).split_whitespace().collect();
    let offline = client.may(Grant::RefreshToken);
    let known = |scope: &str| scope == SCOPE || scope == OFFLINE_SCOPE && offline;
    if !scopes.contains(&SCOPE) || !scopes.iter().all(|scope| known(scope)) {
        return Err(Refusal("invalid_scope", "the scopes are api, which is needed, and offline_access"));
    }
    let user = match (user, fields.get("prompt")) {
        (Some(user), None | Some("none")) => user,
        (None, Some("none")) => return Err(Refusal("login_required", "nobody is logged in")),
        (_, None) => return Ok(None),
        (_, Some(_)) => return Err(Refusal("invalid_request", "the only prompt is none")),
    };
    let code = Code {
        client_id: client.client_id.clone(),
        redirect_uri: target.to_owned(),
        challenge: challenge.to_owned(),
        scope: scopes.join(" "),
        user,
        chain: Uuid::new_v4(),
    };
    issuer.codes.issue(code, issuer.now()).map(Some).map_err(|_random| Refusal::RANDOM)
}

fn answer(issuer: &Issuer, target: &str, fields: &Fields, parameters: &[(&str, &str)]) -> Response {
    let mut parameters = parameters.to_vec();
    if let Some(state) = fields.get("state") {
        parameters.push(("state", state));
    }
    parameters.push(("iss", &issuer.url));
    found(&redirect::with_parameters(target, &parameters))
}

fn found(address: &str) -> Response {
    (StatusCode::FOUND, [(LOCATION, address), (CACHE_CONTROL, "no-store")]).into_response()
}

fn explain(Refusal(error, description): &Refusal) -> Response {
    let body = format!("<p class=\"problem\">{}: {}</p>", html::escape(error), html::escape(description));
    html::page(StatusCode::BAD_REQUEST, "The application's request cannot be answered", &body)
}
