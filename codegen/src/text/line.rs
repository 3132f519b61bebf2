//! Part of one line of a report.

use std::borrow::Cow;

use super::hidden::{is_hidden, is_visible_ascii};

/// Returns the text as part of one line: characters that end a line, control a terminal or are invisible are escaped. Azure DevOps takes
/// `##vso[…]` and `##[…]` for commands anywhere in a log, so they are taken apart.
///
/// ```
/// assert_eq!(driftless_codegen::line("/a\nb\u{1b}[2J\u{202e}"), r"/a\nb\u{1b}[2J\u{202e}");
/// assert_eq!(driftless_codegen::line("/##vso[task.complete]"), "/# #vso[task.complete]");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    if text.contains('#') && text.contains("##") && commands(text).next().is_some() {
        let mut apart = text.to_owned();
        commands(text).collect::<Vec<_>>().into_iter().rev().for_each(|at| apart.insert(at + 1, ' '));
        return Cow::Owned(escaped(&apart).into_owned());
    }
    escaped(text)
}

/// The places at which commands of a build log begin.
fn commands(text: &str) -> impl Iterator<Item = usize> {
    let is_command =
        |rest: &str| rest.starts_with('[') || rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("vso["));
    text.char_indices()
        .map(|(at, _)| at)
        .filter(move |at| text.get(*at..).and_then(|rest| rest.strip_prefix("##")).is_some_and(is_command))
}

fn escaped(text: &str) -> Cow<'_, str> {
    // Most texts are in ASCII.
    if is_visible_ascii(text) || !text.chars().any(is_hidden) {
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

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn no_text_is_a_command_of_a_build_log() {
        for text in ["##vso[task.complete]", "a ##[error]b ##VSO[x]", "###vso[a]##[b]", "##\u{1b}vso[a]", "é##vso[é]"]
        {
            let escaped = line(text).to_lowercase();
            assert!(!escaped.contains("##vso[") && !escaped.contains("##["), "{escaped}");
        }
        assert_eq!(line("## Heading, and ##"), "## Heading, and ##");
    }
}
