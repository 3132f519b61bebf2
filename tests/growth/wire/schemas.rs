//! Values of a contract's schemas: made for a request or an answer, and looked at as a service does that keeps to the contract.

use serde_json::{Map, Value, json};

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// With everything, and the first of each list of values.
    First,
    /// With everything, and the last of each list of values.
    Last,
    /// With required members only.
    Least,
    /// With everything, and `null` where that is allowed.
    Nulls,
    /// With everything, as long and as large as the schema allows.
    Wide,
}

impl How {
    pub(super) const ALL: [Self; 5] = [Self::First, Self::Last, Self::Least, Self::Nulls, Self::Wide];
}

/// The complaints of a service about a value.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    /// It cannot be read as the schema describes it.
    pub(super) refused: Vec<String>,
    /// It does not meet a limit, which not every service looks at.
    pub(super) beyond: Vec<String>,
}

/// The schemas of a contract.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'c> {
    pub(super) contract: &'c Value,
    /// `true` for requests, `false` for responses.
    pub(super) sent: bool,
}

/// Below this depth, optional members are left out, because schemas can be recursive.
const DEEPEST: usize = 5;

impl<'c> Schemas<'c> {
    /// The schema that a reference names.
    pub(super) fn resolve(&self, value: &'c Value) -> &'c Value {
        let mut value = value;
        for _ in 0..9 {
            let Some(reference) = value["$ref"].as_str() else { break };
            value = self.contract.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
        }
        value
    }

    /// The declared members of an object, those of its parts included, with whether they are required. Members
    /// that only the other side sends are left out.
    fn members(&self, schema: &'c Value) -> Vec<(&'c str, &'c Value, bool)> {
        let mut members: Vec<(&'c str, &'c Value, bool)> = Vec::new();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            members.extend(self.members(self.resolve(part)));
        }
        let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let other_way = if self.sent { "readOnly" } else { "writeOnly" };
            if member[other_way] == true || self.resolve(member)[other_way] == true {
                continue;
            }
            // A member of a part may be declared again in a narrower way, such as with the one value of a discriminator.
            match members.iter_mut().find(|(known, ..)| known == name) {
                Some((_, known, is_required)) => (*known, *is_required) = (member, *is_required || required(name)),
                None => members.push((name.as_str(), member, required(name))),
            }
        }
        members
    }

    pub(super) fn value(&self, schema: &'c Value, how: How) -> Value {
        self.made(schema, how, 0)
    }

    fn made(&self, schema: &'c Value, how: How, depth: usize) -> Value {
        let is_nullable = schema["nullable"] == true;
        let schema = self.resolve(schema);
        if matches!(how, How::Least | How::Nulls) && (is_nullable || takes_null(schema)) && depth > 0 {
            return Value::Null;
        }
        if let Some(values) = schema["enum"].as_array() {
            let values: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
            let value = if how == How::Last { values.last() } else { values.first() };
            return value.map_or(Value::Null, |value| (*value).clone());
        }
        if let Some(variants) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
            let mut variants = variants.iter().filter(|variant| variant["type"] != "null");
            let variant = if how == How::Last { variants.next_back() } else { variants.next() };
            let Some(variant) = variant else { return Value::Null };
            let mut value = self.made(variant, how, depth + 1);
            if let (Some(tag), Some(object)) = (schema["discriminator"]["propertyName"].as_str(), value.as_object_mut())
            {
                object.insert(tag.to_owned(), json!(tagged(schema, variant)));
            }
            return value;
        }
        match ty(schema) {
            "array" if how == How::Least || depth > DEEPEST => json!([]),
            "array" => {
                let items = &schema["items"];
                json!([self.made(items, how, depth + 1), self.made(items, how, depth + 1)])
            }
            "integer" => whole(schema, how),
            "number" if how == How::Wide && schema["format"] != "float" => json!(1.0e12),
            "number" => json!(1.5),
            "boolean" => json!(how != How::Last),
            "string" => json!(text(schema, how)),
            _ => {
                let mut object = Map::new();
                for (name, member, is_required) in self.members(schema) {
                    if is_required || how != How::Least && depth <= DEEPEST {
                        object.insert(name.to_owned(), self.made(member, how, depth + 1));
                    }
                }
                let others = &schema["additionalProperties"];
                if others.is_object() && how != How::Least && depth <= DEEPEST && object.is_empty() {
                    object.insert("key".to_owned(), self.made(others, how, depth + 1));
                }
                Value::Object(object)
            }
        }
    }

    /// Adds the complaints of a service that reads a value as the schema describes it.
    pub(super) fn check(&self, schema: &'c Value, value: &Value, at: &str, complaints: &mut Complaints) {
        let is_nullable = schema["nullable"] == true;
        let schema = self.resolve(schema);
        if value.is_null() {
            let is_open = schema.as_object().is_none_or(|members| !members.contains_key("type"));
            if !(is_nullable || is_open || takes_null(schema)) {
                complaints.refused.push(format!("{at} is null"));
            }
            return;
        }
        if let Some(values) = schema["enum"].as_array()
            && !values.contains(value)
        {
            complaints.refused.push(format!("{at} has a value that is not listed: {value}"));
            return;
        }
        if let Some(variants) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
            let fits = |variant: &'c Value| {
                let mut own = Complaints::default();
                self.check(variant, value, at, &mut own);
                own.refused.is_empty()
            };
            if !variants.iter().any(fits) {
                complaints.refused.push(format!("{at} fits no variant"));
            }
            return;
        }
        let (ty, fits) = match ty(schema) {
            "array" => ("an array", value.is_array()),
            "integer" => ("an integer", value.is_i64() || value.is_u64()),
            "number" => ("a number", value.is_number()),
            "boolean" => ("a boolean", value.is_boolean()),
            "string" => ("a text", value.is_string()),
            "object" => ("an object", value.is_object()),
            _ => ("", true),
        };
        if !fits {
            complaints.refused.push(format!("{at} is not {ty}: {value}"));
            return;
        }
        limits(schema, value, at, complaints);
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            self.check(&schema["items"], item, &format!("{at}/{index}"), complaints);
        }
        let Some(object) = value.as_object() else { return };
        for (name, member, is_required) in self.members(schema) {
            match object.get(name) {
                Some(value) => self.check(member, value, &format!("{at}/{name}"), complaints),
                None if is_required => complaints.refused.push(format!("{at}/{name} is missing")),
                None => {}
            }
        }
    }

    /// The part of a value that a service reads: undeclared and read-only members are ignored.
    pub(super) fn taken(&self, schema: &'c Value, value: &Value) -> Value {
        let schema = self.resolve(schema);
        match value {
            Value::Array(items) => items.iter().map(|item| self.taken(&schema["items"], item)).collect(),
            Value::Object(object) => {
                let variants = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
                let members = self.members(schema);
                let is_open = match &schema["additionalProperties"] {
                    Value::Bool(open) => *open,
                    Value::Object(_) => true,
                    _ => members.is_empty(),
                };
                if variants.is_some() {
                    return value.clone();
                }
                let declared = |name: &str| members.iter().find(|(member, _, _)| *member == name);
                let forbidden = |name: &str| schema["properties"].get(name).is_some();
                let mut taken = Map::new();
                for (name, value) in object {
                    match declared(name) {
                        Some((_, member, _)) => drop(taken.insert(name.clone(), self.taken(member, value))),
                        None if is_open && !forbidden(name) => drop(taken.insert(name.clone(), value.clone())),
                        None => {}
                    }
                }
                Value::Object(taken)
            }
            other => other.clone(),
        }
    }
}

