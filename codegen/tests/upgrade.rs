//! `upgrade`: one input and one expected output per quirk, under `tests/upgrade/<quirk>/`.
//!
//! After a wanted change: `INSTA_UPDATE=always cargo test -p driftless-codegen --test codegen upgrade`.

use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::{Ledger, Loaded, Loss, load, upgrade};
use serde_json::Value;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

fn input(case: &Path) -> Loaded {
    load::load("contract", &fs::read(case.join("input.json")).unwrap()).unwrap_or_else(|problem| panic!("{problem}"))
}

fn compare(path: &Path, actual: &str) {
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(path, actual).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(expected, actual, "{} differs; INSTA_UPDATE=always rewrites it", path.display());
}

fn text(tree: &Value) -> String {
    serde_json::to_string_pretty(tree).unwrap() + "\n"
}

#[test]
fn each_quirk_gives_the_expected_tree_and_ledger() {
    for case in cases() {
        let loaded = input(&case);
        let mut ledger = Ledger::default();
        let tree = upgrade::upgrade("contract", &loaded, &mut ledger);
        ledger.settle();
        let mut lines = String::new();
        for entry in ledger.entries() {
            assert!(loaded.tree.pointer(&entry.pointer).is_some(), "{} is not a place of the input", entry.pointer);
            let loss = match &entry.loss {
                Loss::Nothing => String::new(),
                Loss::Documentation(lost) => format!(" [documentation: {lost}]"),
                Loss::Degraded(why) => format!(" [degraded: {why}]"),
            };
            lines += &format!("{} {}: {}{loss}\n", entry.pointer, entry.pass, entry.what);
        }
        compare(&case.join("expected.json"), &text(&tree));
        compare(&case.join("ledger.txt"), &lines);
    }
}

#[test]
fn an_upgraded_tree_stays_as_it_is() {
    for case in cases() {
        let once = upgrade::upgrade("contract", &input(&case), &mut Ledger::default());
        let loaded = load::load("contract", text(&once).as_bytes()).unwrap();
        let twice = upgrade::upgrade("contract", &loaded, &mut Ledger::default());
        assert_eq!(text(&once), text(&twice), "{}", case.display());
    }
}
