//! Values of a contract as indented lines, without documentation. Unknown members are written unchanged, so that
//! different values never look the same.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::members::Members as _;
use crate::text::line;

/// Lines, indented below their parents.
#[derive(Debug, Default)]
pub(super) struct Outline {
    text: String,
    depth: usize,
}

/// Keywords that hold one schema.
const ONE: [&str; 10] = [
    "additionalItems",
    "contains",
    "contentSchema",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords that hold schemas, in a list or by name.
const MANY: [&str; 9] = [
    "$defs",
    "allOf",
    "anyOf",
    "definitions",
    "dependentSchemas",
    "items",
    "oneOf",
    "patternProperties",
    "prefixItems",
];

/// Returns whether a member has no meaning for a program.
fn is_prose(key: &str, value: &Value) -> bool {
    match key {
        "title" | "description" | "summary" => !value.is_object(),
        "$comment" | "example" | "examples" | "externalDocs" => true,
        _ => false,
    }
}

impl Outline {
    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(&line(text));
        self.text.push('\n');
    }

    /// Lines written by `write` belong to the line before.
    pub(super) fn below(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// All members but those that are written elsewhere.
    pub(super) fn members(&mut self, value: &Value, elsewhere: &[&str]) {
        for (key, value) in value.as_object().into_iter().flatten() {
            if !elsewhere.contains(&key.as_str()) && !is_prose(key, value) {
                self.value(key, value);
            }
        }
    }

    /// A value of whatever shape.
    pub(super) fn value(&mut self, label: &str, value: &Value) {
        match value {
            Value::Bool(true) => self.line(label),
            Value::Object(map) if !map.is_empty() => {
                self.line(label);
                self.below(|out| out.members(value, &[]));
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                self.line(label);
                self.below(|out| items.iter().for_each(|item| out.value("-", item)));
            }
            _ => self.line(&[label, " ", &short(value)].concat()),
        }
    }

    /// A schema; `marks` are written before its kind.
    pub(super) fn schema(&mut self, label: &str, marks: &str, schema: &Value) {
        let colon = if label.is_empty() { "" } else { ": " };
        let Value::Object(map) = schema else {
            let what = match schema {
                Value::Bool(true) => "anything".into(),
                Value::Bool(false) => "nothing".into(),
                other => short(other),
            };
            return self.line(&[label, colon, marks, &what].concat());
        };
        let mut words = Vec::new();
        kind(map, &mut words);
        for (key, value) in map {
            let is_scalar = !(value.is_object() || value.is_array());
            match key.as_str() {
                "$ref" | "type" | "format" | "properties" | "required" | "enum" => {}
                "items" if is_named_item(map) => {}
                "additionalProperties" if value.is_boolean() => {
                    words.push(if *value == Value::Bool(true) { "open" } else { "closed" }.to_owned());
                }
                _ if is_prose(key, value) => {}
                _ if *value == Value::Bool(true) => words.push(key.clone()),
                _ if is_scalar => words.push([key, " ", &short(value)].concat()),
                _ => {}
            }
        }
        let what = if words.is_empty() { "anything".to_owned() } else { words.join(", ") };
        self.line(&[label, colon, marks, &what].concat());
        self.below(|out| out.parts(map));
    }

    /// The parts of a schema.
    fn parts(&mut self, schema: &Map<String, Value>) {
        let required: BTreeSet<&str> = schema
            .member("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.member("properties").and_then(Value::as_object);
        for name in required.iter().filter(|name| properties.is_none_or(|members| !members.contains_key(**name))) {
            self.line(&format!("{name}: required"));
        }
        for (name, member) in properties.into_iter().flatten() {
            let mark = if required.contains(name.as_str()) { "required " } else { "" };
            self.schema(name, mark, member);
        }
        for value in schema.member("enum").and_then(Value::as_array).into_iter().flatten() {
            self.line(&["= ", &short(value)].concat());
        }
        for (key, value) in schema {
            match key.as_str() {
                "properties" | "enum" => {}
                "required" if value.is_array() => {}
                "items" if is_named_item(schema) => {}
                "additionalProperties" if value.is_object() => self.schema("others", "", value),
                _ if is_prose(key, value) => {}
                key if ONE.contains(&key) || key == "items" && value.is_object() => self.schema(key, "", value),
                key if MANY.contains(&key) => {
                    self.line(key);
                    self.below(|out| match value {
                        Value::Array(items) => items.iter().for_each(|item| out.schema("-", "", item)),
                        Value::Object(map) => map.iter().for_each(|(name, item)| out.schema(name, "", item)),
                        other => out.line(&short(other)),
                    });
                }
                key if value.is_object() || value.is_array() => self.value(key, value),
                _ => {}
            }
        }
    }
}

/// The kind of a schema's values: its type and format, or the component that it names.
fn kind(schema: &Map<String, Value>, words: &mut Vec<String>) {
    if let Some(reference) = schema.member("$ref") {
        words.push(reference.as_str().map_or_else(|| short(reference).into_owned(), |text| named(text).to_owned()));
    }
    let format = schema.member("format").map(|format| format!("({})", plain(format))).unwrap_or_default();
    match schema.member("type") {
        Some(_) if is_named_item(schema) => {
            let mut item = Vec::new();
            schema.member("items").and_then(Value::as_object).into_iter().for_each(|item_| kind(item_, &mut item));
            words.push(format!("array{format} of {}", item.join(", ")));
        }
        Some(ty) => words.push(plain(ty) + &format),
        None if !format.is_empty() => words.push(format!("format {format}")),
        None => {}
    }
}

/// Returns whether it is an array whose elements are fully described by their type or name.
fn is_named_item(schema: &Map<String, Value>) -> bool {
    let plain = |item: &Map<String, Value>| {
        !item.is_empty()
            && item.iter().all(|(key, value)| matches!(key.as_str(), "$ref" | "type" | "format") && value.is_string())
    };
    schema.member("type").is_some_and(|ty| ty == "array")
        && schema.member("items").and_then(Value::as_object).is_some_and(plain)
}

/// The component that a reference names, else the reference.
pub(super) fn named(reference: &str) -> &str {
    reference.strip_prefix("#/components/schemas/").unwrap_or(reference)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value in one line. Texts that could be read as something else keep their quotes.
fn short(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) if !text.is_empty() && text.parse::<f64>().is_err() && !is_word_of_json(text) => {
            text.into()
        }
        other => other.to_string().into(),
    }
}

fn is_word_of_json(text: &str) -> bool {
    matches!(text, "true" | "false" | "null") || text.starts_with(['"', '[', '{'])
}
