//! The document as it was published, without its texts.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::pointer::unescaped;

/// The members whose values later stages read.
const KEPT: [&str; 7] = [
    "default",
    "format",
    "openapi",
    "swagger",
    "x-ms-long-running-operation",
    "x-ms-long-running-operation-options",
    "x-ms-pageable",
];

/// The places of a document, and the values of a few of its members.
///
/// The tree that the upgrade changes is the only one: a second one, as it was published, would take as much memory again. This takes 16
/// bytes for each value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Published {
    /// The whole document is the first one. The children of each stand side by side, those of an object in the order of their keys.
    places: Vec<Place>,
    /// Each once.
    keys: Vec<Box<str>>,
    /// Each once.
    values: Vec<Value>,
    /// The members of [`KEPT`] that occur in the document, or may occur within a kept value.
    kept: BTreeSet<&'static str>,
}

/// A value of the document.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    /// Its key in `keys`, if it is a member of an object.
    key: u32,
    /// Its first child in `places`, or itself in `values`.
    first: u32,
    children: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Object,
    Array,
    /// A text, a number, a boolean or null.
    Scalar,
    Kept,
}

impl Published {
    /// The places of a tree. Documents have at most some million values ([`load`](crate::load)).
    pub(crate) fn new(tree: &Value) -> Self {
        let mut build = Build::default();
        build.add(0, tree, false);
        while let Some((position, value)) = build.waiting.pop() {
            let first = build.published.places.len();
            match value {
                Value::Object(members) => {
                    let mut members: Vec<(&String, &Value)> = members.iter().collect();
                    members.sort_by_key(|(key, _)| *key);
                    for (key, value) in members {
                        let number = build.key(key);
                        let kept = KEPT.iter().find(|kept| *kept == key);
                        build.published.kept.extend(kept);
                        build.add(number, value, kept.is_some());
                    }
                }
                Value::Array(elements) => elements.iter().for_each(|value| build.add(0, value, false)),
                _ => {}
            }
            let children = build.published.places.len() - first;
            let place = &mut build.published.places[position];
            (place.first, place.children) = (small(first), small(children));
        }
        build.published.places.shrink_to_fit();
        build.published
    }

    /// Returns whether the document has a place.
    pub(crate) fn has(&self, pointer: &str) -> bool {
        self.find(pointer).is_some()
    }

    /// The value of a member that is kept, of the object at a pointer.
    pub(crate) fn member(&self, pointer: &str, key: &str) -> Option<&Value> {
        // Most documents have no extensions.
        if KEPT.contains(&key) && !self.kept.contains(key) {
            return None;
        }
        match self.find(pointer)? {
            Located::Place(place) => match self.child(place, key)? {
                Located::Place(_) => None,
                Located::Within(value) => Some(value),
            },
            Located::Within(value) => value.get(key),
        }
    }

    /// As `Value::pointer`.
    fn find(&self, pointer: &str) -> Option<Located<'_>> {
        let mut here = Located::Place(*self.places.first()?);
        if pointer.is_empty() {
            return Some(here);
        }
        if !pointer.starts_with('/') {
            return None;
        }
        let mut rest = pointer;
        while let Some(below) = rest.strip_prefix('/') {
            let end = below.bytes().position(|byte| byte == b'/').unwrap_or(below.len());
            here = match here {
                Located::Place(place) => self.child(place, &unescaped(&below[..end]))?,
                Located::Within(value) => return value.pointer(rest).map(Located::Within),
            };
            rest = &below[end..];
        }
        Some(here)
    }

    fn child(&self, place: Place, token: &str) -> Option<Located<'_>> {
        let first = place.first as usize;
        let children = self.places.get(first..first + place.children as usize)?;
        let child = match place.kind {
            Kind::Object => {
                let key = |place: &Place| self.keys.get(place.key as usize).map(AsRef::as_ref);
                children.get(children.binary_search_by(|place| key(place).cmp(&Some(token))).ok()?)?
            }
            Kind::Array => {
                let is_index = !token.starts_with('+') && (!token.starts_with('0') || token.len() == 1);
                children.get(token.parse::<usize>().ok().filter(|_| is_index)?)?
            }
            Kind::Scalar | Kind::Kept => return None,
        };
        match child.kind {
            Kind::Kept => self.values.get(child.first as usize).map(Located::Within),
            _ => Some(Located::Place(*child)),
        }
    }
}

