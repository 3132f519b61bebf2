//! Readers that share nothing with the writers.

use std::fmt;

use driftless_runtime::{Decimal, Value};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Reads a YAML document, and fails where it is not this value: same types, same order, same digits.
pub(super) fn assert_yaml(text: &str, expected: &Value) {
    for typed in [true, false] {
        let document = serde_yaml::Deserializer::from_str(text);
        let same = Same { value: expected, typed }.deserialize(document);
        same.unwrap_or_else(|error| panic!("{error}\n{expected:?}\n{text}"));
    }
}

/// A value that a document must contain here. With `typed`, the judge decides the type of a scalar; without, a plain
/// scalar is read as a text, and so with its digits.
struct Same<'v> {
    value: &'v Value,
    typed: bool,
}

impl Same<'_> {
    fn number<E: Error>(&self, read: f64) -> Result<(), E> {
        let expected = self.value.as_f64().ok_or_else(|| E::custom(format!("{read} is a number")))?;
        match read == expected || ((read - expected) / expected).abs() < 1e-15 {
            true => Ok(()),
            false => Err(E::custom(format!("{read} is not {expected}"))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Same<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.value {
            _ if self.typed => deserializer.deserialize_any(self),
            Value::Null => deserializer.deserialize_unit(self),
            Value::Bool(_) => deserializer.deserialize_bool(self),
            Value::Number(_) | Value::String(_) => deserializer.deserialize_str(self),
            Value::Array(_) => deserializer.deserialize_seq(self),
            Value::Object(_) => deserializer.deserialize_map(self),
        }
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<(), E> {
            self.number(value as f64)
        })*
    };
}

impl<'de> Visitor<'de> for Same<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.value)
    }

    numbers!(visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128, visit_f64: f64);

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        if self.value.is_null() { Ok(()) } else { Err(E::custom("null")) }
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        if self.value.as_bool() == Some(value) { Ok(()) } else { Err(E::custom(value)) }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        // Numbers beyond the floats of the judge are texts for it.
        let may_be_number = !self.typed || self.value.as_f64().is_some_and(f64::is_infinite);
        let number = self.value.as_number().filter(|_| may_be_number).map(Decimal::as_str);
        let expected = self.value.as_str().or(number);
        if expected == Some(text) { Ok(()) } else { Err(E::custom(format!("{text:?} is not {expected:?}"))) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        for value in self.value.as_array().ok_or_else(|| A::Error::custom("a list"))? {
            let item = sequence.next_element_seed(Same { value, typed: self.typed })?;
            item.ok_or_else(|| A::Error::custom("an item is missing"))?;
        }
        match sequence.next_element::<serde::de::IgnoredAny>()? {
            Some(_) => Err(A::Error::custom("an item too many")),
            None => Ok(()),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        for (name, value) in self.value.as_object().ok_or_else(|| A::Error::custom("an object"))?.iter() {
            let typed = self.typed;
            map.next_key_seed(Same { value: &name.into(), typed })?
                .ok_or_else(|| A::Error::custom("a member is missing"))?;
            map.next_value_seed(Same { value, typed })?;
        }
        match map.next_key::<serde::de::IgnoredAny>()? {
            Some(_) => Err(A::Error::custom("a member too many")),
            None => Ok(()),
        }
    }
}

/// The records of CSV, read by the grammar of RFC 4180.
pub(super) fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => loop {
                match characters.next().expect("a closing quote") {
                    '"' if characters.peek() == Some(&'"') => cell.extend(characters.next()),
                    '"' => break,
                    other => cell.push(other),
                }
            },
            ',' => record.push(std::mem::take(&mut cell)),
            '\n' => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            other => cell.push(other),
        }
    }
    assert!(record.is_empty() && cell.is_empty(), "the last line has an end");
    records
}
