//! `cargo xtask drift-cases`: the findings against the expectations of other tools' tests.

use crate::support::Workspace;

/// The findings meet the expectations of other tools' tests, except for the cases with a reason in the specification.
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
    // Each reason has a case.
    let otherwise = suites.values().map(|score| score["otherwise"].as_object().expect("an object").len());
    assert_eq!(otherwise.sum::<usize>(), 6, "{scores:#}");
}
