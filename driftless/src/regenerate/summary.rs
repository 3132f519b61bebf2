//! The lines that a run prints at its end.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::graphql::changes;
use driftless_codegen::{Loss, Names};

use super::outputs::Desired;
use super::pins::Pin;
use crate::console::{count, size};
use crate::lock::Lock;
use crate::settings::Settings;
use crate::suggestions;
use crate::transaction::Change;
use crate::workspace::{CONFIGURATION, NAMES, SCHEMA, SNAPSHOTS};

/// Most degraded parts that are named.
const NAMED: usize = 20;

/// `schema` is the one that was pinned before, and `names` are those that the lock had.
pub(super) fn lines(
    settings: &Settings,
    pins: &[Pin],
    (schema, names): (Option<&str>, &Names),
    old: Option<&Lock>,
    desired: &Desired,
    changes: &[Change],
) -> Vec<String> {
    let mut lines = Vec::new();
    for pin in pins {
        let entry = &pin.entry;
        let received =
            pin.received.map_or_else(|| "nothing downloaded".to_owned(), |bytes| format!("{} received", size(bytes)));
        let state = match old.and_then(|lock| lock.document(&entry.name)) {
            None => "new",
            Some(known) if known.canonical == entry.canonical => "unchanged",
            Some(_) => "changed",
        };
        lines
            .push(format!("contract    {} from {} ({}, {received}, {state})", entry.name, entry.source, entry.dialect));
    }
    graphql(&mut lines, schema, desired);
    let stats = &desired.output.stats;
    lines.push(format!(
        "typed       {} of {}, {} of {}",
        stats.typed_operations,
        count(stats.operations, "operation", "operations"),
        stats.typed_schemas,
        count(stats.schemas, "schema", "schemas"),
    ));
    styled(&mut lines, names, desired);
    identified(&mut lines, names, old, desired);
    lines.push(normalised(desired));
    degraded(&mut lines, desired);
    unused(&mut lines, settings, desired);
    lines.extend(suggestions::summary(&desired.output, names));
    for states in &desired.output.unnamed_states {
        lines.push(format!("unnamed     states of the schema that count as unknown: {states}"));
    }
    written(&mut lines, desired, changes);
    lines
}

/// The schema with its changes, and the documents.
fn graphql(lines: &mut Vec<String>, old: Option<&str>, desired: &Desired) {
    let Some(new) = desired.files.get(SCHEMA) else {
        let documents = count(desired.output.stats.documents, "document is", "documents are");
        let gone = if old.is_some() { " any more" } else { "" };
        lines.push(format!("graphql     no schema{gone}: {documents} neither checked nor typed"));
        return;
    };
    let changes = changes(old.unwrap_or_default(), new);
    let state = match old {
        None => "new".to_owned(),
        Some(_) if changes.is_empty() => "unchanged".to_owned(),
        Some(_) => format!("changed in {}", count(changes.len(), "line", "lines")),
    };
    let documents = count(desired.output.stats.typed_documents, "document", "documents");
    lines.push(format!("graphql     schema {state}, {documents} typed"));
    if old.is_some() {
        lines.extend(changes.iter().take(NAMED).map(|line| format!("  {line}")));
        if changes.len() > NAMED {
            lines.push(format!("  … and {} more: git diff {SCHEMA}", changes.len() - NAMED));
        }
    }
}

/// Operations that another style gave another name.
fn styled(lines: &mut Vec<String>, before: &Names, desired: &Desired) {
    let given = &desired.output.names;
    if before.styles == given.styles {
        return;
    }
    let renamed: Vec<(&String, &String)> = given
        .operations
        .iter()
        .filter_map(|(key, name)| Some((before.operations.get(key)?, name)))
        .filter(|(old, new)| old != new)
        .collect();
    if !renamed.is_empty() {
        let operations = count(renamed.len(), "operation has another name", "operations have other names");
        lines.push(format!("style       {operations}, which programs that call them have to take over"));
        lines.extend(renamed.iter().take(NAMED).map(|(old, new)| format!("  {old} → {new}")));
        if renamed.len() > NAMED {
            lines.push(format!("  … and {} more: git diff {NAMES}", renamed.len() - NAMED));
        }
    }
}

