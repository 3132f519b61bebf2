//! The authorization endpoint (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2) with PKCE (RFC 7636) and `iss` in the answer (RFC
//! 9207). The platform document names the flow (§5.4) and shows none of its parameters.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, StatusCode};
use uuid::Uuid;

use super::code::Code;
use super::fields::Fields;
use super::refusal::Refusal;
use super::session::Session;
use super::{AUTHORIZE_PATH, Issuer, LOGIN_PATH, html, redirect, scope};
use crate::directory::{Client, Grant};

const FORM_POST: &str = "form_post";
/// The parameter that carries the insufficient session through the login.
const LEFT: &str = "left_session";

pub(super) async fn get(State(issuer): State<Arc<Issuer>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    authorize(&issuer, Fields::of_query(query.as_deref().unwrap_or_default()), &headers)
}

/// OpenID Connect Core §3.1.2.1: the same parameters in a form.
pub(super) async fn post(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    authorize(&issuer, Fields::of_body(&headers, body).await, &headers)
}

fn authorize(issuer: &Issuer, fields: Result<Fields, Refusal>, headers: &HeaderMap) -> Response {
    let fields = match fields {
        Ok(fields) => fields,
        Err(refusal) => return explain(&refusal),
    };
    let (client, target) = match target(issuer, &fields) {
        Ok(valid) => valid,
        // No redirect to an address that the client has not registered.
        Err(refusal) => return explain(&refusal),
    };
    let session = issuer.sessions.find(headers);
    match request(issuer, client, &target, &fields, session.as_ref()) {
        Ok(Some(code)) => answer(issuer, &target, &fields, &[("code", &code)]),
        Ok(None) => to_login(&fields, session.as_ref()),
        Err(Refusal(error, description)) => {
            answer(issuer, &target, &fields, &[("error", error), ("error_description", description)])
        }
    }
}

/// Redirects the user to the login. It leads back to the same request, which the present session does not satisfy but the next
/// one does.
fn to_login(fields: &Fields, session: Option<&Session>) -> Response {
    let left = session.map(|session| session.id.to_string()).unwrap_or_default();
    let kept = fields.pairs().filter(|(name, _)| !["prompt", "max_age", LEFT].contains(name));
    let back = redirect::with_parameters(AUTHORIZE_PATH, &kept.chain([(LEFT, left.as_str())]).collect::<Vec<_>>());
    let hint = fields.get("login_hint").map(|hint| ("login_hint", hint));
    let parameters: Vec<_> = [("returnUrl", back.as_str())].into_iter().chain(hint).collect();
    redirect_to(&redirect::with_parameters(LOGIN_PATH, &parameters))
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
    session: Option<&Session>,
) -> Result<Option<String>, Refusal> {
    if !client.may(Grant::AuthorizationCode) {
        return Err(Refusal("unauthorized_client", "the grant is not enabled for this client"));
    }
    for (name, error) in [("request", "request_not_supported"), ("request_uri", "request_uri_not_supported")] {
        if fields.get(name).is_some() {
            return Err(Refusal(error, "give the parameters one by one"));
        }
    }
    if fields.get("response_type") != Some("code") {
        return Err(Refusal("unsupported_response_type", "response_type has to be code"));
    }
    if !matches!(fields.get("response_mode"), None | Some("query" | FORM_POST)) {
        return Err(Refusal("invalid_request", "response_mode has to be query or form_post"));
    }
    let scopes = scopes(client, fields)?;
    let challenge = challenge(client, fields, &scopes)?;
    let Some(session) = satisfied(issuer, fields, session)? else { return Ok(None) };
    let code = Code {
        client_id: client.client_id.clone(),
        redirect_uri: target.to_owned(),
        challenge,
        nonce: fields.get("nonce").map(str::to_owned),
        auth_time: session.since,
        scope: scopes,
        user: session.user,
        chain: Uuid::new_v4(),
    };
    issuer.codes.issue(code, issuer.now()).map(Some).map_err(|_random| Refusal::RANDOM)
}

