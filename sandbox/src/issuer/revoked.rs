//! Access tokens that were revoked before their expiry, by their `jti`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::vault::Vault;

const SHELF: &str = "revoked";

/// The expiry of each: expired tokens are forgotten.
#[derive(Debug)]
pub(crate) struct Revoked {
    vault: Vault,
    entries: Mutex<HashMap<String, i64>>,
}

impl Revoked {
    pub(super) fn open(vault: Vault) -> Result<Self, Error> {
        let entries = vault.read(SHELF)?.into_iter().collect();
        Ok(Self { vault, entries: Mutex::new(entries) })
    }

    pub(super) fn add(&self, id: &str, expires: i64, now: i64) -> Result<(), Error> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let expired: Vec<String> =
            entries.iter().filter(|(_, expires)| **expires <= now).map(|(id, _)| id.clone()).collect();
        for id in expired {
            self.vault.remove(SHELF, &id)?;
            entries.remove(&id);
        }
        self.vault.put(SHELF, id, &expires)?;
        entries.insert(id.to_owned(), expires);
        Ok(())
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).contains_key(id)
    }
}
