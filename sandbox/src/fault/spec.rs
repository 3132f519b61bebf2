//! What a fault is, and how it is written in the header `X-Sandbox-Fault`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::workflow::Outcome;

/// When a connection is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reset {
    /// Before the request is handled: nothing has happened on the server.
    Before,
    /// After the request is handled, before its answer is sent.
    After,
}

/// What goes wrong with a request. Several things may go wrong at once.
///
/// The header `X-Sandbox-Fault`, and [`Fault::from_str`], take a list such as `latency=250, status=503, retry-after=2`:
///
/// | name | value |
/// |---|---|
/// | `latency` | milliseconds before anything else happens |
/// | `status` | the status that is answered instead of handling the request |
/// | `late-status` | the status that is answered after handling the request |
/// | `retry-after` | the header `Retry-After` of such an answer |
/// | `reset` | `before` or `after`: the connection is reset before or after the request is handled |
/// | `truncate` | the bytes of the body after which the connection is closed; the length promises the whole body |
/// | `stall` | the bytes of the body after which nothing more comes; the connection stays open |
/// | `outcome` | how the work ends that the request begins: `success`, `failure`, `stall`, `silence` |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// How long the request waits before anything else happens.
    pub latency: Option<Duration>,
    /// The status that is answered instead of handling the request.
    pub status: Option<u16>,
    /// The status that is answered after handling the request.
    pub late_status: Option<u16>,
    /// The header `Retry-After` of an answer with one of the two statuses.
    pub retry_after: Option<String>,
    /// When the connection is reset.
    pub reset: Option<Reset>,
    /// The bytes of the body after which the connection is closed.
    pub truncate: Option<usize>,
    /// The bytes of the body after which nothing more comes.
    pub stall: Option<usize>,
    /// How the asynchronous work ends that the request begins.
    pub outcome: Option<Outcome>,
}

/// A part of a fault that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultError {
    part: String,
}

impl fmt::Display for FaultError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} is no fault; one is written as name=value with the names latency, status, late-status, retry-after, \
             reset, truncate, stall, outcome",
            self.part
        )
    }
}

impl std::error::Error for FaultError {}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let mut fault = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            fault.read(part).ok_or_else(|| FaultError { part: part.to_owned() })?;
        }
        Ok(fault)
    }
}

impl Fault {
    fn read(&mut self, part: &str) -> Option<()> {
        let (name, value) = part.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        match name {
            "latency" => {
                self.latency = Some(Duration::from_millis(value.strip_suffix("ms").unwrap_or(value).parse().ok()?));
            }
            "status" => self.status = Some(status(value)?),
            "late-status" => self.late_status = Some(status(value)?),
            "retry-after" => self.retry_after = Some(value.to_owned()),
            "truncate" => self.truncate = Some(value.parse().ok()?),
            "stall" => self.stall = Some(value.parse().ok()?),
            "reset" => {
                self.reset = Some(match value {
                    "before" => Reset::Before,
                    "after" => Reset::After,
                    _ => return None,
                });
            }
            "outcome" => {
                self.outcome = Some(match value {
                    "success" => Outcome::Success,
                    "failure" => Outcome::Failure,
                    "stall" => Outcome::Stall,
                    "silence" => Outcome::Silence,
                    _ => return None,
                });
            }
            _ => return None,
        }
        Some(())
    }
}

fn status(text: &str) -> Option<u16> {
    text.parse().ok().filter(|status| (200..600).contains(status))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_part_is_read() {
        let text = "latency=250ms, status=429,retry-after = 2, late-status=502, reset=after, truncate=10, stall=0, outcome=stall";
        let fault = Fault {
            latency: Some(Duration::from_millis(250)),
            status: Some(429),
            late_status: Some(502),
            retry_after: Some("2".to_owned()),
            reset: Some(Reset::After),
            truncate: Some(10),
            stall: Some(0),
            outcome: Some(Outcome::Stall),
        };
        assert_eq!(text.parse::<Fault>().unwrap(), fault);
        assert_eq!("".parse::<Fault>().unwrap(), Fault::default());
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for text in
            ["latency", "latency=soon", "status=42", "status=600", "reset=maybe", "outcome=1", "other=1", "truncate=-1"]
        {
            let error = format!("latency=1, {text}").parse::<Fault>().unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
