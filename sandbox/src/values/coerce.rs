//! Converts texts (of paths, queries, headers, cookies, forms) to the types of their schemas.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::check;
use crate::contract::schema::Schema;

/// The value of a single text, or the problem with it.
pub(crate) fn one(schema: Schema, text: &str) -> Result<Value, String> {
    let value = match schema.kind() {
        Some("integer") => text.parse::<i64>().ok().map(Value::from),
        Some("number") => text.parse::<f64>().ok().map(Value::from),
        Some("boolean") => text.to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
        Some("string") if schema.format() == Some("uuid") => guid(text).map(Value::from),
        _ => Some(Value::from(text)),
    };
    let value = value.filter(|value| check::fits(schema, value));
    value.ok_or_else(|| format!("The value '{}' is not valid.", text.escape_debug()))
}

/// ASP.NET accepts several forms of a GUID outside of JSON; the store has one.
fn guid(text: &str) -> Option<String> {
    let is_urn = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("urn:"));
    Uuid::try_parse(text).ok().filter(|_| !is_urn).map(|id| id.to_string())
}

/// The value of a repeatable parameter.
pub(crate) fn several(schema: Schema, texts: &[&str]) -> Result<Value, String> {
    match (schema.items(), texts) {
        (Some(items), _) => texts.iter().map(|text| one(items, text)).collect::<Result<Vec<_>, _>>().map(Value::from),
        (None, [text]) => one(schema, text),
        (None, _) => Err("The value is given more than once.".to_owned()),
    }
}

/// The fields of an object from pairs of name and text. Undeclared names are ignored.
pub(crate) fn fields(schema: Schema, pairs: &[(String, String)]) -> Result<Map<String, Value>, (String, String)> {
    let mut fields = Map::new();
    for (name, property) in schema.properties() {
        let texts: Vec<&str> = pairs.iter().filter(|(key, _)| key == name).map(|(_, text)| text.as_str()).collect();
        if !texts.is_empty() {
            let value = several(property, &texts).map_err(|message| (name.to_owned(), message))?;
            fields.insert(name.to_owned(), value);
        }
    }
    Ok(fields)
}
