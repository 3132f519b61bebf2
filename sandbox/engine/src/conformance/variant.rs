//! Other values in single places of a sample: those of enumerations, and the bounds of numbers, texts and lists.

use std::collections::BTreeSet;

use serde_json::{Number, Value, json};

use crate::contract::{SchemaRef, escape, resolve};

/// The most variants of one sample.
const MOST: usize = 200;
/// The deepest place of a sample that varies, and the longest chain of references.
const DEEPEST: usize = 12;
/// The longest text, and the longest list, that a bound asks for.
const LONGEST: u64 = 4096;
const LONGEST_LIST: u64 = 64;

/// Names of variants, and the samples with the other value. A schema does not need to allow them: they are made from one keyword each.
pub(super) fn variants(document: &Value, schema: &SchemaRef, sample: &Value) -> Vec<(String, Value)> {
    let schema = match schema {
        SchemaRef::Pointer(pointer) => resolve(document, pointer).map(|(_, value)| value),
        SchemaRef::Inline(value) => Some(value.as_ref()),
    };
    let mut places = Places { document, variants: Vec::new(), names: BTreeSet::new() };
    if let Some(schema) = schema {
        places.walk(schema, sample, "", DEEPEST);
    }
    let variants = places.variants.into_iter().filter_map(|(pointer, name, value)| {
        let mut varied = sample.clone();
        *varied.pointer_mut(&pointer)? = value;
        Some((name, varied))
    });
    variants.collect()
}

struct Places<'d> {
    document: &'d Value,
    /// Pointer into the sample, name of the variant, and value.
    variants: Vec<(String, String, Value)>,
    names: BTreeSet<String>,
}

impl Places<'_> {
    fn walk(&mut self, schema: &Value, value: &Value, at: &str, depth: usize) {
        if depth == 0 {
            return;
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            if let Some((_, schema)) = resolve(self.document, reference.trim_start_matches('#')) {
                self.walk(schema, value, at, depth - 1);
            }
            return;
        }
        for branch in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.walk(branch, value, at, depth - 1);
        }
        for other in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            self.add(value, at, &format!("= {other}"), other.clone());
        }
        let length = |keyword: &str, longest: u64| {
            schema
                .get(keyword)
                .and_then(Value::as_u64)
                .filter(|length| *length <= longest)
                .and_then(|it| usize::try_from(it).ok())
        };
        match value {
            Value::Bool(is_set) => self.add(value, at, &format!("= {}", !is_set), Value::Bool(!is_set)),
            Value::Number(_) => {
                for (keyword, exclusive, step) in
                    [("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1)]
                {
                    let bounds = [(schema.get(keyword), 0), (schema.get(keyword), step), (schema.get(exclusive), step)];
                    for bound in bounds.into_iter().filter_map(|(bound, step)| stepped(bound?, step)) {
                        self.add(value, at, &format!("= {bound}"), Value::Number(bound));
                    }
                }
            }
            // A text of any characters has no format.
            Value::String(_) if !schema.get("format").is_some_and(Value::is_string) => {
                for length in ["minLength", "maxLength"].into_iter().filter_map(|keyword| length(keyword, LONGEST)) {
                    self.add(value, at, &format!("of {length} characters"), json!("x".repeat(length)));
                }
            }
            Value::Array(items) => {
                let Some(first) = items.first() else { return };
                if let Some(schema) = schema.get("items") {
                    self.walk(schema, first, &format!("{at}/0"), depth - 1);
                }
                for length in ["minItems", "maxItems"].into_iter().filter_map(|keyword| length(keyword, LONGEST_LIST)) {
                    self.add(value, at, &format!("of {length} items"), json!(vec![first; length]));
                }
            }
            Value::Object(members) => {
                for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    if let Some(value) = members.get(name) {
                        self.walk(schema, value, &format!("{at}/{}", escape(name)), depth - 1);
                    }
                }
            }
            Value::String(_) | Value::Null => {}
        }
    }

    fn add(&mut self, value: &Value, at: &str, name: &str, other: Value) {
        let is_shorter = |text: &str| text.chars().count() <= 80;
        let name = match is_shorter(name) {
            true => format!("{at} {name}"),
            false => format!("{at} #{}", self.variants.len()),
        };
        let name = if at.is_empty() { name.trim_start().to_owned() } else { name };
        if self.variants.len() < MOST && *value != other && self.names.insert(name.clone()) {
            self.variants.push((at.to_owned(), name, other));
        }
    }
}

/// A whole bound, and a step from it; the bound itself if it is not whole.
fn stepped(bound: &Value, step: i64) -> Option<Number> {
    let number = bound.as_number()?;
    match number.as_i64() {
        Some(whole) => whole.checked_add(step).map(Number::from),
        None => (step == 0).then(|| number.clone()),
    }
}
