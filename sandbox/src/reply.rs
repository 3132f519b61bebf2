//! Pieces of responses: conditional requests, media types, JSON bodies.

use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT, CONTENT_TYPE, GetAll};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::Value;

/// Returns whether an `If-None-Match` header contains an entity tag. The comparison is the weak one of RFC 9110 §13.1.2.
pub(crate) fn matches(header: GetAll<'_, HeaderValue>, etag: &str) -> bool {
    let mut tags = header.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tags.any(|tag| {
        let tag = tag.trim();
        tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag
    })
}

/// A JSON body in the media type that the caller prefers among ASP.NET's three.
pub(crate) fn json(status: StatusCode, headers: &HeaderMap, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, json_media_type(headers))], body.to_string()).into_response()
}

fn json_media_type(headers: &HeaderMap) -> &'static str {
    let accepted = || {
        let values = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).map(|range| range.split(';').next().unwrap_or_default().trim())
    };
    let accepts = |media: &str| accepted().any(|range| range.eq_ignore_ascii_case(media));
    if accepts("application/json") {
        "application/json; charset=utf-8"
    } else if accepts("text/json") {
        "text/json; charset=utf-8"
    } else if accepts("text/plain") && !accepts("*/*") {
        "text/plain; charset=utf-8"
    } else {
        "application/json; charset=utf-8"
    }
}
