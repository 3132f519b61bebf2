//! Settings of the issuer that a test can change while it runs.

use std::sync::PoisonError;
use std::time::Duration;

use driftless_sandbox_issuer::{ErrorStyle, RefreshPolicy, Settings};
use serde::{Deserialize, Serialize};

use super::Issuer;
use crate::error::Error;

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
pub(crate) struct PresentSettings {
    pub(crate) shared: Settings,
    pub(crate) api_tokens: ApiTokenFormat,
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
        self.0.shared.change(|settings| settings.lifetime = lifetime);
    }

    /// Sets the lifetime of refresh tokens that are issued from now on. The default is 30 days.
    pub fn set_refresh_lifetime(&self, lifetime: Duration) {
        self.0.shared.change(|settings| settings.refresh_lifetime = lifetime);
    }

    /// Sets the rules for used refresh tokens. The default is rolling with a leeway of 30 seconds.
    pub fn set_refresh_policy(&self, policy: RefreshPolicy) {
        self.0.shared.change(|settings| settings.refresh = policy);
    }

    /// Sets the style of token errors. The default is Duende's style.
    pub fn set_error_style(&self, style: ErrorStyle) {
        self.0.shared.change(|settings| settings.errors = style);
    }

    /// Sets the format of API tokens that are created from now on. The default is opaque.
    pub fn set_api_token_format(&self, format: ApiTokenFormat) {
        *self.0.api_token_format.lock().unwrap_or_else(PoisonError::into_inner) = format;
    }

    /// Shifts the issuer's clock by seconds, ahead or back. It sets the claims `iat` and `exp`, and decides expiry.
    pub fn set_clock_skew(&self, seconds: i64) {
        self.0.shared.change(|settings| settings.skew = seconds);
    }

    /// Signs with a new key from now on. Tokens of the old keys stay valid, and the key set lists these keys.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Random`] if no key can be generated, and [`Error::Data`] if it cannot be stored.
    pub fn rotate_key(&self) -> Result<(), Error> {
        Ok(self.0.shared.rotate_key()?)
    }

    /// Removes every key but the signing one: tokens of the old keys are refused from now on.
    pub fn retire_old_keys(&self) {
        self.0.shared.retire_old_keys();
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
        Ok(self.0.shared.revoke_refresh_tokens()?)
    }
}

impl Issuer {
    /// Resets the settings, and revokes everything that was issued except access tokens. The signing keys stay.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        IssuerControl(self).set_api_token_format(ApiTokenFormat::default());
        self.platform.api_tokens.revoke_all()?;
        Ok(self.shared.reset()?)
    }

    pub(crate) fn settings(&self) -> PresentSettings {
        PresentSettings { shared: self.shared.settings(), api_tokens: self.api_token_format() }
    }
}
