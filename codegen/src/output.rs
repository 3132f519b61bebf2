//! The input and output of a generation.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Model, Scheme};
use crate::{Api, AsyncOperation, FamilyRule, Ledger, Names, Pagination};

/// One contract to generate from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract<'a> {
    /// Name of the document, such as `service`; it appears in the ledger and in messages.
    pub name: &'a str,
    /// The document as published or as pinned.
    pub bytes: &'a [u8],
}

/// The result of a generation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Files of `generated-client/src/generated`, by path relative to that folder (`mod.rs`, `types/shared.rs` …).
    pub files: BTreeMap<String, String>,
    /// Cargo features of the client crate, one per family, in order.
    pub features: Vec<Feature>,
    /// Names to pin: the given ones that are still in use, and the new ones.
    pub names: Names,
    /// The record of changes and losses on the way.
    pub ledger: Ledger,
    /// The contract's surface: one line per operation, for reviewers.
    pub surface: String,
    /// The operations as `driftless-cli` reads them, if the setup asks for them.
    pub table: Option<String>,
    /// The public Rust API.
    pub api: Api,
    /// Files for reviewers, by name: `api__<family>`, `wire__<family>`, `security`, `ledger`.
    pub review: BTreeMap<String, String>,
    /// A call for a first program.
    pub first_call: Option<FirstCall>,
    /// The credentials that the client is asked for.
    pub credentials: Credentials,
    /// Counts for summaries.
    pub stats: Stats,
    /// Rules of the configuration that change nothing, because the contracts have nothing that they are about.
    pub unused: Vec<Unused>,
    /// Entries of the configuration that the contracts suggest.
    pub suggestions: Suggestions,
    /// States of the schema that an asynchronous operation does not name, a text for each operation: they count as unknown.
    pub unnamed_states: Vec<String>,
    /// The GraphQL operations, as the client sends them: by file name, and by place in the file.
    pub documents: Vec<SentDocument>,
}

/// The credentials that contracts ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials {
    /// Every scheme that a key, or a user with a password, is given for.
    pub schemes: Vec<Scheme>,
    /// Per operation, `family.name`: the alternatives, and the schemes that go together in each. No alternative: it shows nothing.
    pub operations: BTreeMap<String, Vec<Vec<Scheme>>>,
}

/// A GraphQL operation, as the client sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentDocument {
    /// Its name.
    pub name: String,
    /// `query`, `mutation` or `subscription`.
    pub kind: &'static str,
    /// The text that is sent, byte for byte: the operation, and the fragments that it uses.
    pub text: String,
}

/// A call that a program can make as it is: values are made up for its arguments. All names are identifiers of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstCall {
    /// The family: a method of the client, and a module.
    pub family: String,
    /// The method of the family.
    pub operation: String,
    /// The type that names the operation in the module `operations` of the family.
    pub marker: String,
    /// The path, as the contract writes it.
    pub path: String,
    /// The value of the body that an argument refers to as `&body`.
    pub body: Option<String>,
    /// Names and values of the arguments, in order. A value can end with `?`.
    pub arguments: Vec<(String, String)>,
    /// The arguments that are API keys: name of the argument, and of the security scheme. A key that stands there replaces the one of the
    /// client's configuration.
    pub keys: Vec<(String, String)>,
    /// The struct of the family's module that has them as fields.
    pub fields_of: Option<String>,
    /// The items of the client's crate that the values name, such as `types`.
    pub uses: Vec<&'static str>,
    /// The cargo features that the operation needs beside its family.
    pub features: Vec<&'static str>,
    /// `true` if the contract marks it as deprecated.
    pub deprecated: bool,
    /// `true` if its method is not a safe one: the call can change the service.
    pub changes: bool,
}

/// The first content of a configuration for new contracts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// Route families: entries for [`Config::families`](crate::Config::families).
    pub families: Vec<FamilyRule>,
    /// The address that a contract states.
    pub address: Option<String>,
    /// Every scheme that a key, or a user with a password, is given for.
    pub schemes: Vec<Scheme>,
    /// Other entries that the contracts suggest.
    pub suggestions: Suggestions,
}

/// Entries of the configuration that the contracts suggest, and that it does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestions {
    /// The number of operations that page: by their parameters, their marks, or a link to the next page.
    pub paged: usize,
    /// Entries for them.
    pub paginations: Vec<SuggestedPagination>,
    /// The number of operations that are completed later: by their marks, or by the status 202.
    pub long_running: usize,
    /// Entries for those of them that the runtime can watch.
    pub operations: Vec<SuggestedOperation>,
    /// Operations of both kinds without an entry, and the reasons.
    pub without: Vec<(String, String)>,
    /// Entries of `[rename]` for the operations whose name is a guess.
    pub names: Vec<SuggestedName>,
}

/// An entry for an operation that pages.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestedPagination {
    /// The operation, `family.name`.
    pub name: String,
    /// The entry.
    pub entry: Pagination,
    /// The parts of the contract that it follows from.
    pub reason: String,
    /// `true` if the contract says all of it.
    pub is_sure: bool,
}

/// An entry for an operation that is completed later.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestedOperation {
    /// The operation, `family.name`.
    pub name: String,
    /// The entry.
    pub entry: AsyncOperation,
    /// The parts of the contract that it follows from.
    pub reason: String,
}

/// An entry of `[rename]` for an operation whose name is a guess. All entries of a run can be chosen together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedName {
    /// The key of the entry: `POST /things`.
    pub key: String,
    /// The operation under its present name, `family.name`.
    pub operation: String,
    /// The value of the entry: a free name, or the present one.
    pub name: String,
    /// `true` if the value is another name than the present one.
    pub is_better: bool,
    /// The reason why the present name is a guess.
    pub reason: String,
}

/// A rule of the configuration that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unused {
    /// JSON pointer into the configuration.
    pub pointer: String,
    /// The rule, and why it changes nothing.
    pub what: String,
}

/// A cargo feature of the client crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feature {
    /// Name, in kebab case.
    pub name: String,
    /// One line that describes it.
    pub about: String,
    /// `true` if it is one of the default features.
    pub default: bool,
    /// Other features that it turns on.
    pub enables: Vec<String>,
}

/// Counts of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Operations in the contract.
    pub operations: usize,
    /// Operations that can be sent, and whose parameters, body and responses are all typed.
    pub typed_operations: usize,
    /// Schemas: named components, and inline ones that became types.
    pub schemas: usize,
    /// Schemas that became types without loss.
    pub typed_schemas: usize,
    /// GraphQL documents that are in use.
    pub documents: usize,
    /// GraphQL documents whose variables and data are typed.
    pub typed_documents: usize,
    /// The degraded operations, each with a reason.
    pub degraded: Vec<Degraded>,
}

/// An operation or schema that is only available untyped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Degraded {
    /// Document and JSON pointer.
    pub pointer: String,
    /// The reason.
    pub cause: String,
}

impl Credentials {
    pub(crate) fn from_model(model: &Model) -> Self {
        let operations = model.operations.iter();
        let asked = |operation: &crate::model::Operation| {
            let name = format!("{}.{}", operation.family, operation.name);
            (name, operation.security.alternatives())
        };
        Self { schemes: model.schemes.clone(), operations: operations.map(asked).collect() }
    }
}
