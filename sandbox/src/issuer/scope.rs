//! The scopes of this issuer.

/// The only scope that the platform document names (§4.5).
pub(super) const API: &str = "api";
/// The scope for a refresh token. The document does not show its name (§5): this one is assumed.
pub(super) const OFFLINE: &str = "offline_access";
/// The scope that makes a request one of OpenID Connect.
pub(super) const OPENID: &str = "openid";
/// Claims about the user's name.
pub(super) const PROFILE: &str = "profile";
/// Claims about the user's address.
pub(super) const EMAIL: &str = "email";

/// All of them, as discovery lists them.
pub(super) const ALL: [&str; 5] = [API, OFFLINE, OPENID, PROFILE, EMAIL];

/// Returns whether a list of scopes contains one.
pub(super) fn has(list: &str, scope: &str) -> bool {
    list.split_whitespace().any(|name| name == scope)
}
