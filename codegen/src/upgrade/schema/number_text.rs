//! Numbers that may also come as text, as .NET 10 documents them: `type: [integer, string]` with a pattern of digits.
//!
//! In its OpenAPI 3.0 output the type is missing altogether, and only format and pattern stay.

use serde_json::Value;

use super::{Journal, Schema, text};
use crate::members::Members as _;

const PASS: &str = "upgrade/number-as-text";
/// Keywords that define a value by themselves.
const OTHERWISE: [&str; 7] = ["$ref", "allOf", "anyOf", "enum", "items", "oneOf", "properties"];

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let Some(pattern) = text(schema, "pattern").filter(|pattern| is_numeric(pattern)) else { return };
    let format = text(schema, "format").unwrap_or_default();
    let whole = match format {
        "float" | "double" | "decimal" | "float16" | "half" => false,
        _ if format.starts_with("int") || format.starts_with("uint") => true,
        _ => !pattern.contains("\\."),
    };
    let name = if whole { "integer" } else { "number" };
    let null = match schema.member("type") {
        Some(Value::String(_)) => return,
        Some(Value::Array(types)) if types.iter().any(Value::is_string) => {
            let has = |wanted: &str| types.iter().any(|name| name.as_str() == Some(wanted));
            if !has("string") || !(has("integer") || has("number")) {
                return;
            }
            has("null")
        }
        _ if format.is_empty() || OTHERWISE.iter().any(|key| schema.member(key).is_some()) => return,
        _ => false,
    };
    schema.take_member("pattern");
    schema.insert("type".to_owned(), Value::from(name));
    if null {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    let what = format!("read a number that may come as text as `type: {name}`");
    journal.prose(PASS, pointer, what, "the spelling of the number as text");
}

/// The patterns all begin alike: an optional sign, then a number without leading zeros.
pub(crate) fn is_numeric(pattern: &str) -> bool {
    let body = pattern.trim_start_matches('^');
    let body = body.strip_prefix("-?").unwrap_or(body);
    body.starts_with("(?:0|[1-9]\\d*)") || body.starts_with("(0|[1-9]\\d*)")
}
