//! The modules around the families and types, and the cargo features.

use std::collections::BTreeMap;

use super::groups::Group;
use super::xml::CONDITION;
use crate::Feature;
use crate::emit::Piece;
use crate::model::{Model, Provenance, TypeId};
use crate::text::docs::comment;
use crate::text::literal;

/// Lints that say nothing about generated code: its names and its prose are the contract's. The modules below inherit it.
const ALLOWS: &str = "#![allow(clippy::all, clippy::pedantic, dead_code, deprecated, rustdoc::all, unused_imports, \
    reason = \"names and prose are the contract's\")]";

/// `mod.rs` of the generated folder.
pub(crate) fn root(documents: &str, xml: bool) -> Vec<Piece> {
    let xml = if xml { format!("{CONDITION}pub(crate) mod xml;\n") } else { String::new() };
    let about = "//! What is generated from the contract.\n";
    vec![Piece::Code(format!(
        "{about}{ALLOWS}\n\n#[cfg(feature = \"operations\")]\npub mod bindings;\n#[cfg({documents})]\npub mod documents;\n\
         pub mod families;\npub mod types;\n{xml}"
    ))]
}

/// `types/mod.rs`.
pub(crate) fn types(groups: &BTreeMap<Group, Vec<TypeId>>) -> Vec<Piece> {
    let mut code = "//! Types of the contract.\n\n".to_owned();
    for group in groups.keys() {
        let condition = group.condition().map_or_else(String::new, |condition| format!("#[cfg({condition})]\n"));
        let file = group.file();
        code.push_str(&format!("{condition}mod {file};\n{condition}pub use self::{file}::*;\n"));
    }
    vec![Piece::Code(code)]
}

/// `families/mod.rs`: the modules, and the accessors on the client.
pub(crate) fn families(model: &Model) -> Vec<Piece> {
    let mut code = "//! Route families, one module each.\n\n".to_owned();
    if !model.families.is_empty() {
        code.push_str("use crate::Platform;\n\n");
    }
    let mut accessors = String::new();
    for family in &model.families {
        let (name, handle) = (&family.name, &family.handle);
        let condition = format!("#[cfg(feature = {})]\n", literal(&family.feature));
        code.push_str(&format!("{condition}pub mod {name};\n"));
        let about = if family.covers.is_empty() { String::new() } else { format!(": {}", family.covers) };
        accessors.push_str(&format!(
            "{}{condition}pub fn {name}(&self) -> {name}::{handle}<'_> {{\n{name}::{handle}::new(self)\n}}\n",
            comment(&format!("The family `{name}`{about}."))
        ));
    }
    if !accessors.is_empty() {
        code.push_str(&format!("\nimpl Platform {{\n{accessors}}}\n"));
    }
    vec![Piece::Code(code)]
}

/// Cargo features: one per family, then what is off by default.
pub(crate) fn features(model: &Model, groups: &BTreeMap<Group, Vec<TypeId>>) -> Vec<Feature> {
    let mut features: Vec<Feature> = Vec::new();
    for family in &model.families {
        let about = match family.covers.as_str() {
            "" => format!("Operations of the family `{}`", family.name),
            covers => covers.to_owned(),
        };
        features.push(Feature { name: family.feature.clone(), about, default: true, enables: Vec::new() });
    }
    let about = "Operations and types that only the sandbox shows".to_owned();
    features.push(Feature { name: "assumed".to_owned(), about, default: false, enables: Vec::new() });
    let mut enables = Vec::new();
    if groups.contains_key(&Group::Unreferenced) {
        enables.extend(model.families.iter().map(|family| family.feature.clone()));
        if model.operations.iter().any(|operation| operation.provenance == Provenance::Assumed) {
            enables.push("assumed".to_owned());
        }
    }
    let about = "Types that no operation uses".to_owned();
    features.push(Feature { name: "unreferenced".to_owned(), about, default: false, enables });
    features
}
