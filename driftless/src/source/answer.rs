//! An HTTP response, and its description in messages.

use std::time::Duration;

use driftless_codegen::line;
use driftless_runtime::StatusCode;
use url::Url;

use super::address::stripped;
use crate::console::redacted;

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The requested URL.
    pub(crate) asked: Url,
    /// The URL of the response, after redirects.
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

/// Statuses of a server that failed, which may be over at once.
pub(super) fn is_failing(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
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
        format!("{} sent {}, {kind}, {}", stripped(&self.url), self.status, first_line(&self.body))
    }

    /// The words of a server that failed, for a message of several lines: without markup, without a stack, and cut off.
    pub(super) fn words(&self) -> String {
        const LINES: usize = 6;
        let text = String::from_utf8_lossy(self.body.get(..65_536).unwrap_or(&self.body));
        let text = if self.is_html() { without_markup(&text) } else { text.into_owned() };
        let is_stack = |line: &str| line.starts_with("at ") || line.starts_with("--- End of");
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_stack(line));
        let lines = lines.take(LINES).map(|line| format!("\n  | {}", clip_to(line, 400)));
        lines.collect()
    }

    /// A page for people instead of a document.
    pub(crate) fn is_html(&self) -> bool {
        let start = self.body.trim_ascii_start();
        let starts = |text: &[u8]| start.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text));
        self.content_type.trim_start().to_ascii_lowercase().starts_with("text/html") && !start.starts_with(b"{")
            || starts(b"<!doctype html")
            || starts(b"<html")
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

/// The text of a page, a line for each element.
fn without_markup(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        text.push('\n');
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        let end = match name.to_ascii_lowercase().as_str() {
            "script" => "</script>",
            "style" => "</style>",
            _ => ">",
        };
        rest = tag.split_once(end).map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let entities = [
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#x2B;", "+"),
        ("&#x60;", "`"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(text, |text, (entity, letter)| text.replace(entity, letter))
}

/// The beginning of a line, without control characters. Secrets go before it is cut: a part of one says too much as well.
pub(super) fn clip(text: &str) -> String {
    clip_to(text, 100)
}

fn clip_to(text: &str, width: usize) -> String {
    let text = redacted(text);
    let text = line(&text);
    let mut clipped: String = text.chars().take(width).collect();
    if text.chars().count() > width {
        clipped.push('…');
    }
    clipped
}
