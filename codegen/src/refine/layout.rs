//! The modules around the families and types, and the cargo features.

use std::collections::BTreeMap;

use super::client::{self, Called};
use super::families;
use super::groups::Group;
use crate::Feature;
use crate::model::{Model, Provenance, TypeId};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{closed, comment, docs, module_comment, span};
use crate::text::{Code, literal};

/// Lints that say nothing about generated code: its names and its prose are the contract's. The modules below inherit it.
const ALLOWS: &str = "#![allow(clippy::all, clippy::pedantic, dead_code, deprecated, missing_debug_implementations, \
    non_camel_case_types, rustdoc::all, unused_imports, \
    reason = \"names and prose are the contract's\")]";

/// `mod.rs` of the generated folder.
pub(crate) fn root(called: &Called, variables: &str, documents: &'static str, xml: bool) -> Vec<Piece> {
    let comment = code!["//! Code that is generated from the contract.\n", ALLOWS, "\n"];
    let mut head = code!["driftless_runtime::codegen::generated! {\n    interface ", crate::INTERFACE, ";\n"];
    head.push("    client ").push(&called.client).push(";\n    builder ").push(&called.builder);
    head.push(";\n    variables ").push(literal(variables)).push(";\n\n");
    let mut code = Code::default();
    code.push("#[cfg(feature = \"operations\")]\npub mod bindings;\n#[cfg(").push(documents);
    code.push(
        ")]\npub mod documents;\npub mod families;\npub(crate) mod security;\npub mod servers;\npub mod types;\n",
    );
    if xml {
        code.push(client::IF_XML).push("pub(crate) mod xml;\n");
    }
    vec![Piece::Code(comment), Piece::Items(head, code)]
}

/// `types/mod.rs`.
pub(crate) fn types(groups: &BTreeMap<Group, Vec<TypeId>>) -> Vec<Piece> {
    let mut code = code!["//! Types of the contract.\n\n"];
    for group in groups.keys() {
        let condition = group.condition().map(|condition| code!["#[cfg(", condition, ")]\n"]);
        let file = group.file();
        code.push(condition.clone()).push("mod ").push(&file).push(";\n");
        code.push(condition).push("pub use self::").push(&file).push("::*;\n");
    }
    vec![Piece::Code(code)]
}

/// `families/mod.rs`: the modules, and the accessors on the client.
pub(crate) fn families(model: &Model, called: &Called) -> Vec<Piece> {
    let client = &called.client;
    let mut docs = docs!["Route families, one module each.\n\n| accessor | |\n|---|---|"];
    for family in &model.families {
        let covers = closed(&family.covers);
        let place = match &family.server {
            None => docs!["[`", client, "::", &family.name, "`](crate::", client, "::", &family.name, ")"],
            Some(server) => docs!["`", &family.accessor, "` of the server ", span(server)],
        };
        docs.push(docs!["\n| ", place, " | ", covers.cell(), " |"]);
    }
    let mut code = code![module_comment(&docs), "\n"];
    if model.families.iter().any(|family| family.server.is_none()) {
        code.push("use crate::").push(client).push(";\n\n");
    }
    let mut accessors = Code::default();
    for family in &model.families {
        let (name, handle) = (&family.name, &family.handle);
        let condition = code!["#[cfg(feature = ", literal(&family.feature), ")]\n"];
        code.push(&condition).push("pub mod ").push(name).push(";\n");
        if family.server.is_some() {
            continue;
        }
        accessors.push(comment(&docs!["The family `", name, "`", families::about(family), "."])).push(condition);
        accessors.push("pub fn ").push(name).push("(&self) -> ").push(name).push("::").push(handle).push("<'_> {\n");
        accessors.push(name).push("::").push(handle).push("::new(self)\n}\n");
    }
    if !accessors.is_empty() {
        code.push("\nimpl ").push(client).push(" {\n").push(accessors).push("}\n");
    }
    vec![Piece::Code(code)]
}

/// Cargo features: one per family, then those that are off by default.
pub(crate) fn features(model: &Model, groups: &BTreeMap<Group, Vec<TypeId>>) -> Vec<Feature> {
    let mut features: Vec<Feature> = Vec::new();
    for family in &model.families {
        let about = match family.covers.as_str() {
            "" => format!("Operations of the family `{}`", family.name),
            covers => covers.to_owned(),
        };
        features.push(Feature { name: family.feature.clone(), about, default: true, enables: Vec::new() });
    }
    let about = "Operations and types that no deployment has shown yet".to_owned();
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
