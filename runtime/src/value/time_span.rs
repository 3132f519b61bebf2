//! Durations, as text.

use std::time::Duration;

use super::text_backed;
use crate::Error;

const UNITS: u32 = 1_000_000_000;

/// A duration. The text on the wire is kept exactly; both the form of .NET (`d.hh:mm:ss.fffffff`) and that of ISO 8601
/// (`P1DT2H3M4.5S`) convert.
///
/// ```
/// use std::time::Duration;
/// use driftless_runtime::TimeSpan;
///
/// assert_eq!(TimeSpan::new("1.00:00:01.5").to_duration().unwrap(), Duration::from_millis(86_401_500));
/// assert_eq!(TimeSpan::new("PT1H30M").to_duration().unwrap(), Duration::from_secs(5_400));
/// assert_eq!(TimeSpan::from(Duration::from_secs(61)).as_str(), "00:01:01");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimeSpan(String);

text_backed!(TimeSpan);

impl TimeSpan {
    /// Returns the duration.
    ///
    /// # Errors
    ///
    /// The text is neither of the two forms, is negative, or counts in years or months, which have no fixed length.
    pub fn to_duration(&self) -> Result<Duration, Error> {
        let text = self.0.trim();
        let read = if text.starts_with('P') { iso(text) } else { dotnet(text) };
        read.ok_or_else(|| {
            Error::value("a duration that is not negative, as `d.hh:mm:ss` or as ISO 8601 in days and less")
        })
    }
}

impl From<Duration> for TimeSpan {
    fn from(duration: Duration) -> Self {
        let seconds = duration.as_secs();
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
        let mut text = if days == 0 { String::new() } else { format!("{days}.") };
        text += &format!("{hours:02}:{minutes:02}:{:02}", seconds % 60);
        // A tick of .NET is 100 ns, and its parser accepts no finer fraction.
        let ticks = duration.subsec_nanos() / 100;
        if ticks != 0 {
            text += &format!(".{ticks:07}");
        }
        Self(text)
    }
}

/// `[d.]hh:mm[:ss[.fffffff]]`, or whole days.
fn dotnet(text: &str) -> Option<Duration> {
    let (days, clock) = match text.split_once(':') {
        None => return Some(Duration::from_secs(number(text)?.checked_mul(86_400)?)),
        Some((before, _)) => match before.split_once('.') {
            Some((days, _)) => (number(days)?, text.get(days.len() + 1..)?),
            None => (0, text),
        },
    };
    let mut parts = clock.split(':');
    let (hours, minutes) = (number(parts.next()?)?, number(parts.next()?)?);
    let (seconds, nanos) = decimal(parts.next().unwrap_or("0"))?;
    if parts.next().is_some() || minutes > 59 || seconds > 59 || (days > 0 && hours > 23) {
        return None;
    }
    let whole =
        days.checked_mul(86_400)?.checked_add(hours.checked_mul(3_600)?)?.checked_add(minutes * 60 + seconds)?;
    Some(Duration::new(whole, nanos))
}

/// `P[nW][nD][T[nH][nM][n.nS]]`.
fn iso(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('P')?;
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let days = units(date, &[('W', 604_800), ('D', 86_400)])?;
    let clock = units(time, &[('H', 3_600), ('M', 60), ('S', 1)])?;
    days.checked_add(clock)
}

fn units(mut text: &str, scales: &[(char, u64)]) -> Option<Duration> {
    let mut total = Duration::ZERO;
    for (unit, scale) in scales {
        if let Some((amount, rest)) = text.split_once(*unit) {
            let (whole, nanos) = decimal(amount)?;
            total = total.checked_add(Duration::from_secs(whole.checked_mul(*scale)?))?;
            total = total.checked_add(Duration::from_nanos(u64::from(nanos).checked_mul(*scale)?))?;
            text = rest;
        }
    }
    text.is_empty().then_some(total)
}

fn number(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// A number and its fraction, in billionths. Further digits are dropped.
fn decimal(text: &str) -> Option<(u64, u32)> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    number(fraction)?;
    let nanos: u32 = fraction.chars().chain("000000000".chars()).take(9).collect::<String>().parse().ok()?;
    (nanos < UNITS).then_some((number(whole)?, nanos))
}
