//! The words of a shell for a case, by the rules in the README of `driftless-cli`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use driftless::failure::Failure;
use driftless_sandbox::conformance::Case;
use serde_json::Value;

use super::commands::{CommandLine, Flag, Form};
use crate::process::write;

/// The words behind the name of the program.
pub(super) type Words = Vec<OsString>;

/// The form in which a body is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// As a file. The parts of a form are always flags.
    Whole,
    /// A flag for each member.
    Members,
}

/// A folder for the files of a case.
pub(super) struct Files<'f> {
    pub(super) folder: &'f Path,
    pub(super) count: usize,
}

impl Files<'_> {
    fn add(&mut self, content: &[u8]) -> Result<OsString, Failure> {
        let path: PathBuf = self.folder.join(format!("file-{}", self.count));
        self.count += 1;
        write(&path, content)?;
        Ok(path.into_os_string())
    }
}

/// The words of a case; if no words express it, the cause.
pub(super) fn words(
    line: &CommandLine,
    case: &Case,
    given: Given,
    files: &mut Files<'_>,
) -> Result<Result<Words, String>, Failure> {
    let mut flags: Words = Vec::new();
    let mut positions: Words = Vec::new();
    let positional: Vec<&Flag> = line.flags.iter().filter(|flag| flag.place == "path").collect();
    for flag in &positional {
        let argument = case.arguments.iter().find(|argument| argument.place == "path" && argument.name == flag.wire);
        let Some(argument) = argument else {
            return Ok(Err(format!("the parameter {} of the path has no value", flag.wire)));
        };
        match position(&flag.form, &argument.value) {
            Ok(word) => positions.push(word.into()),
            Err(cause) => return Ok(Err(format!("{}: {cause}", flag.wire))),
        }
    }
    let is_given =
        |flag: &&Flag| case.arguments.iter().any(|argument| argument.place == flag.place && argument.name == flag.wire);
    // The client has a parameter that the contract has at another place.
    let mut parameters = line.flags.iter().filter(|flag| flag.place != "body");
    if let Some(flag) = parameters.find(|flag| flag.required && !is_given(flag)) {
        return Ok(Err(format!("the {} {} is required, and the contract has no value for it", flag.place, flag.wire)));
    }
    for argument in case.arguments.iter().filter(|argument| argument.place != "path") {
        let flag = line.flags.iter().find(|flag| flag.place == argument.place && flag.wire == argument.name);
        let Some(flag) = flag else {
            return Ok(Err(format!("the {} {} has no flag", argument.place, argument.name)));
        };
        match set(flag, &argument.value) {
            Ok(words) => flags.extend(words),
            Err(cause) => return Ok(Err(format!("{}: {cause}", flag.wire))),
        }
    }
    match (&case.body, given) {
        (None, _) => {}
        (Some(Value::Object(members)), given) if line.has_parts || given == Given::Members => {
            for (name, value) in members {
                let Some(flag) = line.flags.iter().find(|flag| flag.place == "body" && flag.wire == *name) else {
                    return Ok(Err(format!("the member {name} of the body has no flag")));
                };
                // An empty list sends no part.
                if line.has_parts && !flag.required && value.as_array().is_some_and(Vec::is_empty) {
                    continue;
                }
                match part(flag, value, files)? {
                    Ok(words) => flags.extend(words),
                    Err(cause) => return Ok(Err(format!("{name}: {cause}"))),
                }
            }
        }
        (Some(_), Given::Members) => return Ok(Err("the body is not an object".to_owned())),
        (Some(_), Given::Whole) if line.has_parts => return Ok(Err("the form is not an object".to_owned())),
        (Some(value), Given::Whole) => {
            let content = match value {
                Value::String(text) if !line.is_json => text.clone(),
                value => value.to_string(),
            };
            flags.extend(["--body".into(), files.add(content.as_bytes())?]);
        }
    }
    let mut words: Words = vec![line.family.clone().into(), line.operation.clone().into()];
    words.extend(["--format".into(), "json".into()]);
    if line.needs_version {
        words.extend(["--api-version".into(), "1".into()]);
    }
    words.extend(flags);
    if !positions.is_empty() {
        words.push("--".into());
        words.extend(positions);
    }
    // An argument of a process ends at the first of them.
    match words.iter().any(|word| word.as_encoded_bytes().contains(&0)) {
        true => Ok(Err("no word of a shell contains the character NUL".to_owned())),
        false => Ok(Ok(words)),
    }
}

/// A flag with its value.
fn set(flag: &Flag, value: &Value) -> Result<Words, String> {
    let name = format!("--{}", flag.name);
    match (&flag.form, value) {
        (Form::Boolean, value) => Ok(vec![format!("{name}={}", word(&flag.form, value)?).into()]),
        (Form::List(_), Value::Array(elements)) if elements.is_empty() => Err("no words are an empty list".to_owned()),
        (Form::List(element), Value::Array(elements)) => {
            let words = elements.iter().map(|value| word(element, value)).collect::<Result<Vec<_>, _>>()?;
            Ok(words.into_iter().flat_map(|word| [name.clone().into(), word.into()]).collect())
        }
        (form, value) => Ok(vec![name.into(), word(form, value)?.into()]),
    }
}

/// A member or a part with its value.
fn part(flag: &Flag, value: &Value, files: &mut Files<'_>) -> Result<Result<Words, String>, Failure> {
    let contents: Vec<&str> = match (&flag.form, value) {
        (Form::File, Value::String(text)) => vec![text],
        (Form::Files, Value::Array(items)) if items.is_empty() => {
            return Ok(Err("no words are an empty list".to_owned()));
        }
        (Form::Files, Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        (Form::File | Form::Files, _) => return Ok(Err("the file is not text".to_owned())),
        _ => return Ok(set(flag, value)),
    };
    let mut words = Vec::new();
    for content in contents {
        words.extend([format!("--{}", flag.name).into(), files.add(content.as_bytes())?]);
    }
    Ok(Ok(words))
}

/// An argument by position.
fn position(form: &Form, value: &Value) -> Result<String, String> {
    let (Form::List(element), Value::Array(elements)) = (form, value) else { return word(form, value) };
    let words = elements.iter().map(|value| word(element, value)).collect::<Result<Vec<_>, _>>()?;
    let text = words.join(",");
    match words.iter().any(|word| word.contains(',')) || text.starts_with('[') {
        true => Ok(value.to_string()),
        false => Ok(text),
    }
}

fn word(form: &Form, value: &Value) -> Result<String, String> {
    match (form, value) {
        (Form::Text | Form::Boolean | Form::Number, Value::String(text)) => Ok(text.clone()),
        (Form::Text, Value::Null) => Err("no word is null where a text is expected".to_owned()),
        (Form::Text, other) => Err(format!("{other} is not text")),
        (Form::List(_), other) if !other.is_array() => Err(format!("{other} is not a list")),
        (_, value) => Ok(value.to_string()),
    }
}
