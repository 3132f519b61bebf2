//! Conversions to values, comparisons, and access to parts.

use std::{borrow::Cow, ops::Index};

use super::{Decimal, Object, Value};

static NULL: Value = Value::Null;

/// Returns the member of this name; null if it is missing.
impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }
}

/// Returns the member of this name; null if it is missing.
impl Index<&str> for Object {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.value(name).unwrap_or(&NULL)
    }
}

/// Returns the item at this index; null if it is missing.
impl Index<usize> for Value {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        self.as_array().and_then(|items| items.get(index)).unwrap_or(&NULL)
    }
}

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr),* $(,)?) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

from! {
    bool => |value| Self::Bool(value),
    Decimal => |value| Self::Number(value),
    &str => |text| Self::String(text.to_owned()),
    String => |text| Self::String(text),
    Cow<'_, str> => |text| Self::String(text.into_owned()),
    Object => |members| Self::Object(members),
    f32 => |value| Self::Number(Decimal::from_float(value.into(), serde_json::to_string(&value).ok())),
    f64 => |value| Self::Number(Decimal::from_float(value, serde_json::to_string(&value).ok())),
}

macro_rules! integers {
    ($($type:ty),*) => {
        $(
            impl From<$type> for Value {
                fn from(value: $type) -> Self {
                    Self::Number(value.into())
                }
            }

            impl PartialEq<$type> for Value {
                fn eq(&self, other: &$type) -> bool {
                    self.as_number().and_then(Decimal::to_integer) == Some(*other)
                }
            }
        )*
    };
}

integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(number) => Decimal::new(number.to_string()).map_or(Self::Null, Self::Number),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(items) => items.into_iter().collect(),
            serde_json::Value::Object(members) => Self::Object(members.into()),
        }
    }
}

macro_rules! compares {
    ($($type:ty => |$value:ident, $other:ident| $same:expr),* $(,)?) => {
        $(impl PartialEq<$type> for Value {
            fn eq(&self, $other: &$type) -> bool {
                let $value = self;
                $same
            }
        })*
    };
}

compares! {
    bool => |value, other| value.as_bool() == Some(*other),
    f64 => |value, other| value.as_f64() == Some(*other),
    str => |value, other| value.as_str() == Some(other),
    &str => |value, other| value.as_str() == Some(*other),
    String => |value, other| value.as_str() == Some(other),
    Decimal => |value, other| value.as_number() == Some(other),
    // Numbers are equal if they are written the same.
    serde_json::Value => |value, other| match (value, other) {
        (Self::Null, serde_json::Value::Null) => true,
        (Self::Bool(value), serde_json::Value::Bool(other)) => value == other,
        (Self::Number(value), serde_json::Value::Number(other)) => value.as_str() == other.to_string(),
        (Self::String(value), serde_json::Value::String(other)) => value == other,
        (Self::Array(value), serde_json::Value::Array(other)) => value == other,
        (Self::Object(value), serde_json::Value::Object(other)) => {
            value.len() == other.len()
                && value.iter().all(|(name, value)| other.get(name).is_some_and(|other| value == other))
        }
        _ => false,
    },
}

impl PartialEq<Value> for serde_json::Value {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}

impl PartialEq<Value> for &str {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}
