//! Documentation from a contract's prose.

use std::fmt;

use super::Ident;
use super::code::Code;
use super::inert::{inert, inert_whole};

/// Documentation that is composed of text of the generator and of texts in which everything is closed, so that a
/// following text is not part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Docs {
    text: String,
}

impl Docs {
    pub(crate) fn push(&mut self, words: impl Words) {
        words.write(&mut self.text);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Without blanks around it.
    pub(crate) fn trimmed(&self) -> Self {
        Self { text: self.text.trim().to_owned() }
    }

    /// As a cell of a table.
    pub(crate) fn cell(&self) -> Self {
        Self { text: self.text.replace('|', "\\|") }
    }

    /// The texts, with another between each two.
    pub(crate) fn join(separator: &'static str, parts: impl IntoIterator<Item = Self>) -> Self {
        let mut docs = Self::default();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                docs.push(separator);
            }
            docs.push(part);
        }
        docs
    }
}

/// The parts of [`Docs`].
pub(crate) trait Words: SealedWords {}

impl<W: SealedWords> Words for W {}

pub(crate) trait SealedWords {
    fn write(&self, into: &mut String);
}

impl SealedWords for &'static str {
    fn write(&self, into: &mut String) {
        into.push_str(self);
    }
}

impl SealedWords for Docs {
    fn write(&self, into: &mut String) {
        into.push_str(&self.text);
    }
}

impl SealedWords for &Docs {
    fn write(&self, into: &mut String) {
        into.push_str(&self.text);
    }
}

impl SealedWords for &Ident {
    fn write(&self, into: &mut String) {
        into.push_str(self);
    }
}

impl fmt::Display for Docs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Composes [`Docs`] of the given words.
macro_rules! docs {
    ($($words:expr),* $(,)?) => {{
        let mut docs = $crate::text::docs::Docs::default();
        $(docs.push($words);)*
        docs
    }};
}

pub(crate) use docs;

/// Lines of `///`. Whatever the text is composed of, no line of it becomes code, a doctest or HTML.
pub(crate) fn comment(docs: &Docs) -> Code {
    marked(docs, "///")
}

/// Lines of `//!`, for the module that they open.
pub(crate) fn module_comment(docs: &Docs) -> Code {
    marked(docs, "//!")
}

fn marked(docs: &Docs, mark: &str) -> Code {
    let mut out = Code::default();
    for line in inert_whole(&docs.text).lines() {
        out.append(mark);
        if !line.is_empty() {
            out.append(" ");
            out.append(line);
        }
        out.append("\n");
    }
    out
}

/// A text with everything in it closed.
pub(crate) fn closed(text: &str) -> Docs {
    Docs { text: inert(text) }
}

/// As [`closed`], and the name on the wire where nothing of the text can be seen.
pub(crate) fn closed_or(text: &str, wire: &str) -> Docs {
    let prose = closed(text);
    if prose.is_empty() { span(wire) } else { prose }
}

/// The first line of a text.
pub(crate) fn first_line(text: &str) -> Docs {
    let prose = inert(text);
    let line = prose.lines().find(|line| !line.is_empty() && !line.starts_with("```"));
    Docs { text: line.unwrap_or_default().to_owned() }
}

/// A text as a code span, on one line.
pub(crate) fn span(text: &str) -> Docs {
    Docs { text: format!("`{}`", super::line(text).replace('`', "'")) }
}
