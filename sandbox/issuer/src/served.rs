//! The addresses of an issuer, and the way of a request to its answer.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::ALLOW;
use http::{Method, StatusCode};

use crate::fields::Fields;
use crate::{Issuer, LOGIN, Visit, authorize, discovery, grant, inspect, login, openid};

/// One of the issuer's endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The discovery document of OpenID Connect and RFC 8414.
    Discovery,
    /// The key set (RFC 7517).
    Keys,
    /// The token endpoint.
    Token,
    /// Revocation (RFC 7009).
    Revocation,
    /// Introspection (RFC 7662).
    Introspection,
    /// The claims of a user.
    UserInfo,
    /// The authorization endpoint.
    Authorization,
    /// The authorization endpoint for requests with a `response_type` and for all of GET, and the token endpoint for the others.
    AuthorizationAndToken,
    /// The login page.
    Login,
    /// The end of a session.
    Logout,
}

/// An endpoint of the issuer with this base path.
#[derive(Clone, Debug)]
pub struct Served {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The path of its issuer, such as `/identity`.
    pub base: Arc<str>,
}

/// The endpoints below the path of an issuer.
const BELOW: [(&str, Endpoint); 10] = [
    ("/.well-known/openid-configuration", Endpoint::Discovery),
    ("/.well-known/oauth-authorization-server", Endpoint::Discovery),
    ("/.well-known/openid-configuration/jwks", Endpoint::Keys),
    ("/connect/token", Endpoint::Token),
    ("/connect/revocation", Endpoint::Revocation),
    ("/connect/introspect", Endpoint::Introspection),
    ("/connect/userinfo", Endpoint::UserInfo),
    ("/connect/authorize", Endpoint::Authorization),
    (LOGIN, Endpoint::Login),
    ("/account/logout", Endpoint::Logout),
];

/// The addresses of an issuer with this path.
pub fn paths(base: &str) -> Vec<(String, Served)> {
    let served = |endpoint| Served { endpoint, base: Arc::from(base) };
    let mut paths: Vec<_> = BELOW.iter().map(|(path, endpoint)| (format!("{base}{path}"), served(*endpoint))).collect();
    if !base.is_empty() {
        // RFC 8414 §3.1 puts `/.well-known/…` before the path of the issuer.
        paths.push((format!("/.well-known/oauth-authorization-server{base}"), served(Endpoint::Discovery)));
    }
    paths
}

impl Endpoint {
    fn methods(self) -> &'static str {
        match self {
            Self::Discovery | Self::Keys => "GET,HEAD",
            Self::Token | Self::Revocation | Self::Introspection | Self::Logout => "POST",
            Self::UserInfo | Self::Authorization | Self::AuthorizationAndToken | Self::Login => "GET,HEAD,POST",
        }
    }
}

impl Issuer {
    /// Answers a request at one of the addresses.
    pub async fn answer(&self, served: &Served, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let endpoint = served.endpoint;
        let is_post = head.method == Method::POST;
        if !endpoint.methods().split(',').any(|method| method == head.method.as_str()) {
            return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, endpoint.methods())]).into_response();
        }
        let headers = &head.headers;
        let url = format!("{}{}", self.realm.origin(headers), served.base);
        let visit = Visit { issuer: self, base: &served.base, url, path: head.uri.path() };
        let sent = async {
            match is_post {
                true => Fields::of_body(headers, body).await,
                false => Fields::of_query(head.uri.query().unwrap_or_default()),
            }
        };
        match endpoint {
            Endpoint::Discovery => discovery::document(&visit),
            Endpoint::Keys => discovery::keys(self),
            Endpoint::Token => grant::token(&visit, headers, sent.await),
            Endpoint::Revocation => inspect::revoke(&visit, headers, sent.await),
            Endpoint::Introspection => inspect::introspect(&visit, headers, sent.await),
            Endpoint::UserInfo => openid::userinfo(self, headers),
            Endpoint::Authorization => authorize::authorize(&visit, sent.await, headers),
            Endpoint::AuthorizationAndToken => {
                let sent = sent.await;
                let asks_for_code = |fields: &Fields| fields.get("response_type").is_some();
                match !is_post || sent.as_ref().is_ok_and(asks_for_code) {
                    true => authorize::authorize(&visit, sent, headers),
                    false => grant::token(&visit, headers, sent),
                }
            }
            Endpoint::Login if is_post => login::enter(&visit, headers, sent.await),
            Endpoint::Login => login::page(&visit, sent.await),
            Endpoint::Logout => login::leave(&visit, headers),
        }
    }
}
