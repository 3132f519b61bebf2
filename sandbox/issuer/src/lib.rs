//! The issuer of tokens of a sandbox: OAuth 2.0 and OpenID Connect, with discovery, key set, token endpoint, login, introspection and
//! revocation. A [`Realm`] gives it the clients, users, claims and scopes of a service.
//!
//! `driftless-sandbox` and the workspace's own stand-in build on it. It can change with any version.
#![deny(missing_docs)]

// Each module uses only those before it, and the items below.
mod error;
mod vault;

pub mod digest;

mod realm;
mod refusal;

mod checked;
mod key;
mod keyring;

mod fields;

mod code;
mod redirect;
mod session;

mod settings;

mod refresh;

mod guard;

pub mod html;

mod openid;

mod grant;

mod authorize;
mod discovery;
mod inspect;
mod login;
mod served;

use std::sync::{Arc, Mutex};

use ring::hmac;
use ring::rand::SystemRandom;

pub use error::IssuerError;
pub use fields::Fields;
pub use guard::{Presented, bearer, challenge};
pub use realm::{
    EMAIL, OFFLINE, OPENID, PROFILE, Realm, RealmClient, RealmUser, Redirects, Secret, TokenGrant, TokenSubject,
    has_scope,
};
pub use redirect::with_parameters;
pub use refusal::Refusal;
pub use served::{Endpoint, Served, paths};
pub use settings::{ErrorStyle, RefreshPolicy, Settings};
pub use vault::{Nowhere, Shelves, Vault};

/// The `aud` of access tokens.
const AUDIENCE: &str = "api";

/// The login page, below the path of an issuer.
const LOGIN: &str = "/account/login";

/// The path of the login page of an issuer with this path.
pub fn login_path(base: &str) -> String {
    format!("{base}{LOGIN}")
}

/// Keys, tokens, sessions and settings.
#[derive(Debug)]
pub struct Issuer {
    realm: Arc<dyn Realm>,
    keys: keyring::KeyRing,
    random: SystemRandom,
    digest: hmac::Key,
    settings: Mutex<settings::Settings>,
    codes: code::Codes,
    refresh: refresh::RefreshTokens,
    sessions: session::Sessions,
    checked: checked::Checked,
    revoked: checked::Revoked,
}

/// A request at one of the issuer's addresses.
#[derive(Debug)]
struct Visit<'i> {
    issuer: &'i Issuer,
    /// The path of the issuer, such as `/identity`.
    base: &'i str,
    /// The address of the issuer: the `iss` of tokens.
    url: String,
    /// The path of the request.
    path: &'i str,
}

impl Issuer {
    /// Opens an issuer: with the keys and tokens of a vault, or with a new key. The browser sends the cookie of a session to
    /// `cookie_path` and below.
    ///
    /// # Errors
    ///
    /// Fails if no key can be generated, or if the vault cannot be used.
    pub fn open(realm: Arc<dyn Realm>, vault: &Vault, cookie_path: &str) -> Result<Self, IssuerError> {
        let random = SystemRandom::new();
        let digest = hmac::Key::generate(hmac::HMAC_SHA256, &random).map_err(|_unspecified| IssuerError::Random)?;
        let now = realm.now();
        Ok(Self {
            realm,
            keys: keyring::KeyRing::open(random.clone(), vault.clone())?,
            digest,
            settings: Mutex::default(),
            codes: code::Codes::new(random.clone()),
            refresh: refresh::RefreshTokens::open(random.clone(), vault.clone(), now)?,
            sessions: session::Sessions::new(random.clone(), cookie_path),
            checked: checked::Checked::default(),
            revoked: checked::Revoked::open(vault.clone())?,
            random,
        })
    }

    /// Seconds since the epoch, by the issuer's clock.
    pub fn now(&self) -> i64 {
        self.realm.now().saturating_add(self.settings().skew)
    }

    /// The source of random bytes.
    pub fn random(&self) -> &SystemRandom {
        &self.random
    }

    /// Signs the claims of an access token (RFC 9068).
    ///
    /// # Errors
    ///
    /// Fails if the operating system returns no random bytes.
    pub fn sign(&self, claims: &serde_json::Value) -> Result<String, IssuerError> {
        self.keys.sign(claims)
    }

    /// Returns whether two secrets are equal. It compares keyed digests, which takes the same time wherever they differ.
    fn same(&self, expected: &str, given: &str) -> bool {
        let expected = hmac::sign(&self.digest, expected.as_bytes());
        hmac::verify(&self.digest, given.as_bytes(), expected.as_ref()).is_ok()
    }

    /// Returns whether a secret is the expected one. Without an expected one, it takes the same time.
    fn fits(&self, expected: Option<&Secret>, given: &str) -> bool {
        match expected {
            Some(Secret::Any) => true,
            Some(Secret::Is(expected)) => self.same(expected, given),
            None => {
                let _ = self.same("", given);
                false
            }
        }
    }
}
