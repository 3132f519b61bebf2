//! A strict validator for the contract's schemas, on the contract as it is served. It shares no code with the sandbox's own
//! checks, and refuses undeclared fields of closed objects.

use serde_json::{Map, Value, json};

/// The problems of a value; empty if it satisfies the schema.
pub(crate) fn violations(contract: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    check(contract, schema, value, "$", &mut complaints);
    complaints
}

/// A value that satisfies a schema: every declared field, with a value.
pub(crate) fn sample(contract: &Value, schema: &Value) -> Value {
    let schema = resolve(contract, schema);
    if let Some(first) = schema.get("oneOf").and_then(|one| one.get(0)) {
        return sample(contract, first);
    }
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), Some("uuid")) => json!("6b0d3e1c-8a6f-4c61-9a32-0d6e2d4f5a10"),
        (Some("string"), Some("date-time")) => json!("2024-02-29T12:30:00+02:00"),
        (Some("string"), _) => json!("text"),
        (Some("integer" | "number"), _) => json!(3),
        (Some("boolean"), _) => json!(true),
        (Some("array"), _) => json!([sample(contract, &schema["items"])]),
        _ => {
            let mut fields = Map::new();
            for base in schema["allOf"].as_array().into_iter().flatten() {
                fields.extend(sample(contract, base).as_object().cloned().unwrap_or_default());
            }
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                fields.insert(name.clone(), sample(contract, property));
            }
            fields.into()
        }
    }
}

fn resolve<'a>(contract: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => contract.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

fn check(contract: &Value, schema: &Value, value: &Value, place: &str, complaints: &mut Vec<String>) {
    let schema = resolve(contract, schema);
    let keywords = schema.as_object().unwrap();
    if value.is_null() {
        let says_nothing = ["type", "oneOf", "allOf", "enum"].iter().all(|keyword| !keywords.contains_key(*keyword));
        if schema["nullable"] != true && !says_nothing {
            complaints.push(format!("{place} is null"));
        }
        return;
    }
    if let Some(values) = keywords.get("enum").and_then(Value::as_array)
        && !values.contains(value)
    {
        complaints.push(format!("{place} is {value}, not of the enum"));
    }
    let fits = match schema["type"].as_str() {
        Some("string") => value.as_str().is_some_and(|text| match schema["format"].as_str() {
            Some("uuid") => text.len() == 36 && uuid::Uuid::try_parse(text).is_ok(),
            Some("date-time") => text.len() >= 20 && text.as_bytes()[10] == b'T',
            _ => text.len() as u64 >= schema["minLength"].as_u64().unwrap_or(0),
        }),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    if !fits {
        complaints.push(format!("{place} is {value}, not of type {} {}", schema["type"], schema["format"]));
    }
    if let Some(alternatives) = keywords.get("oneOf").and_then(Value::as_array) {
        let fitting = alternatives.iter().filter(|one| violations(contract, one, value).is_empty()).count();
        if fitting != 1 {
            complaints.push(format!("{place} fits {fitting} of the alternatives"));
        }
    }
    for base in schema["allOf"].as_array().into_iter().flatten() {
        check(contract, base, value, place, complaints);
    }
    for (index, element) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(items) = keywords.get("items") {
            check(contract, items, element, &format!("{place}[{index}]"), complaints);
        }
    }
    if let Some(fields) = value.as_object() {
        check_fields(contract, schema, fields, place, complaints);
    }
}

fn check_fields(
    contract: &Value,
    schema: &Value,
    fields: &Map<String, Value>,
    place: &str,
    complaints: &mut Vec<String>,
) {
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            complaints.push(format!("{place}.{name} is missing"));
        }
    }
    for (name, field) in fields {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(property), _) => check(contract, property, field, &place, complaints),
            (None, Some(Value::Bool(false))) => complaints.push(format!("{place} is not declared")),
            (None, Some(rest)) if rest.is_object() => check(contract, rest, field, &place, complaints),
            _ => {}
        }
    }
}
