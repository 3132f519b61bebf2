//! The contract that the sandbox serves, as Swashbuckle would write it for an ASP.NET service.
//!
//! It holds nothing that differs between two sandboxes (no port, no server address), so regenerating a client from it twice gives
//! the same bytes.

pub(crate) mod behaviour;
mod components;
mod declare;
mod document;
mod families;
pub(crate) mod operation;
pub(crate) mod route;
pub(crate) mod schema;
mod second;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::Method;
use serde::{Serialize, Serializer};

use operation::Operation;
use schema::Schema;

pub(crate) use document::Rendered;

/// The address of the contract below the base address.
pub(crate) const JSON_PATH: &str = "/swagger/v1/swagger.json";
/// The address of the contract's YAML form below the base address.
pub(crate) const YAML_PATH: &str = "/swagger/v1/swagger.yaml";

/// The source of an operation or schema: the platform document, or the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provenance {
    Documented,
    Assumed,
}

impl Provenance {
    fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Assumed => "assumed",
        }
    }
}

/// A revision of the contract. The second one has changes that `drift` reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Revision {
    #[default]
    First,
    Second,
}

/// Every operation and component of a revision.
#[derive(Debug)]
pub(crate) struct Contract {
    pub(crate) revision: Revision,
    pub(crate) operations: Vec<Operation>,
    pub(crate) schemas: BTreeMap<&'static str, Schema>,
}

static FIRST: LazyLock<Contract> = LazyLock::new(|| Contract::build(Revision::First));
static SECOND: LazyLock<Contract> = LazyLock::new(|| Contract::build(Revision::Second));

impl Revision {
    /// The revision with a number, counted from 1.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::First),
            2 => Some(Self::Second),
            _ => None,
        }
    }

    /// The contract, built once per process.
    pub(crate) fn contract(self) -> &'static Contract {
        match self {
            Self::First => &FIRST,
            Self::Second => &SECOND,
        }
    }
}

impl Contract {
    fn build(revision: Revision) -> Self {
        let mut operations = Vec::new();
        let mut schemas: BTreeMap<_, _> = components::shared().into_iter().collect();
        for family in families::all() {
            operations.extend(family.operations);
            schemas.extend(family.schemas);
        }
        if revision == Revision::Second {
            second::revise(&mut operations, &mut schemas);
        }
        for schema in schemas.values_mut() {
            schema.provenance.get_or_insert(Provenance::Assumed);
            schema.set_revision(revision);
        }
        let operations = operations.into_iter().map(|operation| operation.finish(revision)).collect();
        Self { revision, operations, schemas }
    }

    /// The operation that gets one item of a collection, by the collection's path.
    pub(crate) fn item_operation(&self, collection: &str) -> Option<&Operation> {
        let is_item = |path: &str| {
            let rest = path.strip_prefix(collection).and_then(|rest| rest.strip_prefix("/{"));
            rest.is_some_and(|rest| rest.ends_with('}') && !rest.contains('/'))
        };
        self.operations.iter().find(|candidate| candidate.method == Method::GET && is_item(&candidate.path))
    }

    /// The schema of the items of a collection, from the operation that gets one, or from the one that lists them.
    pub(crate) fn item_schema(&self, collection: &str) -> Option<&Schema> {
        if let Some(one) = self.item_operation(collection) {
            return one.json_schema("200");
        }
        let mut all = self.operations.iter();
        let list = all.find(|candidate| candidate.method == Method::GET && candidate.path == collection)?;
        list.json_schema("200").and_then(element_schema)
    }
}

/// The schema of the elements of an array, or of the `items` of a page.
pub(crate) fn element_schema(schema: &Schema) -> Option<&Schema> {
    let schema = resolve(schema);
    match &schema.items {
        Some(items) => Some(items),
        None => {
            let (_, items) = schema.properties.iter().find(|(name, _)| *name == "items")?;
            items.items.as_deref()
        }
    }
}

/// Follows `$ref`s. A reference to an unknown component counts as the empty schema.
pub(crate) fn resolve(schema: &Schema) -> &Schema {
    static ANYTHING: LazyLock<Schema> = LazyLock::new(schema::any);
    match schema.reference {
        Some(name) => schema.revision.contract().schemas.get(name).unwrap_or(&ANYTHING),
        None => schema,
    }
}

/// Serializes pairs as a map, in their order.
pub(crate) fn as_map<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}
