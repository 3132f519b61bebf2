//! Each rule of oasdiff that two contracts can show has a row in `changes.yaml`, and each other rule has a reason there. The
//! tests are a module of the crate, because the names of rules depend on single changes, which findings merge.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod cases;
#[path = "../common/merge.rs"]
mod merge;
mod names;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use self::merge::merge;
use super::lifecycle::Sunset;
use super::side::{Operation, operations};
use super::{Change, Drift, Rule, Sides, Wire, read, sides};
use crate::Contract;

/// Ends before that day are over.
const TODAY: &str = "2026-01-01";

/// A place where a schema stands: how names at it begin, its pointer in the contract, and a keyword that belongs to it.
const PLACES: [(&str, &str, &str); 10] = [
    ("request-body", "/paths/~1orders/post/requestBody/content/application~1json/schema", ""),
    ("request-property", "/paths/~1orders/post/requestBody/content/application~1json/schema/properties/p", ""),
    (
        "request-read-only-property",
        "/paths/~1orders/post/requestBody/content/application~1json/schema/properties/r",
        "readOnly",
    ),
    ("request-parameter", "/paths/~1orders/post/parameters/0/schema", ""),
    ("request-parameter-property", "/paths/~1orders/post/parameters/0/schema/properties/p", ""),
    ("request-header-property", "/paths/~1orders/post/parameters/1/schema/properties/p", ""),
    ("response-body", "/paths/~1orders/post/responses/200/content/application~1json/schema", ""),
    ("response-property", "/paths/~1orders/post/responses/200/content/application~1json/schema/properties/p", ""),
    (
        "response-write-only-property",
        "/paths/~1orders/post/responses/200/content/application~1json/schema/properties/w",
        "writeOnly",
    ),
    ("response-header", "/paths/~1orders/post/responses/200/headers/X-Limit/schema", ""),
];

#[derive(Deserialize)]
struct Table {
    base: Value,
    schemas: Vec<SchemaRow>,
    #[serde(default)]
    contracts: Vec<ContractRow>,
    #[serde(default)]
    verdicts: Vec<Verdict>,
    #[serde(default)]
    reasons: BTreeMap<String, BTreeSet<String>>,
}

/// Two schemas, tried at each place.
#[derive(Deserialize)]
struct SchemaRow {
    there: String,
    back: String,
    before: Value,
    after: Value,
}

/// Two merge patches (RFC 7396) of the base.
#[derive(Deserialize)]
struct ContractRow {
    there: BTreeSet<String>,
    back: BTreeSet<String>,
    #[serde(default)]
    before: Value,
    #[serde(default)]
    after: Value,
}

/// Changes whose verdict is not the one that the level of oasdiff stands for.
#[derive(Deserialize)]
struct Verdict {
    ids: Vec<String>,
    wire: Vec<String>,
    #[allow(dead_code, reason = "for who reads the table")]
    why: String,
}

fn table() -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oasdiff/changes.yaml");
    serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The folder with the rules of oasdiff and the cases of other tools, if it exists.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/drift-cases");
    if !folder.is_dir() {
        println!("LEFT OUT: ../shared/drift-cases does not exist");
        return None;
    }
    Some(folder)
}

/// The level of each rule of oasdiff.
fn levels(folder: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder.join("oasdiff-rules.tsv")).unwrap();
    let row = |row: &str| {
        let mut cells = row.split('\t');
        Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// The findings between two contracts, and the changes that they are made of.
fn compare(before: &[u8], after: &[u8], today: &str) -> (Drift, Vec<Change>) {
    let [before, after] = [before, after].map(|bytes| read(Contract { name: "contract", bytes }).unwrap());
    let (drift, mut changes) = sides(Sides { before: &before, after: &after }, today);
    let [olds, news] = [&before, &after].map(operations);
    for change in changes.iter_mut().filter(|change| change.rule == Rule::OperationRemoved) {
        let place = change.before.as_ref().map(|place| place.pointer.as_str());
        let old = olds.iter().find(|old| Some(old.node.pointer.as_str()) == place).unwrap();
        change.variant = ended(old, &news, today);
    }
    (drift, changes)
}

/// The manner in which an operation ended: announced or not, and with its path or alone.
fn ended(operation: &Operation<'_>, news: &[Operation<'_>], today: &str) -> &'static str {
    let alone = news.iter().any(|other| other.positional() == operation.positional());
    let deprecated = operation.node.flag("deprecated");
    let sunset = Sunset::from_node(&operation.node);
    match (deprecated, sunset, alone) {
        (true, Sunset::Unreadable, _) => "path-sunset-parse",
        (true, sunset @ Sunset::On(_), true) if !sunset.is_over(today) => "removed-before-sunset",
        (true, sunset @ Sunset::On(_), false) if !sunset.is_over(today) => "path-removed-before-sunset",
        (true, _, true) => "removed-with-deprecation",
        (true, _, false) => "path-removed-with-deprecation",
        (false, _, true) => "removed-without-deprecation",
        (false, _, false) => "path-removed-without-deprecation",
    }
}

/// The changes between two contracts at each of some places: each name, and its most severe verdict.
fn reported(before: &Value, after: &Value, places: &[&str]) -> Vec<BTreeMap<String, Wire>> {
    let [before, after] = [before, after].map(Value::to_string);
    let (drift, changes) = compare(before.as_bytes(), after.as_bytes(), TODAY);
    let mut reported = vec![BTreeMap::new(); places.len()];
    if drift.findings.len() + drift.documentation + drift.spelling + drift.not_judged.len() == 0 {
        reported[0].insert("nothing".to_owned(), Wire::None);
    }
    for change in &changes {
        let is_at = |place: &&str| {
            [&change.before, &change.after].into_iter().flatten().any(|site| site.pointer.starts_with(place))
        };
        // A change of a component counts for the first place: it has a name where it should have none.
        let place = places.iter().position(is_at).unwrap_or(0);
        let reported = &mut reported[place];
        for name in names::names(change) {
            let wire = reported.entry(name).or_insert(Wire::None);
            *wire = change.contract().max(*wire);
        }
    }
    reported
}

