//! The same for the contracts of `../shared/contracts`: compares the report of each scripted change, and of changes at random
//! positions, with running programs, and counts by rule. It tests the rules, so a contract that the service of these tests cannot
//! play is left out, and named.

#[path = "../../../codegen/tests/common/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use driftless_codegen::drift::{self, Drift, Sides, Wire};
use driftless_codegen::{Contract, Ledger, Names, load, upgrade};
use serde_json::Value;

use self::random::{Random, change};
use super::super::verdicts::scripted;
use super::{Case, Meeting, Reported};
use crate::support::{root, setup};

/// The largest contract that is taken; `PLATFORM_CONFIRM=all` takes those of ten times the size, and another value those of the usual
/// size whose names have it in them.
const BYTES: u64 = 40_000;

/// The number of changes at random positions for each contract, and the seed of the first.
const RANDOM: usize = 12;
const SEED: u64 = 9;

/// Breaks that the service of these tests does not show: contract, rule, and the reason.
type Unseen = (&'static str, &'static str, &'static str);

/// Of the scripted changes.
const UNSEEN: [Unseen; 4] = [
    ("cloudmonitoringv2beta2", "became-required", "the request with the least sends an empty list"),
    ("propolisserver", "became-nullable", "the object around the member is null in the same answer"),
    ("datatypesdatatypes", "became-optional", "the variant of the union is neither the first nor the last one"),
    ("connectedfieldsrestswagger", "became-optional", "the answer with the least is an empty list"),
];

/// Of the changes at random places.
const UNSEEN_AT_RANDOM: [Unseen; 3] = [
    ("xerofiles", "enum-value-removed", "the value is neither the first nor the last one of the enumeration"),
    ("propolisserver", "variant-removed", "the variant of the union is neither the first nor the last one"),
    ("openapitest703", "media-type-removed", "the service looks at no parameter with `content`"),
];

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    findings: usize,
    confirmed: usize,
    /// The report says more than a program meets.
    refuted: Vec<String>,
    /// A program meets more than the report says.
    untold: Vec<String>,
    /// No call of the program reaches the change.
    unreached: Vec<String>,
}

/// By rule.
type Tallies = BTreeMap<&'static str, Tally>;

/// Compares the reported effects with the observed ones.
fn count(name: &str, what: &str, drift: &Drift, meeting: &mut Meeting<'_>, contract: &Value, rules: &mut Tallies) {
    let rule = drift.findings.first().map_or("(nothing)", |finding| finding.rule.id());
    let says = drift.rows().first().map_or_else(|| what.to_owned(), |row| row.says());
    let reported = drift.client().max(Wire::Safe);
    let met = meeting.meets(contract);
    // Without a finding, only a call that fails counts.
    if drift.findings.is_empty() && (met.calls == 0 || met.wire() == Wire::Safe) {
        return;
    }
    let tally = rules.entry(rule).or_default();
    tally.pairs += 1;
    tally.findings += drift.findings.len();
    let why = met.why.first().or(met.left_out.first()).cloned().unwrap_or_default();
    let line = format!("{name}: {says} ({what}): {reported:?}, met {:?}: {why}", met.wire());
    match met.wire() {
        _ if met.calls == 0 => tally.unreached.push(format!("{name}: {says}: {reported:?}")),
        met if met == reported => tally.confirmed += 1,
        met if met > reported => tally.untold.push(line),
        _ => tally.refuted.push(line),
    }
}

/// Changes at random places, each alone.
fn random_changes(case: &Case, meeting: &mut Meeting<'_>, rules: &mut Tallies) {
    let mut random = Random(SEED);
    let side = |contract: &Value| serde_json::to_vec(contract).unwrap();
    let before = side(&case.contract);
    // Another text is rarely a word of a contract, and neither is another element of a list.
    let is_word = |what: &str| {
        let value = what.strip_prefix("changed ").and_then(|rest| rest.split_once(": "));
        value.is_none_or(|(_, value)| !value.starts_with(['"', '[', '{']))
    };
    let changes = std::iter::repeat_with(|| {
        let mut after = case.contract.clone();
        (change(&mut after, &mut random), after)
    });
    for (what, after) in changes.take(RANDOM * 40).filter(|(what, _)| is_word(what)).take(RANDOM) {
        let bytes = side(&after);
        let [old, new] = [&before, &bytes].map(|bytes| [Contract { name: case.name, bytes }]);
        let Ok(drift) = drift::compare(Sides { before: &old, after: &new }, "2026-01-01") else { continue };
        // Some places make no contract that a service could keep to.
        let _ = catch_unwind(AssertUnwindSafe(|| count(case.name, &what, &drift, meeting, &after, rules)));
    }
}

/// The contract as OpenAPI 3.
fn read_contract(path: &PathBuf) -> Option<Value> {
    let bytes = fs::read(path).ok()?;
    let contract: Value = serde_json::from_slice(&bytes).ok()?;
    if contract.get("swagger").is_none() {
        return Some(contract);
    }
    let loaded = load::load("contract", &bytes).ok()?;
    Some(upgrade::upgrade("contract", &loaded, &mut Ledger::default()))
}

