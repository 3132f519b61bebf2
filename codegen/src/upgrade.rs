//! Any dialect to a tree of OpenAPI 3.0 shape.
//!
//! Works on the JSON tree, before any typed parse, because strict parsers refuse many published contracts. It never
//! fails: parts that cannot be expressed are dropped or left open, and the ledger says so under `upgrade/…`, with a
//! pointer into the document as it was published.
//!
//! The result has `openapi: 3.0.3`. Parts that OpenAPI 3.0 cannot express are kept as extensions:
//!
//! - `x-additional-operations` of a path item: operations whose method OpenAPI 3.0 does not know, by method as sent;
//! - `x-item-schema: true` of a media type: its `schema` describes one item of a stream, not the whole body;
//! - `x-querystring: true` of a parameter: its value is the whole query string;
//! - `x-collection-format` of a parameter or an encoding: a separator of Swagger 2.0 that `style` cannot express there.

mod callbacks;
mod definitions;
mod document;
mod journal;
mod leftovers;
mod media_types;
mod methods;
mod origins;
mod parameters;
mod path_items;
mod published;
mod references;
mod schema;
mod servers;
mod streams;
mod swagger2;

use serde_json::Value;

use crate::walk::{self, NodeKind};
use crate::{Dialect, Ledger, Loaded};
use journal::Journal;
pub use origins::Origins;
pub(crate) use published::Published;
pub(crate) use schema::is_numeric;

/// A pass over the whole tree.
type Pass = fn(&mut Value, &mut Journal<'_>);

/// Every pass, in order: each builds on those before it. The last ones change nothing: they record the parts that the
/// client does not use.
const PASSES: &[Pass] = &[
    swagger2,
    document::tidy,
    path_items::inline,
    media_types::inline,
    definitions::hoist,
    parts,
    references::follow,
    servers::note,
    callbacks::note,
];

/// The passes that an outline takes.
const OUTLINE: &[Pass] = &[swagger2, path_items::inline, media_types::inline, definitions::hoist, references::follow];

/// The version that every upgraded tree states.
const VERSION: &str = "3.0.3";

/// Upgrades a contract. `document` is the name that entries of the ledger carry.
///
/// # Examples
///
/// ```
/// use driftless_codegen::{Ledger, load, upgrade};
///
/// let contract = br#"{"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"Name": {"type": ["string", "null"]}}}}"#;
/// let loaded = load::load("names", contract).unwrap();
/// let mut ledger = Ledger::default();
/// let tree = upgrade::upgrade("names", &loaded, &mut ledger);
/// assert_eq!(tree["components"]["schemas"]["Name"], serde_json::json!({"type": "string", "nullable": true}));
/// assert_eq!(ledger.entries()[0].pointer, "/components/schemas/Name");
/// ```
#[must_use]
pub fn upgrade(document: &str, loaded: &Loaded, ledger: &mut Ledger) -> Value {
    trace(document, loaded, ledger).0
}

/// Upgrades a contract, and says where each part of the result comes from.
///
/// Later passes need the [`Origins`] to name places of the document as it was published.
#[must_use]
pub fn trace(document: &str, loaded: &Loaded, ledger: &mut Ledger) -> (Value, Origins) {
    upgraded(document, loaded.tree.clone(), loaded.dialect, &Published::new(&loaded.tree), ledger)
}

/// The same for a tree that nobody else needs; `published` has its places.
pub(crate) fn upgraded(
    document: &str,
    mut tree: Value,
    dialect: Dialect,
    published: &Published,
    ledger: &mut Ledger,
) -> (Value, Origins) {
    let mut journal = Journal::new(document, dialect, published, ledger);
    for pass in PASSES {
        pass(&mut tree, &mut journal);
    }
    if let Value::Object(root) = &mut tree {
        root.insert("openapi".to_owned(), Value::from(VERSION));
    }
    // A no-op, unless another crate of the build asks serde_json to keep the order of insertion.
    walk::sort_keys(&mut tree);
    (tree, journal.origins)
}

/// Brings the operations of any dialect into one form; schemas stay as published.
///
/// Comparisons use it, because they need details that the passes over schemas remove: the order of a tuple, a
/// condition, a webhook.
pub(crate) fn outline(document: &str, loaded: &Loaded, published: &Published) -> (Value, Origins) {
    let mut ledger = Ledger::default();
    let mut journal = Journal::new(document, loaded.dialect, published, &mut ledger);
    let mut tree = loaded.tree.clone();
    for pass in OUTLINE {
        pass(&mut tree, &mut journal);
    }
    walk::sort_keys(&mut tree);
    (tree, journal.origins)
}

/// Converts a Swagger 2.0 contract, or Swagger 2.0 constructs in a document that declares OpenAPI 3.
fn swagger2(tree: &mut Value, journal: &mut Journal<'_>) {
    if journal.dialect == Dialect::Swagger2 {
        *tree = swagger2::convert(std::mem::take(tree), journal);
    } else {
        leftovers::convert(tree, journal);
    }
}

/// The passes over one part each, the parts of a part before it.
fn parts(tree: &mut Value, journal: &mut Journal<'_>) {
    // OpenAPI 3.1 made the siblings of `$ref` count; before, they were ignored.
    let siblings = matches!(journal.dialect, Dialect::OpenApi31 | Dialect::OpenApi32);
    walk::each(tree, &mut |kind, value, pointer| match kind {
        NodeKind::Schema => schema::convert(value, pointer, siblings, journal),
        NodeKind::MediaType => streams::convert(value, pointer, journal),
        NodeKind::Parameter => parameters::convert(value, pointer, journal),
        NodeKind::PathItem => methods::convert(value, pointer, journal),
        _ => {}
    });
}
