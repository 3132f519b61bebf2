//! Decimal numbers, digit by digit.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{raw, whole, write};

/// A decimal number with its digits on the wire: `decimal` in .NET, and integers beyond 64 bits.
///
/// A float would round `0.1` and cut `79228162514264337593543950335`. Compare and print it as it is, or convert it to a
/// number type of your choice.
///
/// ```
/// use driftless_runtime::Decimal;
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
    /// Creates a number from these digits; `None` if the text is not a JSON number.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        is_number(&text).then_some(Self(text))
    }

    /// Returns the number as on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the nearest float.
    pub fn to_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// Returns the integer if it fits the type, in any notation: `7`, `7.0`, `7e0`.
    pub fn to_integer<T: FromStr>(&self) -> Option<T> {
        whole::digits(&self.0).as_deref().unwrap_or(&self.0).parse().ok().filter(|_| self.is_whole())
    }

    fn is_whole(&self) -> bool {
        !self.0.contains(['.', 'e', 'E']) || whole::digits(&self.0).is_some()
    }

    /// Creates a number from a float in the client's notation, without a point if it is whole. JSON has no number that is
    /// not finite: writing one is an error, and not `null`, which would have another meaning.
    pub(super) fn from_float(value: f64, text: Option<String>) -> Self {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        #[allow(clippy::cast_possible_truncation, reason = "the value is whole and small")]
        let whole = (value.fract() == 0.0 && value.abs() < EXACT).then(|| Self::from(value as i64));
        whole.or_else(|| Self::new(text?)).unwrap_or_else(|| Self(value.to_string()))
    }
}

/// Returns whether a text is a JSON number (RFC 8259, section 6).
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |(before, after)| (before, Some(after)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(before, after)| (before, Some(after)));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

impl FromStr for Decimal {
    type Err = de::value::Error;

    /// Like [`Decimal::new`].
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text).ok_or_else(|| de::Error::custom("not a decimal number"))
    }
}

impl Default for Decimal {
    fn default() -> Self {
        Self("0".to_owned())
    }
}

macro_rules! integers {
    ($($type:ty),*) => {
        $(impl From<$type> for Decimal {
            fn from(value: $type) -> Self {
                Self(value.to_string())
            }
        })*
    };
}

integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write::number(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    /// Reads a number, or a number in quotes, as .NET can write it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = raw(deserializer)?;
        Self::new(text.trim_matches('"')).ok_or_else(|| de::Error::custom("not a decimal number"))
    }
}
