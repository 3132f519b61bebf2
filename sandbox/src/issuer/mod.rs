//! The identity issuer of the platform: the shared issuer, with the platform's clients, users, claims and API tokens.

mod api_token;
mod claims;
mod profile;
mod realm;
mod settings;

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{FromRef, Request, State};
use axum::response::Response;
use axum::routing::{any, get, post};
use driftless_sandbox_issuer as shared;
use http::{HeaderMap, HeaderValue};
use serde_json::Value;
use uuid::Uuid;

use crate::caller::Caller;
use crate::directory::{Directory, Subject};
use crate::error::Error;
use api_token::ApiTokens;
use claims::API;
use realm::Platform;

pub(crate) use settings::PresentSettings;
pub use settings::{ApiTokenFormat, IssuerControl};
pub use shared::{ErrorStyle, RefreshPolicy};
pub(crate) use shared::{Vault, bearer, challenge};

/// The path of the issuer below the base address.
pub(crate) const PATH: &str = "/identity";
/// The page on which users create API tokens.
pub(crate) const PROFILE_PATH: &str = "/identity/profile/api-tokens";
const REVOKE_PATH: &str = "/identity/profile/api-tokens/revoke";

/// Keys, tokens, sessions and settings.
#[derive(Debug)]
pub(crate) struct Issuer {
    pub(crate) url: String,
    pub(crate) directory: Arc<Directory>,
    platform: Arc<Platform>,
    shared: shared::Issuer,
    api_token_format: Mutex<ApiTokenFormat>,
}

impl Issuer {
    pub(crate) fn new(base_url: &str, directory: Arc<Directory>, vault: &Vault) -> Result<Self, Error> {
        let api_tokens = ApiTokens::open(vault.clone())?;
        let platform =
            Arc::new(Platform { base_url: base_url.to_owned(), directory: Arc::clone(&directory), api_tokens });
        let realm: Arc<dyn shared::Realm> = Arc::<Platform>::clone(&platform);
        let shared = shared::Issuer::open(realm, vault, PATH)?;
        let url = format!("{base_url}{PATH}");
        Ok(Self { url, directory, platform, shared, api_token_format: Mutex::default() })
    }

    /// Seconds since the epoch, by the issuer's clock.
    pub(crate) fn now(&self) -> i64 {
        self.shared.now()
    }

    /// The caller of a request's bearer token, or ASP.NET's 401 without a body and with a challenge. The platform document shows
    /// no status for this case.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Arc<Caller>, Box<Response>> {
        let token = bearer(headers).ok_or_else(|| challenge("Bearer"))?;
        self.caller_of(token).ok_or_else(|| challenge("Bearer error=\"invalid_token\""))
    }

    /// The caller of an access token or API token.
    pub(crate) fn caller_of(&self, token: &str) -> Option<Arc<Caller>> {
        let api_tokens = &self.platform.api_tokens;
        if let Some(user) = api_tokens.user(token, self.now()) {
            return self.directory.user(user).map(|user| Arc::new(Caller::new(Subject::User(user), None)));
        }
        let claims = self.claims_of(token)?;
        if claims.contains_key("api_token") && !api_tokens.is_listed(token) {
            return None;
        }
        let subject = self.directory.subject(claims.get("sub").and_then(Value::as_str)?)?;
        Some(Arc::new(Caller::new(subject, claims.get("exp").and_then(Value::as_i64))))
    }

    /// The claims of an access token that is signed by this issuer, has the API as its audience, and is in time. Claims may be
    /// missing (platform document §2).
    pub(crate) fn claims_of(&self, token: &str) -> Option<Arc<serde_json::Map<String, Value>>> {
        let claims = self.shared.claims(token)?;
        let scope = claims.get("scope").and_then(Value::as_str);
        scope.is_none_or(|scopes| shared::has_scope(scopes, API)).then_some(claims)
    }

    /// Begins a session of a user, as the value of `Set-Cookie`. `None` if the seed has no user of that name.
    pub(crate) fn begin_session(&self, user: &str) -> Result<Option<HeaderValue>, Error> {
        let user = self.directory.user_named(user).map(realm::user);
        Ok(user.map(|user| self.shared.begin_session(&user)).transpose()?)
    }

    fn api_token_format(&self) -> ApiTokenFormat {
        *self.api_token_format.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The issuer's addresses.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<Issuer>: FromRef<S>,
{
    let router = Router::new()
        .route(PROFILE_PATH, get(profile::page).post(profile::create))
        .route(REVOKE_PATH, post(profile::revoke));
    shared::paths(PATH).into_iter().fold(router, |router, (path, served)| {
        let answer = move |State(issuer): State<Arc<Issuer>>, request: Request| async move {
            issuer.shared.answer(&served, request).await
        };
        router.route(&path, any(answer))
    })
}

/// The GUIDs that a token's team claims name.
pub(crate) fn team_claims(claims: &serde_json::Map<String, Value>) -> impl Iterator<Item = Uuid> {
    let claim = |name: &str| claims.get(name).and_then(Value::as_str).and_then(|text| Uuid::try_parse(text).ok());
    ["team_id", "tenant_id"].map(claim).into_iter().flatten()
}