fn show(title: &str, rules: &Tallies) {
    println!("{title}");
    println!(
        "{:<34} {:>6} {:>9} {:>10} {:>8} {:>7} {:>10}",
        "rule", "pairs", "findings", "confirmed", "refuted", "untold", "unreached"
    );
    for (rule, Tally { pairs, findings, confirmed, refuted, untold, unreached }) in rules {
        let [refused, beyond, alone] = [refuted, untold, unreached].map(Vec::len);
        println!("{rule:<34} {pairs:>6} {findings:>9} {confirmed:>10} {refused:>8} {beyond:>7} {alone:>10}");
        refuted.iter().for_each(|line| println!("    refuted: {line}"));
        untold.iter().for_each(|line| println!("    no finding tells of it: {line}"));
        unreached.iter().for_each(|line| println!("    no run confirms: {line}"));
    }
    let sum = |count: fn(&Tally) -> usize| rules.values().map(count).sum::<usize>();
    println!(
        "{title}: {} pairs, {} findings, {} confirmed, {} refuted, {} that no finding tells of, {} that no run confirms",
        sum(|tally| tally.pairs),
        sum(|tally| tally.findings),
        sum(|tally| tally.confirmed),
        sum(|tally| tally.refuted.len()),
        sum(|tally| tally.untold.len()),
        sum(|tally| tally.unreached.len())
    );
}

/// Breaks that no running program met, apart from those that it cannot meet.
fn refuted_breaks(rules: &Tallies, unseen: &[Unseen]) -> Vec<String> {
    let is_unseen = |rule: &str, line: &str| {
        let name = line.split(':').next().unwrap_or_default();
        unseen.iter().any(|(contract, refuted, _)| *refuted == rule && name.ends_with(contract))
    };
    let lines = rules.iter().flat_map(|(rule, tally)| tally.refuted.iter().map(move |line| (*rule, line)));
    let breaks = lines.filter(|(rule, line)| line.contains(": Break, met ") && !is_unseen(rule, line));
    breaks.map(|(rule, line)| format!("{rule}: {line}")).collect()
}

fn contracts() -> Vec<(&'static str, PathBuf)> {
    let wanted = std::env::var("PLATFORM_CONFIRM").unwrap_or_default();
    let (most, part) = if wanted == "all" { (BYTES * 10, "") } else { (BYTES, wanted.as_str()) };
    let mut all = Vec::new();
    for folder in ["dotnet", "openapi3", "swagger2"] {
        let Ok(files) = fs::read_dir(root().join("../shared/contracts").join(folder)) else {
            println!("LEFT OUT: ../shared/contracts/{folder} is not there");
            continue;
        };
        for file in files.flatten().filter(|file| file.metadata().is_ok_and(|data| data.len() <= most)) {
            let name = file.file_name().to_string_lossy().into_owned();
            let short: String = name.trim_end_matches(".json").chars().filter(char::is_ascii_alphanumeric).collect();
            let start = short.len().saturating_sub(40);
            if !file.file_name().to_string_lossy().contains(part) {
                continue;
            }
            all.push((&*Box::leak(short[start..].to_lowercase().into_boxed_str()), file.path()));
        }
    }
    all.sort();
    all
}

#[test]
#[ignore = "builds and runs a client of each contract, for minutes: docs/drift.md has the command"]
fn running_clients_of_other_contracts_confirm_the_report() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (mut rules, mut at_random, mut played, mut left_out) = (Tallies::new(), Tallies::new(), 0, Vec::new());
    for (name, path) in contracts() {
        let one = || {
            let case = Case { name, contract: read_contract(&path)?, setup: setup() };
            let before = case.client(&case.contract, &Names::default());
            let reported = scripted(&case, &before).1;
            let mut meeting = Meeting::start(&case, &before, &runtime, false);
            for Reported { what, contract, drift } in reported {
                count(name, what, &drift, &mut meeting, &contract, &mut rules);
            }
            random_changes(&case, &mut meeting, &mut at_random);
            Some(())
        };
        match catch_unwind(AssertUnwindSafe(one)) {
            Ok(Some(())) => played += 1,
            Ok(None) => left_out.push(format!("{name}: not JSON")),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                left_out.push(format!("{name}: {}", text.chars().take(160).collect::<String>()));
            }
        }
    }
    println!("{played} contracts, {} left out", left_out.len());
    left_out.iter().for_each(|line| println!("  left out: {line}"));
    show("scripted changes", &rules);
    show("changes at random places", &at_random);
    let scripted = refuted_breaks(&rules, &UNSEEN);
    let random = refuted_breaks(&at_random, &UNSEEN_AT_RANDOM);
    let untold = rules.iter().flat_map(|(rule, tally)| tally.untold.iter().map(move |line| format!("{rule}: {line}")));
    let wrong: Vec<String> = scripted.into_iter().chain(random).chain(untold).collect();
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let confirmed: usize = rules.values().map(|tally| tally.confirmed).sum();
    assert!(played == 0 || confirmed > played, "{confirmed} verdicts of {played} contracts are confirmed");
}
