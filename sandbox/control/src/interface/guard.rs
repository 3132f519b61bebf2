//! Protects the interface from pages of other origins.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{HOST, SERVER};
use http::uri::Authority;
use http::{HeaderValue, Method, StatusCode};

use super::taken::ControlRefusal;
use crate::media;

/// The names of a sandbox.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The value of the header `Server`, by which the command `control` recognises a sandbox.
    pub name: &'static str,
    /// The host of its address, beside those of loopback.
    pub host: String,
}

/// Refuses unknown host names (DNS rebinding) and forms.
pub async fn guard(State(known): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match check(&known.host, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    response.headers_mut().insert(SERVER, HeaderValue::from_static(known.name));
    response
}

fn check(given_out: &str, request: &Request) -> Result<(), ControlRefusal> {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let is_known = |host: &str| is_loopback(host) || host.eq_ignore_ascii_case(given_out);
    if !host.is_some_and(|host| is_known(host.host())) {
        let detail = "The host has to be a loopback address, or the public host of the sandbox.";
        return Err(ControlRefusal::whole(StatusCode::FORBIDDEN, detail));
    }
    let has_body = [Method::POST, Method::PUT].contains(request.method());
    if has_body && media::essence(request.headers()) != "application/json" {
        let detail = "The content type has to be application/json.";
        return Err(ControlRefusal::whole(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    Ok(())
}

/// Accepts loopback addresses, and of names only `localhost`, which cannot be rebound.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}
