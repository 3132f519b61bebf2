//! Answers as YAML 1.2. Libraries that write YAML keep integers or floats, not the digits of a number, so the few forms
//! that an answer needs are written here: blocks of members and items, plain words and numbers, JSON strings (which are
//! double-quoted scalars of YAML), and literal blocks for texts of several lines.

use driftless_runtime::Value;

use super::json;
use crate::terminal::is_active;

/// Plain words that some version of YAML does not read as text.
const WORDS: [&str; 13] =
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity", "none"];

/// A key before `: ` has at most 1,024 characters. Longer ones need a form of their own.
const LONGEST_KEY: usize = 1000;

/// Writes a value whose first line is indented already, and the end of its last line.
pub(super) fn write(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    spaces(out, indent);
                }
                member(out, name, value, indent);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    spaces(out, indent);
                }
                out.push_str("- ");
                write(out, item, indent + 2);
            }
        }
        scalar => self::scalar(out, scalar, indent.max(2)),
    }
}

fn member(out: &mut String, name: &str, value: &Value, indent: usize) {
    let key = if is_plain(name) { name.to_owned() } else { json::quoted(name) };
    if key.len() > LONGEST_KEY {
        out.push_str("? ");
        out.push_str(&key);
        out.push('\n');
        spaces(out, indent);
        out.push_str(": ");
        return write(out, value, indent + 2);
    }
    out.push_str(&key);
    let is_block = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_block {
        out.push_str(":\n");
        spaces(out, indent + 2);
    } else {
        out.push_str(": ");
    }
    write(out, value, indent + 2);
}

/// Writes a scalar or an empty value. The lines of a literal block get the indent.
fn scalar(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(text) if is_plain(text) => out.push_str(text),
        Value::String(text) if is_literal(text) => {
            out.push_str(if text.ends_with('\n') { "|" } else { "|-" });
            for line in text.lines() {
                out.push('\n');
                if !line.is_empty() {
                    spaces(out, indent);
                    out.push_str(line);
                }
            }
        }
        other => out.push_str(&json::compact(other)),
    }
    out.push('\n');
}

/// Returns whether a text is the same text without quotes.
fn is_plain(text: &str) -> bool {
    let is_word = |character: char| {
        if character.is_ascii() { character.is_ascii_alphanumeric() } else { character.is_alphanumeric() }
    };
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let fits = match character {
            // A text that begins with a digit can be a number or a date.
            first if before == ' ' && first.is_numeric() => false,
            ' ' => before != ' ',
            ':' => characters.peek() == Some(&'/'),
            // Inside of a block, these are letters like others, except at the beginning of a text.
            '-' | '.' | '/' | '@' | '+' | '(' | ')' | ',' | ';' | '\'' | '=' | '?' | '!' | '%' | '&' => before != ' ',
            other => other == '_' || is_word(other),
        };
        if !fits {
            return false;
        }
        before = character;
    }
    !text.is_empty() && before != ' ' && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns whether a text of several lines can be a literal block without an indentation indicator.
fn is_literal(text: &str) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    lines.contains('\n')
        && !lines.starts_with('\n')
        && !lines.ends_with('\n')
        && !text.contains(|character| is_active(character) && character != '\n')
        && lines
            .split('\n')
            .enumerate()
            .all(|(index, line)| !line.ends_with(' ') && (index > 0 || !line.starts_with(' ')))
}

fn spaces(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}
