//! Anything that can be sent, behind one object-safe trait.

use serde::Serialize;
use serde_json::Value;

/// A value that goes into a request. Everything that serialises is one.
pub(crate) trait Argument {
    /// Appends the value as JSON text.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error>;
}

impl<T: Serialize + ?Sized> Argument for T {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(out, self)
    }
}

/// The value as JSON text.
pub(crate) fn to_bytes(argument: &dyn Argument) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    argument.write(&mut out)?;
    Ok(out)
}

/// The value as a JSON tree. By way of the text, so that each type is compiled for one serialiser only. A number with more
/// digits than the tree can hold becomes its text: parameters and forms are written as text anyway.
pub(crate) fn to_value(argument: &dyn Argument) -> Result<Value, serde_json::Error> {
    let text = to_bytes(argument)?;
    let value = serde_json::from_slice(&text)?;
    if let Value::Number(number) = &value
        && number.to_string().as_bytes() != text
    {
        return Ok(Value::String(String::from_utf8_lossy(&text).into_owned()));
    }
    Ok(value)
}
