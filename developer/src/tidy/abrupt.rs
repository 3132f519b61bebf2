//! Product code does not panic.

use super::{File, Finding, outside_strings, product_lines};

const WAYS: [&str; 7] =
    [".unwrap()", ".unwrap_err()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unreachable!("];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_product_code()) {
        for (line, text) in product_lines(file.text().unwrap_or_default()) {
            let code = outside_strings(text);
            for way in WAYS.iter().filter(|way| stands_in(&code, way)) {
                findings.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "abrupt-end",
                    what: format!("`{way}` outside tests", way = way.trim_matches(['.', '('])),
                    fix: "return an error value with a code, a place and a hint",
                });
            }
        }
    }
    findings
}

/// Returns whether the code contains this macro or method as a word of its own.
fn stands_in(code: &str, way: &str) -> bool {
    code.match_indices(way).any(|(index, _)| {
        let before = code.get(..index).and_then(|text| text.chars().next_back());
        way.starts_with('.') || !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}
