//! Text to a tree. The beginning of the text decides between JSON and YAML.

use std::borrow::Cow;

use serde::de::DeserializeSeed;
use serde_json::{Value, error::Category};

use super::brackets;
use super::build::{Limit, NodeSeed, Reading};
use super::{Fault, MAX_BYTES, MAX_DEPTH, Note};
use crate::Loss;

/// Numbers beyond the range of a double that are replaced before the text is given up.
const MAX_REPLACED: usize = 64;

/// Reads the text as JSON, or as YAML.
pub(super) fn parse(text: &str, notes: &mut Vec<Note>) -> Result<Value, Fault> {
    let start = text.trim_start();
    if start.starts_with('<') {
        return Err(markup(start));
    }
    if !start.starts_with(['{', '[']) {
        return yaml(text, notes);
    }
    let refusal = match json(text, notes) {
        Ok(tree) => return Ok(tree),
        Err(fault) => fault,
    };
    if refusal.code != "contract/not-json" {
        return Err(refusal);
    }
    // Comments, trailing commas and bare keys are not JSON, yet YAML's flow style takes most of them.
    let mut remarks = Vec::new();
    match yaml(text, &mut remarks) {
        Ok(tree) if ["openapi", "swagger"].iter().any(|key| tree.get(key).is_some()) => {
            notes.append(&mut remarks);
            notes.push(Note {
                pass: "load/syntax",
                pointer: String::new(),
                what: format!("read as YAML, because it is {}", refusal.message),
                loss: Loss::Nothing,
            });
            Ok(tree)
        }
        _ => Err(refusal),
    }
}

fn markup(text: &str) -> Fault {
    let head: String = text.chars().take(512).collect::<String>().to_ascii_lowercase();
    if head.starts_with("<?xml") && !head.contains("<html") {
        return Fault::new("contract/xml", "an XML document", "ask for the JSON or YAML form of the contract");
    }
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    let title: String = title.map(|(title, _)| title.trim().chars().take(80).collect()).unwrap_or_default();
    let page = if title.is_empty() { "an HTML page".to_owned() } else { format!("an HTML page, titled {title:?}") };
    Fault::new(
        "contract/html",
        page,
        "the address answers with a page, often a login or the Swagger UI itself: give the address of the JSON document, \
         and the token that it asks for",
    )
}

fn json(text: &str, notes: &mut Vec<Note>) -> Result<Value, Fault> {
    let mut text = Cow::Borrowed(text);
    let mut replaced = 0;
    loop {
        let mut state = Reading::default();
        let mut reader = serde_json::Deserializer::from_str(&text);
        let result = NodeSeed(&mut state).deserialize(&mut reader).and_then(|tree| reader.end().map(|()| tree));
        let error = match result {
            Ok(tree) => {
                notes.append(&mut state.notes);
                return Ok(tree);
            }
            Err(error) => error,
        };
        let message = error.to_string();
        if message.starts_with("number out of range")
            && replaced < MAX_REPLACED
            && let Some(repaired) = nearest(&text, error.line(), error.column())
        {
            if replaced == 0 {
                notes.push(Note {
                    pass: "load/number",
                    pointer: String::new(),
                    what: "read numbers beyond the range of a double as its largest value".to_owned(),
                    loss: Loss::Documentation("the exact value of such a number".to_owned()),
                });
            }
            replaced += 1;
            text = Cow::Owned(repaired);
            continue;
        }
        return Err(json_fault(&state, &error, &message));
    }
}

fn json_fault(state: &Reading, error: &serde_json::Error, message: &str) -> Fault {
    let position = (error.line() > 0).then(|| (error.line(), error.column()));
    let fault = match state.crossed {
        Some(bound) => crossed(bound),
        None if message.starts_with("recursion limit exceeded") => crossed(Limit::Depth),
        None if error.classify() == Category::Eof => Fault::new(
            "contract/truncated",
            "the JSON ends before its last brace",
            "download it again, and compare its length with what the server announced",
        ),
        None if message.starts_with("trailing characters") => Fault::new(
            "contract/trailing",
            "something follows the JSON document",
            "remove the text after the last brace; two documents belong into two files",
        ),
        None => {
            let reason = message.split(" at line ").next().unwrap_or(message);
            Fault::new("contract/not-json", format!("not JSON: {reason}"), "fix the text at this position")
        }
    };
    fault.at(position)
}

/// The text with the number at this place replaced by the largest double of its sign.
fn nearest(text: &str, line: usize, column: usize) -> Option<String> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let bytes = text.as_bytes();
    let numeric = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let place = (start + column).min(bytes.len());
    let first = place - bytes[..place].iter().rev().skip(1).take_while(|byte| numeric(byte)).count() - 1;
    let length = bytes.get(first..)?.iter().take_while(|byte| numeric(byte)).count();
    let largest = if bytes.get(first)? == &b'-' { "-1.7976931348623157e308" } else { "1.7976931348623157e308" };
    if length == 0 {
        return None;
    }
    Some([text.get(..first)?, largest, text.get(first + length..)?].concat())
}

fn yaml(text: &str, notes: &mut Vec<Note>) -> Result<Value, Fault> {
    if let Some(position) = brackets::too_many(text) {
        return Err(crossed(Limit::Depth).at(Some(position)));
    }
    let mut state = Reading::yaml();
    let mut result = NodeSeed(&mut state).deserialize(serde_yaml::Deserializer::from_str(text));
    if result.is_err() && state.crossed.is_none() {
        // An object where the specification wants text is not a reason to refuse the rest.
        let mut plain = Reading::yaml();
        plain.literal = true;
        if let Ok(tree) = NodeSeed(&mut plain).deserialize(serde_yaml::Deserializer::from_str(text)) {
            (state, result) = (plain, Ok(tree));
        }
    }
    let error = match result {
        Ok(tree) => {
            notes.append(&mut state.notes);
            return Ok(tree);
        }
        Err(error) => error,
    };
    let message = error.to_string();
    let fault = match state.crossed {
        Some(bound) => crossed(bound),
        None if message.contains("recursion limit exceeded") => crossed(Limit::Depth),
        None if message.contains("repetition limit exceeded") => crossed(Limit::Size),
        None if message.contains("more than one document") => Fault::new(
            "contract/several-documents",
            "several YAML documents in one file",
            "split the file at its `---` lines, one contract each",
        ),
        None => {
            let reason = message.split(" at line ").next().unwrap_or(&message);
            let hint = if reason.contains("cannot start any token") {
                "fix the text at this position: YAML is indented by spaces, never by tabs"
            } else {
                "fix the text at this position"
            };
            Fault::new("contract/not-yaml", format!("neither JSON nor YAML: {reason}"), hint)
        }
    };
    Err(fault.at(error.location().map(|place| (place.line(), place.column()))))
}

fn crossed(limit: Limit) -> Fault {
    match limit {
        Limit::Depth => Fault::new(
            "contract/too-deep",
            format!("objects and arrays are nested more than {MAX_DEPTH} deep"),
            "move inner schemas to the contract's components, and refer to them by `$ref`",
        ),
        Limit::Size => Fault::new(
            "contract/too-large",
            format!("the document expands to more than {} MiB of values", MAX_BYTES >> 20),
            "check that the address serves a contract, and that its YAML aliases do not multiply each other",
        ),
    }
}
