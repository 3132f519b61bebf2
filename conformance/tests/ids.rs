//! Identifiers with a type of their own: requests and responses are those of the contract.

use std::path::Path;

use driftless::develop::{DEFAULT_NAME, Sources, setup_beside};
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless_conformance::{Options, check};

#[test]
#[ignore = "compiles a client: .ci/run runs it"]
fn each_place_of_an_identifier_is_sent_and_read_as_its_scalar() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let workspace = Workspace::find(Some(root.into())).unwrap();
    let (_runtime, interrupt) = Interrupt::start().unwrap();
    let contract = root.join("codegen/tests/cases/identifiers/contract.yaml");
    let setup = setup_beside(&contract).unwrap().unwrap();
    assert_eq!(setup.config.ids.len(), 3);
    let contracts = vec![(DEFAULT_NAME.to_owned(), std::fs::read(&contract).unwrap())];
    let sources = Sources { contracts, setup, ..Sources::default() };
    let options = Options { seed: 1, ..Options::default() };
    // A client whose identifiers are read as another scalar does not compile, so each row is one of the typed client.
    let report = check(&workspace, "identifiers", &sources, &options, &|_| {}, &interrupt).unwrap();
    let others: Vec<_> = report.rows.iter().filter(|row| row.class != "right").collect();
    assert!(report.count("right") > 20 && others.is_empty(), "{} {others:#?}", report.count("right"));
}
