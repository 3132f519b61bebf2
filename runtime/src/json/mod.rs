//! JSON values whose numbers keep their digits.
//!
//! A `serde_json::Value` holds a number that is not an integer as a float, which writes `1.10` as `1.1` and cuts long decimals. The
//! feature of `serde_json` that would keep them, `arbitrary_precision`, holds for the whole program: it changes what values of
//! other libraries equal, and breaks floats in their flattened structs and tagged enums. So the client has a value of its own,
//! and reads the same in a program that turns the feature on.

pub(crate) mod charset;
mod convert;
mod decimal;
pub(crate) mod lenient;
mod object;
mod raw;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod whole;
mod write;

pub use decimal::Decimal;
pub use object::Object;
pub(crate) use raw::{digits, raw, within};

/// A JSON value. Numbers keep the digits that they have on the wire, and members their order.
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
/// A `serde_json::Value` becomes one by `From`, and can be compared with it. The other way, [`to`](Self::to) makes one, whose numbers are
/// those that `serde_json` can hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, digit by digit.
    Number(Decimal),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// Members, in their order.
    Object(Object),
}

impl Value {
    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Decimal> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The integer, if it is one that fits, however it is written: `1.0` is one.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.to_integer()
    }

    /// The integer, if it is one that fits, however it is written.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.to_integer()
    }

    /// The machine float that is nearest to the number.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Decimal::to_f64)
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items, if it is a list.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The items, if it is a list.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The members, if it is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The member of this name, if it is an object that has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.value(name)
    }

    /// What a JSON pointer (RFC 6901) leads to: `/items/0/name`; the empty pointer to the whole.
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
