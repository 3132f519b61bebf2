//! Texts of contracts, services and clients: for a model, and for a line of the log.

use crate::terminal::plain;

/// A text of the contract, without control characters and characters that nobody sees.
pub(super) fn text(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for character in
        plain(text.trim()).chars().filter(|character| matches!(character, '\n' | '\t') || !is_hidden(*character))
    {
        if out.len() >= limit {
            out.push('…');
            break;
        }
        out.push(character);
    }
    out
}

/// A text on one line: control characters, and those that change the order or hide text, are escaped.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if out.len() >= limit {
            out.push('…');
            break;
        }
        match is_hidden(character) {
            true => out.extend(character.escape_unicode()),
            false => out.push(character),
        }
    }
    out
}

/// Control characters, separators of lines, marks of direction, and characters without a width.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
        )
}
