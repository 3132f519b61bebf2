//! The origins of the parts of the upgraded tree.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde_json::Value;

use super::published::Published;

/// Maps places of the upgraded tree to places of the document as it was published.
///
/// Only moves are recorded: other pointers are unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    moves: BTreeMap<String, String>,
}

impl Origins {
    /// Returns the place in the published document that a place in the upgraded tree comes from.
    ///
    /// A part that the upgrade added has no place there; its nearest ancestor in `published` is returned.
    #[must_use]
    pub fn source(&self, pointer: &str, published: &Value) -> String {
        existing(self.resolve(pointer), &|place| published.pointer(place).is_some())
    }

    /// The same, in the places of the published document.
    pub(crate) fn place(&self, pointer: &str, published: &Published) -> String {
        existing(self.resolve(pointer), &|place| published.has(place))
    }

    /// The place in the upgraded tree that a place in the published document went to.
    #[must_use]
    pub fn target(&self, source: &str) -> String {
        let best = self
            .moves
            .iter()
            .filter(|(_, from)| within(source, from))
            .reduce(|best, next| if next.1.len() > best.1.len() { next } else { best });
        best.map_or_else(|| source.to_owned(), |(to, from)| [to, &source[from.len()..]].concat())
    }

    /// Records that a place comes from a place in the published document.
    pub(crate) fn record(&mut self, source: &str, to: &str) {
        if source != to || self.resolve(to) != to {
            self.moves.insert(to.to_owned(), source.to_owned());
        }
    }

    /// Records that the value at `from` is now at `to`.
    pub(crate) fn moved(&mut self, from: &str, to: &str) {
        let source = self.resolve(from);
        for (key, value) in self.below(from) {
            self.moves.remove(&key);
            self.moves.insert([to, &key[from.len()..]].concat(), value);
        }
        self.moves.insert(to.to_owned(), source);
    }

    /// Records that the value at `from` is also at `to`.
    pub(crate) fn copied(&mut self, from: &str, to: &str) {
        let source = self.resolve(from);
        for (key, value) in self.below(from) {
            self.moves.insert([to, &key[from.len()..]].concat(), value);
        }
        self.moves.insert(to.to_owned(), source);
    }

    fn resolve(&self, pointer: &str) -> String {
        let mut prefix = pointer;
        if self.moves.is_empty() {
            return pointer.to_owned();
        }
        loop {
            if let Some(source) = self.moves.get(prefix) {
                return [source, &pointer[prefix.len()..]].concat();
            }
            match prefix.rfind('/') {
                Some(end) => prefix = &prefix[..end],
                None => return pointer.to_owned(),
            }
        }
    }

    fn below(&self, prefix: &str) -> Vec<(String, String)> {
        self.moves
            .range::<str, _>((Bound::Excluded(prefix), Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(prefix))
            .filter(|(key, _)| within(key, prefix))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }
}

/// The place itself, or its nearest ancestor that exists.
pub(crate) fn existing(mut pointer: String, exists: &dyn Fn(&str) -> bool) -> String {
    while !exists(&pointer) {
        match pointer.rfind('/') {
            Some(end) => pointer.truncate(end),
            None => break,
        }
    }
    pointer
}

fn within(pointer: &str, prefix: &str) -> bool {
    pointer.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::Origins;
    use serde_json::json;

    #[test]
    fn moves_compose_and_shifts_do_not_chain() {
        let mut origins = Origins::default();
        origins.moved("/definitions", "/components/schemas");
        origins.moved("/components/schemas/A/$defs/B", "/components/schemas/B");
        origins.moved("/parameters/1", "/parameters/0");
        origins.moved("/parameters/2", "/parameters/1");
        let published =
            json!({"definitions": {"A": {"$defs": {"B": {"type": "string"}}}}, "parameters": [{}, {}, {"x": 1}]});
        let source = |pointer| origins.source(pointer, &published);
        assert_eq!(source("/components/schemas/B/type"), "/definitions/A/$defs/B/type");
        assert_eq!(source("/components/schemas/A/allOf/0"), "/definitions/A");
        assert_eq!(source("/parameters/1/x"), "/parameters/2/x");
        assert_eq!(source("/parameters/0"), "/parameters/1");
        assert_eq!(origins.target("/definitions/A/$defs/B/x"), "/components/schemas/B/x");
        assert_eq!(origins.target("/definitions/C"), "/components/schemas/C");
    }

    #[test]
    fn moving_a_part_takes_its_history_along() {
        let mut origins = Origins::default();
        origins.moved("/a/1/b", "/a/1/c");
        origins.moved("/a/1", "/a/0");
        let published = json!({"a": [null, {"b": {"d": 1}}]});
        assert_eq!(origins.source("/a/0/c/d", &published), "/a/1/b/d");
    }
}
