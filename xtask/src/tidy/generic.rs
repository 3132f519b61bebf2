//! Generator and runtime serve any service: they do not name the one of this repository.

use super::{File, Finding};

const NAMES: [&str; 4] = ["platform", "sandbox", "compliance", "team"];

/// Crates, their items, and words of a sentence that contain a name and mean something else.
const ALLOWED: [&str; 3] = ["rustls_platform_verifier", "PlatformFailure", "service's team"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let is_generic = |file: &&File| ["codegen/src/", "runtime/src/"].iter().any(|start| file.path.starts_with(start));
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_generic(file) && file.is_product_code()) {
        let lines = file.text().unwrap_or_default().lines().enumerate();
        for (index, line) in lines.take_while(|(_, line)| !line.starts_with("mod tests {")) {
            let rest = ALLOWED.iter().fold(line.to_owned(), |line, allowed| line.replace(allowed, "")).to_lowercase();
            if let Some(name) = NAMES.iter().find(|name| rest.contains(**name)) {
                findings.push(Finding {
                    file: file.path.clone(),
                    line: index + 1,
                    rule: "generic",
                    what: format!("`{name}` in code that serves any service"),
                    fix: "make it configuration of the client, or say \"the service\"",
                });
            }
        }
    }
    findings
}
