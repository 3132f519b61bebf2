//! Values from the words of a command line, by the schema of the table.

use driftless_runtime::{Decimal, Object, Value};
use serde_json::Value as Schema;

use crate::table::Table;

/// The form in which a value is written at the shell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Boolean,
    Integer,
    Number,
    Text,
    /// A text with a format, whose name help shows. The word `null` does not have it, so it is null.
    Formatted(&'static str),
    /// Repeated flags.
    List(Box<Shape>),
    /// JSON text.
    Json,
    /// JSON text, or else a text.
    Any,
}

/// The most references that are followed: a contract may lead in circles.
const DEPTH: usize = 32;

/// The schema behind references; annotations of the references are left behind.
pub(crate) fn resolved(table: Table, schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    for _ in 0..DEPTH {
        let name = schema.get("$ref").and_then(Schema::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
        match name.and_then(|name| table.definition(name)).and_then(|text| serde_json::from_str(text).ok()) {
            Some(next) => schema = next,
            None => return nullable(table, schema),
        }
    }
    Schema::Bool(true)
}

/// Of a schema or null, the schema.
fn nullable(table: Table, schema: Schema) -> Schema {
    let Some(branches) = schema.get("anyOf").and_then(Schema::as_array) else { return schema };
    let is_null = |branch: &Schema| branch.get("type").and_then(Schema::as_str) == Some("null");
    match branches.iter().filter(|branch| !is_null(branch)).collect::<Vec<_>>().as_slice() {
        [single] if branches.len() == 2 => resolved(table, single),
        _ => schema,
    }
}

/// The types that a schema names, without null.
fn types(schema: &Schema) -> Vec<&str> {
    let names = match schema.get("type") {
        Some(Schema::String(name)) => vec![name.as_str()],
        Some(Schema::Array(names)) => names.iter().filter_map(Schema::as_str).collect(),
        _ => Vec::new(),
    };
    names.into_iter().filter(|name| *name != "null").collect()
}

impl Shape {
    /// The form for values of a schema.
    pub(crate) fn from_schema(table: Table, schema: &Schema) -> Self {
        let schema = resolved(table, schema);
        match types(&schema).as_slice() {
            ["boolean"] => Self::Boolean,
            ["integer"] => Self::Integer,
            ["number"] => Self::Number,
            ["string"] => match schema.get("format").and_then(Schema::as_str) {
                Some("uuid") => Self::Formatted("UUID"),
                Some("date-time") => Self::Formatted("DATE-TIME"),
                Some("date") => Self::Formatted("DATE"),
                Some("time") => Self::Formatted("TIME"),
                Some("duration" | "time-span") => Self::Formatted("DURATION"),
                _ => Self::Text,
            },
            ["array"] => match schema.get("items").map(|items| Self::from_schema(table, items)) {
                Some(Self::List(_) | Self::Json | Self::Any) | None => Self::Json,
                Some(element) => Self::List(Box::new(element)),
            },
            ["object"] => Self::Json,
            _ => Self::Any,
        }
    }

    /// The value of these words: one, or more for a list.
    pub(crate) fn value(&self, words: &[String]) -> Result<Value, String> {
        match (self, words) {
            (Self::List(element), words) => {
                words.iter().map(|word| element.one(word)).collect::<Result<Vec<_>, _>>().map(Value::Array)
            }
            (shape, [word]) => shape.one(word),
            (_, words) => Err(format!("{} values, where one is expected", words.len())),
        }
    }

    fn one(&self, word: &str) -> Result<Value, String> {
        match self {
            Self::Text => Ok(Value::String(word.to_owned())),
            _ if word == "null" => Ok(Value::Null),
            Self::Formatted(_) => Ok(Value::String(word.to_owned())),
            Self::Boolean => match word {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err("neither `true` nor `false`".to_owned()),
            },
            Self::Integer | Self::Number => {
                let number = Decimal::new(word).ok_or_else(|| "not a number".to_owned())?;
                let is_whole = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                match (self, is_whole) {
                    (Self::Integer, false) => Err("not a whole number".to_owned()),
                    _ => Ok(Value::Number(number)),
                }
            }
            Self::Json | Self::List(_) => json(word),
            Self::Any => Ok(json(word).unwrap_or_else(|_| Value::String(word.to_owned()))),
        }
    }
}

/// A JSON text; the error says where it ends to be one.
pub(crate) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// The most values of a template: types within types multiply.
const VALUES: usize = 20_000;

/// An example of a value: `--body-template` prints it. A value beyond the limit is null.
pub(crate) fn template(table: Table, schema: &Schema) -> Value {
    Template { table, above: Vec::new(), left: VALUES }.filled(schema)
}

struct Template {
    table: Table,
    /// The named types around the value.
    above: Vec<String>,
    left: usize,
}

impl Template {
    fn filled(&mut self, schema: &Schema) -> Value {
        let Some(left) = self.left.checked_sub(1) else { return Value::Null };
        self.left = left;
        let name = schema.get("$ref").and_then(Schema::as_str).map(str::to_owned);
        if let Some(name) = &name {
            // A type that contains itself ends here.
            if self.above.contains(name) || self.above.len() > 8 {
                return Value::Null;
            }
            self.above.push(name.clone());
        }
        let schema = resolved(self.table, schema);
        let value = self.example(&schema);
        if name.is_some() {
            self.above.pop();
        }
        value
    }

    fn example(&mut self, schema: &Schema) -> Value {
        if let Some(first) = schema.get("enum").and_then(Schema::as_array).and_then(|values| values.first()) {
            return Value::from(first.clone());
        }
        if let Some(first) = schema.get("anyOf").and_then(Schema::as_array).and_then(|branches| branches.first()) {
            return self.filled(first);
        }
        if let Some(branches) = schema.get("allOf").and_then(Schema::as_array) {
            let mut whole = Object::new();
            for branch in branches {
                if let Value::Object(members) = self.filled(branch) {
                    whole.extend(members);
                }
            }
            return Value::Object(whole);
        }
        match types(schema).as_slice() {
            ["object"] => {
                let properties = schema.get("properties").and_then(Schema::as_object);
                let is_sent = |schema: &Schema| schema.get("readOnly") != Some(&Schema::Bool(true));
                let members = properties.into_iter().flatten().filter(|(_, schema)| is_sent(schema));
                Value::Object(members.map(|(name, schema)| (name.clone(), self.filled(schema))).collect())
            }
            ["array"] => Value::Array(schema.get("items").map(|items| self.filled(items)).into_iter().collect()),
            ["boolean"] => Value::Bool(false),
            ["integer" | "number"] => Value::from(schema.get("minimum").cloned().unwrap_or_else(|| 0.into())),
            ["string"] => Value::String(
                match schema.get("format").and_then(Schema::as_str) {
                    Some("uuid") => "00000000-0000-0000-0000-000000000000",
                    Some("date-time") => "2026-01-31T12:00:00Z",
                    Some("date") => "2026-01-31",
                    Some("time") => "12:00:00Z",
                    Some("duration") => "PT5M",
                    Some("time-span") => "00:05:00",
                    Some("byte") => "AA==",
                    _ => "",
                }
                .to_owned(),
            ),
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
