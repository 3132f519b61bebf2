//! The same contract gives the same bytes, whatever the order of its keys.

use crate::common::{Case, Random, published};
use std::sync::Mutex;

use driftless_codegen::{
    Contract, Interpreted, NameStyle, Names, Output, Setup, StyleVersion, generate, generate_interpreted, interpret,
    interpret_loaded, load,
};
use serde_json::Value;

/// JSON text with the keys of every object in another order, but for `properties`: parts of a form are sent in theirs.
fn shuffled(value: &Value, key: &str, random: &mut Random) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), shuffled(value, key, random)));
            let members: Vec<String> = members.collect();
            let members = if key == "properties" { members } else { random.shuffled(members) };
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| shuffled(item, "", random)).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_string(),
    }
}

fn check(case: &Case, rounds: u64) {
    let tree = load::load(&case.name, &case.bytes).unwrap().tree;
    let first = case.generate().unwrap();
    for seed in 1..=rounds {
        let text = shuffled(&tree, "", &mut Random::new(seed));
        let output = case.with(text.as_bytes(), &Names::default()).unwrap();
        for (path, code) in &first.files {
            assert_eq!(Some(code), output.files.get(path), "{}, seed {seed}: {path}", case.name);
        }
        assert!(output == *first, "{}, seed {seed}: names, ledger or index differ", case.name);
    }
}

#[test]
fn the_order_of_keys_changes_no_byte_of_a_case() {
    Case::all().iter().for_each(|case| check(case, 1));
}

#[test]
fn the_order_of_keys_changes_no_byte_of_a_published_contract() {
    published(25_000).iter().for_each(|case| check(case, 1));
}

/// In style 2, equal types are one, called after the first or the shortest of their names.
#[test]
#[ignore = "all cases in another style: .ci/run --all runs it"]
fn the_order_of_keys_changes_no_byte_in_style_2() {
    for case in Case::all().into_iter().chain(published(25_000)) {
        check(&case.in_style_2(), 2);
    }
}

