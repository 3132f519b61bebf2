//! `cargo xtask corpus` over a few contracts, with a client that has no dependencies.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Workspace, contract, interrupted};

const ROOT: &str = "[workspace]\nmembers = [\"generated-client\"]\n\n[workspace.package]\nedition = \"2024\"\n";
const CLIENT: &str =
    "[package]\nname = \"platform-client\"\nversion = \"0.0.0\"\nedition.workspace = true\n\n[features]\n";

fn workspace(library: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("Cargo.toml", ROOT);
    workspace.write("generated-client/Cargo.toml", CLIENT);
    workspace.write("generated-client/src/lib.rs", library);
    workspace.write("contracts/deep/good.json", &contract::small());
    workspace
}

fn rows(workspace: &Workspace) -> Vec<Value> {
    serde_json::from_str(&workspace.read("rows.json")).expect("a JSON array")
}

#[test]
fn a_contract_that_cannot_be_read_does_not_end_the_run() {
    let workspace = workspace("");
    workspace.write("contracts/broken.json", "{\"openapi\":");
    workspace.write("contracts/notes.md", "no contract");
    let run = workspace.run(&["corpus", "contracts", "--json", "rows.json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stdout.contains("2 contracts: 1 generated, 1 not; check: 1 ok, 0 failed, 1 skipped"), "{}", run.stdout);
    let rows = rows(&workspace);
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[0]["file"], &rows[0]["check"]), (&Value::from("broken.json"), &Value::from("skipped")));
    assert!(rows[0]["error"].as_str().is_some_and(|error| !error.is_empty()));
    let good = &rows[1];
    assert_eq!(good["file"], "deep/good.json");
    assert_eq!((&good["error"], &good["check"]), (&Value::Null, &Value::from("ok")));
    assert_eq!((good["operations"].as_u64(), good["typed_operations"].as_u64()), (Some(2), Some(2)));
    assert!(good["lines"].as_u64() > Some(10) && good["bytes"].as_u64() > Some(100));
    assert!(good["generate_seconds"].is_number() && good["check_seconds"].is_number());
}

#[test]
fn a_client_that_does_not_compile_is_shown_with_its_errors() {
    for (library, features) in [
        ("pub fn number() -> u8 { \"text\" }\n", "--all-features"),
        ("#[cfg(not(feature = \"things\"))]\npub fn number() -> u8 { \"text\" }\n", "--no-default-features"),
    ] {
        let workspace = workspace(library);
        let run = workspace.run(&["corpus", "contracts/deep/good.json", "--json", "rows.json"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stdout.contains(features) && run.stdout.contains("E0308"), "{}", run.stdout);
        assert_eq!(rows(&workspace)[0]["check"], "failed");
    }
}

#[test]
fn generated_crates_can_be_kept_and_checks_left_out() {
    let workspace = workspace("");
    let run = workspace.run(&["corpus", "contracts", "--no-check", "--keep", "kept", "--repeat", "3"]);
    run.succeeds(&["1 generated", "1 skipped"]);
    assert!(workspace.read("kept/deep-good.json/Cargo.toml").contains("edition = \"2024\""));
    assert!(workspace.path("kept/deep-good.json/src/generated/mod.rs").is_file());
    workspace.run(&["corpus", "contracts", "--only", "absent"]).fails(5, &["no contract here"]);
}

/// One contract after another: a contract that cannot be read, laid out or compiled is a row.
#[cfg(unix)]
#[test]
fn whatever_one_contract_does_the_run_goes_on() {
    let workspace = workspace("");
    workspace.write("contracts/empty.json", "");
    workspace.write("contracts/deep.json", &"[".repeat(200_000));
    workspace.write("contracts/odd.yaml", "a: &a [*a, *a]\n? {b: c}\n");
    // Its crate cannot be laid out: a file has the path of its folder.
    workspace.write("contracts/taken.json", &contract::small());
    workspace.write("kept/taken.json", "in the way\n");
    std::os::unix::fs::symlink(workspace.path("contracts"), workspace.path("contracts/loop")).expect("linked");
    std::os::unix::fs::symlink(workspace.path("absent"), workspace.path("contracts/dangling.json")).expect("linked");
    workspace.write("contracts/zz.json", &contract::small());
    for options in [&["--no-check", "--keep", "kept"][..], &["--keep", "kept"], &["--together"]] {
        let mut arguments = vec!["corpus", "contracts", "--json", "rows.json"];
        arguments.extend(options);
        let run = workspace.run(&arguments);
        assert_eq!(run.code, Some(2), "{run:?}");
        let rows = rows(&workspace);
        let names: Vec<&str> = rows.iter().filter_map(|row| row["file"].as_str()).collect();
        let expected =
            ["dangling.json", "deep.json", "deep/good.json", "empty.json", "odd.yaml", "taken.json", "zz.json"];
        assert_eq!(names, expected, "{options:?}");
        let failed: Vec<&str> =
            rows.iter().filter(|row| !row["error"].is_null()).filter_map(|row| row["file"].as_str()).collect();
        let mut broken = vec!["dangling.json", "deep.json", "empty.json", "odd.yaml"];
        if options.contains(&"--keep") {
            broken.push("taken.json");
        }
        assert_eq!(failed, broken, "{options:?}\n{}", run.stdout);
        assert!(run.stdout.contains("7 contracts: "), "{}", run.stdout);
    }
}

/// A contract that takes minutes.
fn huge() -> String {
    let paths: Vec<String> = (0..60_000).map(|index| format!("/api/things/a{index}")).collect();
    contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

#[cfg(unix)]
#[test]
fn one_signal_ends_a_corpus_and_the_process_that_generates() {
    let workspace = Workspace::pinned();
    workspace.write("huge.json", &huge());
    let mut command = workspace.command(&["corpus", "huge.json", "--no-check"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program runs");
    let program = child.id();
    interrupted(child, "contract").fails(130, &[]);
    // Its children were adopted by another process, or are gone.
    let left = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok).filter_map(|entry| {
        let text = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        (text.contains("corpus-one") && text.contains(&*workspace.root().to_string_lossy())).then_some(text)
    });
    assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new(), "left by {program}");
}
