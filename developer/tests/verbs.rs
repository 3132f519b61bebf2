//! A sample of names in style 2 that a reader judged: `verbs.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use driftless_codegen::{Contract, NameStyle, Names, Setup, StyleVersion, api};

/// `(verdict, operation, name)` of each contract.
fn judged() -> BTreeMap<&'static str, Vec<[&'static str; 3]>> {
    let mut judged: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in include_str!("verbs.txt").lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [verdict, contract, operation, name] = cells.as_slice() else { panic!("four cells: {line}") };
        judged.entry(*contract).or_default().push([*verdict, *operation, *name]);
    }
    judged
}

/// The names that a contract gets in style 2.
fn names(contract: &Path) -> BTreeMap<String, String> {
    let bytes = fs::read(contract).expect("a contract");
    let mut setup = Setup::default();
    setup.config.style = NameStyle { version: StyleVersion::Two };
    let contract = Contract { name: "platform", bytes: &bytes };
    let (_, names) = api(&[contract], &setup, &Names::default()).expect("a client");
    names.operations
}

/// A change of the rules is judged anew: the names of the list are those that the generator gives.
#[test]
fn less_than_one_verb_in_a_hundred_is_untrue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/contracts");
    if !folder.is_dir() {
        println!("LEFT OUT: ../shared/contracts does not exist");
        return;
    }
    let (mut changed, mut count, mut untrue) = (Vec::new(), 0, 0);
    for (contract, rows) in judged() {
        let names = names(&folder.join(contract));
        for [verdict, operation, name] in rows {
            let now = names.get(operation).map_or("no operation", String::as_str);
            if now != name {
                changed.push(format!("{contract}: {operation}: {now}, and not {name} ({verdict})"));
            }
            count += 1;
            untrue += usize::from(verdict != "ok");
        }
    }
    assert!(changed.is_empty(), "judge these, and write them into the list: {changed:#?}");
    assert!(count == 300 && untrue * 100 < count, "{untrue} of {count}");
}
