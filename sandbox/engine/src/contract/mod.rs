//! A contract in the form that the engine works with: operations with their parameters, bodies and responses, whatever the
//! dialect. Schemas stay in the document, and are named by their pointers.

mod body;
mod matching;
mod oauth;
mod operation;
mod parameter;
mod pointer;
mod read;
mod security;
mod syntax;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub(crate) use matching::{decoded, matches, specificity};
pub(crate) use oauth::{TokenAddress, Tokens, is_scope};
pub(crate) use pointer::{at, escape, resolve, unescape};
pub(crate) use security::{Requirement, Scheme};
pub(crate) use template::{Segment, SegmentPart, encoded_segment, segments};

/// The versions of the specification that differ for a reader. OpenAPI 3.2 is read as 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Swagger20,
    OpenApi30,
    OpenApi31,
}

/// A readable contract.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
    pub(crate) dialect: Dialect,
    /// The document as it was published. Every pointer below points into it.
    pub(crate) document: Arc<Value>,
    pub(crate) operations: Vec<Operation>,
    /// The path of the server, without a trailing slash: empty, or with a leading slash.
    pub(crate) base_path: String,
    /// The paths of the further servers.
    pub(crate) other_base_paths: Vec<String>,
    pub(crate) schemes: BTreeMap<String, Scheme>,
    pub(crate) tokens: Tokens,
}

/// One method of one path.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) method: http::Method,
    /// The path as the contract has it, such as `/projects/{id}`, without the base path.
    pub(crate) template: String,
    pub(crate) segments: Vec<Segment>,
    /// JSON pointer of the operation.
    pub(crate) pointer: String,
    /// Parameters of the path and of the operation; those of the operation win. No body and no form field is among them.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) responses: Vec<Response>,
    /// Alternatives, of which a request fulfils one. Empty if the operation needs no credentials. Operations share those of the document.
    pub(crate) security: Arc<[Requirement]>,
}

impl Operation {
    /// Returns whether a response is declared for a status: by itself, by its range, or as the default.
    pub(crate) fn declares(&self, status: u16) -> bool {
        self.responses.iter().any(|response| match response.status {
            Status::Exact(code) => code == status,
            Status::Range(digit) => u16::from(digit) == status / 100,
            Status::Default => true,
        })
    }
}

/// A schema: a pointer into the document, or a schema that the reader made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SchemaRef {
    /// JSON pointer of the schema in [`Contract::document`]; the value there can be a `$ref`. A parameter or a header of Swagger
    /// 2.0 is its own schema: its members `name`, `in` and `required` (a boolean) are no keywords.
    Pointer(Arc<str>),
    /// For example the object of the form fields of Swagger 2.0. A `$ref` in it points into the document.
    Inline(Arc<Value>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
    Cookie,
    /// OpenAPI 3.2: the query as a whole.
    QueryString,
}

/// The serialization of an array or object. `collectionFormat` of Swagger 2.0 is expressed by them: `csv` is `Simple`, or `Form`
/// without explode in a query; `multi` is `Form` with explode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Form,
    Simple,
    Label,
    Matrix,
    Space,
    Pipe,
    /// `tsv` of Swagger 2.0.
    Tab,
    DeepObject,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) required: bool,
    pub(crate) allow_empty: bool,
    /// The media type, if the parameter has `content` instead of `schema`.
    pub(crate) media_type: Option<String>,
    pub(crate) schema: SchemaRef,
    /// JSON pointer of the parameter, behind its references.
    pub(crate) pointer: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) required: bool,
    /// In the order of the contract.
    pub(crate) content: Vec<Content>,
}

/// One media type of a body or of a response.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// As the contract writes it, such as `application/json; charset=utf-8` or `image/*`.
    pub(crate) media_type: String,
    /// `None` if the contract describes nothing but the media type.
    pub(crate) schema: Option<SchemaRef>,
    /// A stream of items: `itemSchema` of OpenAPI 3.2. The schema is that of their array.
    pub(crate) is_sequence: bool,
    /// By the names of form fields.
    pub(crate) encoding: BTreeMap<String, Encoding>,
    /// Values that the contract gives as examples, in its order.
    pub(crate) examples: Vec<Value>,
}

/// The serialization of one field of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Encoding {
    pub(crate) media_type: Option<String>,
    pub(crate) style: Option<Style>,
    pub(crate) explode: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    Exact(u16),
    /// The first digit, as in `4XX`.
    Range(u8),
    Default,
}

#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: Status,
    pub(crate) content: Vec<Content>,
    pub(crate) headers: Vec<Header>,
}

#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) schema: SchemaRef,
}

impl SchemaRef {
    pub(crate) fn pointer(pointer: impl AsRef<str>) -> Self {
        Self::Pointer(Arc::from(pointer.as_ref()))
    }
}

#[cfg(test)]
mod tests;
