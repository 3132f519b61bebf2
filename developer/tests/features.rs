//! The README's first command compiles no library twice. This holds on one system only: others have other libraries.

use std::collections::{BTreeMap, BTreeSet};

/// Libraries, each with the features that it is compiled with.
type Libraries = BTreeSet<(String, String)>;

/// The libraries that are linked into a program; and all that it is compiled from. Cargo keeps the features apart that procedural macros
/// and build scripts enable.
fn libraries(kinds: &str, arguments: &[&str]) -> [Libraries; 2] {
    ["no-proc-macro", "build"].map(|more| tree(&format!("{kinds},{more}"), arguments))
}

fn tree(edges: &str, arguments: &[&str]) -> Libraries {
    let output = driftless::child::cargo()
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["--format", "{p}|{f}", "--edges", edges])
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
    const IN_VAIN: [(&str, &str); 6] = [
        ("libsqlite3-sys", "it belongs to the feature `server` of the sandbox"),
        ("async-graphql", "it belongs to the feature `server` of the sandbox"),
        ("axum", "it belongs to the feature `server` of the sandbox"),
        ("jsonschema", "the engine belongs to the feature `server` of the sandbox"),
        ("icu_properties", "cargo update -p idna_adapter --precise 1.1.0"),
        ("jsonpath-rust", "cargo update -p serde_json_bytes --precise 0.2.2"),
    ];
    for package in FIRST_COMMAND {
        let libraries = tree("normal,build", package);
        for (name, advice) in IN_VAIN {
            let is_it = |(library, _): &(String, String)| library.split(' ').next() == Some(name);
            assert!(!libraries.iter().any(is_it), "{package:?} compiles {name}: {advice}");
        }
    }
}

#[test]
fn shared_features_add_no_library_to_xtask() {
    let names = |more: &[&str]| -> BTreeSet<String> {
        let all = tree("normal,build", &[&["--package", "xtask"], more].concat());
        all.into_iter().map(|(library, _)| library).filter(|name| !name.starts_with("platform-features ")).collect()
    };
    let (all, needed) = (names(&[]), names(&["--prune", "platform-features"]));
    assert!(needed.len() > 100, "xtask stands on {} libraries", needed.len());
    let others: Vec<&String> = all.difference(&needed).collect();
    assert!(others.is_empty(), "make them optional in features/Cargo.toml, for its feature `tests`: {others:?}");
}

#[test]
fn the_sandbox_stands_on_what_xtask_was_compiled_from() {
    let mut asked: BTreeMap<(bool, String), BTreeSet<String>> = BTreeMap::new();
    for package in FIRST_COMMAND {
        let [linked, all] = libraries("normal", package);
        assert!(linked.len() > 100, "{package:?} stands on {} libraries", linked.len());
        for library in all {
            let is_linked = linked.contains(&library);
            asked.entry((is_linked, library.0)).or_default().insert(library.1);
        }
    }
    let twice: Vec<String> = asked
        .into_iter()
        .filter(|(_, features)| features.len() > 1)
        .map(|((_, library), features)| format!("{library}: {}", features.into_iter().collect::<Vec<_>>().join(" | ")))
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
    const PACKAGES: [&str; 10] = [
        "developer",
        "driftless",
        "driftless-cli",
        "driftless-codegen",
        "driftless-runtime",
        "driftless-sandbox",
        "platform-client",
        "platform-sandbox",
        "platform-tests",
        "xtask",
    ];
    let of_all = libraries("normal,dev", &["--all-features", "--workspace"]);
    let mut others = BTreeSet::new();
    for package in PACKAGES {
        let of_package = libraries("normal,dev", &["--all-features", "--package", package]);
        for (mine, all) in of_package.iter().zip(&of_all) {
            others.extend(mine.difference(all).map(|(name, features)| format!("{package}: {name} | {features}")));
        }
    }
    let others: Vec<String> = others.into_iter().collect();
    assert!(
        others.is_empty(),
        "compiled anew for one package; name all features in features/Cargo.toml, for its feature `tests`:\n{}",
        others.join("\n")
    );
}

/// The README's second command leaves out the tests of the tool. Those use what it has compiled.
#[test]
fn the_second_command_stands_on_what_all_tests_are_compiled_from() {
    let of_all = libraries("normal,dev", &["--all-features", "--workspace"]);
    let of_second = libraries("normal,dev", &["--all-features", "--manifest-path", "../Cargo.toml"]);
    assert!(
        of_second[0].iter().any(|(library, _)| library.starts_with("platform-cli ")),
        "it has the client's program"
    );
    assert!(!of_second[0].iter().any(|(library, _)| library.starts_with("progenitor ")), "it compiles no judge");
    let others: Vec<_> = of_second.iter().zip(&of_all).flat_map(|(mine, all)| mine.difference(all)).collect();
    assert!(
        others.is_empty(),
        "compiled again for all tests; name all features in features/Cargo.toml, for its feature `tests`:\n{others:?}"
    );
}

/// `cargo xtask sandbox`, which tests of driftless run, too.
#[test]
fn the_whole_sandbox_is_the_one_that_the_tests_have_compiled() {
    let of_tests = libraries("normal,dev", &["--all-features", "--workspace"]);
    let of_sandbox = libraries("normal", &["--package", "platform-sandbox"]);
    assert!(of_sandbox[0].iter().any(|(library, _)| library.starts_with("async-graphql ")), "it is whole");
    let others: Vec<_> = of_sandbox.iter().zip(&of_tests).flat_map(|(mine, all)| mine.difference(all)).collect();
    assert!(
        others.is_empty(),
        "compiled anew; name all features in features/Cargo.toml, for its feature `tests`:\n{others:?}"
    );
}

/// The generator is the largest library: the README's second command uses the one that the first has compiled.
#[test]
fn the_tests_stand_on_the_generator_that_xtask_was_compiled_from() {
    let names: BTreeSet<_> =
        tree("normal,build", &["--package", "driftless-codegen"]).into_iter().map(|(library, _)| library).collect();
    let of_xtask = libraries("normal", &["--package", "xtask"]);
    let of_tests = libraries("normal,dev", &["--all-features", "--workspace"]);
    let others: Vec<_> = of_xtask
        .iter()
        .zip(&of_tests)
        .flat_map(|(mine, all)| mine.difference(all).filter(|(name, _)| names.contains(name)))
        .collect();
    assert!(
        others.is_empty(),
        "compiled anew for the tests, and the generator with them; name all features in features/Cargo.toml:\n{others:?}"
    );
}
