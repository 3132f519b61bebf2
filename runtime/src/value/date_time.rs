//! Points in time, dates and times of day, as text.

use std::{cmp::Ordering, time::SystemTime};

use time::{OffsetDateTime, PrimitiveDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::text_backed;
use crate::Error;

/// A point in time (`format: date-time`). The text on the wire is kept exactly, so reading never fails and writing
/// returns the same text; the conversions parse it.
///
/// They return types of the crate [`time`](crate::time), or a [`SystemTime`], which `chrono` and `jiff` convert:
/// `chrono::DateTime::<Utc>::from(SystemTime::try_from(&value)?)`,
/// `jiff::Timestamp::try_from(SystemTime::try_from(&value)?)`.
///
/// ```
/// use driftless_runtime::DateTime;
///
/// let local = DateTime::new("2024-05-01T10:00:00.1234567");   // .NET writes this for a value without a kind
/// assert!(!local.has_offset());
/// assert_eq!(local.to_utc().unwrap().unix_timestamp(), 1_714_557_600);
/// assert!(DateTime::new("soon").to_utc().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DateTime(String);

text_backed!(DateTime);

impl DateTime {
    /// Returns whether the text has an offset from UTC.
    pub fn has_offset(&self) -> bool {
        let time = self.0.trim().get(10..).unwrap_or_default();
        time.ends_with(['Z', 'z']) || time.contains(['+', '-'])
    }

    /// Returns the point in time, with the offset of the text. A text without an offset is read as UTC.
    ///
    /// # Errors
    ///
    /// The text is not a date and time of RFC 3339.
    pub fn to_offset(&self) -> Result<OffsetDateTime, Error> {
        let mut text = self.0.trim().to_owned();
        // RFC 3339 allows a space for the T, and `time` does not.
        if text.as_bytes().get(10) == Some(&b' ') {
            text.replace_range(10..11, "T");
        }
        if !self.has_offset() {
            text.push('Z');
        }
        OffsetDateTime::parse(&text, &Rfc3339).map_err(|_| Error::value("a date and time of RFC 3339"))
    }

    /// Returns the point in time, in UTC.
    ///
    /// # Errors
    ///
    /// The text is not a date and time of RFC 3339.
    pub fn to_utc(&self) -> Result<OffsetDateTime, Error> {
        self.to_offset().map(|time| time.to_offset(UtcOffset::UTC))
    }
}

impl From<OffsetDateTime> for DateTime {
    fn from(time: OffsetDateTime) -> Self {
        // Years beyond 9999 and offsets with seconds have no form in RFC 3339; the form of `time` is kept.
        Self(time.format(&Rfc3339).unwrap_or_else(|_| time.to_string()))
    }
}

impl From<SystemTime> for DateTime {
    fn from(time: SystemTime) -> Self {
        Self::from(OffsetDateTime::from(time))
    }
}

/// Converts to the point in time, like [`to_utc`](DateTime::to_utc).
impl TryFrom<&DateTime> for SystemTime {
    type Error = Error;

    fn try_from(time: &DateTime) -> Result<Self, Error> {
        time.to_utc().map(Self::from)
    }
}

/// Orders by time, whatever the offsets; texts without a point in time come last. Only equal texts are equal.
impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.to_utc(), other.to_utc()) {
            (Ok(one), Ok(two)) => one.cmp(&two).then_with(|| self.0.cmp(&other.0)),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<PrimitiveDateTime> for DateTime {
    fn from(time: PrimitiveDateTime) -> Self {
        Self::from(time.assume_utc())
    }
}

/// A calendar date (`format: date`). The text on the wire is kept exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(String);

text_backed!(Date);

impl Date {
    /// Returns the date.
    ///
    /// # Errors
    ///
    /// The text does not begin with a date of RFC 3339, such as `2024-05-01`.
    pub fn to_date(&self) -> Result<time::Date, Error> {
        let refuse = || Error::value("a date of RFC 3339");
        let text = self.0.trim();
        let day = text.get(..10).ok_or_else(refuse)?;
        // .NET writes a date without a time as midnight.
        if !text.get(10..).unwrap_or_default().is_empty() && text.as_bytes().get(10) != Some(&b'T') {
            return Err(refuse());
        }
        OffsetDateTime::parse(&format!("{day}T00:00:00Z"), &Rfc3339).map(OffsetDateTime::date).map_err(|_| refuse())
    }
}

impl From<time::Date> for Date {
    fn from(date: time::Date) -> Self {
        Self(format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day()))
    }
}

/// A time of day (`format: time`). The text on the wire is kept exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(String);

text_backed!(Time);

impl Time {
    /// Returns the time of day, without an offset.
    ///
    /// # Errors
    ///
    /// The text is not a time of RFC 3339, such as `10:00:00.5`.
    pub fn to_time(&self) -> Result<time::Time, Error> {
        let text = self.0.trim();
        let zoned = text.ends_with(['Z', 'z']) || text.contains(['+', '-']);
        let zone = if zoned { "" } else { "Z" };
        OffsetDateTime::parse(&format!("2000-01-01T{text}{zone}"), &Rfc3339)
            .map(OffsetDateTime::time)
            .map_err(|_| Error::value("a time of RFC 3339"))
    }
}

impl From<time::Time> for Time {
    fn from(time: time::Time) -> Self {
        let whole = format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
        let fraction = format!(".{:09}", time.nanosecond());
        Self(whole + fraction.trim_end_matches('0').trim_end_matches('.'))
    }
}
