//! Media types of messages.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// The media type of server-sent events.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The media type of a request or response header, in lower case and without its parameters.
pub fn essence(headers: &HeaderMap) -> String {
    essence_of(headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default())
}

/// A media type in lower case and without its parameters.
pub fn essence_of(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
