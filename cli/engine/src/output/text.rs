//! Texts of a service in the cells and lines of an output.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

use crate::terminal::is_active;

/// The mark of a text that was cut.
const CUT: &str = "…";

/// Bytes of a cell for each column of the terminal: a character can be followed by any number of marks without a width.
const BYTES_OF_A_COLUMN: usize = 32;

/// The text in one line: ends of lines as `⏎`, tabs as spaces, other active characters escaped.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('⏎'),
            '\t' => out.push(' '),
            other if is_active(other) => out.extend(other.escape_unicode()),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// The text with its lines: ends of lines and tabs stay, other active characters are escaped.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    let stays = |character: char| matches!(character, '\n' | '\t');
    if !text.contains(|character| is_active(character) && !stays(character)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            other if is_active(other) && !stays(other) => out.extend(other.escape_unicode()),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// The columns that a text of one line takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most so many columns, with `…` at its end if something is missing.
pub(super) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    let most = columns.saturating_mul(BYTES_OF_A_COLUMN);
    if text.len() <= most && width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let (head, _) = split(text, columns.saturating_sub(width(CUT)));
    Cow::Owned(format!("{}{CUT}", head.trim_end()))
}

/// Splits a text after at most so many columns, between two characters as people see them.
pub(super) fn split(text: &str, columns: usize) -> (&str, &str) {
    let most = columns.saturating_mul(BYTES_OF_A_COLUMN);
    let (mut end, mut used) = (0, 0);
    for (at, cluster) in text.grapheme_indices(true) {
        used += width(cluster);
        if used > columns || at + cluster.len() > most {
            break;
        }
        end = at + cluster.len();
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The lines of a text in at most so many columns, broken at spaces if there are any, and at most so many lines.
pub(super) fn wrap(text: &str, columns: usize, most: usize) -> Vec<String> {
    let text = lines(text).replace('\t', " ");
    let mut out = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim_end();
        loop {
            if out.len() == most {
                out.push(CUT.to_owned());
                return out;
            }
            let (head, after) = split(rest, columns);
            if after.is_empty() {
                out.push(head.to_owned());
                break;
            }
            if head.is_empty() {
                // One character is wider than the column, or has more marks than a character of any language.
                let wide = rest.graphemes(true).next().map_or(rest.len(), str::len);
                out.push(CUT.to_owned());
                rest = rest.get(wide..).unwrap_or_default();
            } else {
                let space = head.rfind(' ').filter(|at| *at > 0 && !after.starts_with(' '));
                let (head, after) = rest.split_at(space.unwrap_or(head.len()));
                out.push(head.trim_end().to_owned());
                rest = after.trim_start_matches(' ');
            }
            if rest.is_empty() {
                break;
            }
        }
    }
    if out.is_empty() {
        out.push(String::new());
    }
    out
}

/// The text, followed by spaces up to so many columns.
pub(super) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The heading of a column: `createdAt` becomes `CREATED_AT`.
pub(super) fn heading(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let starts_word = character.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && characters.peek().is_some_and(|next| next.is_lowercase())));
        if starts_word {
            out.push('_');
        }
        match character {
            ' ' | '-' => out.push('_'),
            other => out.extend(other.to_uppercase()),
        }
        before = character;
    }
    one_line(&out).into_owned()
}
