//! Keywords without subschemas.

use serde_json::{Map, Number, Value, json};

use crate::schema::{Direction, compile, kinds::Kinds};

const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

fn copy(raw: &Map<String, Value>, out: &mut Map<String, Value>, name: &str, is_usable: impl Fn(&Value) -> bool) {
    if let Some(value) = raw.get(name).filter(|value| is_usable(value)) {
        out.insert(name.to_owned(), value.clone());
    }
}

/// `type`, and names of types that publishers invent.
pub(super) fn types(raw: &Map<String, Value>, out: &mut Map<String, Value>) {
    let known = |name: &Value| {
        let name = name.as_str()?;
        let name = match name {
            "file" | "date" | "date-time" | "uuid" | "str" => "string",
            "int" | "int32" | "int64" | "long" => "integer",
            "float" | "double" | "decimal" => "number",
            "bool" => "boolean",
            "dict" | "map" => "object",
            _ => TYPES.iter().find(|known| **known == name)?,
        };
        Some(json!(name))
    };
    let usable = match raw.get("type") {
        Some(Value::Array(list)) => {
            let mut usable: Vec<Value> = Vec::new();
            for name in list {
                match known(name) {
                    Some(name) if !usable.contains(&name) => usable.push(name),
                    Some(_) => {}
                    // An unknown name stands for values that this reader cannot tell.
                    None => return,
                }
            }
            (!usable.is_empty()).then_some(Value::Array(usable))
        }
        Some(name) => known(name),
        None => None,
    };
    if let Some(usable) = usable {
        out.insert("type".to_owned(), usable);
    }
}

pub(super) fn values(raw: &Map<String, Value>, out: &mut Map<String, Value>) {
    if let Some(Value::Array(values)) = raw.get("enum")
        && !values.is_empty()
    {
        let mut distinct: Vec<Value> = Vec::with_capacity(values.len());
        for value in values {
            // Lists of a thousand values exist: the search for equal ones stays short.
            if values.len() > 200 || !distinct.contains(value) {
                distinct.push(value.clone());
            }
        }
        fit(&mut distinct, out);
        out.insert("enum".to_owned(), Value::Array(distinct));
    }
    copy(raw, out, "const", |_| true);
}

/// Values of which none has the declared type: YAML reads an unquoted `true` as a boolean, and generators declare a null as a
/// string.
fn fit(values: &mut [Value], out: &mut Map<String, Value>) {
    let kinds = Kinds::of_keywords(out);
    if values.iter().any(|value| kinds.has(Kinds::of_value(value))) {
        return;
    }
    if values.iter().all(Value::is_null) {
        out.remove("type");
        return;
    }
    for value in values {
        let fitted = match value {
            Value::Bool(_) | Value::Number(_) if kinds.has(Kinds::STRING) => Some(json!(value.to_string())),
            Value::String(text) => serde_json::from_str(text).ok().filter(|value| kinds.has(Kinds::of_value(value))),
            _ => None,
        };
        if let Some(fitted) = fitted {
            *value = fitted;
        }
    }
}

pub(super) fn numbers(raw: &Map<String, Value>, out: &mut Map<String, Value>) {
    for (limit, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        let is_exclusive = raw.get(exclusive) == Some(&Value::Bool(true));
        if let Some(value) = raw.get(limit).filter(|value| value.is_number()) {
            out.insert(if is_exclusive { exclusive } else { limit }.to_owned(), value.clone());
        }
        copy(raw, out, exclusive, Value::is_number);
    }
    copy(raw, out, "multipleOf", |value| value.as_f64().is_some_and(|value| value > 0.0));
    let is_integer = match out.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "integer"),
        kind => kind.is_some_and(|kind| kind == "integer"),
    };
    let format = raw.get("format").and_then(Value::as_str).filter(|_| is_integer);
    if let Some((least, most)) = format.and_then(width) {
        for (limit, exclusive, value) in [("minimum", "exclusiveMinimum", least), ("maximum", "exclusiveMaximum", most)]
        {
            if !out.contains_key(limit) && !out.contains_key(exclusive) {
                out.insert(limit.to_owned(), Value::Number(value));
            }
        }
        if format == Some("int64") {
            out.insert(compile::EXACT.to_owned(), json!(true));
        }
    }
}

/// The integers of a format.
fn width(format: &str) -> Option<(Number, Number)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0.into(), u8::MAX.into()),
        "uint16" => (0.into(), u16::MAX.into()),
        "uint32" => (0.into(), u32::MAX.into()),
        "uint64" => (0.into(), u64::MAX.into()),
        _ => return None,
    })
}

