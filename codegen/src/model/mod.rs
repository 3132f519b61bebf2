//! The frozen truth of the wire.
//!
//! Everything that the generated client does on the wire is decided here. Later stages only choose how to write it down.

mod address;
mod admits;
mod all_of;
mod alternatives;
mod answer;
mod api_version;
mod bodies;
mod budget;
mod build;
mod claims;
mod enums;
mod families;
mod flatten;
mod hierarchy;
mod http;
mod keys;
mod limits;
mod moves;
mod multipart;
mod naming;
mod object_like;
mod objects;
mod operation_names;
mod operations;
mod parameters;
mod propose;
mod reach;
mod redirect;
mod response_headers;
mod responses;
mod route;
mod scalars;
mod schemas;
mod security;
mod shape;
mod status;
mod style;
mod tags;
mod tree;
mod types;
mod unions;
mod xml;
mod xml_shapes;

pub(crate) use address::{address, servers};
pub(crate) use bodies::sent;
pub(crate) use build::{build, mark_uses};
pub(crate) use claims::TYPES;
pub(crate) use enums::VALUE_NAMES;
pub(crate) use families::name as family_name;
pub(crate) use moves::followed;
pub(crate) use operation_names::METHODS_OF_HANDLES;
pub(crate) use propose::propose;
pub(crate) use reach::{links, roots, settle};
pub(crate) use responses::asked_for;
pub use security::{KeyPlace, Scheme};
pub(crate) use security::{Security, schemes};
pub(crate) use status::StatusKey;
pub(crate) use style::Style;
pub(crate) use tree::{Document, Node};
pub(crate) use types::{
    BodyPart, Custom, Definition, Deprecation, EnumKind, Field, Format, Identifier, Kind, PartKind, Presence, Reach,
    Tagging, Type, TypeId, Uses, Variant, VariantContent,
};

use std::collections::BTreeSet;

use crate::text::Ident;
use crate::text::docs::Docs;

pub(crate) use xml::{Xml, XmlName, XmlPlace, XmlRoot, XmlShape};

/// All contracts of a client, interpreted.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Families that have operations, sorted by name.
    pub(crate) families: Vec<Family>,
    /// Operations, sorted by family and name.
    pub(crate) operations: Vec<Operation>,
    /// Types, indexed by [`TypeId`].
    pub(crate) types: Vec<Definition>,
    /// The XML form of values.
    pub(crate) xml: Xml,
    /// Security of the main server's operations, unless they have their own.
    pub(crate) security: Security,
    /// The schemes that keys are given for, sorted.
    pub(crate) schemes: Vec<Scheme>,
    /// The number of operations that cannot be sent; these are not in `operations`.
    pub(crate) left_out: usize,
}

impl Model {
    /// The definition behind an identifier.
    pub(crate) fn definition(&self, id: TypeId) -> &Definition {
        &self.types[id.0]
    }

    /// Security of a family's operations, unless they have their own.
    pub(crate) fn security_of(&self, family: &Family) -> Security {
        if family.server.is_none() { self.security.clone() } else { Security::Token }
    }
}

/// The paths of the contracts, sorted by the rules that apply to them.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    /// Names of the documents.
    pub(crate) documents: BTreeSet<String>,
    /// All paths that have operations, each with its document.
    pub(crate) templates: BTreeSet<(String, String)>,
    /// The number of operations that the configuration admits.
    pub(crate) admitted: usize,
    /// Families that have operations: server, and name as the configuration has it.
    pub(crate) families: BTreeSet<(Option<String>, String)>,
    /// Prefixes that claim operations, each with its server.
    pub(crate) prefixes: BTreeSet<(Option<String>, String)>,
}

/// A route family: a module, a cargo feature and an accessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// Snake case: the module. Of the main server, the accessor as well.
    pub(crate) name: Ident,
    /// Snake case: the accessor, of the client or of its server.
    pub(crate) accessor: Ident,
    /// The server beside the main one that has its operations.
    pub(crate) server: Option<String>,
    /// Upper camel case: the handle.
    pub(crate) handle: Ident,
    /// Kebab case: the cargo feature.
    pub(crate) feature: String,
    /// Its coverage, one line.
    pub(crate) covers: String,
    /// Its path prefixes; none for a family named by a tag.
    pub(crate) prefixes: Vec<String>,
}

/// The contract's `x-provenance`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Provenance {
    /// No mark: a real contract, to be taken as it stands.
    #[default]
    Plain,
    /// The document of the service shows it.
    Documented,
    /// No deployment has shown it.
    Assumed,
}

