//! JSON pointers and references inside of the document.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// A chain of references that is longer leads nowhere.
const MOST_REFERENCES: usize = 64;

/// One token of a JSON pointer.
pub(crate) fn escape(token: &str) -> Cow<'_, str> {
    if !token.contains(['~', '/']) {
        return Cow::Borrowed(token);
    }
    Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
}

/// Follows the references at a pointer. Returns the last pointer and its value; `None` if a reference points at nothing, at
/// itself, or into another document.
pub(crate) fn resolve<'d>(document: &'d Value, pointer: &str) -> Option<(String, &'d Value)> {
    let mut pointer = pointer.to_owned();
    for _ in 0..MOST_REFERENCES {
        let value = document.pointer(&pointer)?;
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Some((pointer, value)) };
        pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?.into_owned();
    }
    None
}
