//! The dependency rules: the members depend on each other as the arrows of `ARCHITECTURE.md` say, and not otherwise.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::{File, Finding};

const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Dependency rules";
const RULE: &str = "dependencies";
const TABLES: [&str; 3] = ["dependencies", "build-dependencies", "dev-dependencies"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let text = |path: &str| files.iter().find(|file| file.path == path).and_then(File::text);
    let Some(root) = text("Cargo.toml").and_then(|text| toml::from_str::<Table>(text).ok()) else { return Vec::new() };
    let members = root.get("workspace").and_then(|workspace| workspace.get("members")).and_then(Value::as_array);
    let manifests: Vec<Manifest<'_>> = members
        .into_iter()
        .flatten()
        .filter_map(|member| {
            let path = format!("{}/Cargo.toml", member.as_str()?);
            let text = text(&path)?;
            let table: Table = toml::from_str(text).ok()?;
            let package = table.get("package")?.get("name")?.as_str()?.to_owned();
            Some(Manifest { path, text, table, package })
        })
        .collect();
    let arrows = arrows(text(PAGE).unwrap_or_default());
    let packages: BTreeSet<&str> = manifests.iter().map(|manifest| manifest.package.as_str()).collect();
    manifests.iter().flat_map(|manifest| compare(manifest, &packages, &arrows)).collect()
}

struct Manifest<'f> {
    path: String,
    text: &'f str,
    table: Table,
    package: String,
}

/// By package: the line of the page that names it, and the packages that it may depend on.
type Arrows<'f> = BTreeMap<&'f str, (usize, Vec<&'f str>)>;

/// The lines `package -> package, package` of the block below the heading.
fn arrows(page: &str) -> Arrows<'_> {
    let below = page.lines().enumerate().skip_while(|(_, line)| line.trim_end() != HEADING);
    let block = below.skip_while(|(_, line)| !line.starts_with("```")).skip(1);
    let lines = block.take_while(|(_, line)| !line.starts_with("```"));
    lines
        .map(|(index, line)| {
            let (package, known) = line.split_once("->").unwrap_or((line, ""));
            let known = known.split(',').map(str::trim).filter(|name| !name.is_empty());
            (package.trim(), (index + 1, known.collect()))
        })
        .collect()
}

fn compare(manifest: &Manifest<'_>, packages: &BTreeSet<&str>, arrows: &Arrows<'_>) -> Vec<Finding> {
    let package = &manifest.package;
    let Some((drawn_at, drawn)) = arrows.get(package.as_str()) else {
        return vec![Finding {
            file: manifest.path.clone(),
            line: 1,
            rule: RULE,
            what: format!("{PAGE} does not say what {package} may depend on"),
            fix: "add a line for it to the block below \"Dependency rules\"",
        }];
    };
    let known: BTreeSet<String> = TABLES
        .iter()
        .flat_map(|key| dependencies(&manifest.table, key))
        .filter(|name| packages.contains(name.as_str()))
        .collect();
    let refused = known.iter().filter(|name| !drawn.contains(&name.as_str())).map(|name| Finding {
        file: manifest.path.clone(),
        line: line_of(manifest.text, name),
        rule: RULE,
        what: format!("{package} must not depend on {name}"),
        fix: "remove the dependency; ARCHITECTURE.md says which are allowed",
    });
    let stale = drawn.iter().filter(|name| !known.contains(**name)).map(|name| Finding {
        file: PAGE.to_owned(),
        line: *drawn_at,
        rule: RULE,
        what: format!("{package} does not depend on {name}"),
        fix: "remove the arrow",
    });
    refused.chain(stale).collect()
}

/// The tables of dependencies, those for single targets included.
fn tables<'m>(manifest: &'m Table, key: &str) -> impl Iterator<Item = (&'m String, &'m Value)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets.into_iter().flat_map(|targets| targets.values()).filter_map(Value::as_table);
    let tables = std::iter::once(manifest).chain(tables).filter_map(move |table| table.get(key)?.as_table());
    tables.collect::<Vec<_>>().into_iter().flatten()
}

/// Package names of dependencies.
fn dependencies(manifest: &Table, key: &str) -> Vec<String> {
    let package = |(name, value): (&String, &Value)| -> String {
        value.get("package").and_then(Value::as_str).unwrap_or(name).to_owned()
    };
    tables(manifest, key).map(package).collect()
}

/// The names under which code knows dependencies.
pub(super) fn dependency_keys(manifest: &Table, key: &str) -> Vec<String> {
    tables(manifest, key).map(|(name, _)| name.clone()).collect()
}

/// The line that declares the dependency, by its key or as a package under another key.
fn line_of(text: &str, name: &str) -> usize {
    let declares = |line: &str| {
        let after = line.strip_prefix(name);
        after.is_some_and(|after| after.starts_with(['.', ' ', '=']))
            || (!line.starts_with("name")
                && ['\'', '"'].iter().any(|quote| line.contains(&format!("{quote}{name}{quote}"))))
    };
    text.lines().position(declares).map_or(1, |index| index + 1)
}
