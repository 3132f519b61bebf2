//! Reads the JSON of services: `1.0` for an integer, and numbers as text (`"7"`, `"NaN"`), which ASP.NET documents as
//! `type: [integer, string]`.
//!
//! A deserializer around that of `serde_json`: a type that asks for a number gets one. A type that accepts any value,
//! such as a `Value` or a `String`, gets it unchanged.

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, Visitor,
};

/// Reads a JSON text. If the decoder refuses one that may contain integers with a fraction of zero or an exponent, it
/// is read again, with each integer parsed from its digits.
///
/// The text is a `&str`: in bytes, `serde_json` would check each string for UTF-8 again.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mode = Mode { text: true, whole: false };
    match read(text, mode) {
        Err(cause) if !cause.is_syntax() && text.bytes().any(|byte| b".eE".contains(&byte)) => {
            read(text, Mode { whole: true, ..mode }).map_err(|_| cause)
        }
        outcome => outcome,
    }
}

/// Reads a JSON text in bytes.
#[cfg(any(feature = "operations", feature = "testing", test))]
pub(crate) fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    from_str(std::str::from_utf8(text).map_err(Error::custom)?)
}

/// Reads a JSON text whose numbers are not strings; `whole` allows integers in any notation.
pub(crate) fn from_str_strictly<T: DeserializeOwned>(text: &str, whole: bool) -> Result<T, serde_json::Error> {
    read(text, Mode { text: false, whole })
}

fn read<T: DeserializeOwned>(text: &str, mode: Mode) -> Result<T, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Lenient(&mut deserializer, mode))?;
    deserializer.end()?;
    Ok(value)
}

/// The accepted notations of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    /// Numbers in strings, too.
    text: bool,
    /// Integers in any notation.
    whole: bool,
}

/// A deserializer, a sequence, a map or a seed whose values are read leniently.
pub(crate) struct Lenient<T>(T, Mode);

/// Forwards the call, with or without a visitor that makes the inner values lenient, too.
macro_rules! forward {
    ($($method:ident($($argument:ident : $type:ty),*) $how:ident),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            forward!(@ $how self $method ($($argument),*) visitor)
        })*
    };
    (@ plain $self:ident $method:ident ($($argument:ident),*) $visitor:ident) => {
        $self.0.$method($($argument,)* $visitor)
    };
    (@ inside $self:ident $method:ident ($($argument:ident),*) $visitor:ident) => {
        $self.0.$method($($argument,)* Inside($visitor, $self.1))
    };
    (@ integer $self:ident $method:ident ($($argument:ident),*) $visitor:ident) => {
        if !$self.1.text && !$self.1.whole {
            $self.0.$method($($argument,)* $visitor)
        } else if $self.1.whole {
            whole_number(&super::raw($self.0)?, $visitor, $self.1)
        } else {
            $self.0.deserialize_any(Number { visitor: $visitor, whole: true, mode: $self.1 })
        }
    };
    (@ float $self:ident $method:ident ($($argument:ident),*) $visitor:ident) => {
        if $self.1.text {
            $self.0.deserialize_any(Number { visitor: $visitor, whole: false, mode: $self.1 })
        } else {
            $self.0.$method($($argument,)* $visitor)
        }
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Lenient<D> {
    type Error = D::Error;

    forward! {
        deserialize_i8() integer, deserialize_i16() integer, deserialize_i32() integer, deserialize_i64() integer,
        deserialize_u8() integer, deserialize_u16() integer, deserialize_u32() integer, deserialize_u64() integer,
        deserialize_f32() float, deserialize_f64() float,
        deserialize_option() inside, deserialize_seq() inside, deserialize_map() inside,
        deserialize_tuple(length: usize) inside,
        deserialize_tuple_struct(name: &'static str, length: usize) inside,
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) inside,
        deserialize_any() plain, deserialize_bool() plain, deserialize_i128() plain, deserialize_u128() plain,
        deserialize_char() plain, deserialize_str() plain, deserialize_string() plain, deserialize_bytes() plain,
        deserialize_byte_buf() plain, deserialize_unit() plain, deserialize_identifier() plain,
        deserialize_ignored_any() plain, deserialize_unit_struct(name: &'static str) plain,
        deserialize_newtype_struct(name: &'static str) plain,
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) plain,
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

/// Forwards values unchanged.
macro_rules! as_they_are {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        })*
    };
}

/// A visitor whose inner values are lenient.
struct Inside<V>(V, Mode);

impl<'de, V: Visitor<'de>> Visitor<'de> for Inside<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    as_they_are! {
        visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str, visit_borrowed_str: &'de str,
        visit_string: String,
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Lenient(deserializer, self.1))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Lenient(deserializer, self.1))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Lenient(sequence, self.1))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Lenient(map, self.1))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(data)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Lenient<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        self.0.next_element_seed(Lenient(seed, self.1))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Lenient<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.0.next_value_seed(Lenient(seed, self.1))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for Lenient<T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        self.0.deserialize(Lenient(deserializer, self.1))
    }
}

