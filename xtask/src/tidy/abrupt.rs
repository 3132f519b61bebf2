//! No way to end abruptly outside tests.

use super::{File, Finding, product_lines};

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
                    mend: "return an error value with a code, a place and a hint",
                });
            }
        }
    }
    findings
}

/// Whether the way stands in the code as a word of its own.
fn stands_in(code: &str, way: &str) -> bool {
    code.match_indices(way).any(|(index, _)| {
        let before = code.get(..index).and_then(|text| text.chars().next_back());
        way.starts_with('.') || !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

/// A line without comments and without the inside of its strings; enough for text that rustfmt has laid out.
fn outside_strings(line: &str) -> String {
    let mut kept = String::new();
    let mut letters = line.chars().peekable();
    let mut inside = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if inside => {
                letters.next();
            }
            '\'' if !inside && letters.peek() == Some(&'"') => {
                letters.next();
                letters.next();
            }
            '"' => inside = !inside,
            '/' if !inside && letters.peek() == Some(&'/') => break,
            _ if !inside => kept.push(letter),
            _ => {}
        }
    }
    kept
}
