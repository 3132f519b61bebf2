//! Every generated source file opens with the same constant line.

use driftless_codegen::HEADER;

use super::{File, Finding};

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let generated = files
        .iter()
        .filter(|file| file.path.starts_with("generated-client/src/generated/") && file.path.ends_with(".rs"));
    let headless = generated.filter(|file| file.text().and_then(|text| text.lines().next()) != Some(HEADER));
    let findings = headless.map(|file| Finding {
        file: file.path.clone(),
        line: 1,
        rule: "generated-header",
        what: format!("the first line is not `{HEADER}`"),
        fix: "cargo xtask regenerate --offline; a file that is not an output does not belong here",
    });
    findings.collect()
}
