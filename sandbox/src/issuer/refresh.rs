//! Refresh tokens: kept under their digests, in chains that begin with one authorization.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ring::rand::SystemRandom;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::digest;
use super::refusal::Refusal;
use super::settings::RefreshPolicy;
use crate::directory::random_text;
use crate::error::Error;
use crate::vault::Vault;

const SHELF: &str = "refresh-token";

/// What a refresh token stands for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) client_id: String,
    pub(super) user: Uuid,
    pub(super) scope: String,
    /// All tokens that come from one authorization share it.
    pub(super) chain: Uuid,
    expires: i64,
    used: Option<i64>,
}

/// The tokens that are known.
#[derive(Debug)]
pub(crate) struct RefreshTokens {
    random: SystemRandom,
    vault: Vault,
    entries: Mutex<HashMap<String, Entry>>,
}

impl RefreshTokens {
    pub(super) fn open(random: SystemRandom, vault: Vault) -> Result<Self, Error> {
        let entries = vault.read(SHELF)?.into_iter().collect();
        Ok(Self { random, vault, entries: Mutex::new(entries) })
    }

    /// A first token of a chain, or a next one.
    pub(super) fn issue(
        &self,
        client_id: &str,
        user: Uuid,
        scope: &str,
        chain: Uuid,
        expires: i64,
    ) -> Result<String, Error> {
        let token = random_text(&self.random)?;
        let entry =
            Entry { client_id: client_id.to_owned(), user, scope: scope.to_owned(), chain, expires, used: None };
        self.store(&mut self.entries(), digest::of(&token), entry)?;
        Ok(token)
    }

    /// Uses a token. A token that was used before is refused, and its chain revoked, unless the policy takes it again.
    pub(super) fn redeem(
        &self,
        token: &str,
        client_id: &str,
        now: i64,
        policy: RefreshPolicy,
    ) -> Result<Entry, Refusal> {
        const UNKNOWN: Refusal = Refusal("invalid_grant", "the refresh token is unknown, expired or revoked");
        let mut entries = self.entries();
        let name = digest::of(token);
        let mut entry = entries.get(&name).cloned().ok_or(UNKNOWN)?;
        if entry.client_id != client_id || entry.expires <= now {
            return Err(UNKNOWN);
        }
        if let RefreshPolicy::Rolling { leeway } = policy {
            match entry.used {
                None => {
                    entry.used = Some(now);
                    self.store(&mut entries, name, entry.clone()).map_err(|_data| Refusal::RANDOM)?;
                }
                Some(used) if now.saturating_sub(used) < i64::try_from(leeway.as_secs()).unwrap_or(i64::MAX) => {}
                Some(_) => {
                    drop(entries);
                    self.revoke_chain(entry.chain).map_err(|_data| Refusal::RANDOM)?;
                    return Err(Refusal("invalid_grant", "the refresh token was used before; its chain is revoked"));
                }
            }
        }
        Ok(entry)
    }

    /// Revokes a token with its chain, if this client has it (RFC 7009 §2.1).
    pub(super) fn revoke(&self, token: &str, client_id: &str) -> Result<bool, Error> {
        let found = self.entries().get(&digest::of(token)).filter(|entry| entry.client_id == client_id).cloned();
        match found {
            Some(entry) => self.revoke_chain(entry.chain).map(|()| true),
            None => Ok(false),
        }
    }

    pub(super) fn revoke_chain(&self, chain: Uuid) -> Result<(), Error> {
        let mut entries = self.entries();
        let names: Vec<String> =
            entries.iter().filter(|(_, entry)| entry.chain == chain).map(|(name, _)| name.clone()).collect();
        for name in names {
            self.vault.remove(SHELF, &name)?;
            entries.remove(&name);
        }
        Ok(())
    }

    pub(super) fn revoke_all(&self) -> Result<(), Error> {
        self.vault.clear(SHELF)?;
        self.entries().clear();
        Ok(())
    }

    fn store(&self, entries: &mut HashMap<String, Entry>, name: String, entry: Entry) -> Result<(), Error> {
        self.vault.put(SHELF, &name, &entry)?;
        entries.insert(name, entry);
        Ok(())
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
