//! A cargo that a test or a program starts has no variable of the cargo that runs it.
//!
//! Build scripts such as that of `ring` run anew if `CARGO_PKG_NAME` changes: once for the test, and once more for the next command. All that
//! depends on them is compiled again.

use super::{File, Finding};

/// The functions that start cargo without these variables, and this rule with its test.
const STARTS: [&str; 4] = [
    "driftless/src/child.rs",
    "tests/support/programs.rs",
    "developer/src/tidy/nested.rs",
    "developer/src/tidy/tests.rs",
];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sources = files.iter().filter(|file| file.path.ends_with(".rs") && !STARTS.contains(&file.path.as_str()));
    for file in sources {
        for (index, text) in file.text().unwrap_or_default().lines().enumerate() {
            if text.contains("(\"CARGO\")") || text.contains("Command::new(\"cargo\")") {
                findings.push(Finding {
                    file: file.path.clone(),
                    line: index + 1,
                    rule: "nested-cargo",
                    what: "cargo is started with the variables of this test or program".to_owned(),
                    fix: "start it by `driftless::child::cargo`",
                });
            }
        }
    }
    findings
}
