//! The comments of a file, its sentences, and its code without comments and strings.

use super::File;
use super::comments::{self, Line, blocks};

/// Splits a file into its comments and, of Rust, its code. Block comments (`/* … */`) do not occur in Rust code of the repository.
pub(super) fn split(file: &File) -> (Vec<Vec<Line<'_>>>, Vec<Line<'_>>) {
    let text = file.text().unwrap_or_default();
    if file.path.ends_with(".rs") {
        return rust(text);
    }
    let comments = comments::language(&file.path).map(|language| comments::read(text, language));
    (comments.unwrap_or_default(), Vec::new())
}

fn rust(text: &str) -> (Vec<Vec<Line<'_>>>, Vec<Line<'_>>) {
    let (mut comments, mut code) = (Vec::new(), Vec::new());
    // The end of a string that began on an earlier line.
    let mut open: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        loop {
            if let Some(end) = open.take() {
                match string_end(rest, &end) {
                    Some(at) => rest = rest.get(at..).unwrap_or_default(),
                    None => {
                        open = Some(end);
                        break;
                    }
                }
            }
            let Some(at) = rest.find(['"', '\'', '/']) else { break };
            let (before, from) = rest.split_at(at);
            code.push((index + 1, before));
            if let Some(comment) = from.strip_prefix("//") {
                let marker = comment.get(..1).filter(|next| ["/", "!"].contains(next)).unwrap_or_default();
                let marker = if before.trim().is_empty() { marker } else { "beside code" };
                comments.push((index + 1, marker, comment.trim_start_matches(['/', '!'])));
                rest = "";
                break;
            }
            rest = from.get(1..).unwrap_or_default();
            if from.starts_with('"') {
                open = Some(closing(before));
            } else if from.starts_with('\'') {
                rest = after_character(rest);
            }
        }
        if open.is_none() {
            code.push((index + 1, rest));
        }
    }
    (blocks(comments.into_iter()), code)
}

/// The text that closes the string that begins after this code.
fn closing(before: &str) -> String {
    let name = before.trim_end_matches('#');
    let is_raw = name.ends_with('r') && !name.trim_end_matches(['b', 'c', 'r']).ends_with(char::is_alphanumeric);
    if is_raw { format!("\"{}", "#".repeat(before.len() - name.len())) } else { "\\\"".to_owned() }
}

/// The index after the end of a string. A string with escapes is closed by `\"`, for want of a name of its own.
fn string_end(text: &str, end: &str) -> Option<usize> {
    if end != "\\\"" {
        return Some(text.find(end)? + end.len());
    }
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The text after a character literal whose quote was read, or all of it after the quote of a lifetime.
fn after_character(rest: &str) -> &str {
    let escape = rest.strip_prefix('\\').and_then(|escape| escape.get(1..)?.split_once('\''));
    let plain = || rest.get(rest.chars().next()?.len_utf8()..)?.strip_prefix('\'');
    escape.map(|(_, after)| after).or_else(plain).unwrap_or(rest)
}

/// The paragraphs of a page or comment: list items, headings and table rows are their own, blocks of code are left out.
pub(super) fn paragraphs<'a>(lines: impl Iterator<Item = Line<'a>>) -> Vec<Vec<Line<'a>>> {
    let mut paragraphs = vec![Vec::new()];
    let mut is_code = false;
    for (line, text) in lines {
        let text = text.trim();
        let is_fence = text.starts_with("```");
        is_code ^= is_fence;
        let item = text.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix(". ");
        let item = item.or_else(|| ["- ", "* ", "> ", "| "].iter().find_map(|marker| text.strip_prefix(marker)));
        let is_heading = text.starts_with('#');
        if text.is_empty() || is_fence || is_heading || item.is_some() {
            paragraphs.push(Vec::new());
        }
        if let Some(paragraph) = paragraphs.last_mut().filter(|_| !is_code && !is_fence && !text.is_empty()) {
            paragraph.push((line, item.unwrap_or(text).trim_start_matches(['#', ' '])));
        }
        if is_heading {
            paragraphs.push(Vec::new());
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// The sentences of a paragraph, by their words.
pub(super) fn sentences<'a>(paragraph: &[Line<'a>]) -> Vec<Vec<Line<'a>>> {
    let words = paragraph.iter().flat_map(|(line, text)| text.split_whitespace().map(|word| (*line, word)));
    let words: Vec<Line<'a>> = words.collect();
    let ends = |(_, word): &Line<'_>| word.trim_end_matches([')', '"', '*', '_', '`']).ends_with(['.', '!', '?']);
    words.split_inclusive(ends).map(<[_]>::to_vec).collect()
}
