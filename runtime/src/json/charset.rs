//! Decodes the bytes of a body: the only place that reads the charset of a response.

use std::borrow::Cow;

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};
use http::HeaderValue;

/// Returns the text of a body, without its byte-order mark. The encoding is that of the mark, else the `charset` of the media type, else
/// UTF-8. The error is the reason why it is not text.
pub(crate) fn text<'a>(kind: Option<&HeaderValue>, body: &'a [u8]) -> Result<Cow<'a, str>, String> {
    decoded(body, label(kind).as_deref())
}

/// Returns the text of a JSON body. JSON is UTF-8 (RFC 8259 §8.1) and its media type has no `charset` (§11), so bytes that are JSON in UTF-8 are
/// read as such whatever the header says; the header counts for others.
pub(crate) fn json<'a>(kind: Option<&HeaderValue>, body: &'a [u8]) -> Result<Cow<'a, str>, String> {
    match std::str::from_utf8(body) {
        Ok(text) if !has_control(body) => Ok(Cow::Borrowed(text.trim_start_matches('\u{feff}'))),
        Ok(text) => match decoded(body, label(kind).as_deref()) {
            Err(_) => Ok(Cow::Borrowed(text)),
            other => other,
        },
        Err(_) => decoded(body, label(kind).as_deref()),
    }
}

/// Returns whether a body has control characters, which JSON does not. Text in UTF-16 and ISO-2022 has them, and can be valid UTF-8.
fn has_control(body: &[u8]) -> bool {
    let is_control = |byte: &u8| (*byte < b' ') & !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without a branch for each byte, the compiler compares many at once.
    body.chunks(256).any(|chunk| chunk.iter().fold(false, |any, byte| any | is_control(byte)))
}

/// Returns a JSON body as UTF-8; unchanged if it is not text.
pub(crate) fn json_bytes(kind: Option<&HeaderValue>, body: &Bytes) -> Bytes {
    match json(kind, body) {
        Ok(Cow::Borrowed(text)) => body.slice_ref(text.as_bytes()),
        Ok(Cow::Owned(text)) => text.into(),
        Err(_) => body.clone(),
    }
}

/// Returns the text of an XML document, as [`text`] does. Without mark and `charset`, the encoding is that of its declaration (RFC 7303 §3).
#[cfg(feature = "xml")]
pub(crate) fn xml<'a>(kind: Option<&HeaderValue>, body: &'a [u8]) -> Result<Cow<'a, str>, String> {
    let head = String::from_utf8_lossy(body.get(..body.len().min(200)).unwrap_or_default());
    let declaration = head.strip_prefix("<?xml").and_then(|rest| Some(rest.split_once("?>")?.0));
    let declared = declaration.and_then(|declaration| {
        let (_, encoding) = declaration.split_once("encoding")?;
        let encoding = encoding.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '=');
        Some(encoding.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?.to_owned())
    });
    decoded(body, label(kind).or(declared).as_deref())
}

/// Returns the text of a body that declares another encoding than UTF-8, with U+FFFD for invalid bytes.
pub(crate) fn foreign(kind: Option<&HeaderValue>, body: &[u8]) -> Option<String> {
    let labelled = || Encoding::for_label(label(kind)?.as_bytes());
    let encoding = Encoding::for_bom(body).map(|(encoding, _)| encoding).or_else(labelled)?;
    (encoding != UTF_8).then(|| encoding.decode(body).0.into_owned())
}

/// Returns the `charset` of a media type.
fn label(kind: Option<&HeaderValue>) -> Option<String> {
    let mut parameters = kind?.to_str().ok()?.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, label) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(label.trim().trim_matches(['"', '\'']).to_owned())
}

fn decoded<'a>(body: &'a [u8], label: Option<&str>) -> Result<Cow<'a, str>, String> {
    let (encoding, mark) = match (Encoding::for_bom(body), label) {
        (Some(marked), _) => marked,
        (None, None) => (UTF_8, 0),
        (None, Some(label)) => {
            let known = Encoding::for_label(label.as_bytes());
            (known.ok_or_else(|| format!("the charset `{label}` is unknown"))?, 0)
        }
    };
    encoding
        .decode_without_bom_handling_and_without_replacement(body.get(mark..).unwrap_or_default())
        .ok_or_else(|| format!("the body is not text in the charset {}", encoding.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_character_counts_at_each_position() {
        for length in [1, 255, 256, 257, 600] {
            for position in [0, length / 2, length - 1] {
                for (byte, expected) in [(0, true), (0x1b, true), (b'\t', false), (b'\n', false), (b' ', false)] {
                    let mut body = vec![b'x'; length];
                    body[position] = byte;
                    assert_eq!(has_control(&body), expected, "{byte} at {position} of {length}");
                }
            }
        }
        assert!(!has_control(b""));
    }
}
