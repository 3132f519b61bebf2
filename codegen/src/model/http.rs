//! Terms of HTTP: tokens and media types.

/// Returns whether a text is a token: a name of a header, or a method (RFC 9110, section 5.6.2).
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

/// Returns whether a media type is JSON, or a range that includes JSON.
pub(super) fn is_json(media_type: &str) -> bool {
    let name = essence(media_type);
    matches!(
        name.as_str(),
        "application/json" | "text/json" | "*/*" | "application/*" | "application/*+json" | "text/x-json"
    ) || name.ends_with("+json")
}

/// A body's entry in the lock: its media type, abbreviated if it is the usual one of its kind.
pub(super) fn word(media_type: &str) -> String {
    let (normal, kind) = (normal(media_type), kind(media_type));
    let is_plain = normal.bytes().all(|byte| byte.is_ascii_graphic());
    if normal != usual(kind) && is_plain { normal } else { kind.to_owned() }
}

/// Distance of a media type from the entry in the lock: the same, of the same kind, of another.
pub(super) fn distance(media_type: &str, locked: &str) -> u8 {
    let (before, known) = match locked.contains('/') {
        true => (locked, kind(locked)),
        false => (usual(locked), locked),
    };
    match normal(media_type) == before {
        true => 0,
        false if kind(media_type) == known => 1,
        false => 2,
    }
}

/// The kind of a media type, as the lock has it.
fn kind(media_type: &str) -> &'static str {
    match class(media_type) {
        _ if essence(media_type) == "text/event-stream" => "events",
        MediaClass::Json => "json",
        MediaClass::Text => "text",
        MediaClass::Xml => "xml",
        MediaClass::Form => "form",
        MediaClass::Multipart => "multipart",
        MediaClass::Binary => "bytes",
    }
}

/// The media type that a kind alone stands for.
fn usual(kind: &str) -> &'static str {
    match kind {
        "events" => "text/event-stream",
        "json" => "application/json",
        "text" => "text/plain",
        "xml" => "application/xml",
        "form" => "application/x-www-form-urlencoded",
        "multipart" => "multipart/form-data",
        "bytes" => "application/octet-stream",
        _ => "",
    }
}

/// A media type with its parameters, written in one way.
fn normal(media_type: &str) -> String {
    media_type.chars().filter(|character| !character.is_whitespace()).collect::<String>().to_lowercase()
}

/// The charset that a media type names and its media type in UTF-8, if it names another one: JSON then names none (RFC 8259,
/// section 11).
pub(super) fn in_utf8(media_type: &str) -> Option<(&str, String)> {
    let value = |part: &'_ str| -> Option<String> {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_lowercase())
    };
    let other =
        media_type.split(';').find(|part| value(part).is_some_and(|value| !["utf-8", "utf8"].contains(&&*value)))?;
    let charset = other.split_once('=').map_or(other, |(_, value)| value.trim().trim_matches('"'));
    let mut parts: Vec<&str> = media_type.split(';').filter(|part| value(part).is_none()).map(str::trim).collect();
    if !is_json(media_type) {
        parts.push("charset=utf-8");
    }
    Some((charset, parts.join("; ")))
}

/// A media type without its parameters, in lower case.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_lowercase()
}
