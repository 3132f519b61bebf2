//! The identity issuer: discovery, key set, token endpoint, and the check of a bearer token.

mod grant;
mod guard;
mod key;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::Error;
use crate::server::Shared;

pub(crate) use grant::token;
pub(crate) use guard::Caller;
use key::SigningKey;

/// The path of the issuer below the base address.
pub(crate) const PATH: &str = "/identity";
pub(crate) const DISCOVERY_PATH: &str = "/identity/.well-known/openid-configuration";
pub(crate) const KEYS_PATH: &str = "/identity/.well-known/openid-configuration/jwks";
pub(crate) const TOKEN_PATH: &str = "/identity/connect/token";

/// The one scope that the platform document names (§4.5).
const SCOPE: &str = "api";
const DEFAULT_LIFETIME: u64 = 3600;

/// Keys, clients and lifetimes.
#[derive(Debug)]
pub(crate) struct Issuer {
    url: String,
    key: SigningKey,
    clients: Vec<Client>,
    digest: hmac::Key,
    lifetime: AtomicU64,
}

impl Issuer {
    pub(crate) fn new(url: String, clients: Vec<Client>) -> Result<Self, Error> {
        let random = SystemRandom::new();
        let digest = hmac::Key::generate(hmac::HMAC_SHA256, &random).map_err(|_unspecified| Error::Random)?;
        Ok(Self { url, key: SigningKey::generate(random)?, clients, digest, lifetime: DEFAULT_LIFETIME.into() })
    }

    pub(crate) fn clients(&self) -> &[Client] {
        &self.clients
    }

    pub(crate) fn set_lifetime(&self, lifetime: Duration) {
        self.lifetime.store(lifetime.as_secs(), Ordering::Relaxed);
    }

    fn lifetime(&self) -> u64 {
        self.lifetime.load(Ordering::Relaxed)
    }

    /// The client of these credentials. Secrets are compared by their keyed digests, which takes the same time wherever
    /// they differ; an unknown client costs a comparison too.
    fn authenticate(&self, client_id: &str, secret: &str) -> Option<&Client> {
        let client = self.clients.iter().find(|client| client.client_id == client_id);
        let expected = hmac::sign(&self.digest, client.map_or("", Client::secret).as_bytes());
        hmac::verify(&self.digest, secret.as_bytes(), expected.as_ref()).ok()?;
        client
    }
}

/// OpenID Connect discovery.
pub(crate) async fn discovery(State(shared): State<Arc<Shared>>) -> Response {
    let url = &shared.issuer.url;
    cacheable(&json!({
        "issuer": url,
        "jwks_uri": format!("{url}/.well-known/openid-configuration/jwks"),
        "token_endpoint": format!("{url}/connect/token"),
        "grant_types_supported": ["client_credentials"],
        "response_types_supported": [],
        "scopes_supported": [SCOPE],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
    }))
}

/// The key set (RFC 7517).
pub(crate) async fn keys(State(shared): State<Arc<Shared>>) -> Response {
    cacheable(&json!({ "keys": [shared.issuer.key.public()] }))
}

fn cacheable(body: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-cache")], body.to_string()).into_response()
}
