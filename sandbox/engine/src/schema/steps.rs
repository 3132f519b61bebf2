//! The bound on the work of one check.
//!
//! A schema of a few lines can have the same member checked twice at each level of a value: 2^40 checks for 40 levels. So each
//! definition whose parts can repeat a check begins with a keyword that counts; past the limit it refuses everything, which ends
//! the check at once.

use std::cell::Cell;

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value, json};

use super::in_place::{IN_PLACE, IN_PLACE_LISTS};

/// No keyword of JSON Schema.
const KEYWORD: &str = "x-sandbox-step";

/// Counted definitions of one check. Real schemas have a few for each value.
const MOST_STEPS: u64 = 50_000;
/// The further ones for each value of the checked one.
const MOST_STEPS_EACH: u64 = 20;

pub(super) const MESSAGE: &str = "takes more steps to check than the limit of the sandbox: the schema repeats itself";

thread_local! {
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// The check took more steps than the limit, so its result means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exceeded;

/// Runs one check of a value.
pub(super) fn bounded<T>(value: &Value, check: impl FnOnce() -> T) -> Result<T, Exceeded> {
    LEFT.set(MOST_STEPS.saturating_add(MOST_STEPS_EACH.saturating_mul(values(value))));
    let result = check();
    match LEFT.replace(u64::MAX) {
        0 => Err(Exceeded),
        _ => Ok(result),
    }
}

fn values(value: &Value) -> u64 {
    1 + match value {
        Value::Array(elements) => elements.iter().map(values).sum(),
        Value::Object(members) => members.values().map(values).sum(),
        _ => 0,
    }
}

struct Step;

impl<'i> Keyword<'i> for Step {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) { Ok(()) } else { Err(ValidationError::custom(MESSAGE)) }
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        let left = LEFT.get().saturating_sub(1);
        LEFT.set(left);
        left > 0
    }
}

pub(super) fn with_steps(options: ValidationOptions<'static>) -> ValidationOptions<'static> {
    options.with_keyword(KEYWORD, |_, _, _| Ok(Box::new(Step)))
}

/// The document of a bundle, whose definitions count where they can repeat a check.
pub(super) fn counted(document: &Value) -> Value {
    let mut document = document.clone();
    let definitions = document.get_mut("$defs").and_then(Value::as_object_mut);
    for definition in definitions.into_iter().flat_map(|definitions| definitions.values_mut()) {
        if repeats(definition) {
            // A list of all errors goes on behind a part of `allOf` that fails, but not into a branch that does not apply.
            *definition = json!({ "if": { KEYWORD: true }, "then": definition.take(), "else": false });
        }
    }
    document
}

/// Returns whether two subschemas of a schema can apply to one place of a value.
fn repeats(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => is_branching(keywords) || keywords.values().any(repeats),
        Value::Array(elements) => elements.iter().any(repeats),
        _ => false,
    }
}

fn is_branching(keywords: &Map<String, Value>) -> bool {
    let others = ["dependentSchemas", "patternProperties", "contains", "unevaluatedProperties", "unevaluatedItems"];
    let has_several = |name: &str| keywords.get(name).and_then(Value::as_array).is_some_and(|list| list.len() > 1);
    let has = |name: &&str| keywords.contains_key(*name);
    IN_PLACE_LISTS.into_iter().any(has_several)
        || IN_PLACE.iter().chain(&others).any(has)
        || keywords.len() > 1 && ["$ref", "allOf", "anyOf", "oneOf"].iter().any(has)
}
