//! The documents that are requested by their hash (automatic persisted queries).

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The number of hashes that are remembered: more than a program has documents. Generated documents are forgotten in
/// time.
const MOST: usize = 1024;

/// The form of a request for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Its text.
    Text,
    /// Its hash, which the service may know.
    Hash,
    /// Both, so that the service learns the hash.
    Both,
    /// Its identifier alone: the service has its text.
    DocumentId,
}

/// The service's response to an unknown hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It does not know this one.
    This,
    /// It supports no hashes.
    All,
}

/// The knowledge about the service: a refusal costs one request, and not one per query.
#[derive(Debug, Default)]
pub(super) struct Persisted(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// The service supports no hashes.
    none: bool,
    /// Hashes that were sent with their text.
    taught: HashSet<String>,
    /// Hashes that the service did not know when they were sent again.
    forgotten: HashSet<String>,
}

impl Persisted {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the form of the first request for a document.
    pub(super) fn first(&self, hash: &str) -> By {
        let memory = self.memory();
        match (memory.none, memory.forgotten.contains(hash)) {
            (true, _) => By::Text,
            (_, true) => By::Both,
            _ => By::Hash,
        }
    }

    /// Returns the form of the next request, if the service did not know the hash.
    pub(super) fn next(&self, hash: &str, by: By, unknown: Option<Unknown>) -> Option<By> {
        let mut memory = self.memory();
        match (by, unknown?) {
            (By::Hash, Unknown::This) => {
                if memory.taught.len() >= MOST && !memory.taught.contains(hash) {
                    memory.taught.clear();
                    memory.forgotten.clear();
                }
                if !memory.taught.insert(hash.to_owned()) {
                    memory.forgotten.insert(hash.to_owned());
                }
                Some(By::Both)
            }
            (By::Hash | By::Both, Unknown::All) => {
                memory.none = true;
                Some(By::Text)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{By, MOST, Persisted, Unknown};

    #[test]
    fn what_is_made_up_takes_no_room_without_end() {
        let persisted = Persisted::default();
        for number in 0..10 * MOST {
            let hash = number.to_string();
            assert_eq!(persisted.first(&hash), By::Hash);
            for _ in 0..2 {
                assert_eq!(persisted.next(&hash, By::Hash, Some(Unknown::This)), Some(By::Both));
            }
            assert_eq!(persisted.first(&hash), By::Both);
        }
        let memory = persisted.memory();
        assert!(memory.taught.len() <= MOST && memory.forgotten.len() <= MOST);
    }
}