/// `*` stands for anything.
fn fits(pattern: &str, id: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == id,
        Some((start, rest)) => {
            let Some(tail) = id.strip_prefix(start) else { return false };
            (0..=tail.len()).any(|at| tail.is_char_boundary(at) && fits(rest, &tail[at..]))
        }
    }
}

#[test]
fn each_rule_of_oasdiff_has_its_change_or_its_reason() {
    let table = table();
    let Some(folder) = folder() else { return };
    let levels = levels(&folder);
    let mut wrong = Vec::new();
    let mut covered = BTreeSet::new();
    let mut verdicts_used = BTreeSet::new();
    let mut judge = |what: String, expected: &BTreeSet<String>, reported: &BTreeMap<String, Wire>| {
        let names: BTreeSet<String> = reported.keys().cloned().collect();
        if names != *expected {
            wrong.push(format!("{what}: expected {expected:?}, found {names:?}"));
        }
        for (id, wire) in reported {
            let Some(level) = levels.get(id) else {
                wrong.push(format!("{what}: oasdiff has no rule {id}"));
                continue;
            };
            let exception =
                table.verdicts.iter().position(|verdict| verdict.ids.iter().any(|pattern| fits(pattern, id)));
            let right = match (exception, level.as_str()) {
                (Some(number), _) => {
                    verdicts_used.insert(number);
                    table.verdicts[number].wire.iter().any(|word| word == wire.as_str())
                }
                (None, "ERR") => *wire == Wire::Break,
                (None, "WARN") => *wire == Wire::Risk,
                (None, _) => *wire <= Wire::Safe,
            };
            if !right {
                wrong.push(format!("{what}: {id} is {level}, and the verdict is {}", wire.as_str()));
            }
        }
        covered.extend(expected.intersection(&names).cloned());
    };
    // A place that lies in another one has its turn after that.
    let (within, whole): (Vec<_>, Vec<_>) =
        PLACES.into_iter().partition(|(_, pointer, _)| pointer.contains("/schema/"));
    for (row, places) in table.schemas.iter().flat_map(|row| [(row, &whole), (row, &within)]) {
        let contract = |schema: &Value| {
            let mut contract = table.base.clone();
            for (_, pointer, keyword) in places {
                let target = contract.pointer_mut(pointer).unwrap();
                *target = schema.clone();
                if !keyword.is_empty() {
                    target[*keyword] = Value::Bool(true);
                }
            }
            contract
        };
        let (before, after) = (contract(&row.before), contract(&row.after));
        for (before, after, names) in [(&before, &after, &row.there), (&after, &before, &row.back)] {
            let pointers: Vec<&str> = places.iter().map(|(_, pointer, _)| *pointer).collect();
            for ((place, pointer, _), reported) in places.iter().zip(reported(before, after, &pointers)) {
                let ids = names.split('|').filter(|name| !name.is_empty()).map(|name| id(place, name));
                let expected = ids.flatten().find(|id| levels.contains_key(id)).into_iter().collect();
                let [before, after] = [before, after].map(|contract| contract.pointer(pointer));
                judge(format!("{place}: {before:?} → {after:?}"), &expected, &reported);
            }
        }
    }
    for row in &table.contracts {
        let contract = |patch: &Value| {
            let mut contract = table.base.clone();
            if !patch.is_null() {
                merge(&mut contract, patch);
            }
            contract
        };
        let (before, after) = (contract(&row.before), contract(&row.after));
        judge(format!("{} → {}", row.before, row.after), &row.there, &reported(&before, &after, &[""])[0]);
        judge(format!("{} → {}", row.after, row.before), &row.back, &reported(&after, &before, &[""])[0]);
    }
    let excused: BTreeSet<String> = table.reasons.values().flatten().cloned().collect();
    for id in levels.keys().filter(|id| !covered.contains(*id) && !excused.contains(*id)) {
        wrong.push(format!("{id} has neither a change that shows it nor a reason"));
    }
    for id in excused.iter().filter(|id| covered.contains(*id) || !levels.contains_key(*id)) {
        wrong.push(format!("{id} does not need its reason"));
    }
    for (number, verdict) in table.verdicts.iter().enumerate().filter(|(number, _)| !verdicts_used.contains(number)) {
        wrong.push(format!("verdict {number} ({:?}) is not used", verdict.ids));
    }
    assert!(wrong.is_empty(), "{} in {} rules:\n{}", wrong.len(), levels.len(), wrong.join("\n"));
}

/// The possible names of a change at a place, best first: read-only and write-only members have names of their own for
/// some changes, and share the names of other members for the rest.
fn id(place: &str, name: &str) -> Vec<String> {
    let named = |place: &str| format!("{place}-{name}");
    match (place, name) {
        ("request-parameter-property" | "request-header-property", "type-changed") => {
            vec!["request-parameter-property-type-specialized".to_owned()]
        }
        ("response-body", "enum-value-removed") => vec!["response-mediatype-enum-value-removed".to_owned()],
        ("request-header-property", _) => vec![named(place), named("request-parameter-property")],
        ("request-read-only-property", "enum-value-added") => vec![named("request-property")],
        ("request-read-only-property", name)
            if name.starts_with("pattern-") && !name.starts_with("pattern-property") =>
        {
            vec![named("request-property")]
        }
        _ => vec![named(place)],
    }
}
