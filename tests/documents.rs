//! Documents against the code that they describe.

use driftless_codegen::Config;
use serde_json::Value;
use std::collections::BTreeSet;

use crate::support::{read, root};

/// The lines of the fenced block that follows a heading.
fn block(document: &str, heading: &str) -> Vec<String> {
    let text = read(document);
    let (_, after) = text.split_once(heading).unwrap_or_else(|| panic!("{document} has no heading {heading:?}"));
    let fenced = after.split("```").nth(1).unwrap_or_else(|| panic!("{document}: no block after {heading:?}"));
    fenced.lines().skip(1).map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_architecture_names_stages_and_rooms_that_exist() {
    let text = read("ARCHITECTURE.md");
    let stages: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("## From a contract to a client"))
        .take_while(|line| !line.starts_with("## Invariants"))
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert!(stages.len() >= 7, "{stages:?}");
    for stage in stages {
        let (file, folder) = (format!("codegen/src/{stage}.rs"), format!("codegen/src/{stage}/mod.rs"));
        assert!(root().join(&file).is_file() || root().join(&folder).is_file(), "neither {file} nor {folder}");
    }
    for room in block("ARCHITECTURE.md", "## Layout") {
        let path = room.split_whitespace().next().unwrap();
        assert!(root().join(path).exists(), "{path}");
    }
}

/// The texts between backticks in the last cells of the tables whose last column names tests.
fn named_tests(document: &str) -> Vec<Vec<String>> {
    let text = read(document);
    let mut cells = Vec::new();
    let mut is_about_tests = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default().trim();
        if !line.starts_with('|') {
            is_about_tests = false;
        } else if lines.peek().is_some_and(|next| next.starts_with("|---")) {
            is_about_tests = last == "test";
        } else if is_about_tests && !line.starts_with("|---") {
            cells.push(last.split('`').skip(1).step_by(2).map(str::to_owned).collect());
        }
    }
    cells
}

/// The file of a module: a test of the runtime, one of this crate, or a module of the runtime's sources.
fn file_of(module: &[&str]) -> Option<String> {
    if let [path] = module
        && path.ends_with(".rs")
    {
        return root().join(path).is_file().then(|| (*path).to_owned());
    }
    let inside = module.join("/");
    let places = [
        format!("runtime/tests/{inside}.rs"),
        format!("tests/{inside}.rs"),
        format!("tests/{inside}/mod.rs"),
        format!("runtime/src/{inside}.rs"),
        format!("runtime/src/{inside}/mod.rs"),
    ];
    let path = places.into_iter().find(|place| root().join(place).is_file());
    // A module within a file.
    path.or_else(|| file_of(module.split_last().filter(|(_, outer)| !outer.is_empty())?.1))
}

/// Returns whether a file contains a test of that name: a function after the attribute of a test, or a line of the list of a
/// suite.
fn holds_test(file: &str, name: &str) -> bool {
    let text = read(file);
    if text.lines().any(|line| line.trim() == name) {
        return true;
    }
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.contains(&format!("fn {name}(")) {
            return is_test;
        }
        let attribute = line.starts_with("#[");
        is_test = attribute && (is_test || line.contains("test"));
    }
    false
}

#[cfg(contract = "sandbox")]
#[test]
fn every_test_that_the_pages_name_exists() {
    for (document, least) in
        [("runtime/tests/PROMISES.md", 150), ("tests/peers/README.md", 5), ("docs/comparison.md", 25)]
    {
        let mut known = 0;
        let mut absent = Vec::new();
        for cell in named_tests(document) {
            assert!(document != "docs/comparison.md" || !cell.is_empty(), "{document}: a row names no test");
            // A name alone belongs to the last named file.
            let mut file: Option<String> = None;
            for name in cell {
                let steps: Vec<&str> = name.split("::").collect();
                let (test, module) = steps.split_last().unwrap();
                let is_file = test.ends_with(".rs") || *test == "tests";
                if is_file || !module.is_empty() {
                    file = file_of(if is_file { &steps } else { module });
                }
                match &file {
                    Some(file) if is_file || holds_test(file, test) => known += 1,
                    _ => absent.push(name),
                }
            }
        }
        assert!(absent.is_empty(), "{document} names tests that do not exist: {absent:#?}");
        assert!(known >= least, "{document}: {known} tests");
    }
}

