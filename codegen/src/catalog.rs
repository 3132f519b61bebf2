//! The operations and types of a client as data, for programs that call it: each name of Rust beside the name on the wire.

use serde::Serialize;

/// The operations and types of a client.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Catalog {
    /// The name of the crate in Rust, such as `service_client`.
    pub library: String,
    /// The type that has a method for each route family.
    pub client: String,
    /// Sorted by family and name.
    pub operations: Vec<CatalogOperation>,
    /// Sorted by name.
    pub types: Vec<CatalogType>,
}

/// An operation: how Rust calls it, and how the contract has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogOperation {
    /// Name of the document.
    pub document: String,
    /// JSON pointer of the operation in the document as it was published.
    pub pointer: String,
    /// The module of the family.
    pub family: String,
    /// The expression that leads from a client to the family, such as `.projects()`.
    pub accessor: String,
    /// The method of the family.
    pub name: String,
    /// The method of HTTP, in upper case.
    pub method: String,
    /// The path, with `{name}` for each parameter in it.
    pub path: String,
    /// The fixed query of each request, percent-encoded.
    pub query: String,
    /// Headers with one value, which each request carries.
    pub headers: Vec<(String, String)>,
    /// `summary` and `description` of the contract.
    pub docs: String,
    /// `true` if it is deprecated.
    pub deprecated: bool,
    /// `documented`, `assumed`, or empty if the contract does not mark it.
    pub provenance: &'static str,
    /// Cargo features that have to be on, all of them.
    pub features: Vec<String>,
    /// The path of the struct that has the required arguments as fields, by their names. `None`: they are the arguments of the method.
    pub arguments: Option<String>,
    /// Parameters: the required ones are arguments of the method, in this order; each other one has a setter on the call.
    pub inputs: Vec<CatalogInput>,
    /// The body: the last argument if it is required, else the setter `body`.
    pub body: Option<CatalogBody>,
    /// The parameter that the configuration of the client sets.
    pub api_version: Option<CatalogInput>,
    /// The Rust type of the result.
    pub result: String,
    /// The form of the result: one of [`CatalogStatus::form`], or `by_status`.
    pub form: &'static str,
    /// The media types that are asked for.
    pub accept: String,
    /// The declared statuses.
    pub statuses: Vec<CatalogStatus>,
    /// The declared headers of responses.
    pub answered: Vec<CatalogHeader>,
    /// The Rust type of an item, if the operation comes in pages.
    pub items: Option<String>,
    /// The kind under which it is bound as asynchronous; its call then is a `Submission`.
    pub binding: Option<String>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogInput {
    /// The argument, or the setter.
    pub name: String,
    /// The name in the contract.
    pub wire: String,
    /// `path`, `query`, `header` or `cookie`.
    pub place: &'static str,
    /// The style, by its name in OpenAPI; `tabDelimited` is `tsv` of Swagger 2.0, and `json` a parameter with `content`.
    pub style: &'static str,
    /// `None`: the default of the style.
    pub explode: Option<bool>,
    /// `true` if it is an argument, `false` if it is set on the call.
    pub is_argument: bool,
    /// `true` if the contract requires it. At the shell, it is a required flag.
    pub required: bool,
    /// The type that a program makes.
    pub rust: String,
    /// The form in which the call takes it.
    pub passing: Passing,
    /// The type in the contract.
    pub ty: CatalogValue,
    /// `description` of the contract.
    pub docs: String,
    /// Limits and default, in words.
    pub limits: String,
    /// The default value, as text.
    pub default: Option<String>,
}

/// The form in which a function takes an argument of an owned type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Passing {
    /// `value`.
    Value,
    /// `&value`.
    Reference,
    /// `value.as_ref()` of an option.
    OptionalReference,
    /// `value.as_deref()` of an option: text or a list.
    OptionalSlice,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogBody {
    /// The media type that is sent.
    pub media_type: String,
    /// `json`, `form`, `xml`, `multipart`, `text` or `binary`.
    pub form: &'static str,
    /// `true` if no call goes without it.
    pub required: bool,
    /// The type that a program makes.
    pub rust: String,
    /// The form in which the call takes it.
    pub passing: Passing,
    /// The type in the contract; `None` for text, files and forms of parts, which have a type of their own.
    pub ty: Option<CatalogValue>,
}

