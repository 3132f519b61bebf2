//! The command line is judged, and each change of its table is noticed.

use std::collections::BTreeSet;

use driftless::develop::{DEFAULT_NAME, Sources};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless_codegen::{Contract, Names, Setup, catalog};
use driftless_conformance::{Options, Report, check_cli};

fn report(name: &str, contract: &[u8], change: &dyn Fn(&mut String)) -> Report {
    let workspace = Workspace::find(Some(concat!(env!("CARGO_MANIFEST_DIR"), "/..").into())).unwrap();
    let (_runtime, interrupt) = Interrupt::start().unwrap();
    let sources = Sources { contracts: vec![(DEFAULT_NAME.to_owned(), contract.to_vec())], ..Sources::default() };
    check_cli(&workspace, name, &sources, &Options { seed: 1, ..Options::default() }, change, &interrupt).unwrap()
}

/// The operations in the order of the client.
fn operations(contract: &[u8]) -> Vec<String> {
    let contracts = [Contract { name: DEFAULT_NAME, bytes: contract }];
    let catalog = catalog(&contracts, &Setup::default(), &Names::default()).unwrap();
    catalog.operations.iter().map(|operation| format!("{}.{}", operation.family, operation.name)).collect()
}

/// The operations with a fault.
fn faulty(report: &Report) -> BTreeSet<&str> {
    let faults = report.rows.iter().filter(|row| row.class == "fault");
    faults.map(|row| row.operation.rsplit('.').next().unwrap()).collect()
}

/// Changes of the table: the operation, a text of its line, and another in its place.
const CHANGES: &[(&str, &str, &str)] = &[
    ("get_profiles", r#""wire":"isOpen""#, r#""wire":"is_open""#),
    ("probe_profiles", r#""method":"HEAD""#, r#""method":"GET""#),
    ("create_member", r#""name":"name""#, r#""name":"title""#),
    ("create_form", r#"application/x-www-form-urlencoded"#, "text/plain"),
    ("upload_form", r#""wire":"aName""#, r#""wire":"name""#),
    ("send_text", r#""path":"/texts""#, r#""path":"/text""#),
    ("send_bytes", r#""form":"binary""#, r#""form":"json""#),
];

/// Changes of the table of Swagger 2.0.
const CHANGES_2: &[(&str, &str, &str)] = &[
    ("get_operation", r#""style":"Pipe""#, r#""style":"Space""#),
    ("put_operation", r#""type":"object","properties""#, r#""type":"object","members""#),
    ("add_file", r#""kind":"file""#, r#""kind":"text""#),
    ("list_files", r#""path":"/files""#, r#""path":"/file""#),
];

/// The contract has no fault, and each change has one. Returns the operations whose bodies are given by flags, too.
fn each_change_is_noticed(
    name: &str,
    contract: &[u8],
    changes: &[(&str, &str, &str)],
    limits: &[&str],
) -> BTreeSet<String> {
    let unchanged = report(name, contract, &|_| {});
    assert_eq!(faulty(&unchanged), BTreeSet::new(), "{}", unchanged.text(true));
    let limited = unchanged.rows.iter().filter(|row| row.class == "limit").map(|row| row.case.as_str());
    assert_eq!(limited.collect::<Vec<_>>(), limits, "{}", unchanged.text(true));
    // Whichever worker had them, the operations are in the order of the client.
    let mut judged: Vec<&str> = unchanged.rows.iter().map(|row| row.operation.as_str()).collect();
    judged.dedup();
    assert_eq!(judged, operations(contract), "{}", unchanged.text(true));
    let at_shell = unchanged.at_shell.as_ref().unwrap();
    assert_eq!((at_shell.callable, at_shell.others.len()), (changes.len(), 0));
    let changed = report(name, contract, &|table| {
        for (operation, from, to) in changes {
            let lines = table.lines().map(|line| {
                let is_it = line.starts_with("type ") || line.split(' ').nth(2) == Some(operation);
                if is_it { line.replace(from, to) + "\n" } else { line.to_owned() + "\n" }
            });
            let lines: String = lines.collect();
            assert_ne!(lines, *table, "{operation}: {from}");
            *table = lines;
        }
    });
    assert_eq!(faulty(&changed), changes.iter().map(|(operation, ..)| *operation).collect());
    let by_flags = unchanged.rows.iter().filter(|row| row.case.ends_with(" by flags"));
    by_flags.map(|row| row.operation.clone()).collect()
}

#[test]
#[ignore = "compiles a program: .ci/run runs it"]
fn each_change_of_a_table_is_noticed() {
    // The required list of files is empty in this case. No words express that, so the case is a limit.
    let limits = ["PUT /forms required"];
    let by_flags = each_change_is_noticed("cli", include_bytes!("cli.yaml"), CHANGES, &limits);
    assert_eq!(by_flags, ["forms.create_form", "members.create_member"].map(str::to_owned).into());
}

#[test]
#[ignore = "compiles a program: .ci/run --all runs it"]
fn each_change_of_the_table_of_a_contract_in_swagger_is_noticed() {
    each_change_is_noticed("cli-2", include_bytes!("cli-2.json"), CHANGES_2, &[]);
}
