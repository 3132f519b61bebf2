//! The items of one collection under one parent, in the order in which they were added.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

/// Identifiers of deleted items that are remembered.
const MOST_REMOVED: usize = 10_000;

/// An item of a collection.
#[derive(Clone, Debug)]
pub struct Item<M = bool> {
    /// The item, mostly an object.
    pub value: Arc<Value>,
    /// A fact that only the sandbox knows. That of the engine is true if it made the item up, and no program has sent it.
    pub mark: M,
    pub(super) size: usize,
}

impl<M> Item<M> {
    /// An item with its mark.
    pub fn new(value: Value, mark: M) -> Self {
        Self { size: size(&value), value: Arc::new(value), mark }
    }
}

impl Item {
    pub(crate) fn is_invented(&self) -> bool {
        self.mark
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

/// The items of a collection below the same parents.
#[derive(Debug, Default)]
pub struct Instance<M = bool> {
    items: BTreeMap<u64, (String, Item<M>)>,
    places: HashMap<String, u64>,
    removed: HashSet<String>,
    next: u64,
    pub(super) numbers: u64,
    /// The places of items by the value of a member, for each member that was asked for.
    indices: HashMap<String, HashMap<Value, Vec<u64>>>,
}

impl<M> Instance<M> {
    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn item(&self, id: &str) -> Option<&Item<M>> {
        self.items.get(self.places.get(id)?).map(|(_, item)| item)
    }

    pub fn items(&self) -> impl DoubleEndedIterator<Item = (&str, &Item<M>)> {
        self.items.values().map(|(id, item)| (id.as_str(), item))
    }

    /// The items with their places in the order.
    pub(crate) fn places(&self) -> impl Iterator<Item = (u64, &str, &Item<M>)> {
        self.items.iter().map(|(place, (id, item))| (*place, id.as_str(), item))
    }

    pub(crate) fn place(&self, id: &str) -> Option<u64> {
        self.places.get(id).copied()
    }

    pub(crate) fn removed(&self) -> impl Iterator<Item = &str> {
        self.removed.iter().map(String::as_str)
    }

    /// Notes the identifier of an item that was removed. Returns whether it is new, and there is room for it.
    pub(crate) fn restore_removed(&mut self, id: String) -> bool {
        self.removed.len() < MOST_REMOVED && self.removed.insert(id)
    }

    /// Count of the numbers that were given.
    pub(crate) fn numbers(&self) -> u64 {
        self.numbers
    }

    /// Returns whether another item than `own` has this value of a member. The first question about a member looks at all items.
    pub(super) fn is_shared(&mut self, member: &str, value: &Value, own: Option<&str>) -> bool {
        if !self.indices.contains_key(member) {
            let mut index: HashMap<Value, Vec<u64>> = HashMap::new();
            for (place, (_, item)) in &self.items {
                if let Some(value) = item.value.get(member) {
                    index.entry(value.clone()).or_default().push(*place);
                }
            }
            self.indices.insert(member.to_owned(), index);
        }
        let own = own.and_then(|own| self.place(own));
        let places = self.indices.get(member).and_then(|index| index.get(value));
        places.is_some_and(|places| places.iter().any(|place| Some(*place) != own))
    }

    fn add_to_indices(&mut self, place: u64, item: &Item<M>) {
        for (member, index) in &mut self.indices {
            if let Some(value) = item.value.get(member) {
                index.entry(value.clone()).or_default().push(place);
            }
        }
    }

    fn remove_from_indices(&mut self, place: u64, item: &Item<M>) {
        for (member, index) in &mut self.indices {
            let Some(value) = item.value.get(member) else { continue };
            let is_last = index.get_mut(value).is_some_and(|places| {
                places.retain(|other| *other != place);
                places.is_empty()
            });
            if is_last {
                index.remove(value);
            }
        }
    }

    pub(super) fn restore(&mut self, place: u64, id: String, item: Item<M>) {
        self.next = self.next.max(place);
        self.add_to_indices(place, &item);
        self.places.insert(id.clone(), place);
        self.items.insert(place, (id, item));
    }

    pub(crate) fn is_removed(&self, id: &str) -> bool {
        self.removed.contains(id)
    }

    pub(super) fn insert(&mut self, id: String, item: Item<M>) {
        self.removed.remove(&id);
        let place = *self.places.entry(id.clone()).or_insert_with(|| {
            self.next += 1;
            self.next
        });
        if let Some((_, before)) = self.items.remove(&place) {
            self.remove_from_indices(place, &before);
        }
        self.add_to_indices(place, &item);
        self.items.insert(place, (id, item));
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Item<M>> {
        let place = self.places.remove(id)?;
        let (id, item) = self.items.remove(&place)?;
        self.remove_from_indices(place, &item);
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
        self.indices.clear();
        counts
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers = self.numbers.saturating_add(1);
        self.numbers
    }
}

#[cfg(test)]
impl Instance {
    pub(super) fn described(&self) -> String {
        let removed: std::collections::BTreeSet<&String> = self.removed.iter().collect();
        // Identifiers in the order of the items; the places themselves are not seen.
        let items: Vec<_> = self.items.values().collect();
        format!("{items:?}, without {removed:?}, {} numbers, {} places", self.numbers, self.places.len())
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

    /// The index answers as a search of all items does, after any changes.
    #[test]
    fn an_index_knows_the_values_that_items_share() {
        let mut instance = super::Instance::default();
        for step in 0..600_u64 {
            let random = |part: &str, below: u64| crate::seed::mix(step, &[part]) % below;
            let id = format!("i{}", random("id", 6));
            // Objects are the same in any order of their members.
            let values = [json!(1), json!("1"), json!({ "a": 1, "b": 2 }), json!({ "b": 2, "a": 1 }), json!(null)];
            let value = json!({ "x": values[random("value", 5) as usize], "y": 1 });
            match random("kind", 12) {
                0..=6 => instance.insert(id, Item::new(value, false)),
                7 => instance.restore(instance.next + 1, format!("r{step}"), Item::new(value, false)),
                8 => instance.insert(id, Item::new(json!([]), false)),
                9..=10 => drop(instance.remove(&id)),
                _ if step % 5 == 0 => drop(instance.clear()),
                _ => {}
            }
            for value in &values {
                for own in [None, Some("i1"), Some("none")] {
                    let is_other = |(id, item): (&str, &Item)| Some(id) != own && item.value.get("x") == Some(value);
                    let expected = instance.items().any(is_other);
                    assert_eq!(instance.is_shared("x", value, own), expected, "step {step}, {value}, {own:?}");
                }
            }
        }
        assert_eq!(instance.indices.len(), 1);
    }

    /// Catches an item without its file, if only one of them has room, and a file whose size is wrong after a change.
    #[test]
    fn an_item_is_stored_with_its_file_or_not_at_all() {
        let (mut state, owner) = (State::default(), (0, Vec::new()));
        state.begin(owner.clone(), Vec::new());
        let file = |media_type: &str, length: usize| super::super::StoredFile {
            media_type: media_type.to_owned(),
            bytes: vec![0; length].into(),
        };
        let mut put = |number: i32, file| {
            let before = state.described();
            let stored = state.put_with_file(&owner, "a".to_owned(), Item::new(json!(number), false), file);
            if stored.is_err() {
                assert_eq!(state.described(), before);
            }
            (stored.is_ok(), state.bytes)
        };
        let place = || "/a".to_owned();
        let (_, first) = put(1, (place(), file("a/b", 10)));
        assert_eq!(first, 2 + 3 + 10 + super::size(&json!(1)));
        assert_eq!(put(2, (place(), file("a/bc", 4))), (true, first - 5));
        assert_eq!(put(3, (place(), file(&"a".repeat(2_000), 4))), (false, first - 5));
        state.bytes = super::super::MOST_BYTES - 6;
        let mut put = |length| {
            let item = Item::new(json!("text of an item"), false);
            state.put_with_file(&owner, "b".to_owned(), item, ("/b".to_owned(), file("", length)))
        };
        assert_eq!((put(5), put(4)), (Err(super::super::Full), Err(super::super::Full)));
        assert_eq!((state.bytes, state.file("/b")), (super::super::MOST_BYTES - 6, None));
    }

    #[test]
    fn items_keep_their_order_and_their_place_when_replaced() {
        let (mut state, owner) = (State::default(), (0, Vec::new()));
        state.begin(owner.clone(), vec![("a".to_owned(), Item::new(json!(1), true))]);
        let empty: State = State { items: 1, bytes: state.bytes, ..State::default() };
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
