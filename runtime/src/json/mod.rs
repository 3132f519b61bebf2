//! JSON values whose numbers keep their digits.
//!
//! A `serde_json::Value` stores a number that is not an integer as a float, which writes `1.10` as `1.1` and cuts long
//! decimals. The feature `arbitrary_precision` of `serde_json` would keep them, but it applies to the whole program: it
//! changes the equality of other libraries' values, and breaks floats in their flattened structs and tagged enums. So
//! the client has its own value, which reads the same in a program with that feature.

pub(crate) mod charset;
mod convert;
mod decimal;
mod finite;
pub(crate) mod lenient;
mod object;
mod raw;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod whole;
mod write;

pub use decimal::Decimal;
pub(crate) use finite::Finite;
pub use object::Object;
pub(crate) use raw::{digits, raw, within};

/// A JSON value. Numbers keep their digits on the wire, and members their order.
///
/// ```
/// use driftless_runtime::Value;
///
/// let value: Value = serde_json::from_str(r#"{"price":1.10,"ids":[12345678901234567890123]}"#).unwrap();
/// assert_eq!(value["price"].as_f64(), Some(1.1));
/// assert_eq!(value.pointer("/ids/0").unwrap().to_string(), "12345678901234567890123");
/// assert_eq!(value["missing"]["too"], Value::Null);
/// assert_eq!(value.to_string(), r#"{"price":1.10,"ids":[12345678901234567890123]}"#);
/// ```
///
/// A `serde_json::Value` converts to it by `From`, and can be compared with it. In the other direction, use
/// [`to`](Self::to); its numbers are those that `serde_json` can represent.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, digit by digit.
    Number(Decimal),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// Members, in order.
    Object(Object),
}

impl Value {
    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether the value is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns the boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns the number, if it is one.
    pub fn as_number(&self) -> Option<&Decimal> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the integer, if it is one that fits, in any notation: `1.0` is one.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.to_integer()
    }

    /// Returns the integer, if it is one that fits, in any notation.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.to_integer()
    }

    /// Returns the float that is nearest to the number.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Decimal::to_f64)
    }

    /// Returns the string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the items, if it is a list.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the items, if it is a list.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the members, if it is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the member of this name, if it is an object that has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.value(name)
    }

    /// Returns the value at a JSON Pointer (RFC 6901), such as `/items/0/name`; the empty pointer is the whole value.
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| match value {
            Self::Object(members) => members.value(&step.replace("~1", "/").replace("~0", "~")),
            Self::Array(items) => {
                let is_index = step == "0" || (!step.starts_with(['0', '+']) && !step.is_empty());
                items.get(step.parse::<usize>().ok().filter(|_| is_index)?)
            }
            _ => None,
        })
    }

    /// Takes the value out, and leaves `null`.
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }
}
