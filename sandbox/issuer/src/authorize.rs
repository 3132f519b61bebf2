//! The authorization endpoint (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2) with PKCE (RFC 7636) and `iss` in the answer (RFC
//! 9207).

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, StatusCode};
use uuid::Uuid;

use crate::code::Code;
use crate::fields::Fields;
use crate::grant::scope;
use crate::realm::{OPENID, RealmClient, Secret, TokenGrant, has_scope};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::{Issuer, Visit, html, login_path, redirect};

const FORM_POST: &str = "form_post";
/// The parameter that carries the insufficient session through the login.
const LEFT: &str = "left_session";

/// OpenID Connect Core §3.1.2.1: a form can have the same parameters as a query.
pub(crate) fn authorize(visit: &Visit<'_>, sent: Result<Fields, Refusal>, headers: &HeaderMap) -> Response {
    let issuer = visit.issuer;
    let fields = match sent.and_then(|fields| fields.check_lengths().map(|()| fields)) {
        Ok(fields) => fields,
        Err(refusal) => return explain(issuer, &refusal),
    };
    let (client, target) = match target(issuer, &fields) {
        Ok(valid) => valid,
        // No redirect to an address that the client may not name.
        Err(refusal) => return explain(issuer, &refusal),
    };
    let session = issuer.sessions.find(headers);
    match request(issuer, &client, &target, &fields, session.as_ref()) {
        Ok(Some(code)) => answer(visit, &target, &fields, &[("code", &code)]),
        Ok(None) => to_login(visit, &fields, session.as_ref()),
        Err(Refusal(error, description)) => {
            answer(visit, &target, &fields, &[("error", error), ("error_description", description)])
        }
    }
}

/// Redirects the user to the login. It leads back to the same request, which the present session does not satisfy but the next
/// one does.
fn to_login(visit: &Visit<'_>, fields: &Fields, session: Option<&Session>) -> Response {
    let left = session.map(|session| session.id.to_string()).unwrap_or_default();
    let kept = fields.pairs().filter(|(name, _)| !["prompt", "max_age", LEFT].contains(name));
    let back = redirect::with_parameters(visit.path, &kept.chain([(LEFT, left.as_str())]).collect::<Vec<_>>());
    let hint = fields.get("login_hint").map(|hint| ("login_hint", hint));
    let parameters: Vec<_> = [("returnUrl", back.as_str())].into_iter().chain(hint).collect();
    redirect_to(&redirect::with_parameters(&login_path(visit.base), &parameters))
}

fn target(issuer: &Issuer, fields: &Fields) -> Result<(RealmClient, String), Refusal> {
    let client = fields.get("client_id").and_then(|client_id| issuer.realm.client(client_id));
    let client = client.ok_or(Refusal("invalid_request", "client_id is missing or names no client"))?;
    let address = fields.get("redirect_uri").unwrap_or_default();
    match redirect::is_allowed(&client.redirects, address) {
        true => Ok((client, address.to_owned())),
        false => Err(Refusal("invalid_request", "redirect_uri is missing, or the client may not use it")),
    }
}

/// The code, or `None` when the user has to log in first.
fn request(
    issuer: &Issuer,
    client: &RealmClient,
    target: &str,
    fields: &Fields,
    session: Option<&Session>,
) -> Result<Option<String>, Refusal> {
    if !client.may(TokenGrant::AuthorizationCode) {
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
    let scopes = scope(issuer, client, TokenGrant::AuthorizationCode, fields.get("scope"))?;
    let challenge = challenge(client, fields, &scopes)?;
    let Some(session) = satisfied(issuer, fields, session)? else { return Ok(None) };
    let code = Code {
        client_id: client.client_id.clone(),
        redirect_uri: target.to_owned(),
        challenge,
        nonce: fields.get("nonce").map(str::to_owned),
        auth_time: session.since,
        scope: scopes,
        user: session.user.clone(),
        chain: Uuid::new_v4(),
    };
    issuer.codes.issue(code, issuer.now()).map(Some).map_err(|_random| Refusal::RANDOM)
}

/// The PKCE challenge. It is required, except of a confidential client of OpenID Connect that sends a nonce (RFC 9700 §2.1.1).
fn challenge(client: &RealmClient, fields: &Fields, scopes: &str) -> Result<Option<String>, Refusal> {
    let may_have_secret = matches!(client.secret, Some(Secret::Any));
    let has_nonce = !client.is_public() && has_scope(scopes, OPENID) && fields.get("nonce").is_some();
    match (fields.get("code_challenge"), fields.get("code_challenge_method")) {
        // The token endpoint demands the secret.
        (None, None) if has_nonce || may_have_secret => Ok(None),
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
    let hinted = hinted.map(|token| token.and_then(|(_, claims)| Some(claims.get("sub")?.as_str()?.to_owned())));
    // There is no page for consent: logging in grants it.
    let asks_anew = prompts.contains(&"login") || prompts.contains(&"select_account");
    let fits = |session: &&Session| {
        !asks_anew
            && fields.get(LEFT).is_none_or(|left| left != session.id.to_string())
            && max_age.is_none_or(|age| issuer.now().saturating_sub(session.since) <= age)
            && hinted.as_ref().is_none_or(|user| user.as_ref() == Some(&session.user))
    };
    match session.filter(fits) {
        Some(session) => Ok(Some(session)),
        None if is_silent => Err(Refusal("login_required", "no login satisfies the request")),
        None => Ok(None),
    }
}

fn answer(visit: &Visit<'_>, target: &str, fields: &Fields, parameters: &[(&str, &str)]) -> Response {
    let mut parameters = parameters.to_vec();
    if let Some(state) = fields.get("state") {
        parameters.push(("state", state));
    }
    parameters.push(("iss", &visit.url));
    match fields.get("response_mode") {
        Some(FORM_POST) => html::posting(&*visit.issuer.realm, target, &parameters),
        _ => redirect_to(&redirect::with_parameters(target, &parameters)),
    }
}

/// After a form, the browser sends a GET request.
fn redirect_to(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, address), (CACHE_CONTROL, "no-store")]).into_response()
}

fn explain(issuer: &Issuer, Refusal(error, description): &Refusal) -> Response {
    let body = format!("<p class=\"problem\">{}: {}</p>", html::escape(error), html::escape(description));
    html::page(&*issuer.realm, "", StatusCode::BAD_REQUEST, "The application's request cannot be answered", &body)
}
