//! The login page.

use axum::response::{IntoResponse, Response};
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::error::IssuerError;
use crate::fields::Fields;
use crate::realm::RealmUser;
use crate::refusal::Refusal;
use crate::{Issuer, Visit, html, login_path};

pub(crate) fn page(visit: &Visit<'_>, sent: Result<Fields, Refusal>) -> Response {
    let fields = sent.as_ref().ok();
    let back = fields.and_then(|fields| fields.get("returnUrl")).unwrap_or(visit.issuer.realm.home());
    let name = fields.and_then(|fields| fields.get("login_hint")).unwrap_or_default();
    form(visit, StatusCode::OK, back, name, "")
}

pub(crate) fn enter(visit: &Visit<'_>, headers: &HeaderMap, sent: Result<Fields, Refusal>) -> Response {
    let issuer = visit.issuer;
    let Ok(fields) = sent else { return StatusCode::BAD_REQUEST.into_response() };
    if !html::is_own_form(headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let back = fields.get("returnUrl").filter(|address| is_own(address)).unwrap_or(issuer.realm.home());
    let user = fields.get("user").and_then(|name| issuer.realm.user_named(name));
    let password = fields.get("password").unwrap_or_default();
    let is_known = issuer.fits(user.as_ref().map(|user| &user.password), password);
    let Some(user) = user.filter(|_| is_known) else {
        let problem = "<p class=\"problem\" role=\"alert\">The user is unknown or the password is wrong.</p>";
        return form(visit, StatusCode::UNAUTHORIZED, back, "", problem);
    };
    match issuer.begin_session(&user) {
        Ok(cookie) => {
            let mut response = (StatusCode::SEE_OTHER, [(LOCATION, back)]).into_response();
            response.headers_mut().insert(SET_COOKIE, cookie);
            response
        }
        Err(_random) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

pub(crate) fn leave(visit: &Visit<'_>, headers: &HeaderMap) -> Response {
    if !html::is_own_form(headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match visit.issuer.sessions.end(headers) {
        Ok(cookie) => {
            (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie)], [(LOCATION, login_path(visit.base))]).into_response()
        }
        Err(_random) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl Issuer {
    /// Begins a session of a user, as the value of `Set-Cookie`.
    ///
    /// # Errors
    ///
    /// Fails if the operating system returns no random bytes.
    pub fn begin_session(&self, user: &RealmUser) -> Result<HeaderValue, IssuerError> {
        self.sessions.begin(&user.sub, self.now())
    }

    /// The user of a request's session.
    pub fn session_user(&self, headers: &HeaderMap) -> Option<RealmUser> {
        self.realm.user(&self.sessions.find(headers)?.user)
    }
}

fn form(visit: &Visit<'_>, status: StatusCode, back: &str, name: &str, problem: &str) -> Response {
    let realm = &*visit.issuer.realm;
    let password = match realm.asks_for_password() {
        true => {
            "<label>Password <input name=\"password\" type=\"password\" autocomplete=\"current-password\" required></label>\n"
        }
        false => "",
    };
    let body = format!(
        "{problem}<form method=\"post\" action=\"{path}\">\n\
         <input type=\"hidden\" name=\"returnUrl\" value=\"{back}\">\n\
         <label>User <input name=\"user\" value=\"{name}\" autocomplete=\"username\" required autofocus></label>\n\
         {password}<button>Log in</button>\n</form>\n\
         {notes}\n<p><a href=\"/sandbox\">Back to the console</a></p>",
        path = html::escape(&login_path(visit.base)),
        back = html::escape(back),
        name = html::escape(name),
        notes = realm.login_notes(),
    );
    html::page(realm, "", status, "Log in", &body)
}

/// Returns whether an address is a path on this server. Browsers regard `//host` and `/\host` as other servers.
fn is_own(address: &str) -> bool {
    address.starts_with('/')
        && !address.starts_with("//")
        && !address.contains('\\')
        && !address.chars().any(char::is_control)
        && address.is_ascii()
}
