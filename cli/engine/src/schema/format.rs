//! Formats of strings and numbers, and the order of numbers.

use base64::Engine as _;
use serde_json::{Number, Value};
use time::format_description::well_known::Rfc3339;

/// A number of JSON: integers keep all digits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numeric {
    Integer(i128),
    Float(f64),
}

impl From<&Number> for Numeric {
    fn from(number: &Number) -> Self {
        if let Some(integer) = number.as_i64() {
            return Self::Integer(integer.into());
        }
        if let Some(integer) = number.as_u64() {
            return Self::Integer(integer.into());
        }
        Self::Float(number.as_f64().unwrap_or(f64::INFINITY))
    }
}

impl Numeric {
    /// `1.0` is an integer, by the specification.
    pub(super) fn is_integer(self) -> bool {
        match self {
            Self::Integer(_) => true,
            Self::Float(float) => float.is_finite() && float.fract() == 0.0,
        }
    }

    fn integer(self) -> Option<i128> {
        match self {
            Self::Integer(integer) => Some(integer),
            // Every float without a fraction below this is exact as an integer.
            Self::Float(float) if float.fract() == 0.0 && float.abs() < 1e38 => Some(float as i128),
            Self::Float(_) => None,
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    pub(super) fn is_less(self, other: Self) -> bool {
        match (self.integer(), other.integer()) {
            (Some(left), Some(right)) => left < right,
            _ => self.float() < other.float(),
        }
    }

    pub(super) fn is_equal(self, other: Self) -> bool {
        match (self.integer(), other.integer()) {
            (Some(left), Some(right)) => left == right,
            (None, None) => self.float() == other.float(),
            _ => false,
        }
    }
}

/// The message about a value that does not have its format.
pub(super) fn format_fault(value: &Value, format: &str) -> Option<&'static str> {
    match value {
        Value::String(text) => text_fault(text, format),
        Value::Number(number) => {
            let range = match format {
                "int32" => i128::from(i32::MIN)..=i128::from(i32::MAX),
                "int64" => i128::from(i64::MIN)..=i128::from(i64::MAX),
                _ => return None,
            };
            let fits = Numeric::from(number).integer().is_some_and(|integer| range.contains(&integer));
            let message =
                if format == "int32" { "is not an integer of 32 bits" } else { "is not an integer of 64 bits" };
            (!fits).then_some(message)
        }
        _ => None,
    }
}

fn text_fault(text: &str, format: &str) -> Option<&'static str> {
    let (fits, message) = match format {
        "uuid" => (is_uuid(text), "is not a UUID, such as 2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42"),
        "date-time" => (is_date_time(text), "is not a date and time of RFC 3339, such as 2030-01-31T12:00:00Z"),
        "date" => (is_date(text), "is not a date, such as 2030-01-31"),
        "time" => (is_time(text), "is not a time of RFC 3339, such as 12:00:00Z"),
        "duration" => (is_duration(text), "is not a duration of ISO 8601, such as PT15M"),
        "byte" => (base64::engine::general_purpose::STANDARD.decode(text).is_ok(), "is not in base64"),
        _ => return None,
    };
    (!fits).then_some(message)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_date_time(text: &str) -> bool {
    // The library accepts any separator.
    matches!(text.as_bytes().get(10), Some(b'T' | b't'))
        && is_time(text.get(11..).unwrap_or_default())
        && is_date(text.get(..10).unwrap_or_default())
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && time::OffsetDateTime::parse(&format!("{text}T00:00:00Z"), &Rfc3339).is_ok()
}

fn is_time(text: &str) -> bool {
    // A leap second is valid if it is the last one of a day in UTC.
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let digits = |range: std::ops::Range<usize>| -> Option<i32> {
        let part = clock.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let (Some(hour), Some(minute), Some(second)) = (digits(0..2), digits(3..5), digits(6..8)) else { return false };
    if clock.as_bytes().get(2) != Some(&b':') || clock.as_bytes().get(5) != Some(&b':') {
        return false;
    }
    let offset = match rest.strip_prefix('.') {
        Some(fraction) => {
            let offset = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
            if offset.len() == fraction.len() {
                return false;
            }
            offset
        }
        None => rest,
    };
    let offset = match offset.as_bytes() {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), a, b, b':', c, d] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()) => {
            let number = |tens: &u8, ones: &u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
            let (hours, minutes) = (number(a, b), number(c, d));
            if hours > 23 || minutes > 59 {
                return false;
            }
            (hours * 60 + minutes) * if *sign == b'+' { 1 } else { -1 }
        }
        _ => return false,
    };
    let utc = (hour * 60 + minute - offset).rem_euclid(24 * 60);
    hour < 24 && minute < 60 && (second < 60 || second == 60 && utc == 24 * 60 - 1)
}

/// `P1Y2M3DT4H5M6S` or `P1W`: units in order, without gaps, as appendix A of RFC 3339 has them.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((_, "")) => return false,
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    if time.is_none() && date.ends_with('W') {
        return units(date, "W");
    }
    let is_empty = date.is_empty() && time.is_none();
    !is_empty && units(date, "YMD") && time.is_none_or(|time| units(time, "HMS"))
}

/// Numbers with one of the units each: adjacent units in their order.
fn units(text: &str, order: &str) -> bool {
    let mut last: Option<usize> = None;
    let mut rest = text;
    while !rest.is_empty() {
        let number = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let Some(unit) = rest.get(number..number + 1) else { return false };
        let Some(index) = order.find(unit) else { return false };
        if number == 0 || last.is_some_and(|last| index != last + 1) {
            return false;
        }
        last = Some(index);
        rest = rest.get(number + 1..).unwrap_or_default();
    }
    true
}
