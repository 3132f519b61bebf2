//! The contract that the sandbox serves, as Swashbuckle would write it for an ASP.NET service.
//!
//! It holds nothing that differs between two sandboxes (no port, no server address), so a client that is regenerated from
//! it twice sees the same bytes.

mod components;
mod document;
mod families;
pub(crate) mod operation;
pub(crate) mod schema;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Serialize, Serializer};

use operation::Operation;
use schema::Schema;

pub(crate) use document::{Rendered, json, yaml};

/// The address of the contract below the base address.
pub(crate) const JSON_PATH: &str = "/swagger/v1/swagger.json";
/// The address of the contract's YAML form below the base address.
pub(crate) const YAML_PATH: &str = "/swagger/v1/swagger.yaml";

/// Whether the platform document shows an operation or a schema, or the sandbox made it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provenance {
    Documented,
    Assumed,
}

/// Every operation and component.
#[derive(Debug)]
pub(crate) struct Contract {
    pub(crate) operations: Vec<Operation>,
    pub(crate) schemas: BTreeMap<&'static str, Schema>,
}

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let families = families::all();
    let mut schemas: BTreeMap<_, _> = components::shared().into_iter().collect();
    let mut operations = Vec::new();
    for family in families {
        operations.extend(family.operations.into_iter().map(Operation::finish));
        schemas.extend(family.schemas);
    }
    for schema in schemas.values_mut() {
        schema.provenance.get_or_insert(Provenance::Assumed);
    }
    Contract { operations, schemas }
});

/// The contract, built once per process.
pub(crate) fn contract() -> &'static Contract {
    &CONTRACT
}

impl Contract {
    /// Follows `$ref`s. A name that no component has counts as the empty schema.
    pub(crate) fn resolve<'a>(&'a self, schema: &'a Schema) -> &'a Schema {
        static ANYTHING: LazyLock<Schema> = LazyLock::new(schema::any);
        match schema.reference {
            Some(name) => self.schemas.get(name).unwrap_or(&ANYTHING),
            None => schema,
        }
    }
}

/// Writes pairs as a map, in their order.
pub(crate) fn as_map<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}
