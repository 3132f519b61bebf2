//! The text of a value that is not parsed yet.

use std::{cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

use super::{Decimal, Object, Value};

/// The deepest nesting of values, as in `serde_json`.
pub(super) const DEPTH: usize = 128;

/// The name under which `serde_json` passes a value as its text.
const RAW: &str = "$serde_json::private::RawValue";

/// The name under which `serde_json` passes a number if its feature `arbitrary_precision` is on.
const NUMBER: &str = "$serde_json::private::Number";

/// The next value.
pub(super) enum RawOrValue {
    /// From `serde_json`: the exact text.
    Text(String),
    /// From another format: the value.
    Value(Value),
}

/// Returns the JSON text of the next value. From `serde_json` it is the exact text, so that numbers keep their digits;
/// from another format, it is written from its value.
pub(crate) fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match any(deserializer)? {
        RawOrValue::Text(text) => text,
        RawOrValue::Value(value) => value.to_string(),
    })
}

pub(super) fn any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RawOrValue, D::Error> {
    deserializer.deserialize_newtype_struct(RAW, AnyValue)
}

/// Returns the digits of a number that `serde_json` passes as a map, if `arbitrary_precision` is on.
pub(crate) fn digits<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<String>, A::Error> {
    match map.next_key::<String>()? {
        Some(name) if name == NUMBER => map.next_value().map(Some),
        _ => Ok(None),
    }
}

struct AnyValue;

/// Accepts values of a primitive type.
macro_rules! takes {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<RawOrValue, E> {
            Ok(RawOrValue::Value(value.into()))
        })*
    };
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = RawOrValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    takes! {
        visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128, visit_f64: f64,
        visit_str: &str, visit_string: String,
    }

    fn visit_unit<E: Error>(self) -> Result<RawOrValue, E> {
        Ok(RawOrValue::Value(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<RawOrValue, E> {
        Ok(RawOrValue::Value(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawOrValue, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawOrValue, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<RawOrValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(RawOrValue::Value(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawOrValue, A::Error> {
        let mut members = Object::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                RAW if members.is_empty() => return map.next_value().map(RawOrValue::Text),
                NUMBER if members.is_empty() => {
                    let number = Decimal::new(map.next_value::<String>()?);
                    let number = number.ok_or_else(|| A::Error::custom("a number that is not one of JSON"))?;
                    return Ok(RawOrValue::Value(Value::Number(number)));
                }
                _ => drop(members.set(name, map.next_value::<Value>()?)),
            }
        }
        Ok(RawOrValue::Value(Value::Object(members)))
    }
}

thread_local! {
    /// The nesting depth of values that are read from their text, on this thread.
    static INSIDE: Cell<usize> = const { Cell::new(0) };
}

/// Reads a value from its text. It may contain values that are again read from their text: a text that nests too deep
/// for `serde_json` is refused at the outermost of them, because each text is read with a fresh count.
pub(crate) fn within<T, E: Error>(text: &str, read: impl FnOnce() -> T) -> Result<T, E> {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            INSIDE.with(|inside| inside.set(inside.get().saturating_sub(1)));
        }
    }
    let outer = INSIDE.with(|inside| inside.replace(inside.get() + 1));
    let _leave = Leave;
    if outer == 0 && depth(text) > DEPTH {
        return Err(E::custom("recursion limit exceeded"));
    }
    Ok(read())
}

/// Returns the nesting depth of the brackets in a JSON text.
fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}
