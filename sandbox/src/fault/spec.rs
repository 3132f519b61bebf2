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
    /// The body that is answered: with [`Fault::late_status`] after handling the request, else instead of handling it, with
    /// [`Fault::status`] or 200. The header cannot carry it.
    pub body: Option<String>,
    /// The media type of that body; `text/plain; charset=utf-8` unless set.
    pub media_type: Option<String>,
}

/// Why a fault cannot be read, or its rule can never apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultError {
    message: String,
}

impl FaultError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for FaultError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for FaultError {}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let mut fault = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            fault.read(part).ok_or_else(|| {
                FaultError::new(format!(
                    "cannot read {part:?} as a part of a fault; write name=value with one of the names latency, status, \
                     late-status, retry-after, reset, truncate, stall, outcome"
                ))
            })?;
        }
        fault.check()?;
        Ok(fault)
    }
}

/// The list that [`Fault::from_str`] reads. A body is not part of it.
impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reset = |reset| match reset {
            Reset::Before => "before",
            Reset::After => "after",
        };
        let parts = [
            self.latency.map(|latency| format!("latency={}", latency.as_millis())),
            self.status.map(|status| format!("status={status}")),
            self.late_status.map(|status| format!("late-status={status}")),
            self.retry_after.as_ref().map(|value| format!("retry-after={value}")),
            self.reset.map(|when| format!("reset={}", reset(when))),
            self.truncate.map(|bytes| format!("truncate={bytes}")),
            self.stall.map(|bytes| format!("stall={bytes}")),
            self.outcome.map(|outcome| format!("outcome={}", outcome.name())),
        ];
        formatter.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Whether an answer with this status may have a body (RFC 9110, section 6.4.1).
pub(super) fn has_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 205 | 304)
}

impl Fault {
    /// The status that is answered instead of handling the request.
    pub(super) fn instead(&self) -> Option<u16> {
        self.status.or(self.body.as_ref().filter(|_| self.late_status.is_none()).map(|_| 200))
    }

    /// Refuses parts that cannot go together: one of them would have no effect.
    pub(super) fn check(&self) -> Result<(), FaultError> {
        let wrong = if self.status.is_some() && self.late_status.is_some() {
            "a request is handled or it is not: give one of status and late-status"
        } else if self.instead().is_some() && self.outcome.is_some() {
            "a request that is answered instead of being handled begins no work: leave outcome out, or use late-status"
        } else if self.truncate.is_some() && self.stall.is_some() {
            "a body is cut off or stalls: give one of truncate and stall"
        } else if self.body.is_some() && self.instead().or(self.late_status).is_some_and(|status| !has_body(status)) {
            "an answer with this status has no body"
        } else {
            return Ok(());
        };
        Err(FaultError::new(wrong))
    }

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
                let all = [Outcome::Success, Outcome::Failure, Outcome::Stall, Outcome::Silence];
                self.outcome = Some(all.into_iter().find(|outcome| outcome.name() == value)?);
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
        let early = Fault { status: Some(429), truncate: Some(10), ..Fault::default() };
        let late = Fault {
            latency: Some(Duration::from_millis(250)),
            late_status: Some(502),
            retry_after: Some("2".to_owned()),
            reset: Some(Reset::After),
            stall: Some(0),
            outcome: Some(Outcome::Stall),
            ..Fault::default()
        };
        let text = "latency=250ms, late-status=502,retry-after = 2, reset=after, stall=0, outcome=stall";
        for (text, fault) in [(text, late), ("status=429,truncate=10", early)] {
            assert_eq!(text.parse::<Fault>().unwrap(), fault);
            assert_eq!(fault.to_string().parse::<Fault>().unwrap(), fault);
        }
        assert_eq!("".parse::<Fault>().unwrap(), Fault::default());
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for text in
            ["latency", "latency=soon", "status=42", "status=600", "reset=maybe", "outcome=1", "other=1", "truncate=-1"]
        {
            let error = format!("latency=1, {text}").parse::<Fault>().unwrap_err();
            assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
        }
    }
}
