//! What a document becomes: a constant, and the types of its variables and of its data.

use crate::naming::ident::member_name;
use crate::text::{Code, Ident, clipped, is_device};

/// The module of the types that documents share.
pub(crate) const TYPES: &str = "types";

/// Longest name of a module, which is that of its file.
const LONGEST: usize = 64;

/// Every document.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    /// The schema is the sandbox's.
    pub(crate) assumed: bool,
    /// By binding, the states of the schema that it does not name.
    pub(crate) unnamed_states: Vec<String>,
    /// By file name.
    pub(crate) list: Vec<Document>,
    /// Enumerations and input objects of the schema, by name.
    pub(crate) types: Vec<Item>,
}

/// One document.
#[derive(Debug)]
pub(crate) struct Document {
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
    /// Its types; `None` without a schema.
    pub(crate) typed: Option<Typed>,
}

/// The types of a document.
#[derive(Debug)]
pub(crate) struct Typed {
    /// Whether it takes variables.
    pub(crate) variables: bool,
    /// `Variables` where there are any, `Data`, and what these are made of.
    pub(crate) items: Vec<Item>,
}

/// One type.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) name: Ident,
    pub(crate) docs: String,
    pub(crate) shape: Shape,
}

/// What a type looks like.
#[derive(Debug)]
pub(crate) enum Shape {
    /// An object that is read.
    Data(Vec<Member>),
    /// An object that is sent.
    Input(Vec<Member>),
    /// One of several objects: the member that names it, and the types by name.
    Union(String, Vec<(String, Ident, Ident)>),
    /// An open enumeration: values and variants.
    Enum(Vec<Value>),
}

/// A value of an enumeration.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) wire: String,
    pub(crate) variant: Ident,
    pub(crate) docs: String,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) wire: String,
    pub(crate) name: Ident,
    pub(crate) ty: Code,
    pub(crate) need: Need,
    pub(crate) docs: String,
    pub(crate) deprecated: bool,
}

/// Whether a member has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    /// It may be absent, and null counts as absent.
    Optional,
    /// Absent and null are different things.
    Maybe,
}

/// What is read of a document without a schema.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) kind: &'static str,
    pub(super) name: String,
}

impl Document {
    pub(super) fn new(file: &str, text: &str, head: Head) -> Self {
        let module = Ident::derived(&clipped(&member_name(&head.name), LONGEST), member_name);
        let module = if is_device(&module) { module.followed_by("_") } else { module };
        let text = text.trim().to_owned();
        Self { file: file.to_owned(), text, kind: head.kind, name: head.name, module, typed: None }
    }

    /// The name of its constant.
    pub(crate) fn constant(&self) -> Ident {
        self.module.upper()
    }
}

impl Documents {
    /// The constant of a file.
    pub(crate) fn constant(&self, file: &str) -> Option<Ident> {
        self.list.iter().find(|document| document.file == file).map(Document::constant)
    }
}
