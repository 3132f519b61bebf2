//! Sets of JSON types.

use serde_json::{Map, Value};

/// A set of JSON types. `number` is two of them: integers, and numbers with a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const NUMBER: Self = Self(12);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const ANY: Self = Self(127);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The type of a value.
    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|number| number.fract() != 0.0) => {
                Self::FRACTION
            }
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The types of `type`, of `const` and of `enum`.
    pub(super) fn of_keywords(schema: &Map<String, Value>) -> Self {
        let by_name = |name: &Value| match name.as_str() {
            Some("null") => Self::NULL,
            Some("boolean") => Self::BOOLEAN,
            Some("integer") => Self::INTEGER,
            Some("number") => Self::NUMBER,
            Some("string") => Self::STRING,
            Some("array") => Self::ARRAY,
            Some("object") => Self::OBJECT,
            _ => Self::ANY,
        };
        let mut kinds = match schema.get("type") {
            Some(Value::Array(list)) => list.iter().map(by_name).fold(Self::NONE, Self::or),
            Some(name) => by_name(name),
            None => Self::ANY,
        };
        if let Some(value) = schema.get("const") {
            kinds = kinds.and(Self::of_value(value));
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            kinds = kinds.and(values.iter().map(Self::of_value).fold(Self::NONE, Self::or));
        }
        kinds
    }
}
