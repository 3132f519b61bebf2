//! No absolute path of one machine.

use super::{File, Finding};

/// Folders that name a machine or a user, as the first part of a path.
const FOLDERS: [&str; 6] = ["/home/", "/Users/", "/root/", "/work/", "C:\\Users\\", "C:/Users/"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| !is_input(file)) {
        for (index, line) in file.text().unwrap_or_default().lines().enumerate() {
            if let Some(folder) = FOLDERS.iter().find(|folder| starts_path(line, folder)) {
                findings.push(Finding {
                    file: file.path.clone(),
                    line: index + 1,
                    rule: "machine-path",
                    what: format!("an absolute path below {folder}"),
                    fix: "write the path relative to the workspace, or take it from an argument",
                });
            }
        }
    }
    findings
}

/// Files that may contain such paths: this rule and its tests, contracts of other services and the output generated
/// from them.
fn is_input(file: &File) -> bool {
    file.path == "developer/src/tidy/paths.rs"
        || file.path == "developer/src/tidy/tests.rs"
        || file.is_generated()
        || file.path.split('/').any(|part| part == "cases" || part == "snapshots")
}

fn starts_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(index, _)| {
        let before = line.get(..index).and_then(|text| text.chars().next_back());
        // Inside a URL or a longer path it is only a part.
        !before.is_some_and(|letter| letter.is_alphanumeric() || "_.-/}*:~{".contains(letter))
    })
}
