//! Who may know whom: no dependency from a member to one that it may not know.

use toml::{Table, Value};

use super::{File, Finding};

/// Folder of a member, and the packages of the workspace that it may depend on, in its tests as well.
const MAY_KNOW: [(&str, &[&str]); 7] = [
    ("codegen", &[]),
    ("features", &[]),
    ("generated-client", &["platform-runtime"]),
    ("runtime", &[]),
    ("sandbox", &["platform-features"]),
    ("xtask", &["platform-codegen", "platform-features", "platform-runtime"]),
    ("tests", &["platform-codegen", "platform-client", "platform-runtime", "platform-sandbox", "xtask"]),
];
const PACKAGES: [&str; 7] = [
    "platform-codegen",
    "platform-client",
    "platform-features",
    "platform-runtime",
    "platform-sandbox",
    "platform-tests",
    "xtask",
];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (member, allowed) in MAY_KNOW {
        let path = format!("{member}/Cargo.toml");
        let Some(text) = files.iter().find(|file| file.path == path).and_then(File::text) else { continue };
        let Ok(manifest) = toml::from_str::<Table>(text) else { continue };
        for key in ["dependencies", "build-dependencies", "dev-dependencies"] {
            for name in dependencies(&manifest, key) {
                if PACKAGES.contains(&name.as_str()) && !allowed.contains(&name.as_str()) {
                    findings.push(Finding {
                        file: path.clone(),
                        line: line_of(text, &name),
                        rule: "who-knows-whom",
                        what: format!("{member} must not know {name}"),
                        mend: "take the dependency out; ARCHITECTURE.md says who may know whom",
                    });
                }
            }
        }
    }
    findings
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

fn line_of(text: &str, name: &str) -> usize {
    text.lines().position(|line| line.contains(name) && !line.starts_with("name")).map_or(1, |index| index + 1)
}
