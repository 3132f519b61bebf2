//! Checks a JSON value against a schema of the contract.

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::clock;
use crate::contract::schema::{Additional, Schema};
use crate::problem::Complaint;

/// Everything that is wrong with a value; empty if it matches. A closed object refuses undeclared members, so that a client that
/// sends something outside of the contract is detected.
pub(crate) fn complaints(schema: Schema, value: &Value) -> Vec<Complaint> {
    run(schema, value, true)
}

/// Returns whether a value matches a schema. Undeclared members are ignored.
pub(crate) fn fits(schema: Schema, value: &Value) -> bool {
    run(schema, value, false).is_empty()
}

fn run(schema: Schema, value: &Value, strict: bool) -> Vec<Complaint> {
    let mut checker = Checker { strict, complaints: Vec::new() };
    checker.check(schema, value, "$");
    checker.complaints
}

struct Checker {
    strict: bool,
    complaints: Vec<Complaint>,
}

impl Checker {
    fn complain(&mut self, place: &str, message: impl Into<String>) {
        self.complaints.push((place.to_owned(), message.into()));
    }

    fn check(&mut self, schema: Schema, value: &Value, place: &str) {
        if value.is_null() {
            if !schema.is_nullable() && !is_open(schema) {
                self.complain(place, "The value must not be null.");
            }
            return;
        }
        if !schema.values().is_empty() && !schema.values().contains(value) {
            return self.complain(place, "The value is not one of those that are allowed.");
        }
        if let Some(kind) = schema.kind()
            && !is_kind(kind, schema.format(), value)
        {
            return self.complain(place, format!("The JSON value is not of type {}.", schema.format().unwrap_or(kind)));
        }
        let length = value.as_str().map(|text| text.chars().count());
        if let (Some(length), Some(least)) = (length, schema.min_length())
            && (length as u64) < least
        {
            self.complain(place, format!("The text has to have {least} characters at least."));
        }
        if schema.parts("oneOf").next().is_some()
            && schema.parts("oneOf").all(|one| !run(one, value, self.strict).is_empty())
        {
            self.complain(place, "The value fits none of the alternatives.");
        }
        for base in schema.parts("allOf") {
            self.check(base, value, place);
        }
        match value {
            Value::Array(elements) => self.check_elements(schema, elements, place),
            Value::Object(fields) => self.check_fields(schema, fields, place),
            _ => {}
        }
    }

    fn check_elements(&mut self, schema: Schema, elements: &[Value], place: &str) {
        let Some(items) = schema.items() else { return };
        for (index, element) in elements.iter().enumerate() {
            self.check(items, element, &format!("{place}[{index}]"));
        }
    }

    fn check_fields(&mut self, schema: Schema, fields: &Map<String, Value>, place: &str) {
        for name in schema.required().filter(|name| !fields.contains_key(*name)) {
            self.complain(&format!("{place}.{name}"), format!("The field {name} is required."));
        }
        for (name, field) in fields {
            let place = format!("{place}.{name}");
            let declared = schema.property(name);
            match (declared, schema.additional()) {
                (Some(schema), _) => self.check(schema, field, &place),
                (None, Additional::Of(schema)) => self.check(schema, field, &place),
                (None, Additional::Closed) if self.strict => {
                    self.complain(&place, "The field is not declared.");
                }
                (None, _) => {}
            }
        }
    }
}

/// Returns whether a schema leaves the type of the value open, so that null is a value like any other.
fn is_open(schema: Schema) -> bool {
    let mut parts = schema.parts("allOf").chain(schema.parts("oneOf"));
    schema.kind().is_none() && parts.next().is_none() && schema.values().is_empty()
}

fn is_kind(kind: &str, format: Option<&str>, value: &Value) -> bool {
    match (kind, format, value) {
        // With hyphens and without braces: .NET's JSON reader accepts no other form.
        ("string", Some("uuid"), Value::String(text)) => text.len() == 36 && Uuid::try_parse(text).is_ok(),
        ("string", Some("date-time"), Value::String(text)) => clock::is_timestamp(text),
        ("integer", Some("int32"), Value::Number(number)) => number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
        ("integer", _, Value::Number(number)) => number.as_i64().is_some(),
        ("string", _, Value::String(_))
        | ("number", _, Value::Number(_))
        | ("boolean", _, Value::Bool(_))
        | ("array", _, Value::Array(_))
        | ("object", _, Value::Object(_)) => true,
        _ => false,
    }
}
