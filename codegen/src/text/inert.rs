//! Prose of others, as Markdown in which nothing runs.
//!
//! `rustdoc` reads documentation as Markdown, takes every code block without a language for Rust, and runs it; it passes
//! HTML on as it is, and looks brackets up as names of the crate. So the text is parsed as `rustdoc` parses it. Whatever the
//! parser finds of these is rewritten, and the result parsed again, until it finds nothing any more.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Options, Parser, Tag};

use super::hidden::{ends_line, is_hidden, is_visible_ascii};

/// Limit of rounds. A rewrite may reveal another construct, such as a list in a former code block. After the last
/// round, the text is presented verbatim.
const ROUNDS: usize = 8;

/// A paragraph behind the text, by which one sees that everything in it is closed.
const END: &str = "\n\nend";

/// Escapes Markdown and HTML. Idempotent.
pub(super) fn inert(text: &str) -> String {
    harmless(text, false)
}

/// As [`inert`], for text that the generator composed of such texts: its own links lead to items of the crate.
pub(super) fn inert_whole(text: &str) -> String {
    harmless(text, true)
}

fn harmless(text: &str, own: bool) -> String {
    let mut text = tidy(text);
    for _ in 0..ROUNDS {
        let constructs = Constructs::from_text(&text);
        if constructs == Constructs::None {
            return text;
        }
        let Some(edits) = edits(&text, own, constructs) else { break };
        if edits.is_empty() {
            return text;
        }
        text = tidy(&apply(&text, edits));
    }
    as_written(&text)
}

/// The constructs that a tidy text can contain, by its signs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Constructs {
    /// It need not be parsed.
    None,
    /// Links, but no code blocks and no HTML.
    Links,
    Any,
}

impl Constructs {
    fn from_text(text: &str) -> Self {
        let (mut before, mut run, mut has_bracket) = (0, 0, false);
        for byte in text.bytes() {
            run = if byte == before { run + 1 } else { 1 };
            before = byte;
            match byte {
                b'<' => return Self::Any,
                b'`' | b'~' if run == 3 => return Self::Any,
                b' ' if run == 4 => return Self::Any,
                b'[' => has_bracket = true,
                _ => {}
            }
        }
        if has_bracket { Self::Links } else { Self::None }
    }
}

/// The text without hidden characters, with lines that end as lines do, at most one blank line in a row, and no
/// indentation that all lines share.
fn tidy(text: &str) -> String {
    if text.is_empty() || is_tidy(text) { text.to_owned() } else { tidied(text) }
}

fn tidied(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split("\r\n").flat_map(|part| part.split(ends_line)) {
        let mut kept = String::with_capacity(line.len());
        if is_visible_ascii(line) {
            kept.push_str(line);
        } else {
            for c in line.chars() {
                match c {
                    '\t' => kept.push_str("    "),
                    c if is_hidden(c) => {}
                    c => kept.push(c),
                }
            }
        }
        kept.truncate(kept.trim_end().len());
        if !(kept.is_empty() && lines.last().is_none_or(String::is_empty)) {
            lines.push(kept);
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let indentation = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let shared = lines.iter().filter(|line| !line.is_empty()).map(indentation).min().unwrap_or_default();
    let lines: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or_default()).collect();
    lines.join("\n")
}

/// Returns whether [`tidy`] would change nothing, as in most texts.
fn is_tidy(text: &str) -> bool {
    // These are the two bytes before. A text begins like a line behind a blank one.
    let (mut second, mut last) = (b'\n', b'\n');
    let mut has_margin = false;
    for byte in text.bytes() {
        match byte {
            b'\n' if last == b' ' || (second, last) == (b'\n', b'\n') => return false,
            b'\n' | b' ' => {}
            b'!'..=b'~' => has_margin |= last == b'\n',
            _ => return is_tidy_beyond_ascii(text),
        }
        (second, last) = (last, byte);
    }
    has_margin && !matches!(last, b' ' | b'\n')
}

fn is_tidy_beyond_ascii(text: &str) -> bool {
    let is_foreign = |c: char| c == '\t' || ends_line(c) || is_hidden(c);
    let (mut is_behind_blank, mut has_margin) = (true, false);
    for line in text.split('\n') {
        if line.contains(is_foreign) || line.is_empty() && is_behind_blank || line.ends_with(char::is_whitespace) {
            return false;
        }
        is_behind_blank = line.is_empty();
        has_margin |= !line.is_empty() && !line.starts_with(' ');
    }
    has_margin && !is_behind_blank
}

/// The extensions with which `rustdoc` renders.
fn rendering() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_SMART_PUNCTUATION
}

