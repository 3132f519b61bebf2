//! Compiled schemas, by the schema and the direction.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Compiled, Direction};
use crate::contract::SchemaRef;

/// The definitions that all kept schemas reach together. Past it, the cache starts again: a contract whose every operation reaches
/// all of a thousand definitions would need gigabytes.
const MOST_DEFINITIONS: usize = 60_000;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Pointer(Arc<str>, Direction),
    /// The address of the schema. The entry holds the schema, so no other one gets this address.
    Inline(usize, Direction),
}

type Slot = Arc<OnceLock<Arc<Compiled>>>;

#[derive(Default)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    slots: HashMap<Key, (Slot, SchemaRef)>,
    definitions: usize,
}

impl Cache {
    pub(super) fn get(
        &self,
        schema: &SchemaRef,
        direction: Direction,
        make: impl FnOnce() -> Compiled,
    ) -> Arc<Compiled> {
        let key = match schema {
            SchemaRef::Pointer(pointer) => Key::Pointer(Arc::clone(pointer), direction),
            SchemaRef::Inline(value) => Key::Inline(Arc::as_ptr(value).addr(), direction),
        };
        let slot = {
            let mut entries = self.entries();
            Arc::clone(&entries.slots.entry(key).or_insert_with(|| (Slot::default(), schema.clone())).0)
        };
        if let Some(compiled) = slot.get() {
            return Arc::clone(compiled);
        }
        // Outside of the lock: another schema does not wait for this one.
        let mut is_new = false;
        let compiled = Arc::clone(slot.get_or_init(|| {
            is_new = true;
            Arc::new(make())
        }));
        if is_new {
            let mut entries = self.entries();
            entries.definitions += compiled.bundle.pointers.len();
            if entries.definitions > MOST_DEFINITIONS {
                *entries = Entries::default();
            }
        }
        compiled
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("schemas", &self.entries().slots.len()).finish_non_exhaustive()
    }
}
