//! OAuth errors (RFC 6749 §5.2), in both common styles of .NET issuers.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, PRAGMA, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use crate::settings::ErrorStyle;

/// An OAuth error: its code and a sentence.
#[derive(Debug)]
pub struct Refusal(pub &'static str, pub &'static str);

impl Refusal {
    pub(crate) const RANDOM: Self = Self("server_error", "the operating system returns no random bytes");

    /// The answer of the token endpoint in a style.
    pub(crate) fn response(&self, style: ErrorStyle) -> Response {
        let Self(error, description) = self;
        let body = json!({ "error": error, "error_description": description });
        match (style, *error) {
            (ErrorStyle::OpenIddict, "invalid_client") => {
                let mut response = send(StatusCode::UNAUTHORIZED, &body);
                let challenge = http::HeaderValue::from_static("Basic error=\"invalid_client\"");
                response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
                response
            }
            _ => send(StatusCode::BAD_REQUEST, &body),
        }
    }
}

/// A JSON answer that must not be cached.
pub(crate) fn send(status: StatusCode, body: &Value) -> Response {
    let headers =
        [(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-store"), (PRAGMA, "no-cache")];
    (status, headers, body.to_string()).into_response()
}
