//! API tokens: created by users on the profile page, for scripts (platform document §5.3). Their format is the sandbox's choice.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use driftless_sandbox_issuer::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::claims::{API, add_claims};
use super::settings::ApiTokenFormat;
use super::{Issuer, Vault};
use crate::directory::{Subject, User};
use crate::error::Error;

const SHELF: &str = "api-token";
const PREFIX: &str = "sbx_";
const LIFETIME: u64 = 365 * 24 * 3600;

/// An API token, without its value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ApiToken {
    pub(super) user: Uuid,
    pub(super) name: String,
    pub(super) created: i64,
    expires: i64,
}

/// The valid tokens, by their digests.
#[derive(Debug)]
pub(super) struct ApiTokens {
    vault: Vault,
    entries: Mutex<HashMap<String, ApiToken>>,
}

impl ApiTokens {
    pub(super) fn open(vault: Vault) -> Result<Self, Error> {
        let entries = vault.read(SHELF)?.into_iter().collect();
        Ok(Self { vault, entries: Mutex::new(entries) })
    }

    /// The user behind an opaque token.
    pub(super) fn user(&self, token: &str, now: i64) -> Option<Uuid> {
        // Access tokens have another form, so they cost no digest.
        token.strip_prefix(PREFIX)?;
        self.entries().get(&digest::sha256(token)).filter(|entry| entry.expires > now).map(|entry| entry.user)
    }

    /// Returns whether this issuer created a token that is still listed.
    pub(super) fn is_listed(&self, token: &str) -> bool {
        self.entries().contains_key(&digest::sha256(token))
    }

    /// The digests and tokens of a user, oldest first.
    pub(super) fn for_user(&self, user: Uuid) -> Vec<(String, ApiToken)> {
        let entries = self.entries();
        let mut tokens: Vec<_> = entries
            .iter()
            .filter(|(_, token)| token.user == user)
            .map(|(digest, token)| (digest.clone(), token.clone()))
            .collect();
        tokens.sort_by(|(_, a), (_, b)| (a.created, &a.name).cmp(&(b.created, &b.name)));
        tokens
    }

    /// Revokes a token of a user by its digest.
    pub(super) fn revoke(&self, user: Uuid, digest: &str) -> Result<(), Error> {
        let mut entries = self.entries();
        if entries.get(digest).is_some_and(|token| token.user == user) {
            self.vault.remove(SHELF, digest)?;
            entries.remove(digest);
        }
        Ok(())
    }

    pub(super) fn revoke_all(&self) -> Result<(), Error> {
        self.vault.clear(SHELF)?;
        self.entries().clear();
        Ok(())
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, ApiToken>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Issuer {
    pub(super) fn create_api_token(&self, user: &User, name: &str) -> Result<String, Error> {
        let now = self.now();
        let expires = now.saturating_add_unsigned(LIFETIME);
        let token = match self.api_token_format() {
            ApiTokenFormat::Opaque => format!("{PREFIX}{}", digest::random_text(self.shared.random())?),
            ApiTokenFormat::Jwt => {
                let claims = json!({
                    "iss": self.url, "aud": "api", "sub": user.id, "iat": now, "exp": expires, "jti": Uuid::new_v4(),
                    "api_token": true,
                });
                let mut claims: Map<String, Value> = serde_json::from_value(claims).unwrap_or_default();
                add_claims(&mut claims, None, Subject::User(user), API);
                self.shared.sign(&claims.into())?
            }
        };
        let entry = ApiToken { user: user.id, name: name.to_owned(), created: now, expires };
        let digest = digest::sha256(&token);
        self.platform.api_tokens.vault.put(SHELF, &digest, &entry)?;
        self.platform.api_tokens.entries().insert(digest, entry);
        Ok(token)
    }
}