/// The type of a schema; of several, as OpenAPI 3.1 has them, the first one that is not null.
fn ty(schema: &Value) -> &str {
    let listed = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    schema["type"].as_str().or_else(|| listed.into_iter().find(|ty| *ty != "null")).unwrap_or_default()
}

fn takes_null(schema: &Value) -> bool {
    let is_null = |variant: &Value| variant["type"] == "null";
    let lists = ["oneOf", "anyOf"].map(|keyword| schema[keyword].as_array());
    schema["nullable"] == true
        || schema["type"].as_array().is_some_and(|types| types.iter().any(|ty| ty == "null"))
        || lists.into_iter().flatten().any(|variants| variants.iter().any(is_null))
}

/// The discriminator's value for a variant.
fn tagged<'c>(schema: &'c Value, variant: &'c Value) -> &'c str {
    let target = variant["$ref"].as_str().unwrap_or_default();
    let mapped = schema["discriminator"]["mapping"].as_object().into_iter().flatten();
    let mapped = mapped.into_iter().find(|(_, to)| *to == target).map(|(tag, _)| tag.as_str());
    mapped.unwrap_or_else(|| target.rsplit('/').next().unwrap_or_default())
}

fn whole(schema: &Value, how: How) -> Value {
    let most = match schema["format"].as_str() {
        Some("int32") => i64::from(i32::MAX),
        _ => 1 << 40,
    };
    let limit = |key: &str| schema[key].as_i64();
    let value = if how == How::Wide { most } else { 1 };
    json!(value.max(limit("minimum").unwrap_or(i64::MIN)).min(limit("maximum").unwrap_or(i64::MAX)))
}

fn text(schema: &Value, how: How) -> String {
    let text = match schema["format"].as_str() {
        Some("uuid") => "6f1f2d0c-9a51-4c0e-8d3b-0a1b2c3d4e5f",
        Some("date-time") => "2026-01-02T03:04:05Z",
        Some("date") => "2026-01-02",
        Some("uri") => "https://host.example/",
        Some("email") => "one@host.example",
        Some("byte") => "YWJj",
        _ if how == How::Wide => return "x".repeat(schema["maxLength"].as_u64().unwrap_or(64).min(64) as usize),
        _ => "text",
    };
    text.to_owned()
}

fn limits(schema: &Value, value: &Value, at: &str, complaints: &mut Complaints) {
    let mut complain = |what: &str| complaints.beyond.push(format!("{at}: {what}"));
    if let Some(number) = value.as_f64() {
        if schema["minimum"].as_f64().is_some_and(|least| number < least)
            || schema["maximum"].as_f64().is_some_and(|most| number > most)
        {
            complain("a limit");
        }
        if schema["format"] == "int32" && !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) {
            complain("int32");
        }
    }
    let Some(text) = value.as_str() else { return };
    let length = text.chars().count() as u64;
    if schema["minLength"].as_u64().is_some_and(|least| length < least)
        || schema["maxLength"].as_u64().is_some_and(|most| length > most)
    {
        complain("a length");
    }
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = |text: &str| text.len() == 10 && text.split('-').count() == 3 && text.split('-').all(digits);
    let fits = match schema["format"].as_str() {
        Some("uuid") => text.len() == 36 && text.split('-').count() == 5,
        Some("date-time") => text.split_once('T').is_some_and(|(date, time)| is_date(date) && time.contains(':')),
        Some("date") => is_date(text),
        _ => true,
    };
    // A service reads a value of these formats as a value of a type.
    if !fits {
        complaints.refused.push(format!("{at} is not in the format {}: {text}", schema["format"]));
    }
}
