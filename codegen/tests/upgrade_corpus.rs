//! `load` and `upgrade` on contracts as real projects publish them, whole and damaged.
//!
//! The contracts lie beside the workspace; without them these tests say so and pass.

use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::{Ledger, Loaded, load, pointer, upgrade};
use serde_json::{Value, json};

fn contracts() -> Vec<PathBuf> {
    let shared = std::env::var_os("PLATFORM_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let mut paths = Vec::new();
    for folder in ["dotnet", "openapi3", "swagger2"] {
        let Ok(entries) = fs::read_dir(shared.join("contracts").join(folder)) else { continue };
        paths.extend(
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|ext| ext == "json")),
        );
    }
    paths.sort();
    if paths.is_empty() {
        println!("skipped: no contracts at {}", shared.display());
    }
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Upgrades, and checks the invariants of every contract.
fn check(name: &str, loaded: &Loaded) {
    let mut ledger = Ledger::default();
    let (tree, origins) = upgrade::trace(name, loaded, &mut ledger);
    for entry in ledger.entries() {
        assert!(
            loaded.tree.pointer(&entry.pointer).is_some(),
            "{name}: {} is not a place of the contract",
            entry.pointer
        );
    }
    for (path, _) in tree["paths"].as_object().unwrap() {
        let pointer = pointer::join("/paths", path);
        assert!(loaded.tree.pointer(&origins.source(&pointer, &loaded.tree)).is_some(), "{name}: {pointer}");
    }
    let twice = Loaded { tree: tree.clone(), dialect: driftless_codegen::Dialect::OpenApi30, ..loaded.clone() };
    let twice = upgrade::upgrade(name, &twice, &mut Ledger::default());
    assert!(twice == tree, "{name}: upgrading twice differs: {}", difference(&tree, &twice, String::new()));
}

fn difference(left: &Value, right: &Value, pointer: String) -> String {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys()) {
                if left.get(key) != right.get(key) {
                    let (left, right) = (left.get(key).unwrap_or(&Value::Null), right.get(key).unwrap_or(&Value::Null));
                    return difference(left, right, format!("{pointer}/{key}"));
                }
            }
            pointer
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let index = left.iter().zip(right).position(|(left, right)| left != right).unwrap_or_default();
            difference(&left[index], &right[index], format!("{pointer}/{index}"))
        }
        _ => format!("{pointer}: {left} and {right}"),
    }
}

#[test]
#[ignore = "reads all published contracts, 8 s: .ci/run --all runs it"]
fn real_contracts_upgrade_to_one_shape() {
    for path in contracts() {
        let name = name(&path);
        let bytes = fs::read(&path).unwrap();
        let loaded = load::load(&name, &bytes).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(
            load::load(&name, loaded.canonical().as_bytes()).unwrap().tree,
            loaded.tree,
            "{name}: pinned and read again"
        );
        if bytes.len() < 60_000 {
            let yaml = serde_yaml::to_string(&loaded.tree).unwrap();
            assert!(load::load(&name, yaml.as_bytes()).unwrap() == loaded, "{name}: its YAML form reads otherwise");
        }
        check(&name, &loaded);
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

fn pointers(tree: &Value, pointer: &str, all: &mut Vec<String>) {
    all.push(pointer.to_owned());
    match tree {
        Value::Object(map) => {
            for (key, value) in map {
                pointers(value, &pointer::join(pointer, key), all);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| pointers(value, &format!("{pointer}/{index}"), all))
        }
        _ => {}
    }
}

/// Replaces random nodes by invalid values: nothing may panic, and the result stays an upgrade.
#[test]
fn damaged_contracts_upgrade_without_a_panic() {
    const ROUNDS: usize = 6;
    let replacements = [
        json!(null),
        json!([]),
        json!({}),
        json!(""),
        json!(0),
        json!(-1.5),
        json!(true),
        json!(false),
        json!("null"),
        json!([null]),
        json!([[]]),
        json!(["string", "null"]),
        json!({"$ref": "#"}),
        json!({"$ref": 1}),
        json!({"type": ["null"]}),
        json!({"$ref": "#/definitions/A", "nullable": true}),
        json!({"oneOf": [{"type": "null"}]}),
        json!({"$defs": {"A": true}}),
    ];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for path in contracts() {
        let bytes = fs::read(&path).unwrap();
        if bytes.len() > 40_000 {
            continue;
        }
        let name = name(&path);
        let whole: Value = serde_json::from_slice(&bytes).unwrap();
        let mut places = Vec::new();
        pointers(&whole, "", &mut places);
        for round in 0..ROUNDS {
            let mut damaged = whole.clone();
            for _ in 0..=random.below(24) {
                let place = &places[random.below(places.len())];
                if let Some(node) = damaged.pointer_mut(place) {
                    *node = replacements[random.below(replacements.len())].clone();
                }
            }
            let bytes = serde_json::to_vec(&damaged).unwrap();
            if let Ok(loaded) = load::load(&name, &bytes) {
                check(&format!("{name}, round {round}"), &loaded);
            }
        }
    }
}
