//! Stores of refresh tokens.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use ring::digest::{Context, SHA256};
use secrecy::SecretString;

use super::SecretSource;
use crate::error::Error;

/// The owner of a refresh token. Two clients or tenants never share an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RefreshKey {
    /// The issuer's address.
    pub issuer: String,
    /// The client's identifier.
    pub client_id: String,
    /// The scopes, as they are configured.
    pub scope: String,
    /// The audience; empty when none is configured.
    pub audience: String,
}

impl RefreshKey {
    /// Returns a name for the entry: 64 hexadecimal digits, the same for equal keys only.
    pub fn name(&self) -> String {
        let mut hash = Context::new(&SHA256);
        for part in [&self.issuer, &self.client_id, &self.scope, &self.audience] {
            // With its length before it, no part can be confused with the end of another.
            hash.update(&(part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A lock on an entry, held until it is dropped.
pub type RefreshLock = Box<dyn Any + Send>;

/// A store of refresh tokens. Its functions may block: they are called on threads that allow it.
pub trait RefreshStore: Send + Sync + 'static {
    /// Locks the entry, also against other processes. Returns `None` if another process has the lock.
    ///
    /// # Errors
    ///
    /// The store cannot be used.
    fn lock(&self, key: &RefreshKey) -> Result<Option<RefreshLock>, Error>;

    /// Returns the token that was saved last.
    ///
    /// # Errors
    ///
    /// The token cannot be read, or is not stored safely.
    fn load(&self, key: &RefreshKey) -> Result<Option<SecretString>, Error>;

    /// Saves a token in place of the last one. Once this returns, a crash does not lose it.
    ///
    /// # Errors
    ///
    /// The token cannot be written.
    fn save(&self, key: &RefreshKey, token: &SecretString) -> Result<(), Error>;

    /// Names the store in errors.
    fn describe(&self) -> String {
        "the store of refresh tokens".to_owned()
    }
}

/// Keeps refresh tokens in memory, for the life of the program. The first token comes from a source, if one is given.
///
/// ```
/// use driftless_runtime::auth::{RefreshMemory, RefreshToken, SecretEnv};
///
/// let first = RefreshMemory::starting_with(SecretEnv::new("SERVICE_REFRESH_TOKEN"));
/// let credential = RefreshToken::new("https://issuer.example", "my-app", first);
/// # let _ = credential;
/// ```
#[derive(Default)]
pub struct RefreshMemory {
    source: Option<Box<dyn SecretSource>>,
    last: Arc<Mutex<Option<SecretString>>>,
}

impl RefreshMemory {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a store whose first token is read from a source. If the issuer rotates tokens, that token works once:
    /// use a [`RefreshFolder`](super::RefreshFolder) then.
    pub fn starting_with(source: impl SecretSource) -> Self {
        Self { source: Some(Box::new(source)), last: Arc::default() }
    }
}

impl RefreshStore for RefreshMemory {
    fn lock(&self, _: &RefreshKey) -> Result<Option<RefreshLock>, Error> {
        // A credential runs one token request at a time.
        Ok(Some(Box::new(())))
    }

    fn load(&self, _: &RefreshKey) -> Result<Option<SecretString>, Error> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (last, &self.source) {
            (None, Some(source)) => source.read().map(Some),
            (last, _) => Ok(last),
        }
    }

    fn save(&self, _: &RefreshKey, token: &SecretString) -> Result<(), Error> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Ok(())
    }

    fn describe(&self) -> String {
        self.source.as_ref().map_or_else(|| "memory".to_owned(), |source| source.describe())
    }
}

impl fmt::Debug for RefreshMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RefreshMemory").field(&self.describe()).finish()
    }
}
