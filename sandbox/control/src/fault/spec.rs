//! Faults, and their text form in the header `X-Sandbox-Fault`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Outcome;
use crate::operations::Operations;

/// The moment at which a connection is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reset {
    /// Before the request is handled: it has no effect on the server.
    Before,
    /// After the request is handled, before its answer is sent.
    After,
}

/// A fault of a request. Several parts may be combined.
///
/// The header `X-Sandbox-Fault`, and [`Fault::from_str`], take a list such as `latency=250, status=503, retry-after=2`:
///
/// | name | value |
/// |---|---|
/// | `latency` | milliseconds before anything else happens |
/// | `status` | the status that is answered instead of handling the request |
/// | `late-status` | the status that is answered after handling the request |
/// | `retry-after` | the header `Retry-After` of such an answer: seconds, or a date such as `Wed, 21 Oct 2015 07:28:00 GMT` |
/// | `reset` | `before` or `after`: the connection is reset before or after the request is handled |
/// | `truncate` | the bytes of the body after which the connection is closed; the length promises the whole body |
/// | `stall` | the bytes of the body after which nothing more comes; the connection stays open |
/// | `outcome` | the outcome of the work that the request begins: `success`, `failure`, `stall`, `silence` |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// The delay before anything else happens.
    pub latency: Option<Duration>,
    /// The status that is answered instead of handling the request.
    pub status: Option<u16>,
    /// The status that is answered after handling the request.
    pub late_status: Option<u16>,
    /// The header `Retry-After` of an answer with one of the two statuses.
    pub retry_after: Option<String>,
    /// The moment at which the connection is reset.
    pub reset: Option<Reset>,
    /// The bytes of the body after which the connection is closed.
    pub truncate: Option<usize>,
    /// The bytes of the body after which nothing more comes.
    pub stall: Option<usize>,
    /// The outcome of the asynchronous work that the request begins.
    pub outcome: Option<Outcome>,
    /// The body of the answer: with [`Fault::late_status`] after handling the request, else instead of handling it, with
    /// [`Fault::status`] or 200. The header has no field for it.
    pub body: Option<String>,
    /// The media type of that body; `text/plain; charset=utf-8` unless set.
    pub media_type: Option<String>,
}

/// The error of a fault that cannot be parsed, or whose rule can never apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultError {
    member: Option<String>,
    message: String,
}

impl FaultError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { member: None, message: message.into() }
    }

    /// An error of one member of a rule, named as in the control interface.
    pub(super) fn in_member(member: impl Into<String>, message: impl Into<String>) -> Self {
        Self { member: Some(member.into()), message: message.into() }
    }

    pub(crate) fn member(&self) -> Option<&str> {
        self.member.as_deref()
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
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match parts.last_mut() {
                // A date is the only value that has a comma, after its day.
                Some(date) if date.starts_with("retry-after") && !part.contains('=') => {
                    *date = format!("{date}, {part}");
                }
                _ => parts.push(part.to_owned()),
            }
        }
        for part in parts {
            fault.read(&part).ok_or_else(|| {
                let names = "latency, status, late-status, retry-after, reset, truncate, stall, outcome";
                let wrong = "as a part of a fault; write name=value with one of the names";
                FaultError::in_member("fault", format!("cannot read {part:?} {wrong} {names}"))
            })?;
        }
        fault.check()?;
        Ok(fault)
    }
}

/// Writes the list that [`Fault::from_str`] reads. A body is not part of it.
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

/// RFC 9110, section 10.2.3.
fn is_retry_after(value: &str) -> bool {
    let is_seconds = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    is_seconds || httpdate::parse_http_date(value).is_ok()
}

/// Accepts media types of bodies, and no media ranges.
fn is_media_type(text: &str) -> bool {
    let is_part = |name: mime::Name<'_>| !name.as_str().is_empty() && name != mime::STAR;
    text.parse::<mime::Mime>().is_ok_and(|media| is_part(media.type_()) && is_part(media.subtype()))
}

/// Returns whether an answer with this status may have a body (RFC 9110, section 6.4.1).
pub(super) fn has_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 205 | 304)
}

