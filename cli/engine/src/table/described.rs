//! An operation, as its line describes it.

use serde::Deserialize;
use serde_json::Value;

/// One operation.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Described {
    pub(crate) method: String,
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) query: String,
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) docs: String,
    #[serde(default)]
    pub(crate) deprecated: bool,
    #[serde(default)]
    pub(crate) provenance: String,
    #[serde(default)]
    pub(crate) parameters: Vec<ParameterLine>,
    pub(crate) body: Option<BodyForm>,
    /// `None`: JSON.
    pub(crate) accept: Option<String>,
    #[serde(default)]
    pub(crate) redirects: Vec<u16>,
    #[serde(default)]
    pub(crate) servers: Vec<String>,
    #[serde(default)]
    pub(crate) stream: bool,
    pub(crate) api_version: Option<ParameterLine>,
    /// `None`: that of the client. Otherwise alternatives, and the schemes that go together in each.
    pub(crate) security: Option<Vec<Vec<SchemeLine>>>,
    pub(crate) result: ResultForm,
    /// Status and description of each declared response.
    #[serde(default)]
    pub(crate) statuses: Vec<(String, String)>,
    pub(crate) paging: Option<Page>,
    /// The kind under which it is bound as asynchronous.
    pub(crate) binding: Option<String>,
}

impl Described {
    /// Returns whether a body can be printed to fill in: it is written as JSON.
    pub(crate) fn has_template(&self) -> bool {
        self.body.as_ref().is_some_and(|body| matches!(body.form.as_str(), "json" | "form"))
    }
}

/// The result of an operation.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ResultForm {
    pub(crate) form: Form,
    pub(crate) schema: Option<Value>,
}

/// The form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Empty,
    Json,
    OptionalJson,
    Xml,
    Text,
    Stream,
    Events,
    Redirect,
    ByStatus,
}

/// A parameter.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ParameterLine {
    /// Its name in Rust.
    pub(crate) name: String,
    pub(crate) wire: String,
    #[serde(rename = "in")]
    pub(crate) place: ParameterPlace,
    /// The name of a style of the runtime.
    pub(crate) style: String,
    #[serde(default)]
    pub(crate) reserved: bool,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) schema: Value,
    pub(crate) default: Option<String>,
}

impl ParameterLine {
    /// The version of the interface that is sent unless another one is chosen: a path shows its version, and an optional one is left out.
    pub(crate) fn sent_default(&self) -> Option<&String> {
        self.default.as_ref().filter(|_| self.required && self.place != ParameterPlace::Path)
    }
}

/// The place of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ParameterPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// The body of a request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BodyForm {
    /// `json`, `form`, `xml`, `multipart`, `text` or `binary`.
    pub(crate) form: String,
    pub(crate) media_type: String,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) schema: Option<Value>,
    /// The style of single members of a form.
    #[serde(default)]
    pub(crate) encoding: Vec<(String, String)>,
    /// The parts of a multipart body, in order.
    #[serde(default)]
    pub(crate) parts: Vec<PartLine>,
}

/// A part of a multipart body.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PartLine {
    pub(crate) name: String,
    pub(crate) wire: String,
    pub(crate) kind: PartKind,
    pub(crate) style: Option<String>,
    pub(crate) media_type: Option<String>,
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) schema: Value,
}

/// The content of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PartKind {
    File,
    Files,
    Text,
    Texts,
    Json,
    Jsons,
    Styled,
}

/// A security scheme.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum SchemeLine {
    Token,
    Basic { scheme: String },
    Header { scheme: String, name: String },
    Query { scheme: String, name: String },
    Cookie { scheme: String, name: String },
}

/// The pagination of an operation.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Page {
    pub(crate) items: String,
    pub(crate) next: Next,
    pub(crate) total: Option<PageNumber>,
    pub(crate) pages: Option<PageNumber>,
    pub(crate) more: Option<String>,
    /// The member of the request's body that leads to a page, in place of a parameter.
    pub(crate) member: Option<String>,
}

/// The place of a number in a page.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageNumber {
    Body(String),
    Header(String),
}

/// The way to the next page. A parameter is a position in the list of parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum Next {
    Offset { parameter: usize, first: u64 },
    Number { parameter: usize, first: u64 },
    Cursor { parameter: usize, pointer: String },
    Header { parameter: usize, name: String },
    Item { parameter: usize, pointer: String },
    Link,
    Address { pointer: String },
}
