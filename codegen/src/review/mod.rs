//! Texts for reviewers of the pinned contracts, by family. Snapshots keep them.
//!
//! `api__<family>` has a line for each public Rust item, except for items that every operation has, and for setters, which are marks of
//! their fields; `wire__<family>` has each operation as it is sent, and the details that no Rust item shows. `security` and `ledger` are
//! about the client as a whole. No text counts anything, so that a change of one place changes one line.

mod outline;
mod reach;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use self::reach::Home;
use crate::api::{Api, Item};
use crate::ledger::{Ledger, Loss};
use crate::model::{Document, Model};
use crate::text::line;

/// The texts that no Rust item is needed for: `wire__<family>` and `security`.
pub(crate) fn wire(documents: &[Document], model: &Model) -> BTreeMap<String, String> {
    wire::texts(documents, model)
}

/// Texts by name, each with at least one line.
pub(crate) fn texts(api: &Api, wire: BTreeMap<String, String>, ledger: &Ledger) -> BTreeMap<String, String> {
    let mut homes: BTreeMap<Home<'_>, String> = BTreeMap::new();
    let paths = |kind: &str| -> BTreeSet<&str> {
        api.items.iter().filter(|item| item.kind == kind).map(|item| item.path.as_str()).collect()
    };
    // A setter has the name and the type of its field: a mark of the field says that it is there.
    let (fields, functions) = (paths("field"), paths("fn"));
    let is_setter = |item: &Item| item.kind == "fn" && fields.contains(item.path.as_str());
    for item in api.items.iter().filter(|item| !is_of_every_operation(item) && !is_setter(item)) {
        let is_set = item.kind == "field" && functions.contains(item.path.as_str());
        let text = homes.entry(home(item)).or_default();
        text.push_str(&detailed(item, is_set));
        text.push('\n');
    }
    let mut texts: BTreeMap<String, String> =
        homes.into_iter().map(|(home, text)| (format!("api__{home}"), text)).collect();
    texts.extend(wire);
    texts.insert("ledger".to_owned(), self::ledger(ledger));
    texts.retain(|_, text| !text.is_empty());
    texts
}

/// The type by which an operation is named, and its constant for fakes: their names follow from the method's.
fn is_of_every_operation(item: &Item) -> bool {
    let is_type = |path: &str| path.starts_with("families::") && path.contains("::operations::");
    (item.kind == "enum" || item.kind == "const") && is_type(&item.path)
}

/// The family of an item, otherwise the group that it belongs to.
fn home(item: &Item) -> Home<'_> {
    match item.path.split("::").next() {
        Some("documents") => Home::Documents,
        Some("bindings") => Home::Bindings,
        Some("servers") => Home::Servers,
        _ if item.origin.family.is_empty() => Home::Shared,
        _ => Home::Family(&item.origin.family),
    }
}

/// An item, with the details that its line in the index leaves out.
fn detailed(item: &Item, is_set: bool) -> String {
    let mut text = item.line();
    let marks = [("deprecated", item.deprecated), ("non_exhaustive", item.non_exhaustive), ("with setter", is_set)];
    marks.into_iter().filter(|(_, is_set)| *is_set).for_each(|(mark, _)| text.extend(["  ", mark]));
    if !item.origin.features.is_empty() {
        text.extend(["  [", &item.origin.features.join(" "), "]"]);
    }
    text
}

/// Changes and losses on the way, place by place.
fn ledger(ledger: &Ledger) -> String {
    let lines: BTreeSet<String> = ledger
        .entries()
        .iter()
        .map(|entry| {
            let lost = match &entry.loss {
                Loss::Nothing => String::new(),
                Loss::Documentation(loss) => format!("; documentation only: {}", line(loss)),
                Loss::Degraded(loss) => format!("; degraded: {}", line(loss)),
            };
            format!("{} {}  {}: {}{lost}\n", line(&entry.document), line(&entry.pointer), entry.pass, line(&entry.what))
        })
        .collect();
    lines.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use crate::{Config, Contract, Names, Output, Setup, generate};

    /// A contract with one path for each name, and families of these names.
    fn called(names: &[&str]) -> Output {
        let operation = |name: &str| {
            let schema = json!({"$ref": format!("#/components/schemas/{name}")});
            let content = json!({"application/json": {"schema": schema}});
            let twice = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Common"}}});
            json!({"get": {"tags": [name], "responses": {"200": {"description": "", "content": content}}},
                "put": {"tags": [name], "responses": {"200": {"description": "", "content": twice}}}})
        };
        let paths: Map<_, _> = names.iter().map(|name| (format!("/{name}"), operation(name))).collect();
        let object = json!({"type": "object", "properties": {"id": {"type": "string"}}});
        let all = names.iter().chain(&["Common", "Nobodys"]);
        let schemas: Map<_, _> = all.map(|name| ((*name).to_owned(), object.clone())).collect();
        let contract = json!({"openapi": "3.0.4", "info": {"title": "t", "version": "1"}, "paths": paths,
            "components": {"schemas": schemas}});
        let bytes = contract.to_string();
        let setup = Setup::from(Config::default());
        generate(&[Contract { name: "contract", bytes: bytes.as_bytes() }], &setup, &Names::default())
            .expect("a client")
    }

    /// Each operation stands in a text of its family alone, whatever the families are called.
    #[test]
    fn a_family_called_like_another_text_has_a_text_of_its_own() {
        // `unreferenced` is a feature already, and so no family.
        let names = ["shared", "outside", "documents", "bindings", "servers"];
        let (plain, same) = (called(&["one", "two", "three", "four", "five"]).review, called(&names).review);
        assert_eq!(same.len(), plain.len(), "{:#?}\n{:#?}", same.keys(), plain.keys());
        for name in names {
            for kind in ["api", "wire"] {
                let key = format!("{kind}__{name}-family");
                let text = same.get(&key).unwrap_or_else(|| panic!("{key}: {:#?}", same.keys()));
                let is_foreign = |other: &&str| *other != name && text.contains(&format!("GET /{other}"));
                assert!(!names.iter().any(is_foreign), "{kind} {name}:\n{text}");
            }
            assert!(same[&format!("wire__{name}-family")].contains(&format!("GET /{name}")));
        }
        assert!(same["wire__shared"].contains("Common") && !same["wire__shared"].contains("GET"));
        assert!(same["wire__unreferenced"].contains("Nobodys") && !same["wire__unreferenced"].contains("GET"));
    }
}
