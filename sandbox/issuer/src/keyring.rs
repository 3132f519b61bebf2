//! The keys of the issuer: one that signs, and older ones whose tokens are still accepted.

use std::sync::{PoisonError, RwLock};

use ring::rand::SystemRandom;
use serde_json::Value;

use crate::error::IssuerError;
use crate::key::SigningKey;
use crate::vault::Vault;

const SHELF: &str = "key";
/// The `typ` of an access token (RFC 9068).
pub(crate) const ACCESS_TOKEN: &str = "at+jwt";
/// The `typ` of an ID token.
pub(crate) const ID_TOKEN: &str = "JWT";

/// The signing key comes first.
#[derive(Debug)]
pub(crate) struct KeyRing {
    random: SystemRandom,
    vault: Vault,
    keys: RwLock<Vec<SigningKey>>,
}

impl KeyRing {
    /// Reads the keys of the vault, or generates the first one.
    pub(crate) fn open(random: SystemRandom, vault: Vault) -> Result<Self, IssuerError> {
        let mut keys = Vec::new();
        for (_, document) in vault.all(SHELF)? {
            keys.push(SigningKey::from_pkcs8(document.as_bytes(), random.clone())?);
        }
        let ring = Self { random, vault, keys: RwLock::default() };
        if keys.is_empty() {
            keys.push(ring.fresh(0)?);
        }
        keys.reverse();
        ring.keys.write().unwrap_or_else(PoisonError::into_inner).append(&mut keys);
        Ok(ring)
    }

    pub(crate) fn rotate(&self) -> Result<(), IssuerError> {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let fresh = self.fresh(keys.len())?;
        keys.insert(0, fresh);
        Ok(())
    }

    pub(crate) fn retire(&self) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.truncate(1);
        if let Some(key) = keys.first() {
            self.vault.keep_only(SHELF, key.id());
        }
    }

    /// The key set (RFC 7517).
    pub(crate) fn public(&self) -> Vec<Value> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).iter().map(SigningKey::public).collect()
    }

    /// Signs an access token (RFC 9068).
    pub(crate) fn sign(&self, claims: &Value) -> Result<String, IssuerError> {
        self.sign_as(ACCESS_TOKEN, claims)
    }

    pub(crate) fn sign_as(&self, kind: &str, claims: &Value) -> Result<String, IssuerError> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.first().ok_or(IssuerError::Random)?.sign(kind, claims)
    }

    /// The `typ` and the claims of a token that one of the keys has signed.
    pub(crate) fn verify(&self, token: &str) -> Option<(String, Value)> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.iter().find_map(|key| key.verify(token))
    }

    fn fresh(&self, position: usize) -> Result<SigningKey, IssuerError> {
        let (key, document) = SigningKey::generate(self.random.clone())?;
        self.vault.put_at(SHELF, key.id(), position, &document)?;
        Ok(key)
    }
}
