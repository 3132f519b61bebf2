//! The model of documents: a constant for each, and types.

use std::collections::BTreeMap;

use crate::generate::Boxed;
use crate::model::{Definition, Type, TypeId};
use crate::naming::ident::member_name;
use crate::output::{SentDocument, Unused};
use crate::text::{Ident, clipped, is_device};

/// The module of the enumerations and input objects of the schema.
pub(crate) const TYPES: &str = "types";

/// The module of the fragments that are types.
pub(crate) const FRAGMENTS: &str = "fragments";

/// Longest name of a module, which is that of its file.
const LONGEST: usize = 64;

/// Every document.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    /// The schema is assumed: no deployment has shown it.
    pub(crate) assumed: bool,
    /// By binding, the states of the schema that it does not name.
    pub(crate) unnamed_states: Vec<String>,
    /// Rules of the configuration that are about nothing in the schema.
    pub(crate) unused: Vec<Unused>,
    /// By file name, and by place in the file.
    pub(crate) list: Vec<TypedDocument>,
    pub(crate) types: DocumentTypes,
}

/// One operation, with the fragments that it uses.
#[derive(Debug)]
pub(crate) struct TypedDocument {
    /// Its file, relative to the folder of documents.
    pub(crate) file: String,
    /// The text that is sent.
    pub(crate) text: String,
    /// `query`, `mutation` or `subscription`.
    pub(crate) kind: &'static str,
    /// The name of its operation.
    pub(crate) name: String,
    /// The module of its types.
    pub(crate) module: Ident,
    /// `true` if it takes variables; `None` without a schema.
    pub(crate) variables: Option<bool>,
    /// The connection that is read page by page.
    pub(crate) connection: Option<Connection>,
}

/// A connection in the data of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connection {
    /// The type of the data.
    pub(crate) root: TypeId,
    /// The type of a node.
    pub(crate) item: Type,
    /// The variable that has the cursor.
    pub(crate) variable: String,
    /// It is read from its last page on.
    pub(crate) backward: bool,
    /// JSON Pointer to the connection in the data.
    pub(crate) connection: String,
    /// JSON Pointer to the list in the connection.
    pub(crate) list: String,
    /// JSON Pointer to the node in an element of the list; empty if the element is the node.
    pub(crate) node: String,
    /// JSON Pointer to the flag in the connection that says whether there is another page.
    pub(crate) more: String,
    /// JSON Pointer to the cursor of that page in the connection.
    pub(crate) cursor: String,
}

/// The types of documents, as the model has types.
#[derive(Debug, Default)]
pub(crate) struct DocumentTypes {
    /// By identifier.
    pub(crate) definitions: Vec<Definition>,
    /// The module of each.
    pub(crate) modules: Vec<Ident>,
    /// Members that hold the type that they belong to.
    pub(crate) boxed: Boxed,
    /// The members that all variants of a union have.
    pub(crate) shared: BTreeMap<TypeId, Vec<Shared>>,
}

/// A member that all variants of a union have.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) name: Ident,
    pub(crate) docs: String,
    pub(crate) ty: Type,
    /// `true` if it is an `Option` in each.
    pub(crate) optional: bool,
    pub(crate) variants: Vec<Ident>,
}

/// The parts of an operation that are read without a schema.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) kind: &'static str,
    pub(super) name: String,
}

impl TypedDocument {
    pub(super) fn new(file: &str, text: &str, head: Head) -> Self {
        let mut module = clipped(&member_name(&head.name), LONGEST);
        if is_device(&module) {
            module.push('_');
        }
        let module = Ident::derived(&module, member_name);
        let text = text.trim().to_owned();
        Self {
            file: file.to_owned(),
            text,
            kind: head.kind,
            name: head.name,
            module,
            variables: None,
            connection: None,
        }
    }

    /// The operation, as the client sends it.
    pub(crate) fn sent(self) -> SentDocument {
        SentDocument { name: self.name, kind: self.kind, text: self.text }
    }

    /// The name of its constant.
    pub(crate) fn constant(&self) -> Ident {
        self.module.upper()
    }
}

impl Documents {
    /// The constant of the operation that a binding names: a file, or `file#Operation`.
    pub(crate) fn constant(&self, named: &str) -> Option<Ident> {
        self.named(named).map(TypedDocument::constant)
    }

    /// The text of that operation.
    pub(crate) fn source(&self, named: &str) -> Option<&str> {
        self.named(named).map(|document| document.text.as_str())
    }

    fn named(&self, named: &str) -> Option<&TypedDocument> {
        let (file, operation) = split(named);
        let fits = |document: &&TypedDocument| {
            document.file == file && operation.is_none_or(|operation| document.name == operation)
        };
        self.list.iter().find(fits)
    }
}

/// A file, and the operation in it that `file#Operation` names.
pub(super) fn split(named: &str) -> (&str, Option<&str>) {
    named.split_once('#').map_or((named, None), |(file, operation)| (file, Some(operation)))
}

/// A place in a file before which a field has to be inserted.
pub(super) type Insertion = (apollo_compiler::parser::FileId, usize);
