//! What people decide about a generated client.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The part of `specs/codegen.toml` that the generator reads.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Route families, by path prefix. An operation that none of them claims goes to a family named by its tag.
    #[serde(rename = "family")]
    pub families: Vec<Family>,
    /// Corrections of the contract, applied in order before anything is interpreted.
    #[serde(rename = "correction")]
    pub corrections: Vec<Correction>,
    /// Only operations whose path starts with one of these prefixes; empty means all.
    pub include: Vec<String>,
    /// No operation whose path starts with one of these prefixes.
    pub exclude: Vec<String>,
    /// Rust names chosen by hand: a key of the lock, such as `"GET /api/x"` or `"platform#/components/schemas/X"` → name.
    pub rename: BTreeMap<String, String>,
    /// What happens to types that no operation reaches.
    pub unreferenced: Unreferenced,
}

/// One route family: a Rust module, a cargo feature and an accessor on the client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Name in snake case; the cargo feature is the same in kebab case.
    pub name: String,
    /// Path prefixes, compared by whole segments; the longest one over all families wins.
    pub prefixes: Vec<String>,
    /// One line for the documentation of the family.
    #[serde(default)]
    pub covers: String,
}

/// A checked-in correction of a published contract.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// JSON pointer (RFC 6901) into the published document.
    pub pointer: String,
    /// The new value, as JSON text; absent removes what the pointer names.
    #[serde(default)]
    pub value: Option<String>,
    /// Why the published contract is wrong.
    pub reason: String,
}

/// What happens to types that no operation reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unreferenced {
    /// Generated under the cargo feature `unreferenced`, which is off by default.
    #[default]
    Feature,
    /// Not generated.
    Omit,
}
