//! The generator is bytes in, files out: no network, no clock, no environment, no files. And a cargo that a test or a program starts has
//! no variable of the cargo that runs it.

use super::{File, Finding, product_lines};

const WORLD: [&str; 7] = ["std::env", "std::fs", "std::net", "std::process", "std::time", "SystemTime", "Instant::now"];

/// The functions that start cargo without these variables, and this rule with its test.
const STARTS: [&str; 4] =
    ["driftless/src/child.rs", "tests/support/programs.rs", "xtask/src/tidy/pure.rs", "xtask/src/tidy/tests.rs"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sources = files.iter().filter(|file| file.path.starts_with("codegen/src/") && file.is_product_code());
    for file in sources {
        for (line, text) in product_lines(file.text().unwrap_or_default()) {
            let code = super::outside_strings(text);
            if let Some(part) = WORLD.iter().find(|part| code.contains(**part)) {
                findings.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "pure-generator",
                    what: format!("`{part}` in the generator"),
                    fix: "take the value as an argument; xtask is the one that reads and writes",
                });
            }
        }
    }
    findings
}

/// Build scripts such as that of `ring` run anew if `CARGO_PKG_NAME` has changed, and what depends on them is compiled again, twice: the
/// command after the test does not have the variable.
pub(super) fn cargo(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sources = files.iter().filter(|file| file.path.ends_with(".rs") && !STARTS.contains(&file.path.as_str()));
    for file in sources {
        for (index, text) in file.text().unwrap_or_default().lines().enumerate() {
            if text.contains("(\"CARGO\")") {
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