/// A visitor that expects a number.
struct Number<V> {
    visitor: V,
    whole: bool,
    mode: Mode,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Number<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.visitor.visit_i64(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.visitor.visit_u64(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        match whole(value).filter(|_| self.whole) {
            Some(value) => self.visitor.visit_i64(value),
            None => self.visitor.visit_f64(value),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        if !self.mode.text {
            return self.visitor.visit_str(text);
        }
        let named = match text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        };
        if let Some(value) = named.filter(|_| !self.whole) {
            return self.visitor.visit_f64(value);
        }
        // Rust parses more notations of numbers than JSON and .NET write.
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        match (is_number, text.parse::<i64>(), text.parse::<u64>(), text.parse::<f64>()) {
            (true, Ok(value), ..) => self.visitor.visit_i64(value),
            (true, _, Ok(value), _) => self.visitor.visit_u64(value),
            (true, _, _, Ok(value)) if value.is_finite() && (!self.whole || whole(value).is_some()) => {
                self.visit_f64(value)
            }
            _ => self.visitor.visit_str(text),
        }
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.visitor.visit_bool(value)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(sequence)
    }

    /// A number, if the feature `arbitrary_precision` of `serde_json` is on.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        let digits = super::digits(&mut map)?.ok_or_else(|| A::Error::invalid_type(Unexpected::Map, &self))?;
        match (digits.parse::<i64>(), digits.parse::<u64>(), digits.parse::<f64>()) {
            (Ok(value), ..) => self.visitor.visit_i64(value),
            (_, Ok(value), _) => self.visitor.visit_u64(value),
            (_, _, Ok(value)) => self.visit_f64(value),
            _ => Err(A::Error::invalid_value(Unexpected::Str(&digits), &self)),
        }
    }
}

/// Passes on a whole number as an integer, in any notation; other numbers unchanged.
fn whole_number<'de, V: Visitor<'de>, E: Error>(text: &str, visitor: V, mode: Mode) -> Result<V::Value, E> {
    let number = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| mode.text).unwrap_or(text);
    let digits = super::whole::digits(number);
    let digits = digits.as_deref().unwrap_or(number);
    match (digits.parse::<i64>(), digits.parse::<u64>(), text) {
        (Ok(value), ..) => visitor.visit_i64(value),
        (_, Ok(value), _) => visitor.visit_u64(value),
        (_, _, "null") => visitor.visit_unit(),
        (_, _, "true" | "false") => visitor.visit_bool(text == "true"),
        (_, _, text) => match text.parse() {
            Ok(value) => visitor.visit_f64(value),
            Err(_) => visitor.visit_str(text),
        },
    }
}

/// Returns the integer of a number without a fraction, if a float represents it exactly. A larger one is refused here,
/// and parsed from its digits (`whole`).
fn whole(value: f64) -> Option<i64> {
    const EXACT: f64 = 1_099_511_627_776.0;
    #[allow(clippy::cast_possible_truncation, reason = "the value is whole and small")]
    (value.fract() == 0.0 && value.abs() < EXACT).then_some(value as i64)
}
