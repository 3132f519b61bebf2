//! Real contracts: a change at any place of one stands in the report, and in a snapshot where it is a finding; the same in another
//! dialect gives no finding.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use driftless_codegen::drift::Sides;
use driftless_codegen::{Contract, Ledger, Names, Setup, drift, generate, load, upgrade};

use crate::common::random::{Random, change};

/// Number of changes; `PLATFORM_DRIFT_CHANGES` asks for more.
const CHANGES: usize = 20;

/// The `most` smallest contracts of each kind that are no examples.
fn contracts(most: usize) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/contracts");
    let mut paths: Vec<PathBuf> = Vec::new();
    for kind in ["dotnet", "openapi3", "swagger2"] {
        let Ok(entries) = std::fs::read_dir(folder.join(kind)) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.metadata().is_ok_and(|data| (20_000..150_000).contains(&data.len())));
        files.sort_by_key(|file| (file.metadata().map_or(0, |data| data.len()), file.clone()));
        paths.extend(files.into_iter().take(most));
    }
    paths
}

#[test]
fn a_change_at_any_place_stands_in_the_report_and_in_a_snapshot() {
    let contracts = contracts(2);
    if contracts.is_empty() {
        println!("LEFT OUT: ../shared/contracts does not exist");
        return;
    }
    let count = std::env::var("PLATFORM_DRIFT_CHANGES").ok().and_then(|text| text.parse().ok()).unwrap_or(CHANGES);
    let mut random = Random(7);
    let mut silent = Vec::new();
    let mut clients = HashMap::new();
    let read = |file: &PathBuf| {
        let loaded = load::load("contract", &std::fs::read(file).unwrap()).unwrap();
        (file.clone(), loaded.canonical(), loaded.tree)
    };
    let contracts: Vec<_> = contracts.iter().map(read).collect();
    for index in 0..count {
        let (file, before, tree) = &contracts[index % contracts.len()];
        let mut tree = tree.clone();
        let what = change(&mut tree, &mut random);
        let after = tree.to_string();
        let [before, after] = [before, &after].map(|text| [Contract { name: "contract", bytes: text.as_bytes() }]);
        let Ok(mut drift) = drift::compare(Sides { before: &before, after: &after }, "2026-01-01") else { continue };
        let setup = Setup::default();
        let reported = drift.findings.len() + drift.documentation + drift.spelling + drift.not_judged.len();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if reported == 0 {
            silent.push(format!("{name}: {what}"));
        }
        let clients = clients.entry(file).or_insert_with(|| generate(&before, &setup, &Names::default()));
        if let Ok(before) = clients
            && let Ok(after) = generate(&after, &setup, &before.names)
        {
            drift.with_items(Sides { before: &before.api, after: &after.api });
            if !drift.findings.is_empty() && before.review == after.review {
                silent.push(format!("{name}: {what}: no snapshot shows it: {:?}", drift.findings));
            }
        }
        for change in drift.unexplained.into_iter().flatten() {
            silent.push(format!("{name}: {what}: {}", change.says()));
        }
    }
    assert!(
        silent.is_empty(),
        "{} in {count} changes are silent or not explained:\n{}",
        silent.len(),
        silent.join("\n")
    );
}

/// Keywords that OpenAPI 3.0 cannot express: the positions of an array's elements.
const LOST: [&str; 2] = ["prefixItems", "items"];

#[test]
fn the_same_in_another_dialect_is_no_change() {
    let contracts = contracts(12);
    if contracts.is_empty() {
        println!("LEFT OUT: ../shared/contracts does not exist");
    }
    for file in contracts {
        let bytes = std::fs::read(&file).unwrap();
        let loaded = load::load("contract", &bytes).unwrap();
        let upgraded = upgrade::upgrade("contract", &loaded, &mut Ledger::default()).to_string();
        let contract = |bytes| Contract { name: "contract", bytes };
        let drift = drift::compare(
            Sides { before: &[contract(&bytes)], after: &[contract(upgraded.as_bytes())] },
            "2026-01-01",
        )
        .unwrap();
        let mut findings = drift.findings;
        findings.retain(|finding| !LOST.contains(&finding.keyword.as_str()));
        assert!(findings.is_empty(), "{}: {findings:#?}", file.display());
    }
}
