//! The README's first command compiles no library twice. This holds on one system only: others have other libraries.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The libraries that a program is compiled from, with the features that each is compiled with.
fn libraries(arguments: &[&str]) -> Vec<(String, String)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["--format", "{p}|{f}"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let line = |line: &str| {
        let (library, features) = line.trim_end_matches(" (*)").split_once('|').expect("the format");
        (library.trim_end_matches(" (proc-macro)").to_owned(), features.to_owned())
    };
    text.lines().filter(|line| !line.is_empty()).map(line).collect()
}

/// The programs of the README's first command: the second one as `stand_in` of `specs/codegen.toml` says.
const FIRST_COMMAND: [&[&str]; 2] =
    [&["--package", "xtask"], &["--package", "platform-sandbox", "--no-default-features"]];

/// Libraries that take long to compile, and that the README's first command does not need.
#[test]
fn the_first_command_compiles_no_library_in_vain() {
    const IN_VAIN: [(&str, &str); 5] = [
        ("libsqlite3-sys", "it belongs to the feature `server` of the sandbox"),
        ("async-graphql", "it belongs to the feature `server` of the sandbox"),
        ("axum", "it belongs to the feature `server` of the sandbox"),
        ("icu_properties", "cargo update -p idna_adapter --precise 1.1.0"),
        ("jsonpath-rust", "cargo update -p serde_json_bytes --precise 0.2.2"),
    ];
    for package in FIRST_COMMAND {
        let libraries = libraries(&[&["--edges", "normal,build"], package].concat());
        for (name, advice) in IN_VAIN {
            let is_it = |(library, _): &(String, String)| library.split(' ').next() == Some(name);
            assert!(!libraries.iter().any(is_it), "{package:?} compiles {name}: {advice}");
        }
    }
}

#[test]
fn the_sandbox_stands_on_what_xtask_was_compiled_from() {
    let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in FIRST_COMMAND {
        let libraries = libraries(&[&["--edges", "normal,build"], package].concat());
        assert!(libraries.len() > 100, "{package:?} stands on {} libraries", libraries.len());
        for (library, features) in libraries {
            asked.entry(library).or_default().insert(features);
        }
    }
    let twice: Vec<String> = asked
        .into_iter()
        .filter(|(_, features)| features.len() > 1)
        .map(|(library, features)| format!("{library}: {}", features.into_iter().collect::<Vec<_>>().join(" | ")))
        .collect();
    assert!(
        twice.is_empty(),
        "compiled once for each set of features; name all features in features/Cargo.toml, \
         [dependencies] and, for procedural macros, [build-dependencies]:\n{}",
        twice.join("\n")
    );
}

/// The command for one package uses what the command for all of them has compiled.
#[test]
fn the_tests_of_one_package_stand_on_what_those_of_all_were_compiled_from() {
    const PACKAGES: [&str; 8] = [
        "driftless",
        "driftless-codegen",
        "driftless-runtime",
        "driftless-sandbox",
        "platform-client",
        "platform-sandbox",
        "platform-tests",
        "xtask",
    ];
    let tests = ["--all-features", "--edges", "normal,build,dev"];
    let of_all: BTreeSet<_> = libraries(&[&tests[..], &["--workspace"]].concat()).into_iter().collect();
    let mut others = BTreeSet::new();
    for package in PACKAGES {
        for library in libraries(&[&tests[..], &["--package", package]].concat()) {
            if !of_all.contains(&library) {
                others.insert(format!("{package}: {} | {}", library.0, library.1));
            }
        }
    }
    let others: Vec<String> = others.into_iter().collect();
    assert!(
        others.is_empty(),
        "compiled anew for one package; name all features in features/Cargo.toml, for its feature `tests`:\n{}",
        others.join("\n")
    );
}

/// `cargo xtask sandbox`, which tests of driftless run, too.
#[test]
fn the_whole_sandbox_is_the_one_that_the_tests_have_compiled() {
    let of_tests: BTreeSet<_> =
        libraries(&["--all-features", "--edges", "normal,build,dev", "--workspace"]).into_iter().collect();
    let of_sandbox = libraries(&["--edges", "normal,build", "--package", "platform-sandbox"]);
    assert!(of_sandbox.iter().any(|(library, _)| library.starts_with("async-graphql ")), "it is whole");
    let others: Vec<_> = of_sandbox.into_iter().filter(|library| !of_tests.contains(library)).collect();
    assert!(
        others.is_empty(),
        "compiled anew; name all features in features/Cargo.toml, for its feature `tests`:\n{others:?}"
    );
}

/// The generator is the largest library: the README's second command uses the one that the first has compiled.
#[test]
fn the_tests_stand_on_the_generator_that_xtask_was_compiled_from() {
    let names: BTreeSet<_> = libraries(&["--edges", "normal,build", "--package", "driftless-codegen"])
        .into_iter()
        .map(|(library, _)| library)
        .collect();
    let of_generator = |arguments: &[&str]| -> BTreeSet<_> {
        libraries(arguments).into_iter().filter(|(library, _)| names.contains(library)).collect()
    };
    let of_xtask = of_generator(&["--edges", "normal,build", "--package", "xtask"]);
    let of_tests = of_generator(&["--all-features", "--edges", "normal,build,dev", "--workspace"]);
    let others: Vec<_> = of_xtask.difference(&of_tests).collect();
    assert!(
        others.is_empty(),
        "compiled anew for the tests, and the generator with them; name all features in features/Cargo.toml:\n{others:?}"
    );
}
