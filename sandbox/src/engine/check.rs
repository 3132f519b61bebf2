//! Checks a JSON value against a schema of the contract, as ASP.NET's JSON reader and model validation would: a field that
//! the schema does not know is ignored.

use serde_json::Value;
use uuid::Uuid;

use crate::clock;
use crate::contract::schema::{Additional, Schema};
use crate::contract::{Contract, contract};
use crate::problem::Complaint;

/// Everything that is wrong with a value; empty when it fits.
pub(crate) fn complaints(schema: &Schema, value: &Value) -> Vec<Complaint> {
    let mut found = Vec::new();
    check(contract(), schema, value, "$", &mut found);
    found
}

/// Whether a value fits a schema.
pub(crate) fn fits(schema: &Schema, value: &Value) -> bool {
    complaints(schema, value).is_empty()
}

fn check(contract: &Contract, schema: &Schema, value: &Value, place: &str, found: &mut Vec<Complaint>) {
    let schema = contract.resolve(schema);
    let mut complain = |message: String| found.push((place.to_owned(), message));
    if value.is_null() {
        if !schema.nullable && !is_open(schema) {
            complain("The value must not be null.".to_owned());
        }
        return;
    }
    if !schema.values.is_empty() && !schema.values.contains(value) {
        return complain("The value is none of the allowed ones.".to_owned());
    }
    if let Some(kind) = schema.kind {
        if !is_kind(kind, schema.format, value) {
            return complain(format!("The JSON value is no {}.", schema.format.unwrap_or(kind)));
        }
        let length = value.as_str().map(|text| text.chars().count());
        if let (Some(length), Some(least)) = (length, schema.min_length)
            && length < least as usize
        {
            complain(format!("The text has to have {least} characters at least."));
        }
    }
    if !schema.one_of.is_empty() {
        let fitting = schema.one_of.iter().any(|one| {
            let mut complaints = Vec::new();
            check(contract, one, value, place, &mut complaints);
            complaints.is_empty()
        });
        if !fitting {
            found.push((place.to_owned(), "The value fits none of the alternatives.".to_owned()));
        }
    }
    for base in &schema.all_of {
        check(contract, base, value, place, found);
    }
    check_parts(contract, schema, value, place, found);
}

fn check_parts(contract: &Contract, schema: &Schema, value: &Value, place: &str, found: &mut Vec<Complaint>) {
    match value {
        Value::Array(elements) => {
            let Some(items) = &schema.items else { return };
            for (index, element) in elements.iter().enumerate() {
                check(contract, items, element, &format!("{place}[{index}]"), found);
            }
        }
        Value::Object(fields) => {
            for name in schema.required.iter().filter(|name| !fields.contains_key(**name)) {
                found.push((format!("{place}.{name}"), format!("The field {name} is required.")));
            }
            for (name, field) in fields {
                let declared = schema.properties.iter().find(|(declared, _)| declared == name);
                let schema = match (declared, &schema.additional_properties) {
                    (Some((_, schema)), _) => schema,
                    (None, Some(Additional::Of(schema))) => schema,
                    (None, _) => continue,
                };
                check(contract, schema, field, &format!("{place}.{name}"), found);
            }
        }
        _ => {}
    }
}

/// Whether a schema says nothing about the kind of the value, so that null is a value like any other.
fn is_open(schema: &Schema) -> bool {
    schema.kind.is_none() && schema.all_of.is_empty() && schema.one_of.is_empty() && schema.values.is_empty()
}

fn is_kind(kind: &str, format: Option<&str>, value: &Value) -> bool {
    match (kind, format, value) {
        ("string", Some("uuid"), Value::String(text)) => Uuid::try_parse(text).is_ok(),
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
