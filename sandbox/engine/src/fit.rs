//! Known values in the form of a schema: members that the schema describes stay, those that it requires and nobody has sent are
//! sampled, and the result is valid.

use serde_json::{Map, Value};

use crate::contract::SchemaRef;
use crate::outline::Outlines;
use crate::schema::{Direction, Hints, Schemas};

/// Arrays and objects below this level are taken as they are.
const MOST_LEVELS: usize = 12;

/// The members that nobody has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing<'m> {
    /// Only required members are sampled.
    Required,
    /// All are sampled, except for the optional ones of these, which the program could have sent.
    AllBut(&'m [String]),
}

/// A value for a schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) value: Value,
    /// Nothing of the known value is left in it.
    pub(crate) is_invented: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fitter<'s> {
    pub(crate) outlines: &'s Outlines,
    pub(crate) schemas: &'s Schemas,
}

impl Fitter<'_> {
    /// A sampled value; `null` if no value is valid.
    pub(crate) fn sample(&self, schema: &SchemaRef, seed: u64) -> Value {
        self.schemas.sample(schema, Direction::Response, seed, &Hints::default()).unwrap_or_default()
    }

    pub(crate) fn is_valid(&self, schema: &SchemaRef, value: &Value) -> bool {
        self.schemas.violations(schema, value, Direction::Response).is_empty()
    }

    /// The first place of a value that the schema does not allow; a missing member comes last.
    pub(crate) fn violation(&self, schema: &SchemaRef, value: &Value) -> Option<String> {
        let violations = self.schemas.violations(schema, value, Direction::Response);
        let present = violations.iter().find(|violation| value.pointer(&violation.pointer).is_some());
        present
            .or(violations.first())
            .map(|violation| format!("{} {}", violation.pointer, violation.message).trim().to_owned())
    }

    /// The known value in the form of the schema.
    pub(crate) fn fit(&self, schema: &SchemaRef, known: &Value, missing: Missing<'_>, seed: u64) -> Fitted {
        let projected = self.projected(schema, known, missing, seed, 0);
        let value = match self.is_valid(schema, &projected) {
            true => projected,
            false => match self.schemas.complete(schema, Direction::Response, &projected, seed) {
                Ok(value) => value,
                // No value is valid for the schema: the known one says most.
                Err(_) => projected,
            },
        };
        Fitted { is_invented: !keeps_some(known, &value), value }
    }

    /// The known value in the form of the schema, with the required members that it lacks. It can still be invalid.
    pub(crate) fn project(&self, schema: &SchemaRef, known: &Value, seed: u64) -> Value {
        self.projected(schema, known, Missing::Required, seed, 0)
    }

    fn projected(&self, schema: &SchemaRef, known: &Value, missing: Missing<'_>, seed: u64, level: usize) -> Value {
        if level > MOST_LEVELS {
            return known.clone();
        }
        match known {
            Value::Object(members) => self.object(schema, members, missing, seed, level),
            Value::Array(elements) => {
                let shape = self.outlines.get(schema);
                let Some(items) = &shape.items else { return known.clone() };
                let elements = elements.iter().enumerate().map(|(index, element)| {
                    self.projected(items, element, Missing::Required, seed.wrapping_add(index as u64), level + 1)
                });
                Value::Array(elements.collect())
            }
            _ => known.clone(),
        }
    }

    fn object(
        &self,
        schema: &SchemaRef,
        known: &Map<String, Value>,
        missing: Missing<'_>,
        seed: u64,
        level: usize,
    ) -> Value {
        let shape = self.outlines.get(schema);
        if shape.is_scalar() || shape.is_array() && !shape.is_object() {
            return Value::Object(known.clone());
        }
        let mut base: Option<Map<String, Value>> = None;
        let mut sampled = |name: &String| {
            let base = base.get_or_insert_with(|| match self.sample(schema, seed) {
                Value::Object(members) => members,
                _ => Map::new(),
            });
            base.get(name).cloned()
        };
        let mut fitted = Map::new();
        for (name, member) in &shape.members {
            let value = match known.get(name) {
                Some(value) => Some(self.projected(&member.schema, value, Missing::Required, seed, level + 1)),
                None if member.required => sampled(name),
                None => match missing {
                    Missing::Required => None,
                    Missing::AllBut(sendable) if sendable.contains(name) => None,
                    Missing::AllBut(_) => sampled(name),
                },
            };
            if let Some(value) = value {
                fitted.insert(name.clone(), value);
            }
        }
        if shape.is_open || shape.members.is_empty() {
            for (name, value) in known.iter().filter(|(name, _)| !shape.members.contains_key(*name)) {
                fitted.insert(name.clone(), value.clone());
            }
        }
        Value::Object(fitted)
    }
}

/// Returns whether something of the known value is part of the fitted one.
fn keeps_some(known: &Value, fitted: &Value) -> bool {
    match (known, fitted) {
        (Value::Object(known), Value::Object(fitted)) => {
            known.is_empty()
                || known.iter().any(|(name, value)| fitted.get(name).is_some_and(|kept| keeps_some(value, kept)))
        }
        (Value::Array(known), Value::Array(fitted)) => known.is_empty() || !fitted.is_empty(),
        (known, fitted) => known == fitted,
    }
}
