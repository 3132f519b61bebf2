//! Decimal numbers, digit by digit.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

use super::tree::raw;

/// A decimal number with the digits that it has on the wire: `decimal` in .NET, and integers beyond 64 bits.
///
/// A machine float would round `0.1` and cut `79228162514264337593543950335`. Compare and print it as it is, or turn it into
/// the number type of your choice.
///
/// ```
/// use platform_runtime::Decimal;
///
/// let price: Decimal = serde_json::from_str("19.90").unwrap();
/// assert_eq!(price.as_str(), "19.90");
/// assert_eq!(price.to_f64(), 19.9);
/// assert_eq!(serde_json::to_string(&price).unwrap(), "19.90");
/// assert!(Decimal::new("12 apples").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// A number of these digits; `None` when the text is not a JSON number.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        is_number(&text).then_some(Self(text))
    }

    /// The number as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest machine float.
    pub fn to_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

/// Whether a text is a number as JSON (RFC 8259, section 6) writes one.
fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

impl Default for Decimal {
    fn default() -> Self {
        Self("0".to_owned())
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl From<i32> for Decimal {
    fn from(value: i32) -> Self {
        Self(value.to_string())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.clone()).map_err(ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    /// Reads a number, and, as .NET can write one, a number in quotes.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = raw(deserializer)?;
        Self::new(text.trim_matches('"')).ok_or_else(|| de::Error::custom("not a decimal number"))
    }
}
