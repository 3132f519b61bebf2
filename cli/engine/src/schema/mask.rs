//! Values without their secrets, for a log.

use serde_json::{Map, Value};

use super::Definitions;

/// Schemas within each other for one value.
const NESTED: usize = 32;
/// Schemas that are read for one value: alternatives within alternatives multiply.
const STEPS: usize = 20_000;
/// The text in place of a secret.
const HIDDEN: &str = "(hidden)";
/// Parts of names of members that hide their values even if no schema marks them.
const SECRETS: [&str; 8] =
    ["password", "passwd", "secret", "token", "apikey", "credential", "authorization", "privatekey"];

/// Returns the value with `(hidden)` for each member that is `writeOnly` or has the format `password`, in any alternative of its schema, and
/// for each member whose name says so.
pub fn mask<'a>(value: &Value, schema: &'a Value, definitions: &Definitions<'a>) -> Value {
    let mut steps = STEPS;
    masked(value, &[schema], definitions, &mut steps)
}

fn masked<'a>(value: &Value, schemas: &[&'a Value], definitions: &Definitions<'a>, steps: &mut usize) -> Value {
    let mut all = Vec::new();
    for schema in schemas {
        expand(schema, definitions, 0, steps, &mut all);
    }
    // Nothing is shown that was not compared with its schema.
    if *steps == 0 || all.iter().any(|keywords| is_secret(keywords)) {
        return Value::String(HIDDEN.to_owned());
    }
    match value {
        Value::Object(members) => {
            let mask = |(name, value): (&String, &Value)| {
                if is_secret_name(name) && !matches!(value, Value::Null | Value::Bool(_)) {
                    return (name.clone(), Value::String(HIDDEN.to_owned()));
                }
                let schemas: Vec<&Value> = all.iter().filter_map(|keywords| member(keywords, name)).collect();
                (name.clone(), masked(value, &schemas, definitions, steps))
            };
            Value::Object(members.iter().map(mask).collect())
        }
        Value::Array(items) => {
            let schemas: Vec<&Value> = all.iter().filter_map(|keywords| keywords.get("items")).collect();
            Value::Array(items.iter().map(|item| masked(item, &schemas, definitions, steps)).collect())
        }
        _ => value.clone(),
    }
}

/// All schemas that apply to the same value.
fn expand<'a>(
    schema: &'a Value,
    definitions: &Definitions<'a>,
    nested: usize,
    steps: &mut usize,
    all: &mut Vec<&'a Map<String, Value>>,
) {
    let Value::Object(keywords) = schema else { return };
    if nested > NESTED || *steps == 0 {
        return;
    }
    *steps -= 1;
    all.push(keywords);
    let name = keywords.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/"));
    if let Some(referenced) = name.and_then(definitions) {
        expand(referenced, definitions, nested + 1, steps, all);
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        for schema in keywords.get(name).and_then(Value::as_array).into_iter().flatten() {
            expand(schema, definitions, nested + 1, steps, all);
        }
    }
}

fn member<'a>(keywords: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let own = keywords.get("properties").and_then(|properties| properties.get(name));
    own.or_else(|| keywords.get("additionalProperties"))
}

fn is_secret(keywords: &Map<String, Value>) -> bool {
    keywords.get("writeOnly") == Some(&Value::Bool(true))
        || keywords.get("format").and_then(Value::as_str) == Some("password")
}

fn is_secret_name(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_lowercase()).collect();
    SECRETS.iter().any(|secret| plain.contains(secret))
}
