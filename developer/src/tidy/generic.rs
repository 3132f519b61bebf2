//! Published code serves any service: it does not name the one of this repository.

use super::{File, Finding};

const NAMES: [&str; 3] = ["platform", "compliance", "team"];

/// A word for one part of this repository, which generator and runtime do not know.
const PART: &str = "sandbox";

/// Crates, their items, and words of a sentence that contain a name and mean something else.
const ALLOWED: [&str; 4] = ["rustls_platform_verifier", "PlatformFailure", "service's team", "agreed with the team"];

/// Folders of published code, with whether they may name `PART`.
const FOLDERS: [(&str, bool); 8] = [
    ("cli/engine/src/", true),
    ("codegen/src/", false),
    ("conformance/src/", true),
    ("driftless/src/", true),
    ("runtime/src/", false),
    ("sandbox/control/src/", true),
    ("sandbox/engine/src/", true),
    ("sandbox/issuer/src/", true),
];

/// Languages of published files beside Rust: pages and their scripts, and documents of interfaces.
const LANGUAGES: [&str; 6] = [".css", ".html", ".js", ".ts", ".yaml", ".yml"];

/// Returns whether people wrote the file, and programs of any service use it.
fn is_published(file: &File) -> bool {
    let is_page = LANGUAGES.iter().any(|language| file.path.ends_with(language));
    file.is_product_code() || is_page && !file.is_generated() && !file.is_test()
}

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_published(file)) {
        let Some((_, may)) = FOLDERS.iter().find(|(folder, _)| file.path.starts_with(folder)) else { continue };
        let names = || NAMES.iter().chain((!may).then_some(&PART));
        let lines = file.text().unwrap_or_default().lines().enumerate();
        for (index, line) in lines.take_while(|(_, line)| !line.starts_with("mod tests {")) {
            let rest = ALLOWED.iter().fold(line.to_owned(), |line, allowed| line.replace(allowed, "")).to_lowercase();
            if let Some(name) = names().find(|name| rest.contains(**name)) {
                findings.push(Finding {
                    file: file.path.clone(),
                    line: index + 1,
                    rule: "generic",
                    what: format!("`{name}` in code that serves any service"),
                    fix: "make it configuration of the client or data of the sandbox, or say \"the service\"",
                });
            }
        }
    }
    findings
}
