//! What a run says at its end.

use std::collections::BTreeMap;

use platform_codegen::Loss;

use super::{Desired, Pin};
use crate::console::{count, result, size};
use crate::lock::Lock;
use crate::transaction::Change;
use crate::workspace::SCHEMA;

/// Most degraded parts that are named.
const NAMED: usize = 20;

pub(super) fn print(pins: &[Pin], old: Option<&Lock>, desired: &Desired, changes: &[Change]) {
    for pin in pins {
        let entry = &pin.entry;
        let received =
            pin.received.map_or_else(|| "nothing downloaded".to_owned(), |bytes| format!("{} received", size(bytes)));
        let state = match old.and_then(|lock| lock.document(&entry.name)) {
            None => "new",
            Some(known) if known.canonical == entry.canonical => "unchanged",
            Some(_) => "changed",
        };
        result(&format!("contract    {} from {} ({}, {received}, {state})", entry.name, entry.source, entry.dialect));
    }
    let schema = if desired.files.contains_key(SCHEMA) { "pinned" } else { "none: documents are not checked" };
    result(&format!("graphql     schema {schema}"));
    let stats = &desired.output.stats;
    result(&format!(
        "typed       {} of {}, {} of {}",
        stats.typed_operations,
        count(stats.operations, "operation", "operations"),
        stats.typed_schemas,
        count(stats.schemas, "schema", "schemas"),
    ));
    normalised(desired);
    degraded(desired);
    let unused = &desired.output.unused_operations;
    if !unused.is_empty() {
        result(&format!("unused      asynchronous operations that the contract does not have: {}", unused.join(", ")));
    }
    written(desired, changes);
}

fn normalised(desired: &Desired) {
    let mut passes: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in desired.output.ledger.entries().iter().filter(|entry| !matches!(entry.loss, Loss::Degraded(_))) {
        *passes.entry(entry.pass).or_default() += 1;
    }
    let total: usize = passes.values().sum();
    let by_pass: Vec<String> = passes.iter().map(|(pass, count)| format!("{pass} {count}")).collect();
    let detail = if by_pass.is_empty() { String::new() } else { format!(" ({})", by_pass.join(", ")) };
    result(&format!("normalised  {}{detail}", count(total, "place", "places")));
}

fn degraded(desired: &Desired) {
    let parts = &desired.output.stats.degraded;
    result(&format!("degraded    {}", count(parts.len(), "part", "parts")));
    for part in parts.iter().take(NAMED) {
        result(&format!("  {}: {}", part.pointer, part.cause));
    }
    if parts.len() > NAMED {
        result(&format!("  … and {} more: specs/ledger.txt", parts.len() - NAMED));
    }
}

fn written(desired: &Desired, changes: &[Change]) {
    let (mut files, mut removed, mut bytes) = (0, 0, 0);
    for change in changes {
        match change {
            Change::Write { content, .. } => {
                files += 1;
                bytes += content.len();
            }
            Change::Remove { .. } => removed += 1,
        }
    }
    // The manifest and the lock are outputs as well.
    let unchanged = (desired.files.len() + 2).saturating_sub(files);
    let all = if changes.is_empty() { ": everything is up to date" } else { "" };
    result(&format!("written     {}, {removed} removed, {unchanged} unchanged", count(files, "file", "files")));
    result(&format!("            {} written{all}", if bytes == 0 { "0 bytes".to_owned() } else { size(bytes) }));
}
