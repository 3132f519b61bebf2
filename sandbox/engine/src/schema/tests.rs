//! Tests of the schemas. `corpus` runs over real contracts.

mod complete;
pub(crate) mod corpus;
mod hostile;
mod integers;
mod keywords;

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Direction, Hints, NoValue, Schemas};
use crate::contract::{Contract, SchemaRef};

/// The schemas of a contract of this version, in which the schemas are components.
fn schemas(version: &str, components: &Value) -> Schemas {
    let contract = match version {
        "2.0" => json!({ "swagger": version, "paths": {}, "definitions": components }),
        _ => json!({ "openapi": version, "paths": {}, "components": { "schemas": components } }),
    };
    Schemas::new(&Contract::read(contract.to_string().as_bytes()).unwrap())
}

fn inline(schema: Value) -> SchemaRef {
    SchemaRef::Inline(Arc::new(schema))
}

fn component(name: &str) -> SchemaRef {
    SchemaRef::pointer(format!("/components/schemas/{name}"))
}

/// A sample that was checked.
fn sample(schemas: &Schemas, schema: &SchemaRef, direction: Direction, seed: u64) -> Result<Value, NoValue> {
    let value = schemas.sample(schema, direction, seed, &Hints::default())?;
    let violations = schemas.violations(schema, &value, direction);
    assert!(violations.is_empty(), "{value}: {violations:?}");
    assert_eq!(
        schemas.sample(schema, direction, seed, &Hints::default()),
        Ok(value.clone()),
        "another value for the same seed"
    );
    Ok(value)
}
