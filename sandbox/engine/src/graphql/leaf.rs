//! Values of scalars and enums: a member of an item in the form of its type, and made-up ones.

use apollo_compiler::schema::ExtendedType;
use serde_json::{Value, json};

use crate::infer::plain;
use crate::seed::{guid, mix};

/// The value in the form of a scalar or an enum. `None` if it has none.
pub(super) fn fitted(kind: &ExtendedType, value: &Value) -> Option<Value> {
    match kind {
        ExtendedType::Enum(declared) => {
            let text = value.as_str()?;
            let exact = declared.values.keys().find(|name| name.as_str() == text);
            let same = || declared.values.keys().find(|name| plain(name) == plain(text));
            exact.or_else(same).map(|name| json!(name.as_str()))
        }
        ExtendedType::Scalar(declared) => match declared.name.as_str() {
            "Int" => {
                let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
                number.filter(|number| i32::try_from(*number).is_ok()).map(|number| json!(number))
            }
            "Float" => value.as_f64().map(|number| json!(number)),
            "Boolean" => value.as_bool().map(|is| json!(is)),
            "String" | "ID" => match value {
                Value::String(_) => Some(value.clone()),
                Value::Number(_) | Value::Bool(_) => Some(json!(value.to_string())),
                _ => None,
            },
            _ => Some(value.clone()),
        },
        _ => None,
    }
}

/// Characters of a value that does not fit, for the message about it.
const SHOWN: usize = 40;

/// A value that the execution refuses for its type, as it refuses the stored one, but short: the message repeats it.
pub(super) fn unfit(kind: &ExtendedType, value: &Value) -> Value {
    if ["String", "ID"].contains(&kind.name().as_str()) {
        return json!({});
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => json!(format!("{}…", text.get(..end).unwrap_or_default())),
        None => json!(text),
    }
}

/// A made-up value for a field.
pub(super) fn made_up(kind: &ExtendedType, field: &str, seed: u64) -> Value {
    let number = mix(seed, &[field]) % 1_000;
    match kind {
        ExtendedType::Enum(declared) => {
            let index = usize::try_from(number).unwrap_or(0) % declared.values.len().max(1);
            declared.values.keys().nth(index).map_or(Value::Null, |name| json!(name.as_str()))
        }
        ExtendedType::Scalar(declared) => match plain(&declared.name).as_str() {
            "int" | "long" | "bigint" | "int64" | "short" | "byte" => json!(number),
            "float" | "decimal" | "double" | "bigdecimal" => json!(number as f64 / 4.0),
            "boolean" => json!(number.is_multiple_of(2)),
            "id" | "uuid" | "guid" => json!(guid(mix(seed, &[field]))),
            "datetime" | "timestamp" | "instant" | "datetimeoffset" => {
                json!(format!("2026-01-{:02}T12:00:00Z", number % 28 + 1))
            }
            "date" | "localdate" => json!(format!("2026-01-{:02}", number % 28 + 1)),
            "time" | "localtime" => json!(format!("12:00:{:02}", number % 60)),
            "url" | "uri" => json!(format!("https://example.com/{}/{number}", plain(field))),
            "email" | "emailaddress" => json!(format!("{}{number}@example.com", plain(field))),
            "json" | "jsonobject" | "any" | "map" | "object" => json!({}),
            _ => json!(format!("{field} {number}")),
        },
        _ => Value::Null,
    }
}
