//! The pairs of a query string or of a form. Values keep their encoding: a delimiter is only one if it is not encoded.

use percent_encoding::percent_decode;

/// Pairs of one query or form that are read.
const MOST_PAIRS: usize = 10_000;

#[derive(Clone, Debug)]
pub(super) struct Pair<'q> {
    pub(super) name: String,
    /// As it was sent.
    pub(super) raw: &'q str,
}

pub(super) fn pairs(text: &str) -> Vec<Pair<'_>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty()).take(MOST_PAIRS);
    pairs
        .map(|pair| {
            let (name, raw) = pair.split_once('=').unwrap_or((pair, ""));
            Pair { name: decode(name), raw }
        })
        .collect()
}

/// The text of an encoded one. A plus sign is a space.
pub(super) fn decode(raw: &str) -> String {
    let raw = raw.replace('+', " ");
    percent_decode(raw.as_bytes()).decode_utf8_lossy().into_owned()
}

/// The steps of a name such as `filter[user][name]`: `filter`, `user`, `name`. An empty step, `ids[]`, stands for a list.
pub(super) fn steps(name: &str) -> Option<Vec<&str>> {
    let (first, rest) = name.split_once('[')?;
    let rest = rest.strip_suffix(']')?;
    let steps: Vec<&str> = std::iter::once(first).chain(rest.split("][")).collect();
    (!first.is_empty() && steps.len() <= 16).then_some(steps)
}
