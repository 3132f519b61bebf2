//! Refresh tokens: stored under their digests, in chains that begin with one authorization.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ring::rand::SystemRandom;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::digest::{self, random_text};
use crate::error::IssuerError;
use crate::refusal::Refusal;
use crate::settings::RefreshPolicy;
use crate::vault::Vault;

const SHELF: &str = "refresh-token";
/// The maximum number of tokens. Above it, those are removed that expire first.
const KEPT: usize = 10_000;
/// The seconds for which an expired token is kept: the clock of its client may be behind.
const GRACE: i64 = 24 * 3600;

/// The grant of a refresh token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) client_id: String,
    pub(crate) user: String,
    pub(crate) scope: String,
    /// All tokens that come from one authorization share it.
    pub(crate) chain: Uuid,
    /// The time of the user's login.
    #[serde(default)]
    pub(crate) auth_time: i64,
    expires: i64,
    used: Option<i64>,
}

/// The login at the beginning of a chain of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) chain: Uuid,
    pub(crate) auth_time: i64,
}

impl Entry {
    pub(crate) fn login(&self) -> Login {
        Login { user: self.user.clone(), chain: self.chain, auth_time: self.auth_time }
    }

    pub(crate) fn expires(&self) -> i64 {
        self.expires
    }
}

/// The known tokens.
#[derive(Debug)]
pub(crate) struct RefreshTokens {
    random: SystemRandom,
    vault: Vault,
    entries: Mutex<HashMap<String, Entry>>,
}

impl RefreshTokens {
    pub(crate) fn open(random: SystemRandom, vault: Vault, now: i64) -> Result<Self, IssuerError> {
        let entries = vault.read(SHELF)?.into_iter().collect();
        let tokens = Self { random, vault, entries: Mutex::new(entries) };
        tokens.forget(&mut tokens.entries(), now, KEPT)?;
        Ok(tokens)
    }

    /// Issues the first or the next token of a chain.
    pub(crate) fn issue(
        &self,
        client_id: &str,
        login: Login,
        scope: &str,
        expires: i64,
        now: i64,
    ) -> Result<String, IssuerError> {
        let token = random_text(&self.random)?;
        let Login { user, chain, auth_time } = login;
        let (client_id, scope) = (client_id.to_owned(), scope.to_owned());
        let entry = Entry { client_id, user, scope, chain, auth_time, expires, used: None };
        let mut entries = self.entries();
        self.store(&mut entries, digest::sha256(&token), entry)?;
        if entries.len() > KEPT {
            // In batches, so that only few calls pay for it.
            self.forget(&mut entries, now, KEPT - KEPT / 10)?;
        }
        Ok(token)
    }

    /// Removes the tokens that expired long ago, and above `kept` tokens those that expire first.
    fn forget(&self, entries: &mut HashMap<String, Entry>, now: i64, kept: usize) -> Result<(), IssuerError> {
        let mut by_expiry: Vec<(i64, String)> =
            entries.iter().map(|(name, entry)| (entry.expires, name.clone())).collect();
        by_expiry.sort_unstable();
        let excess = by_expiry.len().saturating_sub(kept);
        let expired = by_expiry.iter().take_while(|(expires, _)| expires.saturating_add(GRACE) < now).count();
        for (_, name) in by_expiry.into_iter().take(excess.max(expired)) {
            self.vault.remove(SHELF, &name)?;
            entries.remove(&name);
        }
        Ok(())
    }

