//! Numbers that are strings in JSON.

use std::{fmt, ops::Deref, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::json::{raw, whole::digits};

/// A number that the service writes as text, because not every JSON reader keeps 64 bits, or each digit of a decimal,
/// without loss. It is sent as text, and read as text or as a number.
///
/// ```
/// use driftless_runtime::{AsText, Decimal};
///
/// let size: AsText<u64> = serde_json::from_str("\"18446744073709551615\"").unwrap();
/// assert_eq!(*size, u64::MAX);
/// assert_eq!(serde_json::to_string(&size).unwrap(), "\"18446744073709551615\"");
/// assert_eq!(serde_json::from_str::<AsText<i64>>("-7").unwrap(), AsText(-7));
/// let price: AsText<Decimal> = serde_json::from_str("\"19.90\"").unwrap();
/// assert_eq!(price.as_str(), "19.90");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AsText<T>(pub T);

impl<T> Deref for AsText<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for AsText<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: fmt::Display> fmt::Display for AsText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Display> Serialize for AsText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: FromStr> Deserialize<'de> for AsText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = raw(deserializer)?;
        let text = text.trim_matches('"');
        // An integer may be written as `7.0`.
        let read = text.parse().ok().or_else(|| digits(text)?.parse().ok());
        read.map(Self).ok_or_else(|| de::Error::custom("not a number of this type, as text or as a number"))
    }
}
