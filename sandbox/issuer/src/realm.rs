//! The side of the service: clients, users, claims, scopes, and the texts of the pages.

use std::fmt;

use driftless_sandbox_control::clock;
use driftless_sandbox_control::ui::Frame;
use http::HeaderMap;
use serde_json::{Map, Value};

/// The scope for a refresh token.
pub const OFFLINE: &str = "offline_access";
/// The scope that makes a request one of OpenID Connect.
pub const OPENID: &str = "openid";
/// Claims about the user's name.
pub const PROFILE: &str = "profile";
/// Claims about the user's address.
pub const EMAIL: &str = "email";

/// Returns whether a list of scopes contains one.
pub fn has_scope(list: &str, scope: &str) -> bool {
    list.split_whitespace().any(|name| name == scope)
}

/// A grant of the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenGrant {
    /// RFC 6749 §4.4.
    ClientCredentials,
    /// RFC 6749 §4.1.
    AuthorizationCode,
    /// RFC 6749 §6.
    RefreshToken,
}

/// The secret of a client, or the password of a user.
#[derive(Clone)]
pub enum Secret {
    /// Only this text.
    Is(String),
    /// Any text.
    Any,
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}

/// The redirect addresses of a client.
#[derive(Clone, Debug)]
pub enum Redirects {
    /// These texts. A loopback address matches any port (RFC 8252 §7.3).
    Registered(Vec<String>),
    /// Every address of loopback, over HTTP.
    Loopback,
}

/// A client of the issuer.
#[derive(Clone, Debug)]
pub struct RealmClient {
    /// The `client_id` of a token request.
    pub client_id: String,
    /// `None` if the client is public (RFC 6749 §2.1). A client with any secret is public in a request without one.
    pub secret: Option<Secret>,
    /// The grants that are enabled for it.
    pub grants: Vec<TokenGrant>,
    /// The addresses to which an authorization code is sent.
    pub redirects: Redirects,
}

impl RealmClient {
    pub(crate) fn is_public(&self) -> bool {
        self.secret.is_none()
    }

    pub(crate) fn may(&self, grant: TokenGrant) -> bool {
        self.grants.contains(&grant)
    }
}

/// A user of the issuer.
#[derive(Clone, Debug)]
pub struct RealmUser {
    /// The `sub` claim.
    pub sub: String,
    /// The name at the login page.
    pub name: String,
    /// The password at the login page.
    pub password: Secret,
}

/// The subject of a token.
#[derive(Clone, Copy, Debug)]
pub enum TokenSubject<'a> {
    /// The client of the request.
    Client,
    /// A user who has logged in.
    User(&'a RealmUser),
}

/// A service whose tokens are issued.
pub trait Realm: fmt::Debug + Send + Sync {
    /// Seconds since the epoch, by the clock of the service.
    fn now(&self) -> i64 {
        clock::seconds()
    }

    /// The address of the server, without a path, as the client of a request knows it.
    fn origin(&self, headers: &HeaderMap) -> String;

    /// Returns whether a token of the issuer's keys with this `iss` is accepted.
    fn is_own_issuer(&self, _iss: &str) -> bool {
        true
    }

    /// The client of a `client_id`.
    fn client(&self, client_id: &str) -> Option<RealmClient>;

    /// The user of a `sub`.
    fn user(&self, sub: &str) -> Option<RealmUser>;

    /// The user of a name.
    fn user_named(&self, name: &str) -> Option<RealmUser>;

    /// The scopes that discovery lists.
    fn scopes(&self) -> Vec<&str>;

    /// The scopes that a client gets, given those that it asks for.
    ///
    /// # Errors
    ///
    /// Returns the description of `invalid_scope`.
    fn granted(&self, client: &RealmClient, grant: TokenGrant, asked: Option<&str>) -> Result<String, &'static str>;

    /// Returns whether a login with these scopes gets a refresh token.
    fn gives_refresh_token(&self, scope: &str) -> bool {
        has_scope(scope, OFFLINE)
    }

    /// Adds claims to those that every access token has: `iss`, `aud`, `sub`, `iat`, `exp`, `jti` and `client_id`.
    fn add_claims(&self, claims: &mut Map<String, Value>, _client: &RealmClient, _: TokenSubject<'_>, scope: &str) {
        claims.insert("scope".to_owned(), scope.into());
    }

    /// The answer of introspection for a token that only the service knows.
    fn introspected(&self, _token: &str, _now: i64, _iss: &str) -> Option<Value> {
        None
    }

    /// The name and the menu of the pages.
    fn frame(&self) -> Frame;

    /// The page after a login that no request asked for.
    fn home(&self) -> &str;

    /// Returns whether the login page has a field for a password.
    fn asks_for_password(&self) -> bool {
        true
    }

    /// HTML below the form of the login page. The realm escapes it.
    fn login_notes(&self) -> String;
}
