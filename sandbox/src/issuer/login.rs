//! The login page.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, StatusCode};

use super::fields::Fields;
use super::{Issuer, PROFILE_PATH, html};
use crate::directory::User;

pub(crate) async fn page(State(issuer): State<Arc<Issuer>>, RawQuery(query): RawQuery) -> Response {
    let fields = Fields::of_query(query.as_deref().unwrap_or_default());
    let back = fields.as_ref().ok().and_then(|fields| fields.get("returnUrl"));
    let name = fields.as_ref().ok().and_then(|fields| fields.get("login_hint")).unwrap_or_default();
    form(&issuer, StatusCode::OK, back.unwrap_or(PROFILE_PATH), name, "")
}

pub(crate) async fn enter(State(issuer): State<Arc<Issuer>>, headers: HeaderMap, body: Body) -> Response {
    let issuer = issuer.as_ref();
    let Ok(fields) = Fields::of_body(&headers, body).await else { return StatusCode::BAD_REQUEST.into_response() };
    if !html::is_own_form(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let back = fields.get("returnUrl").filter(|address| is_own(address)).unwrap_or(PROFILE_PATH);
    let user = fields.get("user").and_then(|name| issuer.directory.user_named(name));
    let known = issuer.same(user.map_or("", User::password), fields.get("password").unwrap_or_default());
    let (Some(user), true) = (user, known) else {
        let problem = "<p class=\"problem\" role=\"alert\">The user is unknown or the password is wrong.</p>";
        return form(issuer, StatusCode::UNAUTHORIZED, back, "", problem);
    };
    match issuer.sessions.begin(user.id, issuer.now()) {
        Ok(cookie) => {
            let mut response = (StatusCode::SEE_OTHER, [(LOCATION, back)]).into_response();
            response.headers_mut().insert(SET_COOKIE, cookie);
            response
        }
        Err(_random) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

pub(crate) async fn leave(State(issuer): State<Arc<Issuer>>, headers: HeaderMap) -> Response {
    if !html::is_own_form(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match issuer.sessions.end(&headers) {
        Ok(cookie) => (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie)], [(LOCATION, super::LOGIN_PATH)]).into_response(),
        Err(_random) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn form(issuer: &Issuer, status: StatusCode, back: &str, name: &str, problem: &str) -> Response {
    let user =
        |user: &User| format!("<li><code>{}</code> {}</li>", html::escape(&user.name), html::escape(&user.about));
    let users: String = issuer.directory.users.iter().map(user).collect();
    let body = format!(
        "{problem}<form method=\"post\" action=\"{path}\">\n\
         <input type=\"hidden\" name=\"returnUrl\" value=\"{back}\">\n\
         <label>User <input name=\"user\" value=\"{name}\" autocomplete=\"username\" required autofocus></label>\n\
         <label>Password <input name=\"password\" type=\"password\" autocomplete=\"current-password\" required></label>\n\
         <button>Log in</button>\n</form>\n\
         <p>Passwords are new in every sandbox, unless the seed fixes them. The program prints in which files they lie, and \
         <a href=\"/sandbox#/addresses\">Addresses</a> shows it.</p>\n\
         <h2>Users</h2>\n<ul>{users}</ul>\n<p><a href=\"/sandbox\">Back to the console</a></p>",
        path = super::LOGIN_PATH,
        back = html::escape(back),
        name = html::escape(name),
    );
    html::page(status, "Log in", &body)
}

/// Returns whether an address is a path on this server. Browsers regard `//host` and `/\host` as other servers.
fn is_own(address: &str) -> bool {
    address.starts_with('/')
        && !address.starts_with("//")
        && !address.contains('\\')
        && !address.chars().any(char::is_control)
        && address.is_ascii()
}