#[test]
fn the_check_of_a_change_runs_what_the_documents_promise() {
    let script = read(".ci/run");
    let readme = read("README.md");
    let commands = ["cargo xtask regenerate", "cargo test --all-features"];
    let lines: Vec<String> = block("README.md", "## Start");
    for command in commands {
        assert!(
            lines.iter().any(|line| line.split('#').next().unwrap_or_default().trim() == command),
            "{command}: {lines:?}"
        );
    }
    for step in [
        "cargo fmt --all --check",
        "cargo clippy --locked --workspace --all-targets --all-features -- -D warnings",
        "xtask regenerate --check",
        "developer tidy",
        "RUSTDOCFLAGS='--cfg docsrs -D warnings' cargo doc --locked --no-deps --workspace --all-features",
        "cargo deny check",
        "cargo test --locked --workspace --all-features --exclude",
        "\ntests_of_others --lib --bins --test '[!n-z]*'\n",
        " tests_of_others --test '[n-z]*'\n",
        "\ntests_of_others --doc\n",
    ] {
        assert!(script.contains(step), ".ci/run has no {step:?}");
    }
    assert!(script.trim_end().ends_with(commands[1]), "the counted results come last");
    // Each test runs in one of the two: a package that the command leaves out is a default member.
    let left_out: BTreeSet<&str> = script
        .lines()
        .flat_map(|line| line.split("--exclude ").skip(1))
        .filter_map(|rest| rest.split(' ').next())
        .collect();
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let members = manifest["workspace"]["default-members"].as_array().unwrap().iter();
    let packages: Vec<toml::Table> = members
        .map(|folder| toml::from_str(&read(&format!("{}/Cargo.toml", folder.as_str().unwrap()))).unwrap())
        .collect();
    let defaults = packages.iter().map(|package| package["package"]["name"].as_str().unwrap()).collect();
    assert_eq!(left_out, defaults);
    assert!(readme.contains(".ci/run"));
}

#[test]
fn the_correction_that_is_shown_can_be_read() {
    let example = block("docs/configuration.md", "### Corrections: `[[correction]]`").join("\n");
    let read: Config = toml::from_str(&example).unwrap();
    let [correction] = &read.corrections[..] else { panic!("{read:?}") };
    let value: Value = serde_json::from_str(correction.value.as_deref().unwrap()).unwrap();
    assert_eq!(value, "integer");
}

#[test]
fn the_peers_have_the_versions_that_the_documentation_says() {
    let lock: Value = serde_json::from_str(&read("tests/peers/package-lock.json")).unwrap();
    let pinned = read("tests/peers/requirements.txt");
    let table = read("tests/peers/README.md");
    let mut named = 0;
    for row in table.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | ").unwrap();
        let version = rest.split(" | ").next().unwrap();
        let is_pinned = pinned.lines().any(|line| line == format!("{name}=={version}"));
        assert!(is_pinned || lock["packages"][format!("node_modules/{name}")]["version"] == version, "{name}");
        named += 1;
    }
    assert!(named >= 6, "{table}");
}

/// The text between two backticks at the beginning of each row of the table below a heading, or the first cell without them.
fn first_cells(document: &str, heading: &str) -> BTreeSet<String> {
    let text = read(document);
    let (_, below) = text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("{document}: {heading}"));
    let section = below.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    rows.map(|row| row.split(" |").next().unwrap().trim_matches('`').to_owned()).collect()
}

#[test]
fn the_pages_have_the_names_of_all_metrics() {
    let source = read("runtime/src/telemetry.rs");
    let metrics: BTreeSet<String> = ["counter!(\"", "gauge!(\"", "histogram!(\""]
        .iter()
        .flat_map(|start| source.split(start).skip(1))
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect();
    assert!(metrics.len() > 10, "{metrics:?}");
    assert_eq!(first_cells("docs/observability.md", "## Metrics"), metrics);
    // A page that names a group of metrics, as `name.*`.
    let groups: Vec<String> = read("docs/fleet.md").split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let groups: Vec<&str> = groups.iter().filter_map(|name| name.strip_suffix('*')).collect();
    assert!(!groups.is_empty());
    for group in groups {
        assert!(metrics.iter().any(|name| name.starts_with(group)), "docs/fleet.md: {group}*");
    }
}

#[test]
fn the_page_of_drift_has_all_exit_codes() {
    let source = read("driftless/src/flags.rs");
    let (_, help) = source.split_once("EXIT_CODES: &str = \"").unwrap();
    let lines = help.split("\";").next().unwrap().lines().skip(2);
    let codes: BTreeSet<String> = lines.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    assert!(codes.contains("130"), "{codes:?}");
    assert_eq!(first_cells("docs/drift.md", "## Exit codes"), codes);
}
