//! The scripts of a console, as this crate's tests and those of the platform's sandbox check them.

use std::collections::BTreeMap;

/// Fails if a script imports a name that the other script does not export: a browser would run neither.
pub(crate) fn assert_imports(scripts: &BTreeMap<String, String>) {
    let mut count = 0;
    for (name, text) in scripts {
        for (names, rest) in text.split("import {").skip(1).filter_map(|rest| rest.split_once("} from \"./")) {
            let from = rest.split('"').next().unwrap();
            for wanted in names.split(',').filter_map(|name| name.split_whitespace().next()) {
                assert!(exports(&scripts[from], wanted), "{name}: {from} does not export {wanted}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

fn exports(script: &str, name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    script.lines().filter_map(|line| line.strip_prefix("export ")).any(|line| {
        let mut words = line.split(|letter| !is_letter(letter)).filter(|word| !["", "async"].contains(word));
        if line.starts_with('{') { words.any(|word| word == name) } else { words.nth(1) == Some(name) }
    })
}
