//! Protects the interface and the console from pages of other origins.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{HOST, SERVER};
use http::uri::Authority;
use http::{HeaderValue, Method, StatusCode, Uri};

use super::taken::ControlRefusal;
use crate::media;

/// The names of a sandbox, and its part of the document.
#[derive(Clone, Debug)]
pub struct Guard {
    name: &'static str,
    /// The host of its address, beside those of loopback. An empty one adds no host.
    host: String,
    pub(super) document: &'static str,
}

impl Guard {
    /// `name` is the value of the header `Server`, by which the command `control` recognises a sandbox, `url` the address that it gives
    /// to clients, and `document` the part of the OpenAPI document that only this sandbox has.
    pub fn new(name: &'static str, url: &str, document: &'static str) -> Self {
        let host = url.parse::<Uri>().ok().and_then(|url| Some(url.host()?.to_owned())).unwrap_or_default();
        Self { name, host, document }
    }
}

/// Refuses unknown host names (DNS rebinding) and forms.
pub(super) async fn guard(State(known): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match check(&known.host, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    response.headers_mut().insert(SERVER, HeaderValue::from_static(known.name));
    response
}

fn check(given_out: &str, request: &Request) -> Result<(), ControlRefusal> {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let is_known = |host: &str| is_loopback(host) || !given_out.is_empty() && host.eq_ignore_ascii_case(given_out);
    if !host.is_some_and(|host| is_known(host.host())) {
        let detail = "The host has to be a loopback address, or the public host of the sandbox (--public-host).";
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use axum::body::Body;

    use super::*;

    /// Catches an empty public host that lets a request with an empty host pass.
    #[test]
    fn the_host_is_of_loopback_or_the_public_one() {
        let is_let_in = |given_out: &str, host: &str| {
            check(given_out, &Request::builder().header(HOST, host).body(Body::empty()).unwrap()).is_ok()
        };
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80"] {
            assert!(is_let_in("", host) && is_let_in("sandbox", host), "{host}");
        }
        for host in ["Sandbox", "sandbox:8080"] {
            assert!(is_let_in("sandbox", host) && !is_let_in("", host), "{host}");
        }
        for host in ["", ":80", "@:80", "sandbox.example", "0.0.0.0"] {
            assert!(!is_let_in("", host) && !is_let_in("sandbox", host), "{host:?}");
        }
    }
}