pub(super) fn texts(raw: &Map<String, Value>, out: &mut Map<String, Value>) {
    copy(raw, out, "format", Value::is_string);
    // NSwag's name of the format, which no validator knows.
    if out.get("format").is_some_and(|format| format == "guid") {
        out.insert("format".to_owned(), json!("uuid"));
    }
    copy(raw, out, "pattern", |pattern| pattern.as_str().is_some_and(is_pattern));
    if out.get("format").is_none() && raw.get("contentEncoding").is_some_and(|encoding| encoding == "base64") {
        out.insert("format".to_owned(), json!("byte"));
    }
    // The dialects before 3.1 have a type for files, which is a string here.
    if raw.get("type").is_some_and(|kind| kind == "file") {
        out.insert("format".to_owned(), json!("binary"));
    }
}

pub(super) fn counts(raw: &Map<String, Value>, out: &mut Map<String, Value>) {
    const COUNTS: [&str; 8] = [
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    ];
    for name in COUNTS {
        let count = raw.get(name).and_then(|value| value.as_u64().or_else(|| whole(value.as_f64()?)));
        if let Some(count) = count {
            out.insert(name.to_owned(), json!(count));
        }
    }
    copy(raw, out, "uniqueItems", Value::is_boolean);
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0 && value < 9e15).then_some(value as u64)
}

/// Annotations that the sampler uses. Examples become one list.
pub(super) fn annotations(raw: &Map<String, Value>, out: &mut Map<String, Value>) {
    for name in ["readOnly", "writeOnly"] {
        copy(raw, out, name, |value| *value == Value::Bool(true));
    }
    copy(raw, out, "default", |_| true);
    let mut examples: Vec<Value> = Vec::new();
    examples.extend(["example", "x-example"].iter().filter_map(|name| raw.get(*name)).cloned());
    if let Some(Value::Array(list)) = raw.get("examples") {
        examples.extend(list.iter().take(8).cloned());
    }
    if !examples.is_empty() {
        out.insert("examples".to_owned(), Value::Array(examples));
    }
}

pub(super) fn required(
    raw: &Map<String, Value>,
    hidden: &[String],
    direction: Direction,
    out: &mut Map<String, Value>,
) {
    if let Some(Value::Array(list)) = raw.get("required") {
        let members = raw.get("properties").and_then(Value::as_object);
        let is_closed = raw.get("additionalProperties") == Some(&Value::Bool(false));
        // .NET generators write `Id` for the member `id`. An answer has both if it may.
        let declared = |name: &Value| {
            let name = name.as_str()?;
            let members = members.filter(|members| !members.contains_key(name))?;
            members.keys().find(|member| member.eq_ignore_ascii_case(name)).map(|member| json!(member))
        };
        let renames = is_closed || direction == Direction::Request;
        let list = list.iter().map(|name| declared(name).filter(|_| renames).unwrap_or_else(|| name.clone())).collect();
        out.insert("required".to_owned(), names(&Value::Array(list), hidden));
    }
    if let Some(Value::Object(members)) = raw.get("dependentRequired") {
        let members = members
            .iter()
            .filter(|(_, list)| list.is_array())
            .map(|(name, list)| (name.clone(), names(list, hidden)))
            .collect();
        out.insert("dependentRequired".to_owned(), Value::Object(members));
    }
}

/// Removes names from `required` of a part of `allOf`, and of its own parts.
pub(super) fn release(part: &mut Value, hidden: &[String]) {
    if let Some(Value::Array(required)) = part.get_mut("required") {
        required.retain(|name| !hidden.iter().any(|hidden| name == hidden));
    }
    if let Some(Value::Array(parts)) = part.get_mut("allOf") {
        parts.iter_mut().for_each(|part| release(part, hidden));
    }
}

/// The distinct names of a list, without those that are left out.
pub(super) fn names(list: &Value, without: &[String]) -> Value {
    let mut names: Vec<&str> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    names.retain(|name| !without.iter().any(|other| other == name));
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    json!(names)
}

/// True if the library can compile the pattern.
pub(super) fn is_pattern(pattern: &str) -> bool {
    compile::options().build(&json!({ "pattern": pattern })).is_ok()
}

/// True for keywords that say nothing about values.
pub(super) fn is_documentation(keyword: &str) -> bool {
    const KEYWORDS: [&str; 6] = ["title", "description", "example", "examples", "deprecated", "externalDocs"];
    KEYWORDS.contains(&keyword) || (keyword.starts_with("x-") && keyword != "x-nullable")
}
