//! The words of a report: code stands between backticks, and strong words between double asterisks.

/// The meaning of a part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    Plain,
    Code,
    Strong,
}

/// The parts of a sentence, from left to right. Asterisks in code are a part of it.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (Inline, &str)> {
    text.split('`').enumerate().flat_map(|(index, part)| {
        let is_code = index % 2 == 1;
        let parts: Vec<&str> = if is_code { vec![part] } else { part.split("**").collect() };
        parts.into_iter().enumerate().map(move |(index, part)| match (is_code, index % 2 == 1) {
            (true, _) => (Inline::Code, part),
            (false, true) => (Inline::Strong, part),
            (false, false) => (Inline::Plain, part),
        })
    })
}