/// Parameters and members that another configuration gave another type. A contract that adds some changes none of them.
fn identified(lines: &mut Vec<String>, before: &Names, old: Option<&Lock>, desired: &Desired) {
    if old.is_none_or(|old| old.configuration == desired.lock.configuration) {
        return;
    }
    let given = &desired.output.names;
    let is_known = |key: &str| {
        let owners = key.match_indices('.').filter_map(|(end, _)| key.get(..end));
        owners.into_iter().any(|owner| before.types.contains_key(owner) || before.operations.contains_key(owner))
    };
    let keys: BTreeSet<&String> = before.ids.keys().chain(given.ids.keys()).collect();
    let changed = keys.into_iter().filter(|key| before.ids.get(*key) != given.ids.get(*key) && is_known(key));
    let changed: Vec<&String> = changed.collect();
    if changed.is_empty() {
        return;
    }
    let places = count(changed.len(), "place has another type", "places have other types");
    lines.push(format!(
        "id          {places} in Rust, which programs that use them have to take over; the wire is as it was"
    ));
    let now = |key: &String| given.ids.get(key).map_or("the type of the contract", String::as_str);
    lines.extend(changed.iter().take(NAMED).map(|key| format!("  {key} → {}", now(key))));
    if changed.len() > NAMED {
        lines.push(format!("  … and {} more: git diff {NAMES}", changed.len() - NAMED));
    }
}

/// Rules of the configuration that change nothing, each with its line.
fn unused(lines: &mut Vec<String>, settings: &Settings, desired: &Desired) {
    let rules = &desired.output.unused;
    for rule in rules.iter().take(NAMED) {
        let line = settings.position(&rule.pointer).map(|(line, _)| format!(":{line}")).unwrap_or_default();
        lines.push(format!("unused      {CONFIGURATION}{line}: {}", rule.what));
    }
    if rules.len() > NAMED {
        lines.push(format!("  … and {} more rules of {CONFIGURATION}", rules.len() - NAMED));
    }
}

fn normalised(desired: &Desired) -> String {
    let mut passes: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in desired.output.ledger.entries().iter().filter(|entry| !matches!(entry.loss, Loss::Degraded(_))) {
        *passes.entry(entry.pass).or_default() += 1;
    }
    let total: usize = passes.values().sum();
    let by_pass: Vec<String> = passes.iter().map(|(pass, count)| format!("{pass} {count}")).collect();
    let detail = if by_pass.is_empty() { String::new() } else { format!(" ({})", by_pass.join(", ")) };
    format!("normalised  {}{detail}", count(total, "place", "places"))
}

fn degraded(lines: &mut Vec<String>, desired: &Desired) {
    let parts = &desired.output.stats.degraded;
    lines.push(format!("degraded    {}", count(parts.len(), "part", "parts")));
    for part in parts.iter().take(NAMED) {
        lines.push(format!("  {}: {}", part.pointer, part.cause));
    }
    if parts.len() > NAMED {
        lines.push(format!("  … and {} more: specs/ledger.txt", parts.len() - NAMED));
    }
}

fn written(lines: &mut Vec<String>, desired: &Desired, changes: &[Change]) {
    let (mut files, mut removed, mut bytes) = (0, 0, 0);
    // The first snapshots are told on a line of their own.
    for change in changes.iter().filter(|change| !change.path().starts_with(SNAPSHOTS)) {
        match change {
            Change::Write { content, .. } => {
                files += 1;
                bytes += content.len();
            }
            Change::Remove { .. } => removed += 1,
        }
    }
    // The manifest, the lock and the names are outputs as well.
    let unchanged = (desired.files.len() + 3).saturating_sub(files);
    let all = if changes.is_empty() { ": everything is up to date" } else { "" };
    lines.push(format!("written     {}, {removed} removed, {unchanged} unchanged", count(files, "file", "files")));
    lines.push(format!("            {} written{all}", if bytes == 0 { "0 bytes".to_owned() } else { size(bytes) }));
}
