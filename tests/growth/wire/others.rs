//! The same for the contracts of `../shared/contracts`: what is told of each scripted change, against running programs, counted by
//! rule. It is a judge of the rules, so a contract that the service of these tests cannot play is left out, and said so.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use driftless_codegen::Names;
use driftless_codegen::drift::Wire;

use super::{Case, Meeting, Told, scripted};
use crate::support::{root, setup};

/// The largest contract that is taken; `PLATFORM_CONFIRM=all` takes those of ten times the size.
const BYTES: u64 = 40_000;

/// Breaks that the service of these tests does not show: contract, rule, and the reason.
const UNSEEN: [(&str, &str, &str); 3] = [
    ("propolisserver", "became-nullable", "the object around the member is null in the same answer"),
    ("datatypesdatatypes", "became-optional", "the variant of the union is neither the first nor the last one"),
    ("connectedfieldsrestswagger", "became-optional", "the answer with the least is an empty list"),
];

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    confirmed: usize,
    /// The report says more than a program meets.
    refuted: Vec<String>,
    /// A program meets more than the report says.
    untold: Vec<String>,
    /// No call of the program reaches the change.
    unreached: usize,
}

fn contracts() -> Vec<(&'static str, PathBuf)> {
    let most = if std::env::var("PLATFORM_CONFIRM").as_deref() == Ok("all") { BYTES * 10 } else { BYTES };
    let mut found = Vec::new();
    for folder in ["dotnet", "openapi3"] {
        let Ok(files) = fs::read_dir(root().join("../shared/contracts").join(folder)) else {
            println!("LEFT OUT: ../shared/contracts/{folder} is not there");
            continue;
        };
        for file in files.flatten().filter(|file| file.metadata().is_ok_and(|data| data.len() <= most)) {
            let name = file.file_name().to_string_lossy().into_owned();
            let short: String = name.trim_end_matches(".json").chars().filter(char::is_ascii_alphanumeric).collect();
            let start = short.len().saturating_sub(40);
            found.push((&*Box::leak(short[start..].to_lowercase().into_boxed_str()), file.path()));
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "builds and runs a client of each contract, for minutes: docs/drift.md has the command"]
fn running_clients_of_other_contracts_confirm_the_report() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (mut rules, mut played, mut left_out): (BTreeMap<&str, Tally>, usize, Vec<String>) = Default::default();
    for (name, path) in contracts() {
        let one = || -> Option<Vec<(&'static str, String, Wire, Option<(Wire, String)>)>> {
            let contract = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
            let case = Case { name, contract, setup: setup() };
            let before = case.client(&case.contract, &Names::default());
            let told = scripted(&case, &before).1;
            let mut meeting = Meeting::start(&case, &before, &runtime, false);
            let met = told.into_iter().map(|Told { contract, drift, .. }| {
                let rule = drift.findings.first().map_or("(nothing)", |finding| finding.rule.id());
                let says = drift.rows().first().map(|row| row.says()).unwrap_or_default();
                let met = meeting.meets(&contract);
                let why = met.why.first().or(met.left_out.first()).cloned().unwrap_or_default();
                (rule, says, drift.client().max(Wire::Safe), (met.calls > 0).then(|| (met.wire(), why)))
            });
            Some(met.collect())
        };
        match catch_unwind(AssertUnwindSafe(one)) {
            Ok(Some(all)) => {
                played += 1;
                for (rule, says, told, met) in all {
                    let tally = rules.entry(rule).or_default();
                    tally.pairs += 1;
                    match met {
                        None => tally.unreached += 1,
                        Some((met, _)) if met == told => tally.confirmed += 1,
                        Some((met, why)) if met > told => {
                            tally.untold.push(format!("{name}: {says}: {told:?}, met {met:?}: {why}"))
                        }
                        Some((met, why)) => tally.refuted.push(format!("{name}: {says}: {told:?}, met {met:?}: {why}")),
                    }
                }
            }
            Ok(None) => left_out.push(format!("{name}: not JSON")),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                left_out.push(format!("{name}: {}", text.chars().take(160).collect::<String>()));
            }
        }
    }
    println!("{played} contracts, {} left out", left_out.len());
    left_out.iter().for_each(|line| println!("  left out: {line}"));
    println!("{:<40} {:>6} {:>10} {:>8} {:>7} {:>10}", "rule", "pairs", "confirmed", "refuted", "untold", "unreached");
    for (rule, Tally { pairs, confirmed, refuted, untold, unreached }) in &rules {
        println!("{rule:<40} {pairs:>6} {confirmed:>10} {:>8} {:>7} {unreached:>10}", refuted.len(), untold.len());
        refuted.iter().for_each(|line| println!("    refuted: {line}"));
        untold.iter().for_each(|line| println!("    untold: {line}"));
    }
    let is_unseen = |rule: &str, line: &str| {
        UNSEEN
            .iter()
            .any(|(contract, of, _)| *of == rule && line.split(':').next().is_some_and(|name| name.ends_with(contract)))
    };
    let breaks = rules.iter().flat_map(|(rule, tally)| {
        let breaks = tally.refuted.iter().filter(|line| line.contains(": Break, met "));
        breaks.filter(|line| !is_unseen(rule, line)).map(move |line| format!("{rule}: {line}"))
    });
    let untold = rules.iter().flat_map(|(rule, tally)| tally.untold.iter().map(move |line| format!("{rule}: {line}")));
    let wrong: Vec<String> = breaks.chain(untold).collect();
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let confirmed: usize = rules.values().map(|tally| tally.confirmed).sum();
    assert!(played == 0 || confirmed > played, "{confirmed} verdicts of {played} contracts are confirmed");
}