type Edit = (Range<usize>, &'static str);

/// The necessary rewrites; empty if the text is inert. `None` if the parser's result is contradictory.
fn edits(text: &str, own: bool, constructs: Constructs) -> Option<Vec<Edit>> {
    let probe = format!("{text}{END}");
    let mut edits = Vec::new();
    // `rustdoc` renders with extensions, and looks for tests without. Tests are code blocks.
    let tests = (constructs == Constructs::Any).then(Options::empty);
    for options in [rendering()].into_iter().chain(tests) {
        let links = options.contains(Options::ENABLE_TABLES);
        let unknown = |_: BrokenLink<'_>| Some((CowStr::from(""), CowStr::from("")));
        let parser = Parser::new_with_broken_link_callback(&probe, options, Some(unknown));
        let mut depth = 0_usize;
        // The code block around an event: indented, or with the end of its fence.
        let mut code: Option<Option<Range<usize>>> = None;
        let mut is_closed = false;
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    match tag {
                        Tag::CodeBlock(CodeBlockKind::Indented) => code = Some(None),
                        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => {
                            let (fence, language) = fence(&probe, range.start)?;
                            if probe.get(language.clone()) != Some("text") {
                                edits.push((language, "text"));
                            }
                            code = Some(Some(fence));
                        }
                        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }
                            if links && !is_safe(&dest_url, own) =>
                        {
                            edits.push(bracket(&probe, &range)?);
                        }
                        _ => {}
                    }
                    depth += 1;
                }
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    if code.is_some() && matches!(event, Event::End(pulldown_cmark::TagEnd::CodeBlock)) {
                        code = None;
                    }
                }
                Event::Html(_) | Event::InlineHtml(_) => {
                    let brackets = probe.get(range.clone())?.match_indices('<');
                    edits.extend(brackets.map(|(at, _)| (range.start + at..range.start + at, "\\")));
                }
                Event::Text(_) => {
                    let ends = range.end == probe.len();
                    is_closed |= ends && depth == 1 && code.is_none();
                    match &code {
                        Some(None) => edits.extend(indentation(&probe, &range)),
                        Some(Some(fence)) if ends => edits.push((text.len()..text.len(), closing(&probe, fence))),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if !is_closed && edits.is_empty() {
            return None;
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    edits.dedup();
    Some(edits)
}

/// Returns whether a link may lead there.
fn is_safe(destination: &str, own: bool) -> bool {
    if own && destination.starts_with("crate::") {
        return true;
    }
    let destination = destination.to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| destination.starts_with(scheme))
        || destination.contains('@') && !destination.contains(':')
}

/// The ranges of a fence and of its info string.
fn fence(text: &str, start: usize) -> Option<(Range<usize>, Range<usize>)> {
    let rest = text.get(start..)?;
    let start = start + (rest.len() - rest.trim_start_matches(' ').len());
    let rest = text.get(start..)?;
    let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = rest.len() - rest.trim_start_matches(sign).len();
    let line = rest.find('\n').unwrap_or(rest.len());
    Some((start..start + length, start + length..start + line.max(length)))
}

/// The text that closes a fence. A longer one does, too.
fn closing(text: &str, fence: &Range<usize>) -> &'static str {
    match text.get(fence.clone()) {
        Some("```") => "\n```",
        Some("~~~") => "\n~~~",
        Some(long) if long.len() <= 16 && long.starts_with('`') => "\n````````````````",
        Some(long) if long.len() <= 16 => "\n~~~~~~~~~~~~~~~~",
        _ => "",
    }
}

/// Takes a link its meaning: the bracket in front of it is a bracket.
fn bracket(text: &str, range: &Range<usize>) -> Option<Edit> {
    let at = range.start + text.get(range.clone())?.find(['[', '<'])?;
    Some((at..at, "\\"))
}

/// The blanks in front of a line of code.
fn indentation(text: &str, range: &Range<usize>) -> Option<Edit> {
    let (before, behind) = (text.get(..range.start)?, text.get(range.start..range.end)?);
    let start = before.trim_end_matches(' ').len();
    let end = range.start + (behind.len() - behind.trim_start_matches(' ').len());
    let is_margin = start == 0 || before.get(..start)?.ends_with('\n');
    (!behind.trim().is_empty()).then_some((start..end, if is_margin { "" } else { " " }))
}

fn apply(text: &str, edits: Vec<Edit>) -> String {
    let mut out = String::with_capacity(text.len() + edits.len());
    let mut at = 0;
    for (range, replacement) in edits {
        // Overlapping edits wait for the next round.
        if range.start < at || range.end > text.len() {
            continue;
        }
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(replacement);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Every line at the margin, and every sign standing for itself.
fn as_written(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        for c in line.trim().chars() {
            if c.is_ascii_punctuation() {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('\n');
    }
    tidy(&out)
}

#[cfg(test)]
pub(in crate::text) mod tests;