impl Fault {
    /// The status that is answered instead of handling the request.
    pub(super) fn instead(&self) -> Option<u16> {
        self.status.or(self.body.as_ref().filter(|_| self.late_status.is_none()).map(|_| 200))
    }

    /// Refuses parts that contradict each other, and values that no client reads: they would have no effect.
    pub(super) fn check(&self) -> Result<(), FaultError> {
        let answered = self.instead().or(self.late_status);
        let (member, wrong) = if self.status.is_some() && self.late_status.is_some() {
            ("fault", "a request is handled or it is not: give one of status and late-status")
        } else if self.instead().is_some() && self.outcome.is_some() {
            (
                "fault",
                "a request that is answered instead of being handled begins no work: leave outcome out, or use late-status",
            )
        } else if self.truncate.is_some() && self.stall.is_some() {
            ("fault", "a body is cut off or stalls: give one of truncate and stall")
        } else if self.retry_after.as_deref().is_some_and(|value| !is_retry_after(value)) {
            ("fault", "retry-after has to be seconds or a date: 120, or Wed, 21 Oct 2015 07:28:00 GMT")
        } else if self.retry_after.is_some() && answered.is_none() {
            ("fault", "retry-after is a header of the fault's own answer: give status or late-status as well")
        } else if self.body.is_some() && answered.is_some_and(|status| !has_body(status)) {
            ("body", "an answer with this status has no body")
        } else if self.media_type.as_deref().is_some_and(|text| !is_media_type(text)) {
            ("mediaType", "the media type has to be one, such as text/plain or application/json; charset=utf-8")
        } else if self.media_type.is_some() && self.body.is_none() {
            ("mediaType", "the media type is that of the body: give a body as well, or leave it out")
        } else {
            return Ok(());
        };
        Err(FaultError::in_member(member, wrong))
    }

    /// Refuses what has no effect on this sandbox, too.
    pub(super) fn check_for(&self, known: &dyn Operations) -> Result<(), FaultError> {
        if self.outcome.is_some() && !known.has_outcomes() {
            let wrong = "the work of this sandbox has no outcomes: leave outcome out";
            return Err(FaultError::in_member("fault", wrong));
        }
        self.check()
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
        let date = "Wed, 21 Oct 2015 07:28:00 GMT";
        let dated = Fault { status: Some(503), retry_after: Some(date.to_owned()), ..Fault::default() };
        let with_date = "retry-after=Wed, 21 Oct 2015 07:28:00 GMT, status=503";
        for (text, fault) in [(text, late), ("status=429,truncate=10", early), (with_date, dated)] {
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

    #[test]
    fn what_would_have_no_effect_is_refused() {
        for (text, says) in [
            ("status=503, retry-after=soon", "seconds or a date"),
            ("status=503, retry-after=", "seconds or a date"),
            ("status=503, retry-after=-1", "seconds or a date"),
            ("status=503, retry-after=1.5", "seconds or a date"),
            ("status=503, retry-after=Wed, 32 Oct 2015 07:28:00 GMT", "seconds or a date"),
            ("retry-after=1", "give status"),
            ("latency=1, retry-after=1", "give status"),
        ] {
            let error = text.parse::<Fault>().unwrap_err();
            assert!(error.to_string().contains(says), "{text}: {error}");
        }
        let body = || Some("{}".to_owned());
        for media_type in ["", " ", "json", "text/", "/plain", "text/*", "*/*", "a\nb", "text/plain\r\nx: y"] {
            let fault = Fault { body: body(), media_type: Some(media_type.to_owned()), ..Fault::default() };
            assert!(fault.check().unwrap_err().to_string().contains("the media type has to be one"), "{media_type:?}");
        }
        for media_type in ["text/plain; charset=utf-8", "application/problem+json", "APPLICATION/json"] {
            let fault = Fault { body: body(), media_type: Some(media_type.to_owned()), ..Fault::default() };
            assert_eq!(fault.check(), Ok(()), "{media_type}");
            assert!(Fault { body: None, ..fault }.check().unwrap_err().to_string().contains("give a body"));
        }
    }
}
