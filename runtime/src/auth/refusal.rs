//! Refusals that are remembered.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use secrecy::{ExposeSecret, SecretString};

use crate::{clock::Until, error::Error};

/// The time for which a refused secret is not sent again.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The last refusal of a secret, so that a wrong one is not sent again and again. Another secret is tried at once:
/// secrets rotate.
#[derive(Debug, Default)]
pub(super) struct GrantRefusals {
    /// Randomly keyed hashes do not reveal a secret to readers of memory.
    keys: RandomState,
    last: Mutex<Option<(u64, Until, Error)>>,
}

impl GrantRefusals {
    /// Returns the refusal of this secret while it is remembered.
    pub(super) fn check(&self, secret: Option<&SecretString>) -> Result<(), Error> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((hash, until, error)) if *hash == self.hash(secret) => {
                let left = until.left(Instant::now());
                if left.is_zero() { Ok(()) } else { Err(error.clone().with_retry_after(Some(left))) }
            }
            _ => Ok(()),
        }
    }

    pub(super) fn remember(&self, secret: Option<&SecretString>, error: &Error) {
        if error.is_refusal() {
            let entry = (self.hash(secret), Until::after(REMEMBERED), error.clone());
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
        }
    }

    fn hash(&self, secret: Option<&SecretString>) -> u64 {
        self.keys.hash_one(secret.map(ExposeSecret::expose_secret))
    }
}
