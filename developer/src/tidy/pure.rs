//! The generator is bytes in, files out: no network, no clock, no environment, no files.

use super::{File, Finding, product_lines};

const WORLD: [&str; 7] = ["std::env", "std::fs", "std::net", "std::process", "std::time", "SystemTime", "Instant::now"];

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
                    fix: "take the value as an argument; driftless is the one that reads and writes",
                });
            }
        }
    }
    findings
}