    /// Uses a token. A token that was used before is refused, and its chain revoked, unless the policy allows its reuse.
    pub(crate) fn redeem(
        &self,
        token: &str,
        client_id: &str,
        now: i64,
        policy: RefreshPolicy,
    ) -> Result<Entry, Refusal> {
        const UNKNOWN: Refusal = Refusal("invalid_grant", "the refresh token is unknown, expired or revoked");
        let mut entries = self.entries();
        let name = digest::sha256(token);
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

    /// The entry of a token that is valid now and belongs to this client.
    pub(crate) fn valid(&self, token: &str, client_id: &str, now: i64) -> Option<Entry> {
        let stored = self.entries().get(&digest::sha256(token)).cloned()?;
        (stored.client_id == client_id && stored.expires > now && stored.used.is_none()).then_some(stored)
    }

    /// Returns whether a text is a refresh token, of any client.
    pub(crate) fn knows(&self, token: &str) -> bool {
        self.entries().contains_key(&digest::sha256(token))
    }

    /// Revokes a token with its chain, if it belongs to this client (RFC 7009 §2.1).
    pub(crate) fn revoke(&self, token: &str, client_id: &str) -> Result<bool, IssuerError> {
        let stored = self.entries().get(&digest::sha256(token)).filter(|entry| entry.client_id == client_id).cloned();
        match stored {
            Some(entry) => self.revoke_chain(entry.chain).map(|()| true),
            None => Ok(false),
        }
    }

    pub(crate) fn revoke_chain(&self, chain: Uuid) -> Result<(), IssuerError> {
        let mut entries = self.entries();
        let names: Vec<String> =
            entries.iter().filter(|(_, entry)| entry.chain == chain).map(|(name, _)| name.clone()).collect();
        for name in names {
            self.vault.remove(SHELF, &name)?;
            entries.remove(&name);
        }
        Ok(())
    }

    pub(crate) fn revoke_all(&self) -> Result<(), IssuerError> {
        self.vault.clear(SHELF)?;
        self.entries().clear();
        Ok(())
    }

    fn store(&self, entries: &mut HashMap<String, Entry>, name: String, entry: Entry) -> Result<(), IssuerError> {
        self.vault.put(SHELF, &name, &entry)?;
        entries.insert(name, entry);
        Ok(())
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::vault::Shelves;

    #[derive(Default)]
    struct Memory(Mutex<BTreeMap<(String, String), String>>);

    impl Shelves for Memory {
        fn all(&self, shelf: &str) -> Result<Vec<(String, String)>, IssuerError> {
            let entries = self.0.lock().unwrap();
            let here = entries.iter().filter(|((own, _), _)| own == shelf);
            Ok(here.map(|((_, name), value)| (name.clone(), value.clone())).collect())
        }

        fn put(&self, shelf: &str, name: &str, _: usize, value: &str) -> Result<(), IssuerError> {
            self.0.lock().unwrap().insert((shelf.to_owned(), name.to_owned()), value.to_owned());
            Ok(())
        }

        fn remove(&self, shelf: &str, name: &str) -> Result<(), IssuerError> {
            self.0.lock().unwrap().remove(&(shelf.to_owned(), name.to_owned()));
            Ok(())
        }

        fn clear(&self, shelf: &str) -> Result<(), IssuerError> {
            self.0.lock().unwrap().retain(|(own, _), _| own != shelf);
            Ok(())
        }
    }

    #[test]
    fn expired_tokens_and_too_many_are_forgotten() {
        let vault = Vault::new(Arc::new(Memory::default()));
        let open = |now| RefreshTokens::open(SystemRandom::new(), vault.clone(), now).unwrap();
        let tokens = open(0);
        let login = || Login { user: "user".to_owned(), chain: Uuid::new_v4(), auth_time: 0 };
        let issue = |expires: i64| tokens.issue("client", login(), "api", expires, 0).unwrap();
        let (first, last) = (issue(1000), issue(3000));
        for _ in 2..KEPT {
            issue(2000);
        }
        let is_known =
            |tokens: &RefreshTokens, token: &str| tokens.redeem(token, "client", 0, RefreshPolicy::Reused).is_ok();
        assert!(is_known(&tokens, &first));
        issue(2000);
        assert!(!is_known(&tokens, &first) && is_known(&tokens, &last));
        assert_eq!(vault.all(SHELF).unwrap().len(), KEPT - KEPT / 10);
        // A restart within the grace period keeps them, a restart long after it does not.
        assert_eq!(open(2000 + GRACE).entries().len(), KEPT - KEPT / 10);
        assert_eq!(open(2001 + GRACE).entries().len(), 1);
        assert_eq!(vault.all(SHELF).unwrap().len(), 1);
    }
}
