//! What a server answered, and what is said of it.

use std::time::Duration;

use platform_codegen::line;
use platform_runtime::StatusCode;
use url::Url;

use super::address::shown;
use super::http::{Http, OFFLINE};
use crate::console::redacted;
use crate::failure::{Exit, Failure};

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// What was asked.
    pub(crate) asked: Url,
    /// Where the answer came from, after redirects.
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    pub(crate) content_type: String,
    pub(crate) etag: Option<String>,
    pub(crate) body: Vec<u8>,
    pub(crate) challenge: Option<String>,
    /// When the server wants to be asked again.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) location: Option<String>,
}

/// Statuses of a server that is busy for now.
pub(super) fn is_busy(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
}

pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

impl Answer {
    /// Status, content type and first line, for messages.
    pub(crate) fn described(&self) -> String {
        let kind = match self.content_type.as_str() {
            "" => "no content type".to_owned(),
            kind => clip(kind),
        };
        format!("{} sent {}, {kind}, {}", shown(&self.url), self.status, first_line(&self.body))
    }

    /// A page for people instead of a document.
    pub(crate) fn is_html(&self) -> bool {
        let start = self.body.trim_ascii_start();
        let starts = |text: &[u8]| start.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text));
        self.content_type.trim_start().to_ascii_lowercase().starts_with("text/html") && !start.starts_with(b"{")
            || starts(b"<!doctype html")
            || starts(b"<html")
    }

    /// Why an error status ends the work.
    pub(crate) fn refused(&self, http: &Http<'_>) -> Failure {
        let place = shown(&self.url);
        let authorized = http.is_authorized_for(&self.url);
        let (code, hint) = match self.status {
            StatusCode::UNAUTHORIZED if authorized => {
                ("download/unauthorized", "the service does not accept the token: check issuer, client and scope")
            }
            StatusCode::UNAUTHORIZED if http.has_token() => (
                "download/unauthorized",
                "the token is for the origin of the base URL, which this is not: name the contract's own base URL and token in \
                 [[source.document]] of specs/codegen.toml",
            ),
            StatusCode::UNAUTHORIZED => (
                "download/unauthorized",
                "the contract needs a token: set one of the sources that [source.token] in specs/codegen.toml names",
            ),
            StatusCode::FORBIDDEN => {
                ("download/forbidden", "the caller may not read the contract: check its scope and roles")
            }
            status if is_busy(status) => ("download/busy", "try again later, or allow a longer wait with --timeout"),
            _ => {
                ("download/status", "check the address; [[source.document]] in specs/codegen.toml names the contract's")
            }
        };
        let pause = self.retry_after.filter(|_| is_busy(self.status));
        let pause = pause.map(|pause| format!(", and asks for a pause of {}", seconds(pause))).unwrap_or_default();
        let challenge = self.challenge.as_deref().map(|text| format!(" ({})", clip(text))).unwrap_or_default();
        Failure::new(
            Exit::Download,
            code,
            format!("{place} answered {}{challenge}{pause}", self.status),
            format!("{hint}\n{OFFLINE}"),
        )
    }
}

/// The first line of a body, clipped, without control characters.
pub(crate) fn first_line(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..65_536).unwrap_or(body));
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("first line: {}", clip(line)),
        None => "an empty body".to_owned(),
    }
}

/// The beginning of a line, without control characters. Secrets go before it is cut: a part of one says too much as well.
pub(super) fn clip(text: &str) -> String {
    const WIDTH: usize = 100;
    let text = redacted(text);
    let text = line(&text);
    let mut clipped: String = text.chars().take(WIDTH).collect();
    if text.chars().count() > WIDTH {
        clipped.push('…');
    }
    clipped
}
