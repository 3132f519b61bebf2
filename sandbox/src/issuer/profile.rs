//! The page on which a user creates API tokens: Profile, then API Tokens (platform document §5.3).

use std::fmt::Write;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};

use driftless_sandbox_issuer::{Fields, html, login_path, with_parameters};

use super::{Issuer, PATH, PROFILE_PATH, REVOKE_PATH};
use crate::directory::User;

pub(crate) async fn page(State(issuer): State<Arc<Issuer>>, headers: HeaderMap) -> Response {
    match user(&issuer, &headers) {
        Some(user) => list(&issuer, user, ""),
        None => to_login(),
    }
}

pub(crate) async fn create(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    let issuer = issuer.as_ref();
    let Some(user) = user(issuer, &headers) else { return to_login() };
    if !html::is_own_form(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(fields) = Fields::of_body(&headers, body).await else { return StatusCode::BAD_REQUEST.into_response() };
    let name: String = fields.get("name").unwrap_or("API token").chars().take(100).collect();
    match issuer.create_api_token(user, &name) {
        Ok(token) => {
            let notice = format!(
                "<p role=\"status\">The new token, shown only now:<br><code id=\"token\">{}</code></p>",
                html::escape(&token)
            );
            list(issuer, user, &notice)
        }
        Err(_failed) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

pub(crate) async fn revoke(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    let issuer = issuer.as_ref();
    let Some(user) = user(issuer, &headers) else { return to_login() };
    if !html::is_own_form(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(fields) = Fields::of_body(&headers, body).await else { return StatusCode::BAD_REQUEST.into_response() };
    match issuer.platform.api_tokens.revoke(user.id, fields.get("token").unwrap_or_default()) {
        Ok(()) => (StatusCode::SEE_OTHER, [(LOCATION, PROFILE_PATH)]).into_response(),
        Err(_failed) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn user<'a>(issuer: &'a Issuer, headers: &HeaderMap) -> Option<&'a User> {
    let known = issuer.shared.session_user(headers)?;
    issuer.directory.user_named(&known.name)
}

fn to_login() -> Response {
    let address = with_parameters(&login_path(PATH), &[("returnUrl", PROFILE_PATH)]);
    (StatusCode::SEE_OTHER, [(LOCATION, address)]).into_response()
}

fn list(issuer: &Issuer, user: &User, notice: &str) -> Response {
    let mut rows = String::new();
    for (digest, token) in issuer.platform.api_tokens.for_user(user.id) {
        // Writing to a String cannot fail.
        let _ = write!(
            rows,
            "<li>{} <form method=\"post\" action=\"{REVOKE_PATH}\"><input type=\"hidden\" name=\"token\" \
             value=\"{}\"><button>Revoke</button></form></li>",
            html::escape(&token.name),
            html::escape(&digest),
        );
    }
    let body = format!(
        "<p>{} — {}</p>\n{notice}\n<form method=\"post\" action=\"{PROFILE_PATH}\">\n\
         <label>Name <input name=\"name\" required maxlength=\"100\"></label>\n<button>Make a token</button>\n</form>\n\
         <ul id=\"tokens\">{rows}</ul>\n<form method=\"post\" action=\"/identity/account/logout\"><button>Log out</button></form>\n\
         <p><a href=\"/sandbox\">Back to the console</a></p>",
        html::escape(&user.name),
        html::escape(&user.about),
    );
    html::page(&*issuer.platform, PROFILE_PATH, StatusCode::OK, "Profile: API Tokens", &body)
}