impl Provenance {
    /// Reads `x-provenance` of an object.
    fn from_node(node: &tree::Node<'_>) -> Self {
        match node.text("x-provenance") {
            "documented" => Self::Documented,
            "assumed" => Self::Assumed,
            _ => Self::Plain,
        }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// Name of the document.
    pub(crate) document: String,
    /// JSON pointer of the operation.
    pub(crate) pointer: String,
    /// Upper case.
    pub(crate) method: String,
    /// Path template, with plain `{name}` placeholders that match the parameters' wire names. The rest is percent-encoded.
    pub(crate) path: String,
    /// The fixed query of each request, percent-encoded.
    pub(crate) query: String,
    /// Headers with one value, which each request carries.
    pub(crate) headers: Vec<(String, String)>,
    /// Name of the family.
    pub(crate) family: Ident,
    /// Snake case.
    pub(crate) name: Ident,
    pub(crate) origin: NameOrigin,
    /// `summary` and `description`.
    pub(crate) docs: String,
    pub(crate) deprecated: bool,
    pub(crate) provenance: Provenance,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) success: Content,
    /// Redirections that are answers.
    pub(crate) redirects: Vec<u16>,
    /// Media types that are asked for.
    pub(crate) accept: String,
    /// Every documented status, for the documentation: status, body, description.
    pub(crate) statuses: Vec<Status>,
    /// The headers that responses declare.
    pub(crate) answered: Vec<ResponseHeader>,
    /// Its security requirements.
    pub(crate) security: Security,
    /// A parameter that is lifted to the configuration of the client.
    pub(crate) api_version: Option<Parameter>,
    /// Addresses of its own, as patterns.
    pub(crate) servers: Vec<String>,
}

impl Operation {
    /// Path and fixed query, as people read them.
    pub(crate) fn target(&self) -> String {
        if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) }
    }
}

/// The way in which the rules name an operation. A pin that has the name changes nothing about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameOrigin {
    /// `true` if the operationId names nothing, so that the name is that of the method and the path.
    pub(crate) is_by_route: bool,
    pub(crate) addition: Option<Addition>,
    /// For an operation whose name has an addition, or says nothing: the names by its method and path, within its family and alone.
    pub(crate) route: Option<(String, String)>,
}

/// The end of a name that tells it from that of another operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addition {
    Method,
    Number,
}

/// A documented status of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) status: StatusKey,
    pub(crate) content: Content,
    /// The schema of a stream's elements, which the client does not read by itself.
    pub(crate) item: Option<Type>,
    pub(crate) description: String,
}

/// A header that responses of an operation declare.
#[derive(Clone, Debug)]
pub(crate) struct ResponseHeader {
    pub(crate) wire: String,
    /// The method that reads it.
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) form: HeaderForm,
    pub(crate) docs: String,
    pub(crate) deprecated: bool,
    /// The statuses whose responses declare it.
    pub(crate) statuses: Vec<StatusKey>,
}

/// The serialization of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderForm {
    One,
    Date,
    /// With commas, or line by line.
    List,
    Json,
}

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
    Cookie,
}

impl Location {
    /// The word of OpenAPI for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// One parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) wire: String,
    /// Rust argument or field name.
    pub(crate) name: Ident,
    pub(crate) location: Location,
    pub(crate) style: Style,
    /// `None`: the style's own default.
    pub(crate) explode: Option<bool>,
    pub(crate) reserved: bool,
    pub(crate) required: bool,
    /// Required, and set on the call: unless it is, the call sends the default.
    pub(crate) has_substitute: bool,
    pub(crate) ty: Type,
    pub(crate) docs: String,
    /// Limits and default, in words.
    pub(crate) limits: Docs,
    pub(crate) default: Option<String>,
    /// The only value that it can have, else an example of one.
    pub(crate) example: Option<String>,
}

impl Parameter {
    /// Returns whether a call takes it as an argument.
    pub(crate) fn is_argument(&self) -> bool {
        self.required && !self.has_substitute
    }
}

/// A request body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) media_type: String,
    pub(crate) required: bool,
    pub(crate) kind: BodyKind,
}

/// The form of a request body.
#[derive(Clone, Debug)]
pub(crate) enum BodyKind {
    Json(Type),
    /// URL-encoded; fields whose style differs from `form` with `explode`.
    Form(Type, Vec<(String, Style, bool)>),
    Xml(Type, XmlRoot),
    Multipart(TypeId),
    Text,
    Binary,
}

/// The body of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Empty,
    Json(Type),
    /// A body that may be missing.
    OptionalJson(Type),
    Xml(Type, XmlRoot),
    Text,
    Stream,
    Events,
    /// The location of another resource.
    Redirect,
    /// Several statuses with bodies of their own: a union by status.
    ByStatus(TypeId),
}

impl Content {
    /// Its form, for the catalog and the table.
    pub(crate) fn form(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Json(_) => "json",
            Self::OptionalJson(_) => "optional_json",
            Self::Xml(..) => "xml",
            Self::Text => "text",
            Self::Stream => "stream",
            Self::Events => "events",
            Self::Redirect => "redirect",
            Self::ByStatus(_) => "by_status",
        }
    }
}
