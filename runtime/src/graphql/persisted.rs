//! Which documents are asked for by their hash (automatic persisted queries).

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How many hashes are remembered. A program has as many documents; what it makes up as it goes is forgotten in time.
const MOST: usize = 1024;

/// How a document is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Its text.
    Text,
    /// Its hash, which the service may know.
    Hash,
    /// Both, so that the service learns it.
    Both,
}

/// What the service says where it does not answer to a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It does not know this one.
    This,
    /// It knows none at all.
    All,
}

/// What the service has shown: a refusal costs a request once, and not with every query.
#[derive(Debug, Default)]
pub(super) struct Persisted(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// The service knows no hashes.
    none: bool,
    /// What was sent with its text.
    taught: HashSet<String>,
    /// What the service did not know when it was asked for again.
    forgotten: HashSet<String>,
}

impl Persisted {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How to ask for a document at first.
    pub(super) fn first(&self, hash: &str) -> By {
        let memory = self.memory();
        match (memory.none, memory.forgotten.contains(hash)) {
            (true, _) => By::Text,
            (_, true) => By::Both,
            _ => By::Hash,
        }
    }

    /// How to ask for it once more, where the service did not know the hash.
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
