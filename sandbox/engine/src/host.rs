//! The parts of the engine that a sandbox of one service stands on: it has handlers of its own, and leaves the contract to the engine. They
//! can change with any version.

use http::Method;
use serde_json::Value;

use crate::contract::{Contract, SchemaRef};
use crate::request::check;
use crate::schema::Schemas;
use crate::serve::{self, Router};

pub use crate::act::{SavedFile, SavedSingle};
#[cfg(feature = "data")]
pub use crate::data::{Shelf, tables};
pub use crate::error::Error;
pub use crate::request::{File, Read, Refusal, RequestParts};
pub use crate::schema::{Direction, Spelling, Violation};
pub use crate::state::{Full, Instance, Item, Owner, State, StoredFile};

/// A contract against which requests and values are checked.
#[derive(Debug)]
pub struct Checks {
    contract: Contract,
    schemas: Schemas,
    router: Router,
}

/// The operation of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination<'c> {
    /// Its path in the contract, and the names and values of the path's parameters.
    Operation(&'c str, Vec<(String, String)>),
    /// The methods that the path has.
    OtherMethods(Vec<Method>),
    /// The contract has no such path.
    Unknown,
}

impl Checks {
    /// Reads a contract.
    ///
    /// # Errors
    ///
    /// Fails if the document is not a contract.
    pub fn new(document: Value, spelling: Spelling) -> Result<Self, Error> {
        let contract = Contract::new(document)?;
        let (schemas, router) = (Schemas::new(&contract).spelled(spelling), Router::new(&contract));
        Ok(Self { contract, schemas, router })
    }

    /// The operation of a request, the one with the most literal path.
    pub fn route(&self, method: &Method, path: &str) -> Destination<'_> {
        match self.router.route(method, path) {
            serve::Routed::Operations(candidates) => {
                let first = candidates.into_iter().next();
                let operation =
                    first.and_then(|first| Some((self.contract.operations.get(first.operation)?, first.path)));
                operation.map_or(Destination::Unknown, |(operation, values)| {
                    Destination::Operation(&operation.template, values)
                })
            }
            serve::Routed::OtherMethods(methods) => Destination::OtherMethods(methods),
            serve::Routed::Unknown => Destination::Unknown,
        }
    }

    /// Checks a request against the operation with this method and template.
    ///
    /// # Errors
    ///
    /// Returns the places that the contract refuses.
    pub fn check(&self, method: &Method, template: &str, parts: &RequestParts<'_>) -> Result<Read, Refusal> {
        let mut operations = self.contract.operations.iter();
        match operations.find(|operation| operation.method == *method && operation.template == template) {
            Some(operation) => check(operation, &self.schemas, parts),
            None => Err(Refusal::Invalid(vec![Violation {
                pointer: String::new(),
                message: "the contract has no such operation".to_owned(),
            }])),
        }
    }

    /// The places of a value that the schema at a JSON pointer of the contract does not allow, about 20 of them at most.
    pub fn violations(&self, schema: &str, value: &Value, direction: Direction) -> Vec<Violation> {
        self.schemas.violations(&SchemaRef::pointer(schema), value, direction)
    }
}
