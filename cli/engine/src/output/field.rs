//! The parts of an answer that `--fields` asks for, and the names of all of its parts.

use driftless_runtime::Value;

use super::json;
use crate::failure::Failure;

/// The length of a name in bytes from which on parts are not named one by one.
const LONG_NAME: usize = 200;

/// A part of a result, such as `owner.name`.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The name, as it was written.
    pub(super) name: String,
    path: FieldPath,
}

#[derive(Clone, Debug)]
enum FieldPath {
    Steps(Vec<PathStep>),
    /// RFC 6901.
    Pointer(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathStep {
    Member(String),
    Item(usize),
}

impl Field {
    /// Reads the value of `--fields`.
    pub(super) fn read_all(text: &str) -> Result<Vec<Self>, Failure> {
        let mut fields: Vec<Self> = Vec::new();
        let mut rest = text;
        loop {
            let (field, after) = read(rest.trim_start()).map_err(|fault| {
                Failure::usage(
                    format!("the value of --fields is wrong: {fault}"),
                    "write names such as id,owner.name,tags[0], and a name that contains a dot in double quotes",
                )
            })?;
            if fields.iter().any(|other| other.name == field.name) {
                let message = format!("the value of --fields names {} more than once", field.name);
                return Err(Failure::usage(message, "name each field once"));
            }
            fields.push(field);
            match after.strip_prefix(',') {
                Some(after) => rest = after,
                None => return Ok(fields),
            }
        }
    }

    /// The part of a row, if the row has it.
    pub(super) fn get<'v>(&self, row: &'v Value) -> Option<&'v Value> {
        match &self.path {
            FieldPath::Pointer(pointer) => row.pointer(pointer),
            FieldPath::Steps(steps) => steps.iter().try_fold(row, |value, step| match step {
                PathStep::Member(name) => value.get(name),
                PathStep::Item(index) => value.as_array()?.get(*index),
            }),
        }
    }
}

/// Reads one field, and returns the text after it, which is empty or begins with a comma.
fn read(text: &str) -> Result<(Field, &str), String> {
    if text.starts_with('/') {
        let (pointer, rest) = text.split_at(text.find(',').unwrap_or(text.len()));
        let pointer = pointer.trim_end().to_owned();
        return Ok((Field { name: pointer.clone(), path: FieldPath::Pointer(pointer) }, rest));
    }
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']').ok_or_else(|| format!("{text:?} has no `]`"))?;
            let index = index.trim().parse();
            steps.push(PathStep::Item(index.map_err(|_| format!("the position in {text:?} is not a number"))?));
            rest = after;
        } else {
            let (name, after) = member(rest)?;
            steps.push(PathStep::Member(name));
            rest = after;
        }
        let after = rest.trim_start();
        if after.is_empty() || after.starts_with(',') {
            let name = text.get(..text.len() - rest.len()).unwrap_or(text);
            return Ok((Field { name: name.to_owned(), path: FieldPath::Steps(steps) }, after));
        }
        match rest.strip_prefix('.') {
            Some(after) if after.starts_with('[') => return Err(format!("a name is missing in {text:?}")),
            Some(after) => rest = after,
            None if rest.starts_with('[') => {}
            None => return Err(format!("a comma or a dot is missing before {rest:?}")),
        }
    }
}

/// Reads a name, quoted or not.
fn member(text: &str) -> Result<(String, &str), String> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (name, rest) = text.split_at(text.find(['.', ',', '[', ']', '"']).unwrap_or(text.len()));
        let is_last = rest.is_empty() || rest.starts_with(',');
        let (name, rest) = text.split_at(if is_last { name.trim_end().len() } else { name.len() });
        return if name.is_empty() { Err("a name is missing".to_owned()) } else { Ok((name.to_owned(), rest)) };
    };
    let mut name = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((name, quoted.get(at + 1..).unwrap_or_default())),
            '\\' => name.push(characters.next().map_or('\\', |(_, escaped)| escaped)),
            other => name.push(other),
        }
    }
    Err(format!("{text:?} has no closing quote"))
}

/// The parts of a value that a cell can show: scalars, lists of scalars, and empty values, by the names that `--fields`
/// takes. At most so many.
pub(super) fn parts(value: &Value, most: usize) -> Vec<(String, &Value)> {
    let mut out = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((name, value)) = open.pop() {
        if out.len() == most {
            break;
        }
        let is_part = name.len() > LONG_NAME
            || match value {
                Value::Object(members) => members.is_empty(),
                Value::Array(items) => items.iter().all(is_scalar),
                _ => true,
            };
        match value {
            _ if is_part && (!name.is_empty() || is_scalar(value)) => out.push((name, value)),
            Value::Object(members) => {
                let from = open.len();
                open.extend(members.iter().map(|(member, value)| (join(&name, member), value)));
                open.get_mut(from..).unwrap_or_default().reverse();
            }
            Value::Array(items) => {
                let from = open.len();
                open.extend(items.iter().enumerate().map(|(index, item)| (format!("{name}[{index}]"), item)));
                open.get_mut(from..).unwrap_or_default().reverse();
            }
            _ => {}
        }
    }
    out
}

/// The name of a member for `--fields`.
pub(super) fn join(before: &str, member: &str) -> String {
    let dot = if before.is_empty() { "" } else { "." };
    let is_quoted = member.is_empty()
        || member.contains(['.', ',', '[', ']', '"'])
        || (before.is_empty() && member.starts_with('/'))
        || member.trim() != member;
    match is_quoted {
        true => format!("{before}{dot}\"{}\"", member.replace('\\', "\\\\").replace('"', "\\\"")),
        false => format!("{before}{dot}{member}"),
    }
}

/// Returns whether a value is neither an object nor a list.
pub(super) fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_))
}

/// The text of a value: a string as it is, nothing for null, JSON for an object or a list.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => json::compact(other),
    }
}
