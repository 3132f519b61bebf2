//! The selection of tests: each file is built if the pinned contract has the items that it names.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{read, root};

#[path = "needs.rs"]
mod needs;

use needs::Client;

/// The client that the tests are written for.
const CLIENT: &str = "tests/client.txt";

/// The files that are built for every contract.
const ALWAYS: [&str; 8] = ["documents", "drift", "other", "outputs", "pinned", "replaced", "sendable", "setters"];

/// If the sandbox is pinned, every test is built, so that none is lost by accident.
#[test]
fn the_tests_are_written_for_the_client_of_the_sandbox() {
    let pinned = needs::pinned(&root()).unwrap();
    if !needs::is_sandbox(&root()) {
        println!("LEFT OUT: the sandbox is not what is pinned");
        return;
    }
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(root().join(CLIENT), &pinned).unwrap();
    }
    let written = read(CLIENT);
    let line = pinned.lines().zip(written.lines()).find(|(now, before)| now != before);
    assert!(
        pinned == written,
        "the client of the sandbox changed ({line:?}): fix the tests, then run \
         `INSTA_UPDATE=always cargo test -p platform-tests --test workspace -- pinned`"
    );
}

/// A file that names operations, and is built for every contract, would not compile with another one.
#[test]
fn every_file_that_names_operations_is_built_by_what_it_needs() {
    let (main, families, wire) = (read("tests/main.rs"), read("tests/families/mod.rs"), read("tests/wire/mod.rs"));
    let support = read("tests/support/mod.rs");
    for (name, _) in needs::gated(&root()).unwrap() {
        let (folder, stem) = name.split_once('/').unwrap_or(("", &name));
        let list = match folder {
            "" => &main,
            "families" => &families,
            "wire" => &wire,
            "support" => &support,
            // A guide, in src/lib.rs.
            _ => continue,
        };
        if !ALWAYS.contains(&name.as_str()) {
            let before = list.split(&format!("mod {stem};")).next().unwrap_or_default();
            let is_gated = before.lines().last().is_some_and(|line| line.contains(&format!("has = \"{name}\"")));
            assert!(is_gated, "{name} is built for every contract: write #[cfg(has = \"{name}\")]");
        }
    }
}

#[cfg(contract = "sandbox")]
fn left_out(written: &Client, now: &Client) -> BTreeSet<String> {
    let files = needs::gated(&root()).unwrap().into_iter();
    let out = files.filter(|(_, source)| !now.missing(&written.named_by(source)).is_empty());
    out.map(|(name, _)| name).filter(|name| !ALWAYS.contains(&name.as_str())).collect()
}

#[cfg(contract = "sandbox")]
#[test]
fn a_change_of_the_contract_leaves_out_what_names_it_and_nothing_else() {
    let text = read(CLIENT);
    let written = Client::read(&text);
    assert_eq!(left_out(&written, &written), BTreeSet::new());

    let without = |part: &str| {
        assert!(text.contains(part), "{part}");
        let kept: String = text.lines().filter(|line| !line.contains(part)).flat_map(|line| [line, "\n"]).collect();
        left_out(&written, &Client::read(&kept))
    };
    // Additions have no effect.
    let grown =
        format!("{text}forum.pin_thread  POST /api/forum/v1/pins  () -> ()  [204]\ntypes::Thread::pinned field bool\n");
    assert_eq!(left_out(&written, &Client::read(&grown)), BTreeSet::new());
    assert_eq!(without("forum.delete_thread "), BTreeSet::from(["families/forum".to_owned()]));
    // A member of a type that only the response names.
    let price = without("types::PaymentPlan::price ");
    assert!(price.contains("families/marketplace") && !price.contains("families/forum"), "{price:?}");
    // Another path behind the same name.
    let moved = text.replace(" GET /api/projects/v1/projects  (", " GET /api/projects/v2/projects  (");
    let moved = left_out(&written, &Client::read(&moved));
    assert!(moved.contains("projects") && moved.contains("example") && !moved.contains("families/forum"), "{moved:?}");
    // Without the platform's items, no file that names them is built.
    let none = left_out(&written, &Client::default());
    for name in ["families/vm_agent", "wire/bodies", "killed", "resumed", "graphql", "fakes", "docs/operations"] {
        assert!(none.contains(name), "{name} is not among {none:?}");
    }
}
