//! Terms of HTTP: tokens and media types.

/// Whether a text can be the name of a header, or a method (RFC 9110, section 5.6.2).
pub(super) fn is_token(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

/// Kinds of media types that differ for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MediaClass {
    Json,
    Multipart,
    Form,
    Binary,
    Text,
    Xml,
}

/// The kind of a media type.
pub(super) fn class(media_type: &str) -> MediaClass {
    let name = essence(media_type);
    match name.as_str() {
        _ if is_json(&name) => MediaClass::Json,
        "application/x-www-form-urlencoded" => MediaClass::Form,
        _ if name.starts_with("multipart/") => MediaClass::Multipart,
        _ if name.ends_with("/xml") || name.ends_with("+xml") => MediaClass::Xml,
        _ if name.starts_with("text/") => MediaClass::Text,
        _ => MediaClass::Binary,
    }
}

/// Whether a media type is JSON, or open to it.
pub(super) fn is_json(media_type: &str) -> bool {
    let name = essence(media_type);
    matches!(
        name.as_str(),
        "application/json" | "text/json" | "*/*" | "application/*" | "application/*+json" | "text/x-json"
    ) || name.ends_with("+json")
}

/// A media type without its parameters, in lower case.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_lowercase()
}