/// A place, or a value in one that is kept.
#[derive(Clone, Copy)]
enum Located<'a> {
    Place(Place),
    Within(&'a Value),
}

#[derive(Default)]
struct Build<'a> {
    published: Published,
    keys: HashMap<&'a str, u32>,
    /// By their texts.
    values: HashMap<String, u32>,
    /// The positions of objects and arrays whose children are not added yet.
    waiting: Vec<(usize, &'a Value)>,
}

impl<'a> Build<'a> {
    fn key(&mut self, key: &'a str) -> u32 {
        let keys = &mut self.published.keys;
        *self.keys.entry(key).or_insert_with(|| {
            keys.push(key.into());
            small(keys.len() - 1)
        })
    }

    fn add(&mut self, key: u32, value: &'a Value, is_kept: bool) {
        if !is_kept && (value.is_object() || value.is_array()) {
            self.waiting.push((self.published.places.len(), value));
        }
        let place = match value {
            _ if is_kept => {
                // Others may be within the value.
                if value.is_object() || value.is_array() {
                    self.published.kept.extend(KEPT);
                }
                let values = &mut self.published.values;
                let first = *self.values.entry(value.to_string()).or_insert_with(|| {
                    values.push(value.clone());
                    small(values.len() - 1)
                });
                Place { key, first, children: 0, kind: Kind::Kept }
            }
            Value::Object(_) => Place { key, first: 0, children: 0, kind: Kind::Object },
            Value::Array(_) => Place { key, first: 0, children: 0, kind: Kind::Array },
            _ => Place { key, first: 0, children: 0, kind: Kind::Scalar },
        };
        self.published.places.push(place);
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Published;

    /// It has every place of the tree, and no other one.
    #[test]
    fn it_has_the_places_of_the_tree() {
        let tree = json!({
            "z": {"a/b": {"~": 1}, "": [], "0": {}}, "a": [[1, {"b": null}], "t", {}], "openapi": "3.1.0",
            "x": {"format": {"y": [1, {"z": 2}]}, "x-ms-pageable": {"itemName": "v"}}, "format": [[0]], "0": 1,
        });
        let published = Published::new(&tree);
        let tokens = [
            "z",
            "a~1b",
            "~0",
            "~01",
            "",
            "0",
            "1",
            "2",
            "00",
            "+1",
            "-",
            "a",
            "b",
            "x",
            "y",
            "format",
            "x-ms-pageable",
            "itemName",
        ];
        let mut pointers = vec![String::new()];
        for pointer in 0.. {
            let Some(pointer) = pointers.get(pointer).cloned() else { break };
            assert_eq!(published.has(&pointer), tree.pointer(&pointer).is_some(), "{pointer}");
            if pointer.matches('/').count() < 4 {
                pointers.extend(tokens.iter().map(|token| format!("{pointer}/{token}")));
            }
        }
        for pointer in ["a", "z/", "/openapi/", "/a/1/", "/z//"] {
            assert_eq!(published.has(pointer), tree.pointer(pointer).is_some(), "{pointer}");
        }
        assert!(!Published::default().has("") && Published::new(&Value::Null).has(""));
    }

    #[test]
    fn it_keeps_the_values_that_are_asked_for() {
        let tree =
            json!({"openapi": "3.1.0", "a": {"format": "uri", "b": 1}, "b": [{"x-ms-pageable": {"itemName": "v"}}]});
        let published = Published::new(&tree);
        assert_eq!(published.member("", "openapi"), Some(&json!("3.1.0")));
        assert_eq!(published.member("/a", "format"), Some(&json!("uri")));
        assert_eq!(published.member("/b/0", "x-ms-pageable"), Some(&json!({"itemName": "v"})));
        assert_eq!(published.member("/b/0/x-ms-pageable", "itemName"), Some(&json!("v")));
        assert_eq!((published.member("/a", "swagger"), published.member("/c", "format")), (None, None));
        let published = Published::new(&json!({"a": {"format": "uri"}}));
        assert_eq!(published.member("/a", "format"), Some(&json!("uri")));
        let published = Published::new(&json!({"a": {"default": [{"format": 1}]}}));
        assert_eq!(published.member("/a/default/0", "format"), Some(&json!(1)));
    }
}
