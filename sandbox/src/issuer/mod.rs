//! The identity issuer: discovery, key set, token endpoint, login, API tokens, and bearer authentication.

mod api_token;
mod authorize;
mod checked;
mod claims;
mod code;
mod digest;
mod fields;
mod grant;
mod guard;
mod html;
mod inspect;
mod key;
mod keyring;
mod login;
mod openid;
mod profile;
mod redirect;
mod refresh;
mod refusal;
mod revoked;
mod scope;
mod session;
mod settings;

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{FromRef, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::{Value, json};

use crate::clock;
use crate::directory::{Client, Directory};
use crate::error::Error;
use crate::vault::Vault;

pub(crate) use guard::{bearer, challenge, team_claims};
pub use settings::{ApiTokenFormat, ErrorStyle, IssuerControl, RefreshPolicy};

/// The path of the issuer below the base address.
pub(crate) const PATH: &str = "/identity";
/// The page on which users create API tokens.
pub(crate) const PROFILE_PATH: &str = "/identity/profile/api-tokens";
pub(crate) const TOKEN_PATH: &str = "/identity/connect/token";
const AUTHORIZE_PATH: &str = "/identity/connect/authorize";
const LOGIN_PATH: &str = "/identity/account/login";

/// Keys, tokens, sessions and settings.
#[derive(Debug)]
pub(crate) struct Issuer {
    pub(crate) url: String,
    pub(crate) directory: Arc<Directory>,
    keys: keyring::KeyRing,
    random: SystemRandom,
    digest: hmac::Key,
    settings: Mutex<settings::Settings>,
    codes: code::Codes,
    refresh: refresh::RefreshTokens,
    api_tokens: api_token::ApiTokens,
    sessions: session::Sessions,
    checked: checked::Checked,
    revoked: revoked::Revoked,
}

impl Issuer {
    pub(crate) fn new(url: String, directory: Arc<Directory>, vault: &Vault) -> Result<Self, Error> {
        let random = SystemRandom::new();
        let digest = hmac::Key::generate(hmac::HMAC_SHA256, &random).map_err(|_unspecified| Error::Random)?;
        Ok(Self {
            url,
            directory,
            keys: keyring::KeyRing::open(random.clone(), vault.clone())?,
            digest,
            settings: settings::initial(),
            codes: code::Codes::new(random.clone()),
            refresh: refresh::RefreshTokens::open(random.clone(), vault.clone(), clock::seconds())?,
            api_tokens: api_token::ApiTokens::open(vault.clone())?,
            sessions: session::Sessions::new(random.clone()),
            checked: checked::Checked::default(),
            revoked: revoked::Revoked::open(vault.clone())?,
            random,
        })
    }

    /// Seconds since the epoch, by the issuer's clock.
    pub(crate) fn now(&self) -> i64 {
        clock::seconds().saturating_add(self.settings().skew)
    }

    /// The client of these credentials.
    fn authenticate(&self, client_id: &str, secret: &str) -> Option<&Client> {
        let client = self.directory.client(client_id).filter(|client| !client.is_public());
        self.same(client.map_or("", Client::secret), secret).then_some(client)?
    }

    /// Returns whether two secrets are equal. It compares keyed digests, which takes the same time wherever they differ.
    fn same(&self, expected: &str, given: &str) -> bool {
        let expected = hmac::sign(&self.digest, expected.as_bytes());
        hmac::verify(&self.digest, given.as_bytes(), expected.as_ref()).is_ok()
    }
}

/// The issuer's addresses.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<Issuer>: FromRef<S>,
{
    Router::new()
        .route("/identity/.well-known/openid-configuration", get(discovery))
        .route("/identity/.well-known/oauth-authorization-server", get(discovery))
        // RFC 8414 §3.1 puts `/.well-known/…` before the path of the issuer.
        .route("/.well-known/oauth-authorization-server/identity", get(discovery))
        .route("/identity/.well-known/openid-configuration/jwks", get(keys))
        .route(TOKEN_PATH, post(grant::token))
        .route("/identity/connect/revocation", post(inspect::revoke))
        .route("/identity/connect/introspect", post(inspect::introspect))
        .route("/identity/connect/userinfo", get(openid::userinfo).post(openid::userinfo))
        .route(AUTHORIZE_PATH, get(authorize::get).post(authorize::post))
        .route(LOGIN_PATH, get(login::page).post(login::enter))
        .route("/identity/account/logout", post(login::leave))
        .route(PROFILE_PATH, get(profile::page).post(profile::create))
        .route("/identity/profile/api-tokens/revoke", post(profile::revoke))
}

/// OpenID Connect discovery; the same document serves RFC 8414.
async fn discovery(State(issuer): State<Arc<Issuer>>) -> Response {
    let url = &issuer.url;
    cacheable(&json!({
        "issuer": url,
        "jwks_uri": format!("{url}/.well-known/openid-configuration/jwks"),
        "authorization_endpoint": format!("{url}/connect/authorize"),
        "token_endpoint": format!("{url}/connect/token"),
        "revocation_endpoint": format!("{url}/connect/revocation"),
        "introspection_endpoint": format!("{url}/connect/introspect"),
        "userinfo_endpoint": format!("{url}/connect/userinfo"),
        "grant_types_supported": ["client_credentials", "authorization_code", "refresh_token"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "form_post"],
        "prompt_values_supported": ["none", "login", "consent", "select_account"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": scope::ALL,
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "name", "preferred_username", "email",
            "email_verified",
        ],
        "claims_parameter_supported": false,
        "request_parameter_supported": false,
        "request_uri_parameter_supported": false,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
    }))
}

/// The key set (RFC 7517).
async fn keys(State(issuer): State<Arc<Issuer>>) -> Response {
    cacheable(&json!({ "keys": issuer.keys.public() }))
}

fn cacheable(body: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json; charset=UTF-8"), (CACHE_CONTROL, "no-cache")], body.to_string()).into_response()
}
