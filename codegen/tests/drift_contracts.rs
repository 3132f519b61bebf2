//! Real contracts: a change at any place of one stands in the report, and in a snapshot where it is a finding; the same in another
//! dialect gives no finding.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use driftless_codegen::{Contract, Ledger, Names, Setup, drift, generate, load, upgrade};
use serde_json::Value;

/// Number of changes; `PLATFORM_DRIFT_CHANGES` asks for more.
const CHANGES: usize = 20;

/// A generator of numbers that is the same everywhere (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % end.max(1) as u64).unwrap()
    }
}

/// `most` contracts of each kind, small enough for a build without optimisation.
fn contracts(most: usize) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/contracts");
    let mut found: Vec<PathBuf> = Vec::new();
    for kind in ["dotnet", "openapi3", "swagger2"] {
        let Ok(entries) = std::fs::read_dir(folder.join(kind)) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.metadata().is_ok_and(|data| (20_000..150_000).contains(&data.len())));
        files.sort();
        found.extend(files.into_iter().take(most));
    }
    found
}

/// Changes one place of a contract, and says which and how.
fn change(tree: &mut Value, random: &mut Random) -> String {
    let mut places = Vec::new();
    collect(tree, String::new(), &mut places);
    let place = places[random.below(places.len())].clone();
    let (parent, token) = place.rsplit_once('/').unwrap();
    let key = token.replace("~1", "/").replace("~0", "~");
    let removes = random.below(3) == 0;
    let holder = tree.pointer_mut(parent).unwrap();
    if removes {
        match holder {
            Value::Object(map) => drop(map.remove(&key)),
            Value::Array(items) => {
                items.remove(key.parse().unwrap());
            }
            _ => {}
        }
        return format!("removed {place}");
    }
    let value = tree.pointer_mut(&place).unwrap();
    let was = value.clone();
    *value = match &was {
        Value::Null => Value::from("x"),
        Value::Bool(flag) => Value::from(!flag),
        Value::Number(number) => Value::from(number.as_f64().unwrap_or_default() + 1.0),
        Value::String(text) => Value::from(format!("{text}x")),
        Value::Array(items) => Value::Array([items.clone(), vec![Value::from("another")]].concat()),
        Value::Object(map) => {
            let mut map = map.clone();
            map.insert("another".to_owned(), Value::from(1));
            Value::Object(map)
        }
    };
    format!("changed {place}: {was}").chars().take(300).collect()
}

fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    let child = |token: String, value: &Value, places: &mut Vec<String>| {
        let place = format!("{place}/{}", token.replace('~', "~0").replace('/', "~1"));
        places.push(place.clone());
        collect(value, place, places);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| child(key.clone(), value, places)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| child(index.to_string(), value, places))
        }
        _ => {}
    }
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
    for index in 0..count {
        let file = &contracts[index % contracts.len()];
        let loaded = load::load("contract", &std::fs::read(file).unwrap()).unwrap();
        let before = loaded.canonical();
        let mut tree = loaded.tree.clone();
        let what = change(&mut tree, &mut random);
        let after = tree.to_string();
        let [before, after] = [&before, &after].map(|text| [Contract { name: "contract", bytes: text.as_bytes() }]);
        let Ok(mut drift) = drift::compare(&before, &after, "2026-01-01") else { continue };
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
            drift.with_items(&before.api, &after.api);
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
        let drift = drift::compare(&[contract(&bytes)], &[contract(upgraded.as_bytes())], "2026-01-01").unwrap();
        let mut findings = drift.findings;
        findings.retain(|finding| !LOST.contains(&finding.keyword.as_str()));
        assert!(findings.is_empty(), "{}: {findings:#?}", file.display());
    }
}
