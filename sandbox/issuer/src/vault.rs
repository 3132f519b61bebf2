//! The state that an issuer keeps: keys, refresh tokens, revoked access tokens. Each entry has a name on a shelf.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::IssuerError;

/// A store of texts.
pub trait Shelves: Send + Sync {
    /// Names and values of a shelf, by position.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn all(&self, shelf: &str) -> Result<Vec<(String, String)>, IssuerError>;

    /// Adds an entry, or replaces the one with its name.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn put(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), IssuerError>;

    /// Removes an entry.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn remove(&self, shelf: &str, name: &str) -> Result<(), IssuerError>;

    /// Removes all entries of a shelf.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn clear(&self, shelf: &str) -> Result<(), IssuerError>;
}

/// Keeps nothing: the state ends with the sandbox.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Shelves for Nowhere {
    fn all(&self, _: &str) -> Result<Vec<(String, String)>, IssuerError> {
        Ok(Vec::new())
    }

    fn put(&self, _: &str, _: &str, _: usize, _: &str) -> Result<(), IssuerError> {
        Ok(())
    }

    fn remove(&self, _: &str, _: &str) -> Result<(), IssuerError> {
        Ok(())
    }

    fn clear(&self, _: &str) -> Result<(), IssuerError> {
        Ok(())
    }
}

/// A handle to a store.
#[derive(Clone)]
pub struct Vault(Arc<dyn Shelves>);

impl Vault {
    /// A handle to this store.
    pub fn new(shelves: Arc<dyn Shelves>) -> Self {
        Self(shelves)
    }

    /// Names and values of a shelf, by position.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn all(&self, shelf: &str) -> Result<Vec<(String, String)>, IssuerError> {
        self.0.all(shelf)
    }

    /// Adds a text at a position.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn put_at(&self, shelf: &str, name: &str, position: usize, value: &str) -> Result<(), IssuerError> {
        self.0.put(shelf, name, position, value)
    }

    /// Adds a value as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn put<T: Serialize>(&self, shelf: &str, name: &str, value: &T) -> Result<(), IssuerError> {
        let text = serde_json::to_string(value).map_err(|error| IssuerError::Kept(error.to_string()))?;
        self.put_at(shelf, name, 0, &text)
    }

    /// Names and values of a shelf of [`Vault::put`].
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read, or has other values.
    pub fn read<T: DeserializeOwned>(&self, shelf: &str) -> Result<Vec<(String, T)>, IssuerError> {
        let parse = |(name, text): (String, String)| {
            let value = serde_json::from_str(&text).map_err(|error| IssuerError::Kept(error.to_string()))?;
            Ok((name, value))
        };
        self.all(shelf)?.into_iter().map(parse).collect()
    }

    /// Removes an entry.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn remove(&self, shelf: &str, name: &str) -> Result<(), IssuerError> {
        self.0.remove(shelf, name)
    }

    /// Removes all entries of a shelf.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn clear(&self, shelf: &str) -> Result<(), IssuerError> {
        self.0.clear(shelf)
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