fn scopes(client: &Client, fields: &Fields) -> Result<String, Refusal> {
    let scopes: Vec<&str> = fields.get("scope").unwrap_or(scope::API).split_whitespace().collect();
    let may = |name: &&str| scope::ALL.contains(name) && (*name != scope::OFFLINE || client.may(Grant::RefreshToken));
    let is_for_something = scopes.contains(&scope::API) || scopes.contains(&scope::OPENID);
    match is_for_something && scopes.iter().all(may) {
        true => Ok(scopes.join(" ")),
        false => {
            Err(Refusal("invalid_scope", "the scopes are api or openid or both, offline_access, profile and email"))
        }
    }
}

/// The PKCE challenge. It is required, except of a confidential client of OpenID Connect that sends a nonce (RFC 9700 §2.1.1).
fn challenge(client: &Client, fields: &Fields, scopes: &str) -> Result<Option<String>, Refusal> {
    let has_nonce = !client.is_public() && scope::has(scopes, scope::OPENID) && fields.get("nonce").is_some();
    match (fields.get("code_challenge"), fields.get("code_challenge_method")) {
        (None, None) if has_nonce => Ok(None),
        (Some(challenge), Some("S256")) if challenge.len() == 43 => Ok(Some(challenge.to_owned())),
        (Some(challenge), _) if challenge.len() == 43 => {
            Err(Refusal("invalid_request", "code_challenge_method has to be S256"))
        }
        _ => Err(Refusal("invalid_request", "code_challenge is missing or is not a SHA-256 digest")),
    }
}

/// The session, if it satisfies the request; `None` if the user has to log in.
fn satisfied<'a>(
    issuer: &Issuer,
    fields: &Fields,
    session: Option<&'a Session>,
) -> Result<Option<&'a Session>, Refusal> {
    let prompts: Vec<&str> = fields.get("prompt").unwrap_or_default().split_whitespace().collect();
    if !prompts.iter().all(|prompt| ["none", "login", "consent", "select_account"].contains(prompt)) {
        return Err(Refusal("invalid_request", "prompt has to be none, login, consent or select_account"));
    }
    let is_silent = prompts.contains(&"none");
    if is_silent && prompts.len() > 1 {
        return Err(Refusal("invalid_request", "prompt none stands alone"));
    }
    let max_age = match fields.get("max_age").map(str::parse::<u32>) {
        Some(Ok(seconds)) => Some(i64::from(seconds)),
        Some(Err(_no_number)) => return Err(Refusal("invalid_request", "max_age has to be a number of seconds")),
        None => None,
    };
    // The user of an ID token that the client has from an earlier login.
    let hinted = fields.get("id_token_hint").map(|hint| issuer.keys.verify(hint));
    let hinted = hinted.map(|claims| claims.and_then(|claims| Uuid::try_parse(claims.get("sub")?.as_str()?).ok()));
    // There is no page for consent: logging in grants it.
    let asks_anew = prompts.contains(&"login") || prompts.contains(&"select_account");
    let fits = |session: &&Session| {
        !asks_anew
            && fields.get(LEFT).is_none_or(|left| left != session.id.to_string())
            && max_age.is_none_or(|age| issuer.now().saturating_sub(session.since) <= age)
            && hinted.is_none_or(|user| user == Some(session.user))
    };
    match session.filter(fits) {
        Some(session) => Ok(Some(session)),
        None if is_silent => Err(Refusal("login_required", "no login satisfies the request")),
        None => Ok(None),
    }
}

fn answer(issuer: &Issuer, target: &str, fields: &Fields, parameters: &[(&str, &str)]) -> Response {
    let mut parameters = parameters.to_vec();
    if let Some(state) = fields.get("state") {
        parameters.push(("state", state));
    }
    parameters.push(("iss", &issuer.url));
    match fields.get("response_mode") {
        Some(FORM_POST) => html::posting(target, &parameters),
        _ => redirect_to(&redirect::with_parameters(target, &parameters)),
    }
}

/// After a form, the browser sends a GET request.
fn redirect_to(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, address), (CACHE_CONTROL, "no-store")]).into_response()
}

fn explain(Refusal(error, description): &Refusal) -> Response {
    let body = format!("<p class=\"problem\">{}: {}</p>", html::escape(error), html::escape(description));
    html::page(StatusCode::BAD_REQUEST, "The application's request cannot be answered", &body)
}
