//! Tokens whose signature has been verified. Verifying costs more than the rest of a small request.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::caller::Caller;

const CAPACITY: usize = 1024;

/// Expiry and caller by token. Cleared when it is full, and when keys change.
#[derive(Default)]
pub(crate) struct Checked(RwLock<HashMap<String, (i64, Arc<Caller>)>>);

impl Checked {
    pub(super) fn get(&self, token: &str) -> Option<(i64, Arc<Caller>)> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    pub(super) fn put(&self, token: &str, expires: i64, caller: Arc<Caller>) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= CAPACITY {
            entries.clear();
        }
        entries.insert(token.to_owned(), (expires, caller));
    }

    pub(super) fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Checked(..)")
    }
}
