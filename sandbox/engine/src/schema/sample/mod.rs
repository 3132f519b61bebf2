//! Values that a schema allows.
//!
//! A maker builds a value from the schemas that apply at each place, and the compiled schema judges it. Each place that it refuses
//! is built in another way in the next round: without its example, with the next branch of an alternative, with required members
//! only, and at last not at all.

mod array;
mod branch;
mod counter;
mod height;
mod make;
mod number;
mod object;
mod pattern;
mod random;
mod string;
mod words;

use std::collections::{HashMap, HashSet};

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::steps::{self, bounded};
use super::{Compiled, NoValue};
use crate::contract::escape;
use make::Maker;

const MOST_ROUNDS: u32 = 64;
/// Parts of values that all rounds together build, before the last round.
const MOST_NODES: usize = 60_000;
/// Violations that are looked at in one round.
const MOST_ERRORS: usize = 64;
/// An optional place that was refused so often is left out.
const MOST_TRIES: u32 = 8;

/// The state of the places of a value, by their pointers, between two rounds.
#[derive(Default)]
struct Attempts {
    /// Number of refusals by place.
    tries: HashMap<String, u32>,
    /// Places that are left out if they are optional.
    dropped: HashSet<String>,
    /// Members that have to be there although no `required` of the chosen branches names them.
    forced: HashSet<String>,
}

/// `fills` adds optional members. Without it, the value has the members of `kept`, and those that are required.
pub(super) fn make(compiled: &Compiled, kept: Option<&Value>, seed: u64, fills: bool) -> Result<Value, NoValue> {
    let no_value = |pointer: &str, message: String| NoValue {
        schema: compiled.pointer.clone(),
        pointer: pointer.to_owned(),
        message,
        best: None,
    };
    let Some(validator) = &compiled.validator else {
        return Err(no_value("", "the schema cannot be compiled".to_owned()));
    };
    let may_hide = compiled.bundle.hides;
    if !fills
        && !may_hide
        && let Some(kept) = kept.filter(|kept| bounded(kept, || validator.is_valid(kept)) == Ok(true))
    {
        return Ok(kept.clone());
    }
    let mut attempts = Attempts::default();
    let mut last = no_value("", "no attempt was made".to_owned());
    let mut nodes = 0;
    for _ in 0..MOST_ROUNDS {
        if nodes > MOST_NODES {
            break;
        }
        let mut maker = Maker::new(&compiled.bundle, &attempts, seed, fills);
        let built = maker.root(kept);
        nodes += maker.nodes;
        let value = match built {
            Ok(value) => value,
            Err(failure) => {
                last = no_value(&failure.pointer, failure.message);
                // The place cannot be built: its parents choose other branches, or leave it out.
                attempts.refuse_parent(&failure.pointer);
                continue;
            }
        };
        let copied = maker.copied;
        let list = || -> Vec<ValidationError<'_>> { validator.iter_errors(&value).take(MOST_ERRORS).collect() };
        let Ok(errors) = bounded(&value, list) else { return Err(no_value("", steps::MESSAGE.to_owned())) };
        let Some(first) = errors.first() else { return Ok(value) };
        last = no_value(first.instance_path().as_str(), first.masked().to_string());
        for error in &errors {
            attempts.refuse(error, &copied);
        }
        drop(errors);
        last.best = Some(Box::new(value));
    }
    Err(last)
}

impl Attempts {
    fn tries(&self, pointer: &str) -> u32 {
        self.tries.get(pointer).copied().unwrap_or(0)
    }

    fn refuse(&mut self, error: &ValidationError<'_>, copied: &[String]) {
        let pointer = error.instance_path().as_str();
        // An example is one place: its parts cannot be built in another way.
        if let Some(whole) = copied.iter().find(|whole| is_within(pointer, whole)) {
            return self.refuse_place(whole);
        }
        match error.kind() {
            ValidationErrorKind::Required { property: Value::String(name) } => {
                self.forced.insert(format!("{pointer}/{}", escape(name)));
                self.refuse_place(pointer);
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                self.dropped.extend(unexpected.iter().map(|name| format!("{pointer}/{}", escape(name))));
                if self.tries(pointer) > 0 || unexpected.is_empty() {
                    self.refuse_place(pointer);
                } else {
                    self.tries.insert(pointer.to_owned(), 1);
                }
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.refuse_branches(pointer, context, copied);
            }
            _ => self.refuse_place(pointer),
        }
    }

    /// The branch whose only violations are below this place is nearly right: those are refused first.
    fn refuse_branches(&mut self, pointer: &str, branches: &[Vec<ValidationError<'static>>], copied: &[String]) {
        let is_below = |error: &&ValidationError<'static>| error.instance_path().as_str().len() > pointer.len();
        let nearest = branches
            .iter()
            .filter(|errors| !errors.is_empty() && errors.iter().filter(is_below).count() == errors.len())
            .min_by_key(|errors| errors.len());
        let is_new = |error: &ValidationError<'static>| self.tries(error.instance_path().as_str()) < 3;
        match nearest.filter(|errors| errors.iter().any(is_new)) {
            Some(errors) => errors.iter().for_each(|error| self.refuse(error, copied)),
            None => self.refuse_place(pointer),
        }
    }

    fn refuse_place(&mut self, pointer: &str) {
        let tries = self.tries.entry(pointer.to_owned()).or_default();
        *tries += 1;
        if *tries >= MOST_TRIES {
            self.dropped.insert(pointer.to_owned());
            if tries.is_multiple_of(MOST_TRIES) {
                self.refuse_parent(pointer);
            }
        }
    }

    fn refuse_parent(&mut self, pointer: &str) {
        self.dropped.insert(pointer.to_owned());
        match pointer.rsplit_once('/') {
            Some((parent, _)) => self.refuse_place(parent),
            None => *self.tries.entry(String::new()).or_default() += 1,
        }
    }
}

/// True if the pointer is that of the whole, or of a part of it.
fn is_within(pointer: &str, whole: &str) -> bool {
    pointer.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
