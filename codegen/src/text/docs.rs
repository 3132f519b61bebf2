//! Documentation from a contract's prose.

use std::fmt;

use super::Ident;
use super::code::Code;
use super::html::markdown;
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

    /// With links for the code spans that `resolve` knows, to items of the crate by their paths.
    pub(crate) fn linked<'n>(&self, resolve: impl Fn(&str) -> Option<&'n Self>) -> Self {
        let mut text = String::with_capacity(self.text.len());
        let mut in_fence = false;
        for line in self.text.split_inclusive('\n') {
            let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
            in_fence ^= is_fence;
            let has_spans = !line.contains("``") && line.matches('`').count() % 2 == 0;
            if in_fence || is_fence || !has_spans {
                text.push_str(line);
                continue;
            }
            // Every other part is a code span.
            let parts: Vec<&str> = line.split('`').collect();
            for (index, part) in parts.iter().enumerate() {
                if index % 2 == 0 {
                    text.push_str(part);
                    continue;
                }
                let before = parts.get(index.wrapping_sub(1)).is_some_and(|before| before.ends_with(['[', '\\']));
                let after = parts.get(index + 1).is_some_and(|after| after.starts_with(']'));
                match resolve(part).filter(|_| !before && !after) {
                    Some(path) => text.push_str(&format!("[`{part}`]({path})")),
                    None => text.push_str(&format!("`{part}`")),
                }
            }
        }
        Self { text }
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
    let text = inert_whole(&docs.text);
    let mut out = Code::with_room(text.len() * 5 / 4);
    for line in text.lines() {
        out.append(mark);
        if !line.is_empty() {
            out.append(" ");
            out.append(line);
        }
        out.append("\n");
    }
    out
}

/// A text with everything in it closed; its HTML is Markdown.
pub(crate) fn closed(text: &str) -> Docs {
    Docs { text: inert(&markdown(text)) }
}

/// As [`closed`], and the name on the wire where nothing of the text can be seen.
pub(crate) fn closed_or(text: &str, wire: &str) -> Docs {
    let prose = closed(text);
    if prose.is_empty() { span(wire) } else { prose }
}

/// The first line of a text.
pub(crate) fn first_line(text: &str) -> Docs {
    let prose = inert(&markdown(text));
    let line = prose.lines().find(|line| !line.is_empty() && !line.starts_with("```"));
    Docs { text: line.unwrap_or_default().to_owned() }
}

/// A text as a code span, on one line.
pub(crate) fn span(text: &str) -> Docs {
    Docs { text: ["`", &super::line(text).replace('`', "'"), "`"].concat() }
}

#[cfg(test)]
mod tests {
    use super::{closed, inert_whole};

    #[test]
    fn code_spans_that_name_a_type_are_links() {
        let paths = [
            ("Order", docs!["crate::types::Order"]),
            ("GET /orders/{id}", docs!["crate::families::orders::Orders::get_order"]),
        ];
        let resolve = |name: &str| paths.iter().find(|(known, _)| *known == name).map(|(_, path)| path);
        let linked = |text: &str| closed(text).linked(resolve).to_string();
        let link = "[`Order`](crate::types::Order)";
        for (text, expected) in [
            ("an `Order` of `Other`, <see cref=\"T:Shop.Order\"/>", format!("an {link} of `Other`, {link}")),
            (
                "see `GET /orders/{id}`, not `GET /orders`",
                "see [`GET /orders/{id}`](crate::families::orders::Orders::get_order), not `GET /orders`".to_owned(),
            ),
            ("[`Order`](https://a.example)", "[`Order`](https://a.example)".to_owned()),
            ("an `open Order", "an `open Order".to_owned()),
            ("``Order``", "``Order``".to_owned()),
            ("```text\n`Order`\n```\n`Order`", format!("```text\n`Order`\n```\n{link}")),
            ("Order `a` b `", "Order `a` b `".to_owned()),
        ] {
            assert_eq!(linked(text), expected, "{text}");
            assert_eq!(inert_whole(&linked(text)), linked(text), "{text}");
        }
    }
}
