//! The page of rules: its tests exist, and its table of operations is the contract's.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::support::{FAMILIES, contract, family, operations};

/// Platform document §4.2, the longest prefix first.
const BEGIN: &str = "<!-- operations -->\n";
const END: &str = "<!-- end of operations -->\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    std::fs::read_to_string(root().join("RULES.md")).unwrap()
}

#[test]
fn every_test_that_the_pages_name_exists() {
    let comparison = std::fs::read_to_string(root().join("COMPARISON.md")).unwrap();
    let (page, mut named) = (page() + &comparison, 0);
    for name in page.split('`').skip(1).step_by(2).filter(|name| name.contains(".rs::")) {
        let (file, test) = name.split_once("::").unwrap();
        let folder = if file.starts_with("src/") { root().to_owned() } else { root().join("tests") };
        let source = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        assert!(source.contains(&format!("fn {test}(")), "{name} does not exist");
        named += 1;
    }
    assert!(named > 140, "{named}");
}

/// The sections of the platform document that state rules, with its numbered rules.
const STATED: [&str; 28] = [
    "§1", "§2", "§3", "§4.1", "§4.2", "§4.3", "§4.3.1", "§4.3.2", "§4.3.3", "§4.4", "§4.4.1", "§4.4.2", "§4.4.3",
    "§4.5", "§5.1", "§5.2", "§5.3", "§5.4", "§5.5", "§5.6", "§5.7", "§5.8", "§5.9", "§6", "§7", "§9.1", "§9.2", "§9.3",
];

#[test]
fn every_rule_has_a_row_and_every_row_a_test() {
    let page = page();
    let (_, table) = page.split_once("## Rule by rule").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows: Vec<Vec<&str>> =
        table.lines().filter(|line| line.starts_with("| §")).map(|line| line.split(" | ").collect()).collect();
    for row in &rows {
        assert!(matches!(row.as_slice(), [_, _, tests] if tests.contains(".rs::")), "{row:?}");
    }
    for rule in STATED {
        let has = |row: &Vec<&str>| row[0].trim_start_matches("| ").split(", ").any(|part| part == rule);
        assert!(rows.iter().any(has), "{rule} has no row");
    }
}

#[test]
fn every_choice_has_a_test() {
    let page = page();
    let (_, table) = page.split_once("## The sandbox's choices").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows: Vec<Vec<&str>> =
        table.lines().filter(|line| line.starts_with("| ")).skip(1).map(|line| line.split(" | ").collect()).collect();
    assert!(rows.len() > 30, "{}", rows.len());
    for row in rows {
        assert!(matches!(row.as_slice(), [_, _, tests] if tests.contains(".rs::")), "{row:?}");
    }
}

/// A row needs a test for our cell, and an entry for each of the others.
#[test]
fn every_row_of_the_comparison_is_whole_and_names_a_test() {
    let page = std::fs::read_to_string(root().join("COMPARISON.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && line.contains(" | ")).collect();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in &rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 9, "{row}");
        let is_head = cells[0].is_empty();
        assert!(is_head || !cells[7].is_empty() && cells[8].contains(".rs::"), "{row}");
    }
}

#[tokio::test]
async fn the_table_of_operations_is_the_contracts() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let mut families: BTreeMap<usize, (&str, Vec<String>)> = BTreeMap::new();
    for (path, method, operation) in operations(&contract(&sandbox).await) {
        let index = family(&path);
        let row = format!(
            "| {} | `{path}` | {} | {} |\n",
            method.to_uppercase(),
            operation["summary"].as_str().unwrap(),
            operation["x-provenance"].as_str().unwrap()
        );
        families.entry(index).or_insert((FAMILIES[index].0, Vec::new())).1.push(row);
    }
    let mut table = String::new();
    for (index, (prefix, rows)) in families {
        let documented = rows.iter().filter(|row| row.contains("| documented |")).count();
        let assumed = rows.len() - documented;
        write!(table, "\n### {} (`{prefix}`): {documented} documented, {assumed} assumed\n\n", FAMILIES[index].1)
            .unwrap();
        table.push_str("| method | path | summary | |\n|---|---|---|---|\n");
        table.push_str(&rows.concat());
    }
    table.push('\n');

    let page = page();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        std::fs::write(root().join("RULES.md"), format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    } else {
        assert!(
            written == table,
            "RULES.md is stale: run INSTA_UPDATE=always cargo test -p platform-sandbox --test sandbox rules"
        );
    }
}
