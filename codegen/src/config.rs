//! The configuration of a generated client.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The part of `specs/codegen.toml` that the generator reads.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Names of the client.
    pub client: ClientNames,
    /// The rules by which names are derived.
    #[serde(skip_serializing_if = "NameStyle::is_first")]
    pub style: NameStyle,
    /// Route families, by path prefix. An operation that none of them claims goes to a family named by its tag.
    #[serde(rename = "family")]
    pub families: Vec<FamilyRule>,
    /// Servers beside the main one.
    #[serde(rename = "server")]
    pub servers: Vec<Server>,
    /// Corrections of the contract, applied in order before anything is interpreted.
    #[serde(rename = "correction")]
    pub corrections: Vec<Correction>,
    /// Only operations whose path starts with one of these prefixes; empty means all. `document:/path` is about one document.
    pub include: Vec<String>,
    /// No operation whose path starts with one of these prefixes. `document:/path` is about one document.
    pub exclude: Vec<String>,
    /// Rust names chosen by hand: a key of `specs/names.lock`, such as `"GET /api/x"` or `"service#/components/schemas/X"` → name.
    pub rename: BTreeMap<String, String>,
    /// Treatment of types that no operation reaches.
    pub unreferenced: Unreferenced,
    /// Operations that the service accepts and completes later.
    #[serde(rename = "operation")]
    pub operations: Vec<AsyncOperation>,
    /// Operations that come in pages.
    #[serde(rename = "pagination")]
    pub paginations: Vec<Pagination>,
    /// Rust types of the GraphQL schema's scalars. A custom scalar without an entry is any JSON.
    pub scalars: BTreeMap<String, Scalar>,
    /// Identifiers with a type of their own. Without any, the digest is that of a configuration from before them.
    #[serde(rename = "id", skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<IdRule>,
}

/// `[client]`: the names of the client, and of its configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClientNames {
    /// The cargo package.
    pub package: String,
    /// The type that has a method for each family.
    #[serde(rename = "type")]
    pub name: String,
    /// The prefix of the environment variables that configure a program.
    pub variables: String,
}

impl Default for ClientNames {
    fn default() -> Self {
        Self { package: "service-client".to_owned(), name: "Service".to_owned(), variables: "SERVICE_".to_owned() }
    }
}

/// `[style]`: the rules by which names are derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct NameStyle {
    /// Names that a later version gives differently stay until this is raised.
    pub version: StyleVersion,
}

impl NameStyle {
    /// The first style has the digest of a configuration without one.
    fn is_first(&self) -> bool {
        *self == Self::default()
    }
}

/// A version of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum StyleVersion {
    /// `GET /api/library/list` is `library.list_library_list`.
    #[default]
    One,
    /// `GET /api/library/list` is `library.list`.
    Two,
}

impl From<StyleVersion> for u8 {
    fn from(version: StyleVersion) -> Self {
        match version {
            StyleVersion::One => 1,
            StyleVersion::Two => 2,
        }
    }
}

impl TryFrom<u8> for StyleVersion {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1 => Ok(Self::One),
            2 => Ok(Self::Two),
            _ => Err(format!("style version {number} does not exist: write 1 or 2")),
        }
    }
}

/// One route family: a Rust module, a cargo feature and an accessor on the client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyRule {
    /// Name in snake case; the cargo feature is the same in kebab case.
    pub name: String,
    /// Path prefixes, compared by whole segments; the longest one over all families wins.
    pub prefixes: Vec<String>,
    /// One line for the documentation of the family.
    #[serde(default)]
    pub covers: String,
    /// The server whose operations it has; the main one unless set.
    #[serde(default)]
    pub server: Option<String>,
}

/// A server beside the main one: a type of its own, with the families of its documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Name in snake case: `archive` is the method `archive_server`. `main` is the server of all other documents.
    pub name: String,
    /// The documents whose operations it has.
    #[serde(default)]
    pub documents: Vec<String>,
    /// The claim that tokens for it must have.
    #[serde(default)]
    pub required_claim: Option<RequiredClaim>,
}

/// A claim that tokens for a server must have; its value is configured.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredClaim {
    /// Its names: the first one that a token has counts.
    pub names: Vec<String>,
    /// The suffix of the environment variable with the value: `TENANT_ID`.
    pub variable: String,
    /// The value has to be a UUID.
    #[serde(default)]
    pub uuid: bool,
}

/// A checked-in correction of a published contract.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// JSON pointer (RFC 6901) into the published document.
    pub pointer: String,
    /// The document that it is about; every one that has the place unless set.
    #[serde(default)]
    pub document: Option<String>,
    /// The new value, as JSON text. Without one, the value at the pointer is removed.
    #[serde(default)]
    pub value: Option<String>,
    /// The reason that the published contract is wrong.
    pub reason: String,
}

/// The Rust type of a scalar of the GraphQL schema: of the language, of the client crate, or of any crate by its path.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[allow(missing_docs, reason = "the names are those of the types")]
pub enum Scalar {
    #[serde(rename = "bool")]
    Bool,
    #[serde(rename = "i32")]
    I32,
    #[serde(rename = "i64")]
    I64,
    #[serde(rename = "u64")]
    U64,
    #[serde(rename = "f64")]
    F64,
    /// An integer that is text in JSON, because a float may not hold it exactly.
    #[serde(rename = "i64 as text")]
    I64AsText,
    #[serde(rename = "u64 as text")]
    U64AsText,
    /// A decimal number that is text in JSON: no digit is lost, and it can be compared and added to after `to_f64`.
    #[serde(rename = "Decimal as text")]
    DecimalAsText,
    String,
    Uuid,
    DateTime,
    Date,
    Time,
    TimeSpan,
    Decimal,
    Base64,
    Object,
    Value,
    /// A file, sent beside the variables.
    Upload,
    /// The path of a type, such as `crate::scalars::Money`.
    #[serde(untagged)]
    Path(String),
}