/// A declared status.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogStatus {
    /// `200`, `2XX` or `default`.
    pub status: String,
    /// `empty`, `json`, `optional_json`, `xml`, `text`, `stream`, `events` or `redirect`.
    pub form: &'static str,
    /// The type of its body.
    pub ty: Option<CatalogValue>,
    /// `description` of the contract.
    pub docs: String,
}

/// A declared header of responses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogHeader {
    /// The method that reads it.
    pub name: String,
    /// The name in the contract.
    pub wire: String,
    /// The type of its value in Rust.
    pub rust: String,
    /// The statuses whose responses declare it.
    pub statuses: Vec<String>,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CatalogValue {
    /// Anything.
    Any,
    /// `true` or `false`.
    Boolean,
    /// An integer of a Rust type, such as `i32`.
    Integer(&'static str),
    /// A number, with the name of its Rust type.
    Number(&'static str),
    /// Text, with its format: `uuid`, `date-time`, `date`, `time`, `duration`, `byte`, `binary`, or empty.
    Text(&'static str),
    /// An object without declared members.
    Object,
    /// A list.
    List(Box<CatalogValue>),
    /// An object whose members all have one type.
    Map(Box<CatalogValue>),
    /// A value that may be null.
    Optional(Box<CatalogValue>),
    /// The type of that name in [`Catalog::types`].
    Named(String),
}

/// A type of the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogType {
    /// Its name in the module `types`.
    pub name: String,
    /// Name of the document.
    pub document: String,
    /// JSON pointer of the schema in the document as it was published.
    pub pointer: String,
    /// `description` of the contract.
    pub docs: String,
    /// `true` if programs make values of it.
    pub is_sent: bool,
    /// `true` if values of it come back.
    pub is_returned: bool,
    /// Its parts.
    pub form: CatalogForm,
}

/// The parts of a type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CatalogForm {
    /// An object: its members, and the field of those that the contract does not declare, with its type.
    Object(Vec<CatalogMember>, Option<(String, String)>),
    /// The parts of a multipart body.
    Multipart(Vec<CatalogMember>),
    /// Another name for a Rust type.
    Alias(String),
    /// A scalar of this Rust type, from which its values convert, and into which they do.
    Identifier(String),
    /// Texts or numbers (`true`), each with its variant.
    Enumeration(bool, Vec<(String, String)>),
    /// One of several shapes.
    Union(CatalogTagging, Vec<CatalogVariant>),
    /// One variant for each status; without a type, the variant has no content.
    ByStatus(Vec<(String, String, Option<String>)>),
}

/// The way to recognise the variants of a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CatalogTagging {
    /// A member of the object names the variant.
    Tag(String),
    /// The object has one member, whose name is the variant's.
    Key,
    /// By shape.
    Shape,
}

/// A variant of a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CatalogVariant {
    /// The variant.
    pub name: String,
    /// The type of its content.
    pub rust: String,
    /// The values that select it.
    pub tags: Vec<String>,
}

/// A member of an object, or a part of a multipart body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogMember {
    /// The field, and its setter or its argument of `new`.
    pub name: String,
    /// The name in the contract.
    pub wire: String,
    /// The type of its value.
    pub rust: String,
    /// `required`, `optional`, `nullable` (null or a value) or `maybe` (absent, null or a value).
    pub presence: &'static str,
    /// `true` if a setter sets it; a required member is an argument of `new`, in the order of members.
    pub has_setter: bool,
    /// The type in the contract; `None` for files.
    pub ty: Option<CatalogValue>,
    /// `true` if it is only returned.
    pub read_only: bool,
    /// `description` of the contract.
    pub docs: String,
    /// Limits and default, in words.
    pub limits: String,
}
