//! The differences between two contracts, the programs that they break, and the differences that were not judged.
//!
//! Both contracts are brought to one way of writing operations, whatever their dialects. Operations are paired, and
//! schemas are compared where operations use them, so a renamed, extracted or composed schema of the same meaning is no
//! finding. Differences of one cause are one [`Finding`]. A difference that no finding reports is counted as
//! documentation, or listed in [`Drift::not_judged`].
//!
//! ```
//! use driftless_codegen::drift::{self, Sides, Wire};
//! use driftless_codegen::Contract;
//!
//! let contract = |kind: &str| format!(
//!     "{{\"openapi\": \"3.0.4\", \"paths\": {{\"/plans\": {{\"get\": {{\"responses\": {{\"200\": {{\"content\": {{\"application/json\":
//!     {{\"schema\": {{\"properties\": {{\"price\": {{\"type\": \"{kind}\"}}}}}}}}}}}}}}}}}}}}}}"
//! );
//! let (before, after) = (contract("number"), contract("string"));
//! let side = |bytes| Contract { name: "plans", bytes };
//! let contracts = Sides { before: &[side(before.as_bytes())][..], after: &[side(after.as_bytes())] };
//! let drift = drift::compare(contracts, "2026-01-01").unwrap();
//! assert_eq!(drift.findings[0].subject, "GET /plans 200.price");
//! assert_eq!(drift.findings[0].change, "has another type: `number` → `string`");
//! assert_eq!(drift.client(), Wire::Break);
//! assert!(drift.not_judged.is_empty());
//! ```

mod action;
mod address;
mod arguments;
mod attribution;
mod broken;
mod change;
mod compared;
mod credentials;
mod difference;
mod finding;
mod gather;
mod heads;
mod inline;
mod item_change;
mod items;
mod lifecycle;
mod markdown;
#[cfg(test)]
#[path = "../../tests/oasdiff/mod.rs"]
mod oasdiff;
mod operation;
mod page;
mod pairing;
mod parameters;
mod people;
mod published;
mod release;
mod report;
mod rows;
mod rule;
mod schema;
mod schema_definition;
mod security;
mod side;
mod sides;
mod signatures;
mod silence;
mod tasks;
mod terminal;
mod unused;
mod verdict;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::Document;
use crate::room::with_room;
use crate::upgrade::{Origins, Published};
use crate::{Contract, Problem, Report, load, upgrade};
pub use action::Action;
pub use change::Direction;
use change::{Change, Kept, Log};
use compared::Compared;
use credentials::SchemePairs;
use finding::Met;
pub use finding::{Drift, Finding, Operations, Site, Unjudged};
use gather::Named;
pub use item_change::{ItemChange, ItemState, Source};
pub use release::Release;
pub use report::{DriftReport, Heading, Link};
pub use rows::Row;
pub use rule::{Declaration, Example, ExamplePart, RULES, Rule, Wire};
use schema::Graph;
use side::{Operation, Side};
pub use sides::{Sides, When};
pub use tasks::{Call, Job, Task};
pub use terminal::{Line, Role, Span};

