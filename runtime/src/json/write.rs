//! Writes values.

use std::fmt::{self, Write as _};

use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeSeq},
};
use serde_json::value::RawValue;

use super::Value;

/// Writes JSON without spaces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let string = |text: &str| serde_json::to_string(text).map_err(|_| fmt::Error);
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => f.write_str(number.as_str()),
            Self::String(text) => f.write_str(&string(text)?),
            Self::Array(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                f.write_char(']')
            }
            Self::Object(members) => {
                f.write_char('{')?;
                for (index, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{}:{value}", if index == 0 { "" } else { "," }, string(name)?)?;
                }
                f.write_char('}')
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

/// Writes a number with its digits. If a primitive type represents it, and every format writes the same digits, that
/// type is used.
pub(crate) fn number<S: Serializer>(number: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match (number.parse::<i64>(), number.parse::<u64>(), number.parse::<f64>()) {
        (Ok(value), ..) if value.to_string() == number => serializer.serialize_i64(value),
        (_, Ok(value), _) if value.to_string() == number => serializer.serialize_u64(value),
        // A whole float may be written without its point.
        (_, _, Ok(value)) if value.fract() != 0.0 && serde_json::to_string(&value).is_ok_and(|text| text == number) => {
            serializer.serialize_f64(value)
        }
        _ => {
            let refused = |_| S::Error::custom(format_args!("{number} is not a number that can be sent"));
            RawValue::from_string(number.to_owned()).map_err(refused)?.serialize(serializer)
        }
    }
}
