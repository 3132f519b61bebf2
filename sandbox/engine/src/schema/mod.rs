//! JSON Schema of all dialects: validation, values that are valid, and values of text.
//!
//! A schema is converted to JSON Schema 2020-12 with all that it reaches (`convert`, `bundle`), and compiled (`compile`) when it is
//! first used. `sample` makes values from the same converted schema, and only returns those that the compiled schema accepts.

mod bundle;
mod cache;
mod coerce;
mod compile;
mod convert;
mod in_place;
mod kinds;
mod merged;
mod sample;
mod steps;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::{Contract, Dialect, SchemaRef};
use bundle::Bundle;
use cache::Cache;
pub(crate) use coerce::{Form, Text};
pub(crate) use kinds::Kinds;

/// The direction of a value: `readOnly` members are no part of a request, `writeOnly` members no part of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A value that a client sends.
    Request,
    /// A value that a service answers.
    Response,
}

impl Direction {
    /// The keyword of members that are no part of a value.
    fn hidden(self) -> &'static str {
        match self {
            Self::Request => "readOnly",
            Self::Response => "writeOnly",
        }
    }
}

/// The one spelling of a text of a format, such as `uuid`, that a service reads in several outside of JSON. `None` leaves the text.
pub type Spelling = fn(format: &str, text: &str) -> Option<String>;

/// A place of a value that its schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value; for a parameter, its location and name.
    pub pointer: String,
    /// The problem, without a value of the request.
    pub message: String,
}

/// Wishes for a sampled value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    /// A part of the value: members and items that the sample has as well if its schema allows them, such as an identifier.
    pub(crate) keep: Option<Value>,
}

/// A schema for which no valid value was reached.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoValue {
    /// JSON pointer of the schema in the contract. Empty for a schema that the reader made.
    pub(crate) schema: String,
    /// JSON pointer into the value.
    pub(crate) pointer: String,
    pub(crate) message: String,
    /// The last attempt. It fits but for the violation above, and perhaps others.
    pub(crate) best: Option<Box<Value>>,
}

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, pointer, message, .. } = self;
        write!(f, "no valid value for the schema at {schema:?}: {message}")?;
        if pointer.is_empty() { Ok(()) } else { write!(f, ", at {pointer} of the value") }
    }
}

/// The schemas of a contract. Each one is converted and compiled once for each direction, when it is first used.
#[derive(Debug)]
pub(crate) struct Schemas {
    document: Arc<Value>,
    dialect: Dialect,
    cache: Cache,
    spelling: Option<Spelling>,
}

impl Schemas {
    pub(crate) fn new(contract: &Contract) -> Self {
        Self {
            document: Arc::clone(&contract.document),
            dialect: contract.dialect,
            cache: Cache::default(),
            spelling: None,
        }
    }

    /// Reads texts of parameters and forms in further spellings.
    pub(crate) fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling: Some(spelling), ..self }
    }

    /// The places of the value that the schema does not allow, about 20 of them at most.
    pub(crate) fn violations(&self, schema: &SchemaRef, value: &Value, direction: Direction) -> Vec<Violation> {
        let compiled = self.compiled(schema, direction);
        compiled.validator.as_ref().map(|validator| compile::violations(validator, value)).unwrap_or_default()
    }

    /// A plausible value that the schema allows. The same seed gives the same value.
    pub(crate) fn sample(
        &self,
        schema: &SchemaRef,
        direction: Direction,
        seed: u64,
        hints: &Hints,
    ) -> Result<Value, NoValue> {
        sample::make(&self.compiled(schema, direction), hints.keep.as_ref(), seed, true)
    }

    /// A value that the schema allows, with the required members only.
    pub(crate) fn least(&self, schema: &SchemaRef, direction: Direction, seed: u64) -> Result<Value, NoValue> {
        sample::make(&self.compiled(schema, direction), None, seed, false)
    }

    /// A value that the schema allows, made of a stored one: missing members are added, and the others are changed or left out as
    /// the schema needs it.
    pub(crate) fn complete(
        &self,
        schema: &SchemaRef,
        direction: Direction,
        partial: &Value,
        seed: u64,
    ) -> Result<Value, NoValue> {
        sample::make(&self.compiled(schema, direction), Some(partial), seed, false)
    }

    /// The form in which a parameter with this schema is written.
    pub(crate) fn form(&self, schema: &SchemaRef) -> Form {
        let compiled = self.compiled(schema, Direction::Request);
        coerce::form(&compiled.bundle, &[compiled.bundle.root()])
    }

    /// The form of one member of an object, and the types that it can have.
    pub(crate) fn member_form(&self, schema: &SchemaRef, name: &str) -> (Form, Kinds) {
        let compiled = self.compiled(schema, Direction::Request);
        let bundle = &compiled.bundle;
        let member = coerce::member(bundle, &[bundle.root()], name);
        (coerce::form(bundle, &member), coerce::kinds(bundle, &member))
    }

    /// The types that a value can have.
    pub(crate) fn kinds(&self, schema: &SchemaRef) -> Kinds {
        let compiled = self.compiled(schema, Direction::Request);
        compiled.bundle.kinds(compiled.bundle.root())
    }

    /// The declared members of an object, those of all alternatives.
    pub(crate) fn members(&self, schema: &SchemaRef) -> Vec<String> {
        coerce::names(&self.compiled(schema, Direction::Request).bundle)
    }

    /// The value of text, by the types that the schema allows. Text that fits none of them stays a string.
    pub(crate) fn coerce(&self, schema: &SchemaRef, text: &Text) -> Value {
        let compiled = self.compiled(schema, Direction::Request);
        coerce::value(&compiled.bundle, &[compiled.bundle.root()], text)
    }

    fn compiled(&self, schema: &SchemaRef, direction: Direction) -> Arc<Compiled> {
        self.cache.get(schema, direction, || {
            let mut bundle = Bundle::new(&self.document, self.dialect, direction, schema);
            bundle.spelling = self.spelling;
            Compiled::new(bundle, schema)
        })
    }
}

/// A schema that is ready for use.
struct Compiled {
    bundle: Bundle,
    /// `None` if the library refuses the schema. Then each value is accepted, and none is sampled.
    validator: Option<jsonschema::Validator>,
    /// JSON pointer of the schema.
    pointer: String,
}

impl Compiled {
    fn new(bundle: Bundle, schema: &SchemaRef) -> Self {
        let pointer = match schema {
            SchemaRef::Pointer(pointer) => pointer.to_string(),
            SchemaRef::Inline(_) => String::new(),
        };
        let validator = steps::with_steps(compile::options()).build(&steps::counted(&bundle.document)).ok();
        Self { bundle, validator, pointer }
    }
}
