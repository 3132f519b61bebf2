//! The messages of the test of a workspace's snapshots.

use driftless::Review;

use crate::support::{Workspace, contract};

#[test]
fn an_edited_contract_is_undone_and_a_downloaded_one_accepted() {
    let workspace = Workspace::pinned();
    let differing =
        || Review::read(workspace.root()).expect("a client").check(|_, _| {}).map_err(|error| error.to_string());
    assert_eq!(differing(), Ok(()));
    let paths: Vec<String> = (0..50).map(|number| format!("/api/things/a{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let tags: Vec<String> = (0..50).map(|number| format!("/api/t{number}")).collect();
    let all: Vec<&str> = paths.into_iter().chain(tags.iter().map(String::as_str)).collect();
    workspace.pin(&contract::with_paths(&all));
    let error = differing().expect_err("another contract");
    assert!(error.lines().count() <= 40 && error.contains("INSTA_UPDATE=always"), "{error}");
    workspace.replace("specs/contracts/service.json", "/api/things/a1", "/api/things/b1");
    let error = differing().expect_err("an edited contract");
    assert!(!error.contains("INSTA_UPDATE=always") && error.contains("git checkout"), "{error}");
}
