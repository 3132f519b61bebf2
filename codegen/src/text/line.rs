//! Part of one line of a report.

use std::borrow::Cow;

use super::hidden::is_hidden;

/// Returns the text as part of one line: characters that end a line, control a terminal or are invisible are escaped.
///
/// ```
/// assert_eq!(driftless_codegen::line("/a\nb\u{1b}[2J\u{202e}"), r"/a\nb\u{1b}[2J\u{202e}");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}
