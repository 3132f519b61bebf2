//! Settings of the issuer that a test can change while it runs.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use serde::{Deserialize, Serialize};

use super::Issuer;
use crate::error::Error;

/// The rules for refresh tokens that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefreshPolicy {
    /// It stays valid, and the answer repeats it.
    Reused,
    /// The answer has a new one. The old one is accepted again within the leeway, so that a caller whose answer was lost can
    /// retry; after that, its use revokes the whole chain.
    Rolling {
        /// The time for which a used token is accepted again. OpenIddict's default is 30 seconds.
        leeway: Duration,
    },
}

/// The style of errors of the token endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorStyle {
    /// Every error is a 400, as Duende IdentityServer answers.
    #[default]
    Duende,
    /// `invalid_client` is a 401 with a Basic challenge, as OpenIddict answers; every other error is a 400.
    OpenIddict,
}

/// The format of API tokens, which the platform document does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ApiTokenFormat {
    /// A random text that only the issuer understands.
    #[default]
    Opaque,
    /// A JWT with a long life.
    Jwt,
}

/// The present settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) lifetime: Duration,
    pub(crate) refresh_lifetime: Duration,
    pub(crate) refresh: RefreshPolicy,
    pub(crate) errors: ErrorStyle,
    pub(crate) api_tokens: ApiTokenFormat,
    pub(crate) skew: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(3600),
            refresh_lifetime: Duration::from_secs(30 * 24 * 3600),
            refresh: RefreshPolicy::Rolling { leeway: Duration::from_secs(30) },
            errors: ErrorStyle::default(),
            api_tokens: ApiTokenFormat::default(),
            skew: 0,
        }
    }
}

/// The issuer of a running sandbox: its settings can be changed by a test.
///
/// ```
/// # async fn example() -> Result<(), platform_sandbox::Error> {
/// use platform_sandbox::{ErrorStyle, RefreshPolicy};
///
/// let sandbox = platform_sandbox::start().await?;
/// sandbox.issuer().set_refresh_policy(RefreshPolicy::Reused);
/// sandbox.issuer().set_error_style(ErrorStyle::OpenIddict);
/// sandbox.issuer().rotate_key()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IssuerControl<'a>(pub(crate) &'a Issuer);

impl IssuerControl<'_> {
    /// Sets the lifetime of access tokens that are issued from now on. The default is an hour. With less than a second, tokens
    /// are expired when they arrive.
    pub fn set_token_lifetime(&self, lifetime: Duration) {
        self.0.change(|settings| settings.lifetime = lifetime);
    }

    /// Sets the lifetime of refresh tokens that are issued from now on. The default is 30 days.
    pub fn set_refresh_lifetime(&self, lifetime: Duration) {
        self.0.change(|settings| settings.refresh_lifetime = lifetime);
    }

    /// Sets the rules for used refresh tokens. The default is rolling with a leeway of 30 seconds.
    pub fn set_refresh_policy(&self, policy: RefreshPolicy) {
        self.0.change(|settings| settings.refresh = policy);
    }

    /// Sets the style of token errors. The default is Duende's style.
    pub fn set_error_style(&self, style: ErrorStyle) {
        self.0.change(|settings| settings.errors = style);
    }

    /// Sets the format of API tokens that are created from now on. The default is opaque.
    pub fn set_api_token_format(&self, format: ApiTokenFormat) {
        self.0.change(|settings| settings.api_tokens = format);
    }

    /// Shifts the issuer's clock by seconds, ahead or back. It sets the claims `iat` and `exp`, and decides expiry.
    pub fn set_clock_skew(&self, seconds: i64) {
        self.0.change(|settings| settings.skew = seconds);
    }

    /// Signs with a new key from now on. Tokens of the old keys stay valid, and the key set lists these keys.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Random`] if no key can be generated, and [`Error::Data`] if it cannot be stored.
    pub fn rotate_key(&self) -> Result<(), Error> {
        self.0.keys.rotate()
    }

    /// Removes every key but the signing one: tokens of the old keys are refused from now on.
    pub fn retire_old_keys(&self) {
        self.0.keys.retire();
        self.0.checked.clear();
    }

    /// Creates an API token for a user, as the page under Profile, API Tokens does (platform document §5.3). Returns `None` if
    /// the seed has no user of that name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Random`] if no token can be generated, and [`Error::Data`] if it cannot be stored.
    pub fn create_api_token(&self, user: &str, name: &str) -> Result<Option<String>, Error> {
        match self.0.directory.user_named(user) {
            Some(user) => self.0.create_api_token(user, name).map(Some),
            None => Ok(None),
        }
    }

    /// Resets every setting, and revokes codes, refresh tokens, API tokens and sessions. Access tokens and the signing keys stay.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Data`] if the change cannot be stored.
    pub fn reset(&self) -> Result<(), Error> {
        self.0.reset()
    }

    /// Revokes every refresh token.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Data`] if the change cannot be stored.
    pub fn revoke_refresh_tokens(&self) -> Result<(), Error> {
        self.0.refresh.revoke_all()
    }
}

impl Issuer {
    /// Resets the settings, and revokes everything that was issued except access tokens. The signing keys stay.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        self.change(|settings| *settings = Settings::default());
        self.codes.clear();
        self.sessions.clear();
        self.api_tokens.revoke_all()?;
        self.refresh.revoke_all()
    }

    /// Begins a session of a user, as the value of `Set-Cookie`. `None` if the seed has no user of that name.
    pub(crate) fn begin_session(&self, user: &str) -> Result<Option<HeaderValue>, Error> {
        let user = self.directory.user_named(user);
        user.map(|user| self.sessions.begin(user.id, self.now())).transpose()
    }

    pub(crate) fn settings(&self) -> Settings {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The settings of a new issuer.
pub(super) fn initial() -> Mutex<Settings> {
    Mutex::new(Settings::default())
}
