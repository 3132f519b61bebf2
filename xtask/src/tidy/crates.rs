//! Every crate forbids unsafe code, and the libraries for others deny missing documentation.

use super::{File, Finding};

const MEMBERS: [&str; 11] = [
    "codegen",
    "conformance",
    "driftless",
    "features",
    "generated-client",
    "runtime",
    "sandbox",
    "sandbox/control",
    "sandbox/engine",
    "tests",
    "xtask",
];
const DOCUMENTED: [&str; 7] =
    ["codegen", "conformance", "driftless", "generated-client", "runtime", "sandbox/control", "sandbox/engine"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let text = |path: &str| files.iter().find(|file| file.path == path).and_then(File::text);
    let shared = text("Cargo.toml").and_then(|text| toml::from_str::<toml::Table>(text).ok()).unwrap_or_default();
    let level = |lint: &str| {
        let lints = shared.get("workspace")?.get("lints")?.get("rust")?.get(lint)?;
        lints.as_str().or_else(|| lints.get("level")?.as_str()).map(str::to_owned)
    };
    let workspace_forbids = level("unsafe_code").as_deref() == Some("forbid");

    let mut findings = Vec::new();
    for member in MEMBERS {
        let manifest_path = format!("{member}/Cargo.toml");
        let manifest = text(&manifest_path).and_then(|text| toml::from_str::<toml::Table>(text).ok());
        let Some(manifest) = manifest else { continue };
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool()) == Some(true);
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
        if DOCUMENTED.contains(&member) && !has("#![deny(missing_docs)]") && !has("#![forbid(missing_docs)]") {
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
