//! `cargo xtask drift-cases`: the findings against what the tests of other tools expect.

use crate::support::Workspace;

/// What the tests of other tools expect, but for the cases whose reason the specification gives.
#[test]
fn other_tools_expect_the_same() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/drift-cases");
    if !folder.is_dir() {
        println!("LEFT OUT: ../shared/drift-cases does not exist");
        return;
    }
    let workspace = Workspace::pinned();
    let folder = folder.to_string_lossy().into_owned();
    workspace.run(&["drift-cases", &folder, "--json", "score.json"]).succeeds(&["oasdiff: "]);
    let scores: serde_json::Value = serde_json::from_str(&workspace.read("score.json")).expect("JSON");
    let suites = scores.as_object().expect("suites");
    let misses: Vec<_> = suites.values().flat_map(|score| score["misses"].as_array().expect("a list")).collect();
    assert!(misses.is_empty(), "{misses:#?}");
    // No reason without a case.
    let otherwise = suites.values().map(|score| score["otherwise"].as_object().expect("an object").len());
    assert_eq!(otherwise.sum::<usize>(), 6, "{scores:#}");
}
