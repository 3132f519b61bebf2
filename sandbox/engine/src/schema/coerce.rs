//! Values of text: parameters and fields of forms.

use indexmap::IndexMap;
use serde_json::{Map, Number, Value};

use super::bundle::Bundle;
use super::kinds::Kinds;

/// The form in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    One,
    List,
    Members,
}

/// A value as it was written, split by its style.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Text {
    One(String),
    List(Vec<Text>),
    Members(IndexMap<String, Text>),
    /// A part of a form that has a type of its own, such as JSON.
    Read(Value),
}

/// Subschemas that are collected at most.
const MOST_PARTS: usize = 500;

/// A schema without any type is written as one value.
pub(super) fn form(bundle: &Bundle, schemas: &[&Value]) -> Form {
    let mut kinds = kinds(bundle, schemas);
    if kinds == Kinds::ANY {
        let parts = all_parts(bundle, schemas);
        let has = |name: &str| parts.iter().any(|part| part.contains_key(name));
        kinds = if has("properties") {
            Kinds::OBJECT
        } else if has("items") || has("prefixItems") {
            Kinds::ARRAY
        } else {
            Kinds::STRING
        };
    }
    match kinds {
        kinds if kinds.has(Kinds::ARRAY) => Form::List,
        kinds if kinds.has(Kinds::OBJECT) => Form::Members,
        _ => Form::One,
    }
}

pub(super) fn value(bundle: &Bundle, schemas: &[&Value], text: &Text) -> Value {
    match text {
        Text::Read(value) => value.clone(),
        Text::One(text) => scalar(bundle, schemas, text),
        Text::List(list) => {
            let parts = all_parts(bundle, schemas);
            let tuple: Vec<&Value> =
                parts.iter().filter_map(|part| part.get("prefixItems")?.as_array()).flatten().collect();
            let items: Vec<&Value> = parts.iter().filter_map(|part| part.get("items")).collect();
            let item = |(index, text): (usize, &Text)| match tuple.get(index) {
                Some(schema) => value(bundle, &[*schema], text),
                None => value(bundle, &items, text),
            };
            Value::Array(list.iter().enumerate().map(item).collect())
        }
        Text::Members(members) => {
            let object =
                members.iter().map(|(name, text)| (name.clone(), value(bundle, &member(bundle, schemas, name), text)));
            Value::Object(object.collect())
        }
    }
}

/// The schemas of a member.
pub(super) fn member<'b>(bundle: &'b Bundle, schemas: &[&'b Value], name: &str) -> Vec<&'b Value> {
    let parts = all_parts(bundle, schemas);
    let declared: Vec<&Value> = parts.iter().filter_map(|part| part.get("properties")?.get(name)).collect();
    if !declared.is_empty() {
        return declared;
    }
    parts.iter().filter_map(|part| part.get("additionalProperties")).filter(|schema| schema.is_object()).collect()
}

/// The declared members.
pub(super) fn names(bundle: &Bundle) -> Vec<String> {
    let parts = parts(bundle, bundle.root());
    parts
        .iter()
        .filter_map(|part| part.get("properties")?.as_object())
        .flat_map(|members| members.keys().cloned())
        .collect()
}

fn all_parts<'b>(bundle: &'b Bundle, schemas: &[&'b Value]) -> Vec<&'b Map<String, Value>> {
    schemas.iter().flat_map(|schema| parts(bundle, schema)).collect()
}

pub(super) fn kinds(bundle: &Bundle, schemas: &[&Value]) -> Kinds {
    schemas.iter().map(|schema| bundle.kinds(schema)).fold(Kinds::ANY, Kinds::and)
}

fn scalar(bundle: &Bundle, schemas: &[&Value], text: &str) -> Value {
    let kinds = kinds(bundle, schemas);
    let string = || Value::String(text.to_owned());
    if kinds == Kinds::ANY || kinds == Kinds::NONE {
        return string();
    }
    if let Some(read) = bundle.spelling {
        let formats = all_parts(bundle, schemas).into_iter().filter_map(|part| part.get("format")?.as_str());
        if let Some(text) = formats.filter_map(|format| read(format, text)).next() {
            return Value::String(text);
        }
    }
    if kinds.has(Kinds::NUMBER)
        && let Some(number) = number(text)
    {
        return Value::Number(number);
    }
    match text {
        "true" | "false" if kinds.has(Kinds::BOOLEAN) => return Value::Bool(text == "true"),
        // .NET writes `True`, and reads any case.
        _ if kinds.has(Kinds::BOOLEAN)
            && !kinds.has(Kinds::STRING)
            && ["true", "false"].iter().any(|name| text.eq_ignore_ascii_case(name)) =>
        {
            return Value::Bool(text.eq_ignore_ascii_case("true"));
        }
        "" | "null" if kinds.has(Kinds::NULL) && !kinds.has(Kinds::STRING) => return Value::Null,
        _ => {}
    }
    string()
}

/// The number that the text writes in JSON. `+1`, `0x10` and `NaN` are not numbers of JSON.
pub(super) fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The keywords of a schema, of its parts and of its alternatives.
pub(super) fn parts<'b>(bundle: &'b Bundle, schema: &'b Value) -> Vec<&'b Map<String, Value>> {
    let mut parts = Vec::new();
    let mut rest = vec![schema];
    while let Some(schema) = rest.pop() {
        let Value::Object(keywords) = schema else { continue };
        if parts.len() > MOST_PARTS {
            break;
        }
        parts.push(keywords);
        rest.extend(bundle.target(schema).map(|(_, target)| target));
        for name in super::in_place::IN_PLACE_LISTS {
            rest.extend(keywords.get(name).and_then(Value::as_array).into_iter().flatten());
        }
    }
    parts
}
