//! The second judge: progenitor's client is generated, compiled and called.

use std::collections::BTreeMap;

use driftless::develop::{DEFAULT_NAME, Sources};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless_conformance::{Opinion, Options, Report, Row, check};

fn report(name: &str, contract: &[u8], change: &dyn Fn(&mut BTreeMap<String, String>)) -> Report {
    let workspace = Workspace::find(Some(concat!(env!("CARGO_MANIFEST_DIR"), "/..").into())).unwrap();
    let (_runtime, interrupt) = Interrupt::start().unwrap();
    let sources = Sources { contracts: vec![(DEFAULT_NAME.to_owned(), contract.to_vec())], ..Sources::default() };
    let second = Some(env!("CARGO_BIN_EXE_cargo-driftless-conformance").into());
    check(&workspace, name, &sources, &Options { seed: 1, second, ..Options::default() }, change, &interrupt).unwrap()
}

/// The rows of an operation whose request progenitor was asked for.
fn rows<'r>(report: &'r Report, operation: &str) -> Vec<(&'r Row, &'r Opinion)> {
    let rows = report.rows.iter().filter(|row| row.operation.ends_with(operation));
    rows.filter_map(|row| Some((row, row.progenitor.as_ref()?))).collect()
}

#[test]
#[ignore = "compiles two clients: .ci/run --all runs it"]
fn progenitor_is_asked_about_each_request() {
    let contract = include_bytes!("second.yaml");
    let unchanged = report("second-unchanged", contract, &|_| {});
    assert!(unchanged.unheard.is_empty(), "{unchanged:#?}");
    assert_eq!(unchanged.count("fault"), 0);
    for operation in [".tame", ".sent"] {
        let rows = rows(&unchanged, operation);
        assert!(rows.len() > 2, "{rows:#?}");
        assert!(rows.iter().all(|(row, opinion)| row.class == "right" && **opinion == Opinion::Same), "{rows:#?}");
    }
    assert!(rows(&unchanged, ".spelled").iter().any(|(_, opinion)| matches!(opinion, Opinion::Spelling { .. })));
    // progenitor writes a date and time in a path as chrono prints it, and not as RFC 3339.
    let disputed = rows(&unchanged, ".disputed");
    assert!(
        disputed.iter().all(|(row, opinion)| {
            row.class == "disputed" && matches!(opinion, Opinion::Other { place, .. } if place == "path")
        }),
        "{disputed:#?}"
    );
    assert_eq!(unchanged.count("disputed"), disputed.len());
    let refused = rows(&unchanged, ".refused");
    assert!(
        matches!(refused.as_slice(), [(_, Opinion::Nothing { reason })] if reason.contains("cookie")),
        "{refused:#?}"
    );
    let text = unchanged.text(true);
    for part in [
        "disputed: GET /disputed/",
        "\nnot compared: GET /refused required: sends nothing: progenitor has no parameters in \"cookie\"",
        "\nprogenitor: 4 operations compared, 1 not; requests: ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }

    // A wrong name is a fault for both judges.
    let changed = report("second-changed", contract, &|files| {
        files.values_mut().for_each(|text| *text = text.replace("(\"nameOne\")", "(\"name_one\")"));
    });
    let faults = rows(&changed, ".tame");
    assert!(
        faults.iter().any(|(row, opinion)| {
            row.class == "fault" && matches!(opinion, Opinion::Other { place, .. } if place == "query")
        }),
        "{faults:#?}"
    );
}

#[test]
#[ignore = "compiles a client: .ci/run runs it"]
fn a_contract_that_progenitor_refuses_is_judged_without_it() {
    let contract = b"openapi: 3.1.0\ninfo: { title: '', version: '1' }\npaths:\n  /a:\n    get: { responses: { '204': { description: '' } } }\n";
    let report = report("second-refused", contract, &|_| {});
    assert_eq!(report.unheard, [(DEFAULT_NAME.to_owned(), "progenitor reads OpenAPI 3.0".to_owned())]);
    assert!(report.count("right") > 0 && report.count("fault") == 0, "{report:#?}");
    assert!(report.text(false).contains("not all compared: progenitor reads OpenAPI 3.0"));
}
