//! What a reviewer reads of the pinned contracts: texts by family, which snapshots keep.
//!
//! `surface__<family>` has a line for each operation, `api__<family>` a line for each public Rust item, `wire__<family>` what no
//! Rust item shows. `security` and `ledger` are about the client as a whole. No text counts anything, so that a change of one
//! place changes one line.

mod outline;
mod reach;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use crate::api::{Api, Item};
use crate::ledger::{Ledger, Loss};
use crate::model::{Document, Model};
use crate::text::line;

/// Texts by name, each with at least one line.
pub(crate) fn texts(
    surface: &str,
    api: &Api,
    documents: &[Document],
    model: &Model,
    ledger: &Ledger,
) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |kind: &str, family: &str, text: &str| {
        let into = texts.entry(format!("{kind}__{family}")).or_default();
        into.push_str(text);
        into.push('\n');
    };
    for operation in surface.lines() {
        add("surface", operation.split('.').next().unwrap_or_default(), operation);
    }
    for item in &api.items {
        add("api", home(item), &told(item));
    }
    texts.extend(wire::texts(documents, model));
    texts.insert("ledger".to_owned(), self::ledger(ledger));
    texts.retain(|_, text| !text.is_empty());
    texts
}

/// The family of an item, else what it belongs to.
fn home(item: &Item) -> &str {
    match item.path.split("::").next() {
        Some(part @ ("documents" | "bindings" | "servers")) => part,
        _ if item.origin.family.is_empty() => "shared",
        _ => &item.origin.family,
    }
}

/// An item, with what its line in the index does not say.
fn told(item: &Item) -> String {
    let mut text = item.line();
    let marks = [("deprecated", item.deprecated), ("non_exhaustive", item.non_exhaustive)];
    marks.into_iter().filter(|(_, is_set)| *is_set).for_each(|(mark, _)| text.push_str(&format!("  {mark}")));
    if !item.origin.features.is_empty() {
        text.push_str(&format!("  [{}]", item.origin.features.join(" ")));
    }
    text
}

/// What was changed or lost on the way, place by place.
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
