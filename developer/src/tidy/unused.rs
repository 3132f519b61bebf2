//! The code of a member names each of its dependencies, unless the dependency is there for its features.

use toml::Table;

use super::members::dependency_keys;
use super::{File, Finding};

/// The member without code, and its package.
const FEATURES: (&str, &str) = ("features/", "platform-features");

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in files.iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let Some((member, text)) = manifest.path.strip_suffix("Cargo.toml").zip(manifest.text()) else { continue };
        let Ok(table) = toml::from_str::<Table>(text) else { continue };
        let code: Vec<&str> = files
            .iter()
            .filter(|file| file.path.ends_with(".rs") && file.path.starts_with(member))
            .filter_map(File::text)
            .collect();
        if code.is_empty() || member == FEATURES.0 {
            continue;
        }
        for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for name in dependency_keys(&table, key) {
                let word = name.replace('-', "_");
                if name != FEATURES.1 && !code.iter().any(|text| names(text, &word)) {
                    findings.push(Finding {
                        file: manifest.path.clone(),
                        line: text.lines().position(|line| line.starts_with(&name)).map_or(1, |index| index + 1),
                        rule: "unused-dependency",
                        what: format!("no code of {} names {name}", member.trim_end_matches('/')),
                        fix: "take the dependency out",
                    });
                }
            }
        }
    }
    findings
}

/// Returns whether a text holds a word as a name of its own.
fn names(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}
