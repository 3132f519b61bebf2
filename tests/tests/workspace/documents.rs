//! Documents against the code that they describe.

use std::collections::BTreeSet;

use platform_codegen::Config;
use serde_json::Value;

use crate::support::{cargo, read, root};

/// The lines of the fenced block that follows a heading.
fn block(document: &str, heading: &str) -> Vec<String> {
    let text = read(document);
    let (_, after) = text.split_once(heading).unwrap_or_else(|| panic!("{document} has no heading {heading:?}"));
    let fenced = after.split("```").nth(1).unwrap_or_else(|| panic!("{document}: no block after {heading:?}"));
    fenced.lines().skip(1).map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Which member of the workspace names which others in its manifest, tests included.
fn graph() -> Vec<String> {
    let output = cargo(&["metadata", "--no-deps", "--format-version=1", "--offline"]).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut lines = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let known: BTreeSet<&str> = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|dependency| dependency["path"].is_string())
            .map(|dependency| dependency["name"].as_str().unwrap())
            .collect();
        let known: Vec<&str> = known.into_iter().collect();
        let name = package["name"].as_str().unwrap();
        lines.push(if known.is_empty() { name.to_owned() } else { format!("{name} -> {}", known.join(", ")) });
    }
    lines.sort();
    lines
}

#[test]
fn the_architecture_shows_the_dependencies_that_there_are() {
    assert_eq!(block("ARCHITECTURE.md", "## Who knows whom"), graph(), "ARCHITECTURE.md against the manifests");
}

#[test]
fn the_architecture_names_stages_and_rooms_that_exist() {
    let text = read("ARCHITECTURE.md");
    let stages: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("## The way of a contract"))
        .take_while(|line| !line.starts_with("## Invariants"))
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert!(stages.len() >= 7, "{stages:?}");
    for stage in stages {
        let (file, folder) = (format!("codegen/src/{stage}.rs"), format!("codegen/src/{stage}/mod.rs"));
        assert!(root().join(&file).is_file() || root().join(&folder).is_file(), "neither {file} nor {folder}");
    }
    for room in block("ARCHITECTURE.md", "## Rooms") {
        let path = room.split_whitespace().next().unwrap();
        assert!(root().join(path).exists(), "{path}");
    }
}

#[test]
fn the_check_of_a_change_runs_what_the_documents_promise() {
    let script = read(".ci/run");
    let readme = read("README.md");
    let commands = ["cargo xtask regenerate", "cargo test --workspace --all-features"];
    let shown: Vec<String> = block("README.md", "## Start");
    for command in commands {
        assert!(
            shown.iter().any(|line| line.split('#').next().unwrap_or_default().trim() == command),
            "{command}: {shown:?}"
        );
    }
    for step in [
        "cargo fmt --all --check",
        "cargo clippy --locked --workspace --all-targets --all-features -- -D warnings",
        "RUSTDOCFLAGS='-D warnings'",
        "cargo xtask regenerate --check",
        "cargo xtask tidy",
        "cargo doc --no-deps --workspace --all-features",
        "cargo deny check",
        commands[1],
    ] {
        assert!(script.contains(step), ".ci/run has no {step:?}");
    }
    assert!(script.trim_end().ends_with(commands[1]), "the counted results come last");
    assert!(readme.contains(".ci/run"));
}

#[test]
fn the_correction_that_is_shown_can_be_read() {
    let shown = block("CONTRIBUTING.md", "## The published contract is wrong").join("\n");
    let read: Config = toml::from_str(&shown).unwrap();
    let [correction] = &read.corrections[..] else { panic!("{read:?}") };
    let value: Value = serde_json::from_str(correction.value.as_deref().unwrap()).unwrap();
    assert_eq!(value, "integer");
}

#[test]
fn the_peers_have_the_versions_that_the_documentation_says() {
    let lock: Value = serde_json::from_str(&read("tests/peers/package-lock.json")).unwrap();
    let text = read("docs/runtime.md");
    let (_, after) = text.split_once("## Peers").unwrap();
    let (table, _) = after.split_once("\n## ").unwrap();
    let mut named = 0;
    for row in table.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | ").unwrap();
        let version = rest.split(" | ").next().unwrap();
        assert_eq!(lock["packages"][format!("node_modules/{name}")]["version"], version, "{name}");
        named += 1;
    }
    assert!(named >= 4, "{table}");
}