/// Compares the contracts of one client before and after, by the names of the documents. A document that one side does not
/// have counts as empty there. `today` (`YYYY-MM-DD`) says which announced ends are over.
///
/// # Errors
///
/// A [`Report`] when a contract cannot be read.
pub fn compare(contracts: Sides<&[Contract<'_>]>, today: &str) -> Result<Drift, Report> {
    with_room(&|| compared(contracts, today))
}

/// Returns the number of operations before and after, and of those that belong together: also those that moved, even behind
/// another beginning of all paths. Webhooks do not count.
///
/// # Errors
///
/// A [`Report`] when a contract cannot be read.
pub fn operations(contract: Sides<Contract<'_>>) -> Result<Operations, Report> {
    with_room(&|| Ok(pairing::count(Sides { before: &read(contract.before)?, after: &read(contract.after)? })))
}

fn compared(contracts: Sides<&[Contract<'_>]>, today: &str) -> Result<Drift, Report> {
    let names: BTreeSet<&str> =
        contracts.into_iter().flat_map(|(_, contracts)| contracts).map(|contract| contract.name).collect();
    let (mut drift, mut report) = (Drift::default(), Report::default());
    for name in names {
        let own = contracts.map(|contracts| contracts.iter().find(|contract| contract.name == name).copied());
        if let Some(own) = own.both()
            && own.before.bytes == own.after.bytes
        {
            match unchanged(own.before) {
                Ok(none) => drift.take(none),
                Err(problem) => report.push(problem),
            }
            continue;
        }
        let own = own.map(|own| match read(own.unwrap_or(Contract { name, bytes: EMPTY })) {
            Ok(side) => Some(side),
            Err(problem) => {
                report.push(problem);
                None
            }
        });
        if let Some(own) = own.both() {
            drift.take(sides(own.as_ref(), today).0);
        }
    }
    report.into_result(drift)
}

/// A contract without operations.
const EMPTY: &[u8] = br#"{"openapi": "3.0.4", "paths": {}}"#;

#[allow(clippy::result_large_err, reason = "a contract fails once, not in a loop")]
fn read(contract: Contract<'_>) -> Result<Side, Problem> {
    let loaded = load::load(contract.name, contract.bytes)?;
    let places = Published::new(&loaded.tree);
    let (tree, origins) = upgrade::outline(contract.name, &loaded, &places);
    // Most contracts have the form already, and one tree is enough then.
    let (tree, published) = if tree == loaded.tree { (loaded.tree, None) } else { (tree, Some(loaded.tree)) };
    let document = Document::new(contract.name.to_owned(), tree, places, origins);
    Ok(Side { document, published, dialect: loaded.dialect })
}

/// A document that is the same on both sides: nothing but its operations is looked at.
#[allow(clippy::result_large_err, reason = "a contract fails once, not in a loop")]
fn unchanged(contract: Contract<'_>) -> Result<Drift, Problem> {
    let loaded = load::load(contract.name, contract.bytes)?;
    let document = Document::new(contract.name.to_owned(), loaded.tree, Published::default(), Origins::default());
    let count = side::operations(&Side { document, published: None, dialect: loaded.dialect }).len();
    Ok(Drift { operations: Operations { before: count, after: count, paired: count }, ..Drift::default() })
}

/// The findings, and the single changes that they are made of.
fn sides<'a>(sides: Sides<&'a Side>, today: &'a str) -> (Drift, Vec<Change>) {
    let mut log = Log::default();
    let Sides { before, after } = sides;
    let (olds, news) = (side::operations(before), side::operations(after));
    let sent = schema::sent_places(&olds, before.siblings());
    let mut graph = Graph::new(sides.map(Side::siblings), today, sent);
    let pairing = pairing::pair(Sides { before: &olds, after: &news });
    let schemes = SchemePairs::new(sides);
    let mut named = Vec::new();
    for (old, new) in &pairing.pairs {
        let (old, new) = (&olds[*old], &news[*new]);
        let index = named.len();
        let places = Sides { before: before.source(&old.node.pointer), after: after.source(&new.node.pointer) };
        named.push(name(new, places.map(Some)));
        address::moved(Sides { before: old, after: new }, index, &mut log);
        let subject = old.key();
        let (graph, log) = (&mut graph, &mut log);
        Compared { before: old, after: new, index, subject, graph, log, schemes: &schemes, today }.compare();
    }
    for index in &pairing.gone {
        let old = &olds[*index];
        let rule = if old.webhook { Rule::WebhookRemoved } else { Rule::OperationRemoved };
        let change =
            Change::new(rule, old.key(), Sides { before: Some(&old.node), after: None }).at_operation(named.len());
        log.push(change);
        named.push(name(old, Sides::only(When::Before, before.source(&old.node.pointer))));
    }
    for index in &pairing.added {
        let new = &news[*index];
        let rule = if new.webhook { Rule::WebhookAdded } else { Rule::OperationAdded };
        log.push(
            Change::new(rule, new.key(), Sides { before: None, after: Some(&new.node) }).at_operation(named.len()),
        );
        named.push(name(new, Sides::only(When::After, after.source(&new.node.pointer))));
    }
    let pairs: Vec<(&Operation<'_>, &Operation<'_>)> =
        pairing.pairs.iter().map(|(old, new)| (&olds[*old], &news[*new])).collect();
    security::document(sides, &pairs, &schemes, &mut log);
    address::servers(sides, &pairs, &mut log);
    graph.run(&mut log);
    let reached = Sides { before: &olds, after: &news }.map(|operations| unused::components(operations.iter()));
    for (before, after) in &unused::compare(sides, &reached, &mut log) {
        graph.unreached(Sides { before, after }, &mut log);
    }
    graph.run(&mut log);
    items(&olds, &news, &mut log);
    let silence = silence::listen(sides, &log);
    let findings = gather::gather(&log.changes, &graph, &named, sides);
    let operations = Operations { before: olds.len(), after: news.len(), paired: pairing.pairs.len() };
    let mut drift = silence.told_with(findings, operations);
    drift.kept = kept(&log);
    drift.published.extend(published::sentence(sides));
    let met = Met { moves: moves(&log, sides), schemas: graph.places(sides) };
    drift.met.insert(before.document.name.clone(), met);
    difference::keep(&mut drift, sides);
    (drift, log.changes)
}

/// Exceptions of changes at many places, in wire names.
fn kept(log: &Log) -> Kept {
    let mut changed: BTreeMap<Rule, usize> = BTreeMap::new();
    for change in &log.changes {
        *changed.entry(change.rule).or_default() += 1;
    }
    let is_many = |rule: &Rule| changed.get(rule).is_some_and(|changed| *changed >= rows::FEWEST);
    let kept = log.kept.iter().filter(|((rule, _), _)| is_many(rule));
    let named =
        |places: &BTreeSet<String>| places.iter().map(|place| gather::inert(&log.label(When::Before, place))).collect();
    kept.map(|(key, places)| (key.clone(), named(places))).collect()
}

/// Places that belong together although their pointers differ, as published.
fn moves(log: &Log, Sides { before, after }: Sides<&Side>) -> HashMap<String, String> {
    let pairs = log.paired.before.iter().filter(|(old, new)| old != new || before.dialect != after.dialect);
    let pairs = pairs.map(|(old, new)| (before.source(old), after.source(new)));
    pairs.filter(|(old, new)| old != new).collect()
}

fn name(operation: &Operation<'_>, places: Sides<Option<String>>) -> Named {
    Named { key: operation.key(), assumed: operation.node.text("x-provenance") == "assumed", places }
}

/// Path items that lost all their operations, or are new with them: nothing else of them counts.
fn items(olds: &[Operation<'_>], news: &[Operation<'_>], log: &mut Log) {
    for (side, operations) in (Sides { before: olds, after: news }) {
        let items = operations.iter().map(|operation| operation.item.pointer.clone());
        log.quiet[side].extend(items.filter(|item| !log.paired[side].contains_key(item)));
    }
}
