//! Turns a Swagger/OpenAPI contract into a typed Rust client.
//!
//! Bytes in, files out: this crate knows no network, no clock, no environment, and writes nothing. The stages, in
//! order: [`load`], `correct`, [`upgrade`], `model`, `ids`, `shape`, `generate`, `refine`, `emit`. The page on the architecture, in
//! the repository of this crate, describes the stages.
//!
//! ```
//! use driftless_codegen::{Config, Contract, FamilyRule, Names, Setup, generate};
//!
//! let bytes = br#"
//! openapi: 3.0.4
//! paths:
//!   /api/projects/v1/projects/{id}:
//!     get:
//!       parameters: [{name: id, in: path, required: true, schema: {type: string, format: uuid}}]
//!       responses:
//!         200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}
//! components:
//!   schemas: {Project: {type: object, required: [name], properties: {name: {type: string}}}}
//! "#;
//! let family = FamilyRule { name: "projects".into(), prefixes: vec!["/api/projects/v1".into()], ..FamilyRule::default() };
//! let setup = Setup::from(Config { families: vec![family], ..Config::default() });
//!
//! let output = generate(&[Contract { name: "service", bytes }], &setup, &Names::default()).unwrap();
//! assert_eq!(
//!     output.surface,
//!     "projects.get_project  GET /api/projects/v1/projects/{id}  (id: Uuid) -> Project  [200]\n"
//! );
//! assert!(output.files["types/projects.rs"].contains("record!(Project { name: required \"name\" });"));
//! assert!(output.ledger.entries().is_empty());
//!
//! // The names that were given are pinned, and passed the next time.
//! assert_eq!(output.names.operations["GET /api/projects/v1/projects/{id}"], "projects.get_project");
//! let problem = generate(&[Contract { name: "service", bytes: b"<html>" }], &setup, &output.names).unwrap_err();
//! assert_eq!(problem.problems()[0].code, "contract/html");
//! ```
#![deny(missing_docs)]

mod api;
mod bind;
mod catalog;
mod config;
mod correct;
mod decisions;
pub mod drift;
mod emit;
mod generate;
pub mod graphql;
mod ids;
mod infer;
mod ledger;
pub mod load;
mod members;
mod model;
mod naming;
mod output;
mod pieces;
mod pins;
mod pipeline;
pub mod pointer;
mod refine;
mod report;
mod review;
mod room;
mod rules;
mod setup;
mod shape;
mod stats;
mod table;
pub mod text;
pub mod upgrade;
mod walk;

pub use api::{Api, Item, Origin};
pub use catalog::{
    Catalog, CatalogBody, CatalogForm, CatalogHeader, CatalogInput, CatalogMember, CatalogOperation, CatalogStatus,
    CatalogTagging, CatalogType, CatalogValue, CatalogVariant, Passing,
};
pub use config::{
    AsyncOperation, CancelOperation, ClientNames, Config, Correction, FamilyRule, FollowUp, IdRule, NameStyle,
    Pagination, Scalar, Server, StateMap, StyleVersion, Unreferenced, WatchOperation,
};
pub use decisions::client_names;
pub use emit::HEADER;
pub use generate::{LARGEST_NEW, LARGEST_PUBLISHED};
pub use ledger::{Entry, Ledger, Loss};
pub use load::{Dialect, Loaded};
pub use model::{KeyPlace, Scheme};
pub use naming::setter::is_reserved as is_method_of_calls;
pub use output::{
    Contract, Credentials, Degraded, Feature, FirstCall, Output, Proposal, SentDocument, Stats, SuggestedName,
    SuggestedOperation, SuggestedPagination, Suggestions, Unused,
};
pub use pins::Names;
pub use pipeline::Interpreted;
pub use report::{Problem, Report};
pub use room::room;
/// The version of the interface between generated code and `driftless-runtime`.
pub const INTERFACE: u16 = 2;

pub use setup::{GraphqlFiles, Reserved, Setup};
pub use text::line;

/// Generates the client for one or several contracts.
///
/// The same contracts, configuration and pinned names give the same bytes, whatever the key order of the source.
///
/// # Errors
///
/// A [`Report`] with every problem found, when a contract cannot be read at all. A part of a contract that cannot be
/// typed is not an error: it is degraded on its own and named in [`Output::ledger`].
pub fn generate(contracts: &[Contract<'_>], setup: &Setup, names: &Names) -> Result<Output, Report> {
    pipeline::run(contracts, None, setup, names, &|_| {})
}

/// As [`generate`], for the contracts that [`interpret`] was called with. They are interpreted once more if there is no `interpreted`, if it
/// is of other contracts or of another configuration, and if names are pinned.
///
/// `watch` is told the name of each stage when it ends: this crate has no clock. Files are formatted beside the stage `refine`, so
/// `format` is the rest.
///
/// # Errors
///
/// As for [`generate`].
pub fn generate_interpreted(
    contracts: &[Contract<'_>],
    interpreted: Option<Interpreted>,
    setup: &Setup,
    names: &Names,
    watch: &(dyn Fn(&'static str) + Sync),
) -> Result<Output, Report> {
    pipeline::run(contracts, interpreted, setup, names, watch)
}

/// The public Rust API that [`generate`] would give, and the names to pin: nothing is written down, which takes less time.
///
/// # Errors
///
/// As for [`generate`].
pub fn api(contracts: &[Contract<'_>], setup: &Setup, names: &Names) -> Result<(Api, Names), Report> {
    pipeline::api(contracts, setup, names)
}

/// The operations and types of the client that [`generate`] would give, as data.
///
/// # Errors
///
/// As for [`generate`].
pub fn catalog(contracts: &[Contract<'_>], setup: &Setup, names: &Names) -> Result<Catalog, Report> {
    pipeline::catalog(contracts, setup, names)
}

/// The entries of the configuration that [`generate`] would suggest.
///
/// # Errors
///
/// As for [`generate`].
pub fn suggestions(contracts: &[Contract<'_>], setup: &Setup, names: &Names) -> Result<Suggestions, Report> {
    pipeline::suggestions(contracts, setup, names)
}

/// The address of the first server that a contract states, as it states it: a URL, or a reference relative to the contract's own
/// address. Variables of the address have their defaults. `None`: it states none, or is no contract.
pub fn address(contract: &[u8]) -> Option<String> {
    pipeline::address(contract)
}

/// A configuration for contracts that nobody has sorted yet.
///
/// # Errors
///
/// A [`Report`], when a contract cannot be read at all.
pub fn propose(contracts: &[Contract<'_>], setup: &Setup) -> Result<Proposal, Report> {
    Ok(pipeline::propose(contracts, Vec::new(), setup, false)?.0)
}

/// As [`propose`], with the contracts as they were interpreted for it, for [`generate_interpreted`].
///
/// # Errors
///
/// As for [`propose`].
pub fn interpret(contracts: &[Contract<'_>], setup: &Setup) -> Result<(Proposal, Interpreted), Report> {
    pipeline::propose(contracts, Vec::new(), setup, true)
}

/// As [`interpret`], of contracts whose texts are [canonical](Loaded::canonical): `loaded` has what was loaded of each, in their order, so
/// that none of them is read again. If there are more or fewer, all are.
///
/// # Errors
///
/// As for [`propose`].
pub fn interpret_loaded(
    contracts: &[Contract<'_>],
    loaded: Vec<Loaded>,
    setup: &Setup,
) -> Result<(Proposal, Interpreted), Report> {
    pipeline::propose(contracts, loaded, setup, true)
}
