//! The persistent state of the issuer: keys, secrets, refresh tokens, API tokens. Each entry has a name on a shelf.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data::Data;
use crate::error::Error;

/// A handle to the database.
#[derive(Clone)]
pub(crate) struct Vault(Arc<Data>);

impl Vault {
    pub(crate) fn new(data: Arc<Data>) -> Self {
        Self(data)
    }

    /// Names and values of a shelf, by position.
    pub(crate) fn all(&self, shelf: &str) -> Result<Vec<(String, String)>, Error> {
        self.0.vault_all(shelf)
    }

    pub(crate) fn put_at(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), Error> {
        self.0.vault_put(shelf, name, position, value)
    }

    pub(crate) fn put<T: Serialize>(&self, shelf: &str, name: &str, value: &T) -> Result<(), Error> {
        let text = serde_json::to_string(value).map_err(|error| Error::Data { message: error.to_string() })?;
        self.put_at(shelf, name, 0, &text)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, shelf: &str) -> Result<Vec<(String, T)>, Error> {
        let parse = |(name, text): (String, String)| {
            let value = serde_json::from_str(&text).map_err(|error| Error::Data { message: error.to_string() })?;
            Ok((name, value))
        };
        self.all(shelf)?.into_iter().map(parse).collect()
    }

    pub(crate) fn remove(&self, shelf: &str, name: &str) -> Result<(), Error> {
        self.0.vault_remove(shelf, name)
    }

    pub(crate) fn clear(&self, shelf: &str) -> Result<(), Error> {
        self.0.vault_clear(shelf)
    }

    /// Removes every entry but one. A failure leaves old entries, which a restart would read again.
    pub(crate) fn keep_only(&self, shelf: &str, name: &str) {
        for (other, _) in self.all(shelf).unwrap_or_default() {
            if other != name {
                let _ = self.remove(shelf, &other);
            }
        }
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Vault(..)")
    }
}
