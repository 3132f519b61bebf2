//! Settings of an issuer that a test can change while it runs.

use std::sync::PoisonError;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Issuer;
use crate::error::IssuerError;

/// The rules for refresh tokens that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The present settings.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The lifetime of access tokens that are issued from now on. With less than a second, tokens are expired when they arrive.
    pub lifetime: Duration,
    /// The lifetime of refresh tokens that are issued from now on.
    pub refresh_lifetime: Duration,
    /// The rules for used refresh tokens.
    pub refresh: RefreshPolicy,
    /// The style of token errors.
    pub errors: ErrorStyle,
    /// Shifts the issuer's clock by seconds, ahead or back.
    pub skew: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(3600),
            refresh_lifetime: Duration::from_secs(30 * 24 * 3600),
            refresh: RefreshPolicy::Rolling { leeway: Duration::from_secs(30) },
            errors: ErrorStyle::default(),
            skew: 0,
        }
    }
}

impl Issuer {
    /// The present settings.
    pub fn settings(&self) -> Settings {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes settings.
    pub fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Signs with a new key from now on. Tokens of the old keys stay valid, and the key set lists these keys.
    ///
    /// # Errors
    ///
    /// Fails if no key can be generated or stored.
    pub fn rotate_key(&self) -> Result<(), IssuerError> {
        self.keys.rotate()
    }

    /// Removes every key but the signing one: tokens of the old keys are refused from now on.
    pub fn retire_old_keys(&self) {
        self.keys.retire();
        self.checked.clear();
    }

    /// Resets every setting, and revokes codes, refresh tokens and sessions. Access tokens and the signing keys stay.
    ///
    /// # Errors
    ///
    /// Fails if the change cannot be stored.
    pub fn reset(&self) -> Result<(), IssuerError> {
        self.change(|settings| *settings = Settings::default());
        self.codes.clear();
        self.sessions.clear();
        self.revoke_refresh_tokens()
    }

    /// Revokes every refresh token.
    ///
    /// # Errors
    ///
    /// Fails if the change cannot be stored.
    pub fn revoke_refresh_tokens(&self) -> Result<(), IssuerError> {
        self.refresh.revoke_all()
    }
}
