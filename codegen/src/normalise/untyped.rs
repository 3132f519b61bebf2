//! Schemas without `type` whose `format` says it: the OpenAPI 3.0 output of .NET 10 drops the type of every number.

use serde_json::{Map, Value};

use super::Place;
use crate::ledger::{Entry, Ledger, Loss};

const INTEGERS: &[&str] =
    &["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int128", "uint128"];
const NUMBERS: &[&str] = &["float", "double", "decimal"];
const STRINGS: &[&str] = &[
    "uuid",
    "guid",
    "date-time",
    "date",
    "time",
    "byte",
    "binary",
    "uri",
    "email",
    "date-span",
    "duration",
    "password",
];

/// Gives the schema the type that its format stands for.
pub(super) fn pass(schema: &mut Map<String, Value>, pointer: &str, place: &Place<'_>, ledger: &mut Ledger) {
    let typed =
        ["type", "$ref", "enum", "allOf", "oneOf", "anyOf", "properties", "items", "additionalProperties", "not"];
    if typed.iter().any(|keyword| schema.contains_key(*keyword)) {
        return;
    }
    let Some(format) = schema.get("format").and_then(Value::as_str) else { return };
    let kinds = [("integer", INTEGERS), ("number", NUMBERS), ("string", STRINGS)];
    let Some((kind, _)) = kinds.iter().find(|(_, formats)| formats.contains(&format)) else { return };
    ledger.push(Entry {
        document: place.document.to_owned(),
        pointer: place.origins.source(pointer, place.published),
        pass: "normalise/untyped",
        what: format!("`format: {format}` without a type is read as `{kind}`"),
        loss: Loss::Nothing,
    });
    if *kind != "string" {
        // The pattern describes the digits that the number may also be written with.
        schema.remove("pattern");
    }
    schema.insert("type".to_owned(), Value::from(*kind));
}
