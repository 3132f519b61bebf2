//! The values of a request, behind one object-safe trait.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::json::{Finite, Value};

/// A value of a request. Every type that serializes is one.
pub trait Argument {
    /// Appends the value as JSON text.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error>;
}

impl<T: Serialize + ?Sized> Argument for T {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        self.serialize(Finite(&mut serde_json::Serializer::with_formatter(out, Plain)))
    }
}

/// Compact JSON that writes whole numbers without a fraction: `7`, where Rust would write `7.0`. Services that parse
/// the text of a parameter, or a JSON integer, accept only the former.
struct Plain;

impl Plain {
    /// Above this, not every whole number differs from its neighbours.
    const EXACT: f64 = 9_007_199_254_740_992.0;
}

impl Formatter for Plain {
    fn write_f32<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        if value.fract() == 0.0 && f64::from(value.abs()) < Self::EXACT {
            self.write_f64(writer, f64::from(value))
        } else {
            CompactFormatter.write_f32(writer, value)
        }
    }

    fn write_f64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value.fract() == 0.0 && value.abs() < Self::EXACT {
            #[allow(clippy::cast_possible_truncation, reason = "the value is whole and small")]
            self.write_i64(writer, value as i64)
        } else {
            CompactFormatter.write_f64(writer, value)
        }
    }
}

/// Returns the value as JSON text.
pub(crate) fn to_bytes(argument: &dyn Argument) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    argument.write(&mut out)?;
    Ok(out)
}

/// Returns the value as a JSON tree. It is built from the text, so that each type is compiled for one serializer only,
/// and numbers keep their digits.
pub(crate) fn to_value(argument: &dyn Argument) -> Result<Value, serde_json::Error> {
    let text = String::from_utf8(to_bytes(argument)?).map_err(serde::ser::Error::custom)?;
    Value::read(&text).map_err(serde::ser::Error::custom)
}
