//! The operations of a revision, each with its behaviour.

use std::sync::LazyLock;

use http::Method;
use serde_json::Value;

use super::Revision;
use super::behaviour;
use super::document::Document;
use super::operation::Operation;
use super::schema::Schema;
use crate::error::Error;

/// A revision of the contract, and the behaviour of its operations.
#[derive(Debug)]
pub(crate) struct Contract {
    pub(crate) document: &'static Document,
    /// In the order of the document.
    pub(crate) operations: Vec<Operation>,
}

type Read = Result<Contract, String>;

static FIRST: LazyLock<Read> = LazyLock::new(|| Contract::read(Revision::First));
static SECOND: LazyLock<Read> = LazyLock::new(|| Contract::read(Revision::Second));

impl Revision {
    /// The contract, read once per process.
    pub(crate) fn contract(self) -> Result<&'static Contract, Error> {
        let contract = match self {
            Self::First => &FIRST,
            Self::Second => &SECOND,
        };
        contract.as_ref().map_err(|message| Error::Contract { message: message.clone() })
    }
}

impl Contract {
    fn read(revision: Revision) -> Read {
        let document = revision.read()?;
        let behaviours = behaviour::table()?;
        let mut operations = Vec::new();
        let paths = document.value.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            for (method, declared) in item.as_object().into_iter().flatten() {
                let name = format!("{} {path}", method.to_ascii_uppercase());
                let behaviour = behaviours.get(name.as_str()).cloned();
                let behaviour = behaviour.ok_or_else(|| format!("behaviour.toml has no entry {name:?}; add one"))?;
                let pointer = format!("/paths/{}/{method}", path.replace('/', "~1"));
                let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes());
                let method = method.map_err(|error| format!("contract: {name}: {error}"))?;
                operations.push(Operation { method, path, behaviour, declared, pointer, document });
            }
        }
        Ok(Self { document, operations })
    }

    /// The operation that gets one item of a collection, by the collection's path.
    pub(crate) fn item_operation(&self, collection: &str) -> Option<&Operation> {
        let is_item = |path: &str| {
            let rest = path.strip_prefix(collection).and_then(|rest| rest.strip_prefix("/{"));
            rest.is_some_and(|rest| rest.ends_with('}') && !rest.contains('/'))
        };
        self.operations.iter().find(|candidate| candidate.method == Method::GET && is_item(candidate.path))
    }

    /// The schema of the items of a collection, from the operation that gets one, or from the one that lists them.
    pub(crate) fn item_schema(&self, collection: &str) -> Option<Schema> {
        if let Some(one) = self.item_operation(collection) {
            return one.json_schema("200");
        }
        self.get(collection)?.json_schema("200")?.element()
    }

    /// The operation that reads the resources of a path.
    pub(crate) fn get(&self, path: &str) -> Option<&Operation> {
        self.operation(&Method::GET, path)
    }

    pub(crate) fn operation(&self, method: &Method, path: &str) -> Option<&Operation> {
        self.operations.iter().find(|candidate| candidate.method == *method && candidate.path == path)
    }
}
