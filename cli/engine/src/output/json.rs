//! Answers as JSON. Numbers keep their digits.

use console::Style;
use driftless_runtime::Value;

use crate::terminal::is_active;

/// The form of JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonForm {
    /// One member or item a line.
    pub(super) pretty: bool,
    /// With the colours of a terminal.
    pub(super) colours: bool,
}

/// The value in one line.
pub(crate) fn compact(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, JsonForm { pretty: false, colours: false }, 0);
    out
}

/// Writes a value whose first line is indented already. `depth` is the number of values around it.
pub(super) fn write(out: &mut String, value: &Value, form: JsonForm, depth: usize) {
    match value {
        Value::Null => colour(out, form, &Style::new().dim(), "null"),
        Value::Bool(true) => colour(out, form, &Style::new().yellow(), "true"),
        Value::Bool(false) => colour(out, form, &Style::new().yellow(), "false"),
        Value::Number(number) => colour(out, form, &Style::new().cyan(), number.as_str()),
        Value::String(text) => colour(out, form, &Style::new().green(), &quoted(text)),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(out, form, index, depth + 1);
                write(out, item, form, depth + 1);
            }
            close(out, form, items.is_empty(), depth, ']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                separate(out, form, index, depth + 1);
                colour(out, form, &Style::new().blue().bold(), &quoted(name));
                out.push_str(if form.pretty { ": " } else { ":" });
                write(out, value, form, depth + 1);
            }
            close(out, form, members.is_empty(), depth, '}');
        }
    }
}

/// A JSON string. JSON requires escapes for some control characters; this escapes all active ones, which is the same
/// text for a reader of JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // All active characters are below U+10000, so one escape is enough.
            active if is_active(active) => out.push_str(&format!("\\u{:04x}", u32::from(active))),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn colour(out: &mut String, form: JsonForm, style: &Style, text: &str) {
    match form.colours {
        true => out.push_str(&style.clone().force_styling(true).apply_to(text).to_string()),
        false => out.push_str(text),
    }
}

fn separate(out: &mut String, form: JsonForm, index: usize, depth: usize) {
    if index > 0 {
        out.push(',');
    }
    line(out, form, depth);
}

fn close(out: &mut String, form: JsonForm, is_empty: bool, depth: usize, bracket: char) {
    if !is_empty {
        line(out, form, depth);
    }
    out.push(bracket);
}

fn line(out: &mut String, form: JsonForm, depth: usize) {
    if form.pretty {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}
