//! JSON Schema of all dialects: validation, and values that are valid.

use std::sync::Arc;

use serde_json::Value;

use crate::contract::{Contract, SchemaRef};

/// The direction of a value: `readOnly` members are no part of a request, `writeOnly` members no part of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Response,
}

/// A place of a value that its schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// JSON pointer into the value; for a parameter, its location and name.
    pub(crate) pointer: String,
    pub(crate) message: String,
}

/// Wishes for a sampled value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {}

/// The schemas of a contract.
#[derive(Debug)]
pub(crate) struct Schemas {
    document: Arc<Value>,
}

impl Schemas {
    pub(crate) fn new(contract: &Contract) -> Self {
        Self { document: Arc::clone(&contract.document) }
    }

    pub(crate) fn violations(&self, _schema: &SchemaRef, _value: &Value, _direction: Direction) -> Vec<Violation> {
        Vec::new()
    }

    pub(crate) fn sample(&self, schema: &SchemaRef, _direction: Direction, _seed: u64, _hints: &Hints) -> Value {
        schema.value(&self.document).and_then(|schema| schema.get("example")).cloned().unwrap_or_default()
    }
}
