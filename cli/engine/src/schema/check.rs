//! The check: keywords of one schema, then of the schemas in it.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::faults::{At, Faults, short};
use super::format::{Numeric, format_fault};
use super::{Definitions, Fault, FaultKind};

/// Schemas that apply to one value through `$ref`, `allOf`, `anyOf` and `oneOf`, within each other. A schema that names itself would never end.
const NESTED: usize = 32;
/// Applications of a schema to a value in one check: alternatives within alternatives multiply.
const STEPS: usize = 500_000;
/// Faults that are collected for one alternative, to choose the nearest one.
const OF_ALTERNATIVE: usize = 4;

/// Checks a value against a schema, and returns at most `limit` faults, in the order of the schema.
pub fn check<'a>(value: &Value, schema: &'a Value, definitions: &Definitions<'a>, limit: usize) -> Vec<Fault> {
    let mut check = Check { definitions, steps: STEPS };
    let mut faults = Faults { list: Vec::new(), limit };
    check.place(value, schema, At::Root, &mut faults);
    if check.steps == 0 {
        faults.add(At::Root, FaultKind::Unchecked, "is too large to check all of it");
    }
    faults.list
}

struct Check<'a, 'd> {
    definitions: &'d Definitions<'a>,
    steps: usize,
}

impl<'a> Check<'a, '_> {
    /// A value at its place: all keywords, then the members that no schema names.
    fn place(&mut self, value: &Value, schema: &'a Value, at: At<'_>, faults: &mut Faults) {
        self.keywords(value, schema, at, 0, faults);
        let Value::Object(members) = value else { return };
        let mut known = BTreeSet::new();
        let mut steps = 1000;
        if self.named(schema, &mut known, 0, &mut steps) && !known.is_empty() {
            for name in members.keys().filter(|name| !known.contains(name.as_str())) {
                if faults.is_full() {
                    return;
                }
                // `additionalProperties` has refused it.
                let pointer = At::Member(&at, name).pointer();
                let is_refused = faults.list.iter().any(|fault| fault.kind.is_error() && fault.pointer == pointer);
                if !is_refused {
                    faults.add(
                        At::Member(&at, name),
                        FaultKind::UnknownMember,
                        "is not a member that the contract names",
                    );
                }
            }
        }
    }

    /// Collects the names of members, and returns `false` if others are allowed explicitly.
    fn named(&self, schema: &'a Value, known: &mut BTreeSet<&'a str>, nested: usize, steps: &mut usize) -> bool {
        let Value::Object(keywords) = schema else { return schema != &Value::Bool(true) };
        if nested > NESTED || *steps == 0 {
            return false;
        }
        *steps -= 1;
        if keywords.get("additionalProperties").is_some_and(|more| more != &Value::Bool(false)) {
            return false;
        }
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            known.extend(properties.keys().map(String::as_str));
        }
        let alternatives = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| keywords.get(name)?.as_array());
        let referenced = self.referenced(keywords);
        alternatives.flatten().chain(referenced).all(|schema| self.named(schema, known, nested + 1, steps))
    }

    fn referenced(&self, keywords: &'a Map<String, Value>) -> Option<&'a Value> {
        (self.definitions)(keywords.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?)
    }

    fn keywords(&mut self, value: &Value, schema: &'a Value, at: At<'_>, nested: usize, faults: &mut Faults) {
        if faults.is_full() || self.steps == 0 || nested > NESTED {
            return;
        }
        self.steps -= 1;
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(false) => return faults.add(at, FaultKind::Invalid, "is not allowed"),
            _ => return,
        };
        if let Some(referenced) = self.referenced(keywords) {
            self.keywords(value, referenced, at, nested + 1, faults);
        }
        if let Some(expected) = keywords.get("type")
            && !is_of_type(value, expected)
        {
            let message = format!("is {}, where {} is expected", type_name(value), type_names(expected));
            // Other faults of this schema would follow from this one.
            return faults.add(at, FaultKind::Invalid, message);
        }
        self.listed(value, keywords, at, faults);
        if let Some(format) = keywords.get("format").and_then(Value::as_str)
            && let Some(message) = format_fault(value, format)
        {
            let kind = match format {
                "date-time" | "time" | "duration" => FaultKind::Spelling,
                _ => FaultKind::Invalid,
            };
            faults.add(at, kind, message);
        }
        if let Value::Number(number) = value {
            limits(number, keywords, at, faults);
        }
        match value {
            Value::Object(members) => self.members(members, keywords, at, faults),
            Value::Array(items) => {
                if let Some(schema) = keywords.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        if faults.is_full() {
                            return;
                        }
                        self.place(item, schema, At::Item(&at, index), faults);
                    }
                }
            }
            _ => {}
        }
        if let Some(Value::Array(all)) = keywords.get("allOf") {
            for schema in all {
                self.keywords(value, schema, at, nested + 1, faults);
            }
        }
        if let Some(Value::Array(any)) = keywords.get("anyOf") {
            self.alternatives(value, any, at, nested, false, faults);
        }
        if let Some(Value::Array(one)) = keywords.get("oneOf") {
            self.alternatives(value, one, at, nested, true, faults);
        }
    }

    fn listed(&self, value: &Value, keywords: &Map<String, Value>, at: At<'_>, faults: &mut Faults) {
        if let Some(expected) = keywords.get("const")
            && !is_equal(value, expected)
        {
            faults.add(at, FaultKind::Invalid, format!("is not {}, the only value", short(&expected.to_string())));
        }
        let Some(Value::Array(listed)) = keywords.get("enum") else { return };
        if listed.iter().any(|other| is_equal(value, other)) {
            return;
        }
        let is_like = |other: &&Value| std::mem::discriminant(*other) == std::mem::discriminant(value);
        let kind = match listed.iter().any(|other| is_like(&other)) {
            true => FaultKind::UnknownValue,
            false => FaultKind::Invalid,
        };
        let mut names: Vec<String> = listed.iter().take(12).map(|other| short(&other.to_string())).collect();
        if listed.len() > names.len() {
            names.push(format!("and {} more", listed.len() - names.len()));
        }
        faults.add(at, kind, format!("is not one of the values of the contract: {}", names.join(", ")));
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        keywords: &'a Map<String, Value>,
        at: At<'_>,
        faults: &mut Faults,
    ) {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let read_only = |check: &Self, name: &str| {
            let schema = properties.and_then(|properties| properties.get(name));
            schema.is_some_and(|schema| check.is_read_only(schema, 0))
        };
        for name in keywords.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) && !read_only(self, name) {
                faults.add(at, FaultKind::Invalid, format!("lacks the member {:?}", short(name)));
            }
        }
        let more = keywords.get("additionalProperties");
        for (name, value) in members {
            if faults.is_full() {
                return;
            }
            let at = At::Member(&at, name);
            match (properties.and_then(|properties| properties.get(name)), more) {
                (Some(_), _) if read_only(self, name) => {
                    faults.add(at, FaultKind::ReadOnly, "is set by the service alone");
                }
                (Some(schema), _) => self.place(value, schema, at, faults),
                (None, Some(Value::Bool(false))) => {
                    let mut message = "is not a member of the schema".to_owned();
                    if let Some(properties) = properties.filter(|properties| (1..=12).contains(&properties.len())) {
                        let names: Vec<_> = properties.keys().map(|name| short(name)).collect();
                        message = format!("{message}, which has {}", names.join(", "));
                    }
                    faults.add(at, FaultKind::Invalid, message);
                }
                (None, Some(schema)) => self.place(value, schema, at, faults),
                (None, None) => {}
            }
        }
    }

    fn is_read_only(&self, schema: &'a Value, nested: usize) -> bool {
        let Value::Object(keywords) = schema else { return false };
        keywords.get("readOnly") == Some(&Value::Bool(true))
            || nested < NESTED && self.referenced(keywords).is_some_and(|schema| self.is_read_only(schema, nested + 1))
    }

    /// `anyOf` and `oneOf`: if no alternative fits, the faults of the nearest one.
    fn alternatives(
        &mut self,
        value: &Value,
        schemas: &'a [Value],
        at: At<'_>,
        nested: usize,
        one: bool,
        faults: &mut Faults,
    ) {
        let mut fitting = 0;
        let mut nearest: Option<(usize, Faults)> = None;
        for schema in schemas {
            if self.steps == 0 {
                return;
            }
            let mut own = Faults { list: Vec::new(), limit: OF_ALTERNATIVE };
            self.keywords(value, schema, at, nested + 1, &mut own);
            if own.is_strictly_valid() {
                fitting += 1;
                if !one && own.list.is_empty() {
                    return;
                }
            }
            let distance = distance(&own, at);
            if nearest.as_ref().is_none_or(|(other, _)| distance < *other) {
                nearest = Some((distance, own));
            }
        }
        match nearest {
            _ if one && fitting > 1 => {
                let message = format!("fits {fitting} of the {} alternatives, where one is expected", schemas.len());
                faults.add(at, FaultKind::SeveralAlternatives, message);
            }
            Some((_, own)) if fitting > 0 || !own.has_errors() || schemas.len() == 1 => {
                faults.list.extend(own.list.into_iter().take(faults.limit.saturating_sub(faults.list.len())));
            }
            Some((_, own)) => {
                faults.add(
                    at,
                    FaultKind::Invalid,
                    format!("fits none of the {} alternatives; the faults of the nearest one:", schemas.len()),
                );
                faults.list.extend(own.list.into_iter().take(faults.limit.saturating_sub(faults.list.len())));
            }
            None => {}
        }
    }
}