/// Treatment of types that no operation reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unreferenced {
    /// Generated under the cargo feature `unreferenced`, which is off by default.
    #[default]
    Feature,
    /// Not generated.
    Omit,
}

/// An operation that the service accepts and completes later, and how it is watched.
///
/// Places in JSON are pointers (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AsyncOperation {
    /// Its name in references and stores, in snake case.
    pub name: String,
    /// The operation that submits: `METHOD /path` or `family.name`.
    pub submit: String,
    /// JSON pointer to the identifier in the accepted result, unless `watch` names the header with the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// File of the query that shows the operation.
    #[serde(default)]
    pub query: Option<String>,
    /// The operation of the contract that shows it, instead of a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchOperation>,
    /// File of the subscription that says when to look.
    #[serde(default)]
    pub subscription: Option<String>,
    /// The variable of both that takes the identifier.
    #[serde(default = "id")]
    pub variable: String,
    /// JSON pointer to the state in the data of the query, or in the answer of the operation that shows it.
    pub state: String,
    /// JSON pointer to the state in the data of the subscription.
    #[serde(default)]
    pub pushed_state: Option<String>,
    /// The header by which the service recognises a repeated submission.
    #[serde(default)]
    pub idempotency: Option<String>,
    /// The meaning of the states.
    pub states: StateMap,
    /// The follow-up events that a success needs.
    #[serde(default)]
    pub events: Option<FollowUp>,
    /// The operation that cancels.
    #[serde(default)]
    pub cancel: Option<CancelOperation>,
}

/// An operation that returns pages, with the way to the next page: one of `skip`, `page`, `cursor`, `link` and `next_link`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    /// `METHOD /path` or `family.name`.
    pub operation: String,
    /// JSON pointer to the list in the body; empty if the body is the list.
    #[serde(default)]
    pub items: String,
    /// The parameter that says how many items to skip, or a JSON pointer to a member of the request's JSON body that does.
    #[serde(default)]
    pub skip: Option<String>,
    /// The parameter, or the member of the body, that takes the number of the page.
    #[serde(default)]
    pub page: Option<String>,
    /// The number of the first page, 1 unless set; of the first item for `skip`, 0 unless set.
    #[serde(default)]
    pub first: Option<u64>,
    /// The parameter, or the member of the body, that takes the cursor of the page before.
    #[serde(default)]
    pub cursor: Option<String>,
    /// JSON pointer to the cursor of the next page, in the body.
    #[serde(default)]
    pub next: Option<String>,
    /// The header in which it does.
    #[serde(default)]
    pub next_header: Option<String>,
    /// JSON pointer to the cursor in the last item of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_item: Option<String>,
    /// The place that says how many items all pages have: a JSON pointer into the body of a page.
    #[serde(default)]
    pub total: Option<String>,
    /// The header that says how many items all pages have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_header: Option<String>,
    /// JSON pointer to the number of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// The header with the number of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_header: Option<String>,
    /// JSON pointer to a flag that is `false` on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// The header `Link` names the next page (RFC 8288).
    #[serde(default)]
    pub link: bool,
    /// JSON pointer to the address of the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_link: Option<String>,
}

/// `[[id]]`: an identifier with a type of its own, and its places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IdRule {
    /// The Rust type, in camel case.
    pub name: String,
    /// Parameters: `projectId`, `path:projectId`, `/projects/{id}`, `GET /projects/{id}.path:id`.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// Members of schemas: `Project.id`, `*.projectId`, `service#/components/schemas/Project.id`.
    #[serde(default)]
    pub members: Vec<String>,
    /// Parameters and members that keep their type.
    #[serde(default)]
    pub except: Vec<String>,
}

fn id() -> String {
    "id".to_owned()
}

/// The meaning of the states of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct StateMap {
    /// On the way, in the order in which they come.
    pub pending: Vec<String>,
    /// Done.
    pub succeeded: Vec<String>,
    /// Failed.
    pub failed: Vec<String>,
    /// Cancelled.
    pub cancelled: Vec<String>,
}

/// Follow-up events.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// JSON pointer to the list of events in the data of the query.
    pub list: String,
    /// JSON pointer to the name in an event.
    pub name: String,
    /// JSON pointer to an event, or to a list of events, in the data of the subscription.
    #[serde(default)]
    pub pushed: Option<String>,
    /// Names of the events that a success needs.
    pub required: Vec<String>,
}

/// The operation that shows another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WatchOperation {
    /// `GET /path` or `family.name`. Its path parameters are those of the submission, and the one below.
    pub operation: String,
    /// The path parameter that takes the identifier.
    pub parameter: String,
    /// The header of the accepted response with the address that this operation answers. The parameters are then those of
    /// the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// The operation that cancels another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CancelOperation {
    /// `METHOD /path` or `family.name`. Its path parameters are those of the submission, and the one below.
    pub operation: String,
    /// The path parameter that takes the identifier.
    pub parameter: String,
}

impl Config {
    /// The server of a document; `None`: the main one.
    pub(crate) fn server_of(&self, document: &str) -> Option<&str> {
        let server = self.servers.iter().find(|server| server.documents.iter().any(|name| name == document));
        server.map(|server| server.name.as_str()).filter(|name| *name != MAIN)
    }
}

/// The server of all documents that no entry names.
pub(crate) const MAIN: &str = "main";
