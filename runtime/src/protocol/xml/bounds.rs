//! Limits for things in a document that a parser compares with each other: their cost is quadratic.

use std::collections::BTreeSet;

/// The most attributes of an element.
const ATTRIBUTES: usize = 256;

/// The most namespace prefixes of a document.
const PREFIXES: usize = 64;

/// Refuses a document that would keep a parser busy for long. It scans only the text, in one pass.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte == b'<' && !matches!(bytes.get(at), Some(b'!' | b'?' | b'/')) {
            at = tag(bytes, at)?;
        }
    }
    let mut prefixes = BTreeSet::new();
    for (at, declares) in text.match_indices("xmlns:") {
        let rest = text.get(at + declares.len()..).unwrap_or_default();
        let end = rest.find(|c: char| c == '=' || c.is_ascii_whitespace()).unwrap_or(rest.len());
        prefixes.insert(rest.get(..end).unwrap_or_default());
        if prefixes.len() > PREFIXES {
            return Err(format!("the document declares more than {PREFIXES} prefixes of namespaces"));
        }
    }
    Ok(())
}

/// Returns the position after the opening tag whose name starts at `at`.
fn tag(bytes: &[u8], mut at: usize) -> Result<usize, String> {
    let start = at;
    let mut attributes = 0;
    let mut quote = None;
    while let Some(byte) = bytes.get(at) {
        match (byte, quote) {
            // A value cannot contain this character: this was not a tag.
            (b'<', _) => return Ok(at),
            (b'>', None) => return Ok(at + 1),
            (b'"' | b'\'', None) => {
                quote = Some(*byte);
                attributes += 1;
                if attributes > ATTRIBUTES {
                    return Err(format!("an element has more than {ATTRIBUTES} attributes, at byte {start}"));
                }
            }
            (byte, Some(open)) if *byte == open => quote = None,
            _ => {}
        }
        at += 1;
    }
    Ok(at)
}