/// Generates again with the names that the first generation gave, as each regeneration does.
fn again(cases: impl IntoIterator<Item = Case>) {
    let mut changed = Vec::new();
    for case in cases {
        let first = case.generate().unwrap();
        let change = match case.with(&case.bytes, &first.names) {
            Err(report) => report.to_string(),
            Ok(second) => {
                let is_same = |path: &String| first.files.get(path) == second.files.get(path);
                let paths: Vec<&String> = second.files.keys().filter(|path| !is_same(path)).collect();
                if paths.is_empty() && second.names == first.names {
                    continue;
                }
                format!("{paths:?}")
            }
        };
        changed.push(format!("{} in style {}: {change}", case.name, u8::from(case.setup.config.style.version)));
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn a_regeneration_changes_nothing() {
    again(Case::all().into_iter().map(Case::in_style_2));
}

#[test]
#[ignore = "large contracts in both styles: .ci/run --all runs it"]
fn a_regeneration_of_a_published_contract_changes_nothing() {
    again(published(300_000).into_iter().map(Case::in_style_2));
    again(published(60_000));
}

/// The configuration that is proposed for a contract, and the contract as it was interpreted for it.
fn proposed(contract: &Contract<'_>, case: &Case) -> (Setup, Interpreted) {
    let mut setup = Setup { reserved: case.setup.reserved.clone(), ..Setup::default() };
    let (proposal, interpreted) = interpret(std::slice::from_ref(contract), &setup).unwrap();
    setup.config.families = proposal.families;
    setup.config.style = NameStyle { version: StyleVersion::Two };
    setup.config.paginations = proposal.suggestions.paginations.into_iter().map(|one| one.entry).collect();
    (setup, interpreted)
}

/// The client of a contract that was interpreted, and whether it was interpreted again.
fn from_interpreted(contract: &Contract<'_>, interpreted: Interpreted, setup: &Setup, names: &Names) -> (Output, bool) {
    let stages = Mutex::new(Vec::new());
    let watch = |stage: &'static str| stages.lock().unwrap().push(stage);
    let output = generate_interpreted(std::slice::from_ref(contract), Some(interpreted), setup, names, &watch);
    (output.unwrap(), stages.into_inner().unwrap().contains(&"load"))
}

#[test]
fn a_contract_that_was_interpreted_for_a_proposal_gives_the_same_client() {
    for case in Case::all().into_iter().step_by(4).chain(published(25_000).into_iter().step_by(4)) {
        let contract = Contract { name: "platform", bytes: &case.bytes };
        let (setup, interpreted) = proposed(&contract, &case);
        let (output, is_read) = from_interpreted(&contract, interpreted, &setup, &Names::default());
        assert!(!is_read, "{}", case.name);
        assert!(output == generate(&[contract], &setup, &Names::default()).unwrap(), "{}", case.name);
    }
}

#[test]
fn a_contract_that_was_loaded_gives_the_client_of_its_canonical_text() {
    // Its own text needs guesses that the canonical one does not need.
    let guessed = br#"{"openapi": "3.0.4", "openapi": "3.9.0", "info": {"title": "t", "version": "1"}, "paths": {"/b": {"get": {
        "tags": ["b"], "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"maximum": 1e999}}}}}}}}}"#;
    let cases = Case::all().into_iter().map(|case| case.bytes.clone()).chain([guessed.to_vec()]);
    for bytes in cases {
        let loaded = load::load("published", &bytes).unwrap();
        let text = loaded.canonical();
        let contract = Contract { name: "pinned", bytes: text.as_bytes() };
        let mut setup = Setup::default();
        let (proposal, interpreted) = interpret_loaded(std::slice::from_ref(&contract), vec![loaded], &setup).unwrap();
        setup.config.families = proposal.families;
        setup.config.style = NameStyle { version: StyleVersion::Two };
        let (output, is_read) = from_interpreted(&contract, interpreted, &setup, &Names::default());
        assert!(!is_read && output == generate(&[contract], &setup, &Names::default()).unwrap(), "{text}");
    }
}

#[test]
fn a_contract_is_interpreted_again_for_another_configuration_for_pins_or_with_other_bytes() {
    let all = Case::all();
    let case = all.iter().find(|case| case.name == "all-of-inheritance").unwrap();
    let contract = Contract { name: "platform", bytes: &case.bytes };
    let longer = [&case.bytes[..], b"\n"].concat();
    let other = String::from_utf8(case.bytes.clone()).unwrap().replace("breed", "breet");
    assert_eq!((other.len(), other.contains("breet")), (case.bytes.len(), true));
    let check = |contract: &Contract<'_>, change: &dyn Fn(&mut Setup, &mut Names)| {
        let (mut setup, interpreted) = proposed(&Contract { name: "platform", bytes: &case.bytes }, case);
        let mut names = Names::default();
        change(&mut setup, &mut names);
        let (output, is_read) = from_interpreted(contract, interpreted, &setup, &names);
        assert!(output == generate(std::slice::from_ref(contract), &setup, &names).unwrap());
        is_read
    };
    assert!(!check(&contract, &|setup, _| setup.config.client.name = "Other".to_owned()));
    assert!(check(&contract, &|setup, _| setup.config.style = NameStyle::default()));
    assert!(check(&contract, &|setup, _| setup.config.exclude = vec!["/nothing".to_owned()]));
    assert!(check(&contract, &|setup, _| setup.reserved.types.extend(["Other".to_owned()])));
    assert!(check(&contract, &|_, names| drop(names.operations.insert("GET /x".to_owned(), "x.x".to_owned()))));
    assert!(check(&Contract { name: "other", ..contract }, &|_, _| {}));
    assert!(check(&Contract { bytes: &longer, ..contract }, &|_, _| {}));
    assert!(check(&Contract { bytes: other.as_bytes(), ..contract }, &|_, _| {}));
}

#[test]
fn the_build_keeps_the_order_of_keys() {
    let value: Value = serde_json::from_str(r#"{"b": 1, "a": 2}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"b":1,"a":2}"#, "without `preserve_order` the tests above show nothing");
}
