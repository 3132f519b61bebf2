//! One named pass per quirk, each a pure function over the upgraded tree.
//!
//! A pass stands here when it makes the tree say what its author meant, or says what of it the client leaves aside. How a
//! schema becomes a type is the model's business.

mod callbacks;
mod security;
mod servers;

use serde_json::Value;

use crate::ledger::Ledger;
use crate::upgrade::Origins;

/// A document under repair, and how to name its places.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub(crate) document: &'a str,
    pub(crate) published: &'a Value,
    pub(crate) origins: &'a Origins,
}

/// Runs all passes.
pub(crate) fn normalise(tree: &mut Value, place: &Place<'_>, ledger: &mut Ledger) {
    servers::pass(tree, place, ledger);
    security::pass(tree, place, ledger);
    callbacks::pass(tree, place, ledger);
    // A no-op, unless another crate of the build asks serde_json to keep the order of insertion.
    tree.sort_all_objects();
}
