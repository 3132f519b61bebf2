//! Every generated source file opens with the same constant line.

use super::{File, Finding};
use crate::regenerate::HEADER;

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let generated =
        |file: &&File| file.path.starts_with("generated-client/src/generated/") && file.path.ends_with(".rs");
    let first_line = |file: &File| file.text().and_then(|text| text.lines().next()).unwrap_or_default().to_owned();
    let files: Vec<&File> = files.iter().filter(generated).collect();
    let constant = files.first().map(|file| first_line(file)).unwrap_or_default();
    let mut findings = Vec::new();
    for file in files {
        let line = first_line(file);
        let what = if !line.starts_with(HEADER) {
            format!("the first line is not the header `{HEADER} …`")
        } else if line != constant {
            "the header differs from that of the other files".to_owned()
        } else {
            continue;
        };
        findings.push(Finding {
            file: file.path.clone(),
            line: 1,
            rule: "generated-header",
            what,
            mend: "cargo xtask regenerate --offline; a file that is no output does not belong here",
        });
    }
    findings
}
