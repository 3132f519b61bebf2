//! The validator of one schema, by the crate `jsonschema`.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::Value;

use super::Violation;
use super::steps::{self, bounded};
use crate::contract::escape;

/// A request is answered with so many violations at most.
const MOST_VIOLATIONS: usize = 20;
const LONGEST_MESSAGE: usize = 240;
const LONGEST_POINTER: usize = 240;
/// A pattern with lookaround that takes more steps fails. All others take time that is linear in the text.
const MOST_STEPS: usize = 100_000;

pub(super) fn options() -> ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MOST_STEPS))
}

pub(super) fn violations(validator: &Validator, value: &Value) -> Vec<Violation> {
    let list = || validator.iter_errors(value).take(MOST_VIOLATIONS).map(|error| violation(&error)).collect();
    match bounded(value, || validator.is_valid(value)) {
        Ok(true) => Vec::new(),
        Ok(false) => bounded(value, list).unwrap_or_else(|_| vec![exceeded()]),
        Err(_) => vec![exceeded()],
    }
}

fn exceeded() -> Violation {
    Violation { pointer: String::new(), message: steps::MESSAGE.to_owned() }
}

/// The message contains no value of the request: it could be a secret.
fn violation(error: &ValidationError<'_>) -> Violation {
    // A missing member has a place of its own.
    if let ValidationErrorKind::Required { property: Value::String(name) } = error.kind() {
        let pointer = format!("{}/{}", error.instance_path(), escape(name));
        return Violation { pointer: shorten(&pointer, LONGEST_POINTER), message: "is required".to_owned() };
    }
    Violation {
        pointer: shorten(error.instance_path().as_str(), LONGEST_POINTER),
        message: shorten(&error.masked().to_string(), LONGEST_MESSAGE),
    }
}

fn shorten(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
