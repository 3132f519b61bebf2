//! The items of one collection under one parent, in the order in which they were added.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

/// Identifiers of deleted items that are remembered.
const MOST_REMOVED: usize = 10_000;

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) value: Arc<Value>,
    /// The sandbox made the item; no program has sent it.
    pub(crate) is_invented: bool,
    pub(super) size: usize,
}

impl Item {
    pub(crate) fn new(value: Value, is_invented: bool) -> Self {
        Self { size: size(&value), value: Arc::new(value), is_invented }
    }
}

/// About the bytes that a value takes.
pub(crate) fn size(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(size).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + 48 + size(value)).sum(),
        _ => 0,
    };
    inner + size_of::<Value>()
}

#[derive(Debug, Default)]
pub(crate) struct Instance {
    items: BTreeMap<u64, (String, Item)>,
    places: HashMap<String, u64>,
    removed: HashSet<String>,
    next: u64,
    pub(super) numbers: u64,
}

impl Instance {
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn item(&self, id: &str) -> Option<&Item> {
        self.items.get(self.places.get(id)?).map(|(_, item)| item)
    }

    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = (&str, &Item)> {
        self.items.values().map(|(id, item)| (id.as_str(), item))
    }

    #[cfg(test)]
    pub(super) fn described(&self) -> String {
        let removed: std::collections::BTreeSet<&String> = self.removed.iter().collect();
        // Identifiers in the order of the items; the places themselves are not seen.
        let items: Vec<_> = self.items.values().collect();
        format!("{items:?}, without {removed:?}, {} numbers, {} places", self.numbers, self.places.len())
    }

    /// The items with their places in the order.
    pub(crate) fn places(&self) -> impl Iterator<Item = (u64, &str, &Item)> {
        self.items.iter().map(|(place, (id, item))| (*place, id.as_str(), item))
    }

    pub(crate) fn place(&self, id: &str) -> Option<u64> {
        self.places.get(id).copied()
    }

    pub(crate) fn removed(&self) -> impl Iterator<Item = &str> {
        self.removed.iter().map(String::as_str)
    }

    /// Notes the identifier of an item that was removed.
    pub(crate) fn restore_removed(&mut self, id: String) {
        self.removed.insert(id);
    }

    /// How many numbers were given.
    pub(crate) fn numbers(&self) -> u64 {
        self.numbers
    }

    pub(super) fn restore(&mut self, place: u64, id: String, item: Item) {
        self.next = self.next.max(place);
        self.places.insert(id.clone(), place);
        self.items.insert(place, (id, item));
    }

    pub(crate) fn is_removed(&self, id: &str) -> bool {
        self.removed.contains(id)
    }

    pub(super) fn insert(&mut self, id: String, item: Item) {
        self.removed.remove(&id);
        let place = *self.places.entry(id.clone()).or_insert_with(|| {
            self.next += 1;
            self.next
        });
        self.items.insert(place, (id, item));
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Item> {
        let (id, item) = self.items.remove(&self.places.remove(id)?)?;
        if self.removed.len() < MOST_REMOVED {
            self.removed.insert(id);
        }
        Some(item)
    }

    /// Removes all items; returns how many, and their size.
    pub(super) fn clear(&mut self) -> (usize, usize) {
        let counts = (self.items.len(), self.items.values().map(|(_, item)| item.size).sum());
        let room = MOST_REMOVED.saturating_sub(self.removed.len());
        self.removed.extend(self.places.drain().map(|(id, _)| id).take(room));
        self.items.clear();
        counts
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::State;
    use super::Item;

    #[test]
    fn the_state_is_bounded_by_its_keys_too() {
        let mut state = State::default();
        state.set_value("/long".to_owned(), json!(1)).unwrap();
        let long = state.bytes;
        state.set_value("/".to_owned(), json!(1)).unwrap();
        assert_eq!(state.bytes - long, long - "long".len());
        state.remove_value("/long");
        state.remove_value("/");
        assert_eq!(state.bytes, 0);
        state.begin((0, vec!["parent".to_owned()]), Vec::new());
        assert_eq!(state.bytes, "parent".len());

        let owner = (1, Vec::new());
        state.begin(owner.clone(), Vec::new());
        for round in 0..3 {
            for number in 0..super::MOST_REMOVED {
                state.put(&owner, format!("{round} {number}"), Item::new(json!(1), false)).unwrap();
            }
            state.clear(&owner);
        }
        assert_eq!(state.instance(&owner).unwrap().removed.len(), super::MOST_REMOVED);
    }

    #[test]
    fn items_keep_their_order_and_their_place_when_replaced() {
        let (mut state, owner) = (State::default(), (0, Vec::new()));
        state.begin(owner.clone(), vec![("a".to_owned(), Item::new(json!(1), true))]);
        let empty = State { items: 1, bytes: state.bytes, ..State::default() };
        for (id, value) in [("b", 2), ("c", 3), ("a", 4)] {
            state.put(&owner, id.to_owned(), Item::new(json!(value), false)).unwrap();
        }
        let order =
            |state: &State| state.instance(&owner).unwrap().items().map(|(id, _)| id.to_owned()).collect::<String>();
        assert_eq!(order(&state), "abc");
        assert_eq!(*state.remove(&owner, "b").unwrap().value, json!(2));
        assert!(state.remove(&owner, "b").is_none());
        assert_eq!(order(&state), "ac");
        assert!(state.instance(&owner).unwrap().is_removed("b"));
        state.remove(&owner, "c");
        assert_eq!((state.items, state.bytes), (empty.items, empty.bytes));
        state.clear(&owner);
        assert_eq!((state.items, state.bytes), (0, 0));
    }
}