/// The distance of an alternative: a fault at the place itself is of another type, one below it is of the right type.
fn distance(faults: &Faults, at: At<'_>) -> usize {
    if faults.list.is_empty() {
        return 0;
    }
    let pointer = at.pointer();
    let weight = |fault: &Fault| match fault.kind {
        FaultKind::Invalid if fault.pointer == pointer && fault.message.starts_with("is ") => 100,
        FaultKind::Invalid => 10,
        // More than the warnings of an alternative that fits.
        FaultKind::UnknownValue | FaultKind::SeveralAlternatives => 1 + OF_ALTERNATIVE,
        _ => 1,
    };
    faults.list.iter().map(weight).sum()
}

fn limits(number: &Number, keywords: &Map<String, Value>, at: At<'_>, faults: &mut Faults) {
    let value = Numeric::from(number);
    if let Some(Value::Number(minimum)) = keywords.get("minimum")
        && value.is_less(Numeric::from(minimum))
    {
        faults.add(at, FaultKind::Invalid, format!("is less than the minimum, {minimum}"));
    }
    if let Some(Value::Number(maximum)) = keywords.get("maximum")
        && Numeric::from(maximum).is_less(value)
    {
        faults.add(at, FaultKind::Invalid, format!("is more than the maximum, {maximum}"));
    }
}

/// Equality of JSON Schema: numbers by their value.
fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Numeric::from(left).is_equal(Numeric::from(right)),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| is_equal(left, right)))
        }
        _ => left == right,
    }
}

fn is_of_type(value: &Value, expected: &Value) -> bool {
    let is = |name: &str| match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => Numeric::from(number).is_integer(),
        _ => false,
    };
    match expected {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn type_names(expected: &Value) -> String {
    let with_article = |name: &str| match name {
        "null" => name.to_owned(),
        "array" | "object" | "integer" => format!("an {name}"),
        _ => format!("a {}", short(name)),
    };
    match expected {
        Value::String(name) => with_article(name),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(with_article).collect::<Vec<_>>().join(" or ")
        }
        _ => "another type".to_owned(),
    }
}
