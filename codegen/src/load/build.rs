//! Builds the JSON tree from either syntax, within bounds.
//!
//! One visitor serves `serde_json` and `serde_yaml`: keys become text, the last of two equal keys wins, YAML merge keys
//! are applied, and aliases cannot expand without end.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::{MAX_BYTES, MAX_DEPTH, Note};
use crate::{Loss, pointer};

/// Limit of values, above that of any real contract. Expanded YAML aliases count.
const MAX_NODES: usize = 8_000_000;
/// Limit of bytes in keys and strings. Expanded YAML aliases count.
const MAX_TEXT: usize = 2 * MAX_BYTES;

/// A limit that was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Depth,
    Size,
}

/// State of the visitor on its way through a document.
#[derive(Default)]
pub(super) struct Reading {
    /// `true` if `<<` merges, and scalars that the specification defines as strings keep their spelling.
    pub(super) yaml: bool,
    /// `true` if those scalars are read by the rules of YAML after all.
    pub(super) literal: bool,
    /// The limit that ended the reading.
    pub(super) crossed: Option<Limit>,
    /// Keys that stood twice, and numbers that JSON does not have.
    pub(super) notes: Vec<Note>,
    pointer: String,
    /// Members of the objects around the place, in one list for all: a list for each object would grow anew.
    members: Vec<(String, Value)>,
    depth: usize,
    nodes: usize,
    text: usize,
}

impl Reading {
    /// State for a YAML document.
    pub(super) fn yaml() -> Self {
        Self { yaml: true, ..Self::default() }
    }

    fn count(&mut self, nodes: usize, text: usize) -> bool {
        self.nodes += nodes;
        self.text += text;
        let fits = self.nodes <= MAX_NODES && self.text <= MAX_TEXT;
        if !fits {
            self.crossed = Some(Limit::Size);
        }
        fits
    }

    /// `version: 1.10` is a number to YAML; the specification says it is text, and `1.1` would be another version.
    fn spelled(&self) -> bool {
        self.yaml && !self.literal && matches!(self.pointer.as_str(), "/swagger" | "/openapi" | "/info/version")
    }

    fn note(&mut self, pass: &'static str, what: String, loss: Loss) {
        self.notes.push(Note { pass, pointer: self.pointer.clone(), what, loss });
    }
}

/// Reads one value at the place that the state points to.
pub(super) struct NodeSeed<'a>(pub(super) &'a mut Reading);

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if !self.0.count(1, 0) {
            return Err(D::Error::custom("too many values"));
        }
        if self.0.spelled() { deserializer.deserialize_str(self) } else { deserializer.deserialize_any(self) }
    }
}

impl NodeSeed<'_> {
    fn nested<T, E: Error>(self, read: impl FnOnce(&mut Reading) -> Result<T, E>) -> Result<T, E> {
        if self.0.depth == MAX_DEPTH {
            self.0.crossed = Some(Limit::Depth);
            return Err(E::custom("nested too deeply"));
        }
        self.0.depth += 1;
        let result = read(self.0);
        self.0.depth -= 1;
        result
    }

    fn text<E: Error>(self, text: &str) -> Result<Value, E> {
        if self.0.count(0, text.len()) { Ok(Value::from(text)) } else { Err(E::custom("too much text")) }
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        if let Some(number) = Number::from_f64(value) {
            return Ok(Value::Number(number));
        }
        let text = if value.is_nan() {
            ".nan"
        } else if value > 0.0 {
            ".inf"
        } else {
            "-.inf"
        };
        let loss = Loss::Documentation("JSON has no such number".to_owned());
        self.0.note("load/number", format!("read {text} as text"), loss);
        Ok(Value::from(text))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.text(value)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    /// A YAML tag: the value counts, the tag does not.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (_, content): (IgnoredAny, _) = access.variant()?;
        self.nested(|state| content.newtype_variant_seed(NodeSeed(state)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.nested(|state| {
            let mut items = Vec::new();
            loop {
                let mark = pointer::push_index(&mut state.pointer, items.len());
                let item = access.next_element_seed(NodeSeed(state))?;
                state.pointer.truncate(mark);
                match item {
                    Some(item) => items.push(item),
                    None => {
                        items.shrink_to_fit();
                        return Ok(Value::Array(items));
                    }
                }
            }
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.nested(|state| {
            let first = state.members.len();
            let mut merges = Vec::new();
            while let Some(Key(key)) = access.next_key()? {
                if !state.count(0, key.len()) {
                    return Err(A::Error::custom("too much text"));
                }
                let mark = pointer::push(&mut state.pointer, &key);
                let value = access.next_value_seed(NodeSeed(state))?;
                if state.yaml && key == "<<" && (value.is_object() || value.is_array()) {
                    merges.push(value);
                } else {
                    state.members.push((key, value));
                }
                state.pointer.truncate(mark);
            }
            // A map that grows takes room for several members more.
            let members = state.members.split_off(first);
            let mut map = Map::with_capacity(members.len());
            for (key, value) in members {
                match map.entry(key) {
                    Entry::Vacant(entry) => {
                        entry.insert(value);
                    }
                    Entry::Occupied(mut entry) => {
                        let mark = pointer::push(&mut state.pointer, entry.key());
                        let loss = Loss::Documentation("the earlier value of the key".to_owned());
                        state.note("load/duplicate-key", "took the last of several equal keys".to_owned(), loss);
                        state.pointer.truncate(mark);
                        entry.insert(value);
                    }
                }
            }
            for merge in merges {
                inherit(&mut map, merge);
            }
            Ok(Value::Object(map))
        })
    }
}

/// Applies a YAML merge key: the map's own keys win, then the earlier entries of the list.
fn inherit(map: &mut Map<String, Value>, merge: Value) {
    match merge {
        Value::Object(parent) => {
            for (key, value) in parent {
                map.entry(key).or_insert(value);
            }
        }
        Value::Array(parents) => parents.into_iter().filter(Value::is_object).for_each(|parent| inherit(map, parent)),
        _ => {}
    }
}

/// A key as it is spelled: `200` and `true` are text.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, value: &str) -> Result<Key, E> {
                Ok(Key(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<Key, E> {
                Ok(Key(value))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
