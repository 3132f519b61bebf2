//! Documentation from a contract's prose.

use super::inert::{inert, inert_whole};

/// Lines of `///`. Whatever the text is composed of, no line of it becomes code, a doctest or HTML.
pub(crate) fn comment(text: &str) -> String {
    marked(text, "///")
}

/// Lines of `//!`, for the module that they open.
pub(crate) fn module_comment(text: &str) -> String {
    marked(text, "//!")
}

fn marked(text: &str, mark: &str) -> String {
    let mut out = String::new();
    for line in inert_whole(text).lines() {
        out.push_str(mark);
        if !line.is_empty() {
            out.push(' ');
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// The text with everything in it closed, so that what is put behind it is not part of it.
pub(crate) fn closed(text: &str) -> String {
    inert(text)
}

/// As [`closed`], and the name on the wire where nothing of the text can be seen.
pub(crate) fn closed_or(text: &str, wire: &str) -> String {
    let prose = closed(text);
    if prose.is_empty() { span(wire) } else { prose }
}

/// The first line of a text.
pub(crate) fn first_line(text: &str) -> String {
    let prose = inert(text);
    prose.lines().find(|line| !line.is_empty() && !line.starts_with("```")).unwrap_or_default().to_owned()
}

/// A text as a code span, on one line.
pub(crate) fn span(text: &str) -> String {
    format!("`{}`", super::line(text).replace('`', "'"))
}
