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
    let list = || {
        let errors = validator.iter_errors(value).take(MOST_VIOLATIONS);
        errors.flat_map(|error| places(&error)).take(MOST_VIOLATIONS).collect()
    };
    match bounded(value, || validator.is_valid(value)) {
        Ok(true) => Vec::new(),
        Ok(false) => bounded(value, list).unwrap_or_else(|_| vec![exceeded()]),
        Err(_) => vec![exceeded()],
    }
}

fn exceeded() -> Violation {
    Violation { pointer: String::new(), message: steps::MESSAGE.to_owned() }
}

/// The violations of one error. The messages contain no value of the request: it could be a secret.
fn places(error: &ValidationError<'_>) -> Vec<Violation> {
    let at = |pointer: &str, message: &str| Violation {
        pointer: shorten(pointer, LONGEST_POINTER),
        message: shorten(message, LONGEST_MESSAGE),
    };
    let member = |name: &str| format!("{}/{}", error.instance_path(), escape(name));
    match error.kind() {
        // Members that are missing or too many have places of their own.
        ValidationErrorKind::Required { property: Value::String(name) } => vec![at(&member(name), "is required")],
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let undeclared = unexpected.iter().take(MOST_VIOLATIONS);
            undeclared.map(|name| at(&member(name), "is not declared")).collect()
        }
        _ => vec![at(error.instance_path().as_str(), &error.masked().to_string())],
    }
}

fn shorten(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
