//! The validator of one schema, by the crate `jsonschema`.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Keyword, PatternOptions, ValidationError, ValidationOptions, Validator};
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

/// No keyword of JSON Schema.
pub(super) const EXACT: &str = "sandboxExact";

pub(super) fn options() -> ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MOST_STEPS))
        .with_keyword(EXACT, |_, _, _| Ok(Box::new(Exact)))
}

/// An integer of 64 bits with a sign. Those just below are read as the double -2^63, which is equal to the least one; that one is read as an integer.
/// The double is refused, also where the body writes the least one as `-9223372036854775808.0`.
struct Exact;

impl<'i> Keyword<'i> for Exact {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        let text =
            || format!("value is less than the minimum of {}, or is this minimum written with a point", i64::MIN);
        let message = || ValidationError::custom(text());
        if self.is_valid(value) { Ok(()) } else { Err(message()) }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        value.as_i64().is_some() || value.as_f64() != Some(-9_223_372_036_854_775_808.0)
    }
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
