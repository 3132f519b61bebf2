//! A type that is visible outside its file has a name that no other type of the crate has.

use std::collections::BTreeMap;

use super::{File, Finding, outside_strings, product_lines};

/// Names that two types may share, by crate: `Operation` in each stage of the generator and in the parts of the runtime
/// that follow one (docs/glossary.md), and the stand-in for `Folder` on another system.
const RIGHT: [(&str, &str); 3] = [("codegen", "Operation"), ("runtime", "Operation"), ("driftless", "Folder")];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut first: BTreeMap<(&str, String), &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_product_code()) {
        // `sandbox` and `sandbox/engine` are crates of their own.
        let folders = file.path.split_once("/src/").or_else(|| file.path.split_once('/'));
        let Some((member, text)) = folders.map(|(member, _)| member).zip(file.text()) else {
            continue;
        };
        for (line, text) in product_lines(text) {
            let Some(name) = declared(text).filter(|name| !RIGHT.contains(&(member, name.as_str()))) else { continue };
            match first.get(&(member, name.clone())) {
                Some(other) => findings.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "type-name",
                    what: format!("{other} declares a type `{name}`, too"),
                    fix: "give one of them a name that says which it is; a type that only its file sees may keep its own",
                }),
                None => drop(first.insert((member, name), &file.path)),
            }
        }
    }
    findings
}

/// The name of a type that a line declares with a visibility beyond its file.
fn declared(line: &str) -> Option<String> {
    let line = outside_strings(line);
    let rest = line.strip_prefix("pub")?;
    let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest);
    let (keyword, rest) = rest.trim_start().split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (["enum", "struct", "trait", "type", "union"].contains(&keyword) && !name.is_empty()).then(|| name.to_owned())
}
