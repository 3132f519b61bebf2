//! Every crate forbids unsafe code. Published crates deny missing documentation, contain both licences, and are named by the
//! commands that publish.

use toml::Table;

use super::{File, Finding};

/// Published crates contain copies of these files.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Files with the commands that build and publish the packages.
const PUBLISHERS: [&str; 2] = ["CONTRIBUTING.md", ".ci/run"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let text = |path: &str| files.iter().find(|file| file.path == path).and_then(File::text);
    let table = |path: &str| text(path).and_then(|text| toml::from_str::<Table>(text).ok());
    let Some(workspace) = table("Cargo.toml") else { return Vec::new() };
    let workspace = workspace.get("workspace");
    let level = |lint: &str| {
        let lints = workspace?.get("lints")?.get("rust")?.get(lint)?;
        lints.as_str().or_else(|| lints.get("level")?.as_str()).map(str::to_owned)
    };
    let workspace_forbids = level("unsafe_code").as_deref() == Some("forbid");
    let members = workspace.and_then(|workspace| workspace.get("members")?.as_array());

    let mut findings = Vec::new();
    for member in members.into_iter().flatten().filter_map(toml::Value::as_str) {
        let path = format!("{member}/Cargo.toml");
        let Some(manifest) = table(&path) else { continue };
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool()) == Some(true);
        let package = manifest.get("package");
        let is_published = package.and_then(|package| package.get("publish")?.as_bool()) == Some(true);
        if is_published {
            let name = package.and_then(|package| package.get("name")?.as_str()).unwrap_or_default();
            findings.extend(unpublished(files, &path, member, name));
        }
        let root =
            ["lib", "main"].iter().map(|name| format!("{member}/src/{name}.rs")).find(|path| text(path).is_some());
        let Some(root) = root else { continue };
        let source = text(&root).unwrap_or_default();
        let has = |attribute: &str| source.lines().any(|line| line.trim() == attribute);
        let forbids = (inherits && workspace_forbids) || has("#![forbid(unsafe_code)]");
        if !forbids {
            findings.push(Finding {
                file: root.clone(),
                line: 1,
                rule: "unsafe-code",
                what: format!("{member} does not forbid unsafe code"),
                fix: "write `lints.workspace = true` into its manifest, or #![forbid(unsafe_code)] here",
            });
        }
        if is_published && !has("#![deny(missing_docs)]") && !has("#![forbid(missing_docs)]") {
            findings.push(Finding {
                file: root,
                line: 1,
                rule: "missing-docs",
                what: format!("{member} does not deny missing documentation"),
                fix: "write #![deny(missing_docs)] here",
            });
        }
    }
    findings
}

/// The licences that a published package lacks, and the commands that publish packages without it.
fn unpublished(files: &[File], manifest: &str, member: &str, name: &str) -> Vec<Finding> {
    let has = |path: &str| files.iter().any(|file| file.path == path);
    let licences = LICENCES.iter().filter(|licence| !has(&format!("{member}/{licence}"))).map(|licence| Finding {
        file: manifest.to_owned(),
        line: 1,
        rule: "licence",
        what: format!("the package {name} is published without {licence}"),
        fix: "copy both licences of the root into the folder of the package",
    });
    let mut findings: Vec<Finding> = licences.collect();
    for file in files.iter().filter(|file| PUBLISHERS.contains(&file.path.as_str())) {
        for (index, line) in file.text().unwrap_or_default().lines().enumerate() {
            let commands = ["cargo package ", "cargo publish "].iter().filter_map(|start| line.split_once(start));
            for (_, command) in commands {
                let flags: Vec<&str> = command.split([' ', '`']).collect();
                let packages: Vec<&str> =
                    flags.windows(2).filter_map(|pair| (pair[0] == "-p").then_some(pair[1])).collect();
                if packages.len() > 1 && !packages.contains(&name) {
                    findings.push(Finding {
                        file: file.path.clone(),
                        line: index + 1,
                        rule: "published",
                        what: format!("the command leaves out {name}, which is published (`publish = true`)"),
                        fix: "name all published packages, a package after those that it depends on",
                    });
                }
            }
        }
    }
    findings
}
