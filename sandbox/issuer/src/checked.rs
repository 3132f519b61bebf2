//! Access tokens: those whose signature has been verified, which costs more than the rest of a small request, and those that were revoked
//! before their expiry.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::{Map, Value};

use crate::error::IssuerError;
use crate::vault::Vault;

const CAPACITY: usize = 1024;

/// Claims by token. Cleared when it is full, and when keys change.
#[derive(Default)]
pub(crate) struct Checked(RwLock<HashMap<String, Arc<Map<String, Value>>>>);

impl Checked {
    pub(crate) fn get(&self, token: &str) -> Option<Arc<Map<String, Value>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    pub(crate) fn put(&self, token: &str, claims: Arc<Map<String, Value>>) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= CAPACITY {
            entries.clear();
        }
        entries.insert(token.to_owned(), claims);
    }

    pub(crate) fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Checked(..)")
    }
}

const SHELF: &str = "revoked";

/// The maximum number of revoked tokens. Above it, those are forgotten that expire first.
const KEPT: usize = 10_000;

/// The expiry of each. Expired tokens are kept, because the clock can be set back.
#[derive(Debug)]
pub(crate) struct Revoked {
    vault: Vault,
    entries: Mutex<HashMap<String, i64>>,
}

impl Revoked {
    pub(crate) fn open(vault: Vault) -> Result<Self, IssuerError> {
        let entries = vault.read(SHELF)?.into_iter().collect();
        Ok(Self { vault, entries: Mutex::new(entries) })
    }

    pub(crate) fn add(&self, id: &str, expires: i64) -> Result<(), IssuerError> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= KEPT {
            // In batches, so that only few calls pay for it.
            let mut by_expiry: Vec<(i64, String)> =
                entries.iter().map(|(id, expires)| (*expires, id.clone())).collect();
            by_expiry.sort_unstable();
            for (_, id) in by_expiry.into_iter().take(entries.len() - KEPT + KEPT / 10) {
                self.vault.remove(SHELF, &id)?;
                entries.remove(&id);
            }
        }
        self.vault.put(SHELF, id, &expires)?;
        entries.insert(id.to_owned(), expires);
        Ok(())
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).contains_key(id)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::vault::Nowhere;

    #[test]
    fn revoked_tokens_are_bounded_by_their_number() {
        let revoked = Revoked::open(Vault::new(Arc::new(Nowhere))).unwrap();
        revoked.add("first", 1).unwrap();
        for index in 1..KEPT {
            revoked.add(&index.to_string(), 2).unwrap();
        }
        assert!(revoked.has("first"));
        revoked.add("last", 0).unwrap();
        assert!(!revoked.has("first") && revoked.has("last"));
        assert_eq!(revoked.entries.lock().unwrap().len(), KEPT - KEPT / 10 + 1);
    }
}
