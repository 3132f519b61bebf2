//! Files that are written, kept, refused and named as stale.

use std::collections::BTreeMap;
use std::fs;

use crate::sha256;
use crate::support::{CONFIGURATION, Workspace, contract};

const LOCK: &str = "specs/codegen.lock";
const NAMES: &str = "specs/names.lock";
const BLOCK: &str = "generated-client/Cargo.toml#features";

/// SHA-256 of every output that the lock lists.
fn hashes(workspace: &Workspace) -> BTreeMap<String, String> {
    let lock: toml::Table = workspace.read(LOCK).parse().expect("TOML");
    let paths = lock["outputs"].as_array().expect("a list").iter().filter_map(toml::Value::as_str);
    let content = |path: &str| match path == BLOCK {
        true => {
            let manifest = workspace.read("generated-client/Cargo.toml");
            let block = manifest.split_once("# <generated features>\n").expect("a mark").1;
            block.split_once("# </generated features>").expect("a mark").0.to_owned()
        }
        false => workspace.read(path),
    };
    paths.map(|path| (path.to_owned(), sha256(&content(path)))).collect()
}

fn digest(hashes: &BTreeMap<String, String>) -> String {
    sha256(&hashes.iter().map(|(path, hash)| format!("{path} {hash}\n")).collect::<String>())
}

fn some_source(workspace: &Workspace) -> String {
    workspace.generated().into_iter().find(|path| path.ends_with("things.rs")).expect("a family's file")
}

#[test]
fn a_run_writes_the_client_and_a_second_run_writes_nothing() {
    let workspace = Workspace::pinned();
    let client = workspace.generated();
    assert!(client.contains(&"generated-client/src/generated/mod.rs".to_owned()), "{client:?}");
    assert!(workspace.read("generated-client/Cargo.toml").contains("\nthings = ["));
    assert!(workspace.read("specs/client.txt").contains("/api/things"));
    let (tree, times) = (workspace.tree(), workspace.times());
    for arguments in [&["regenerate", "--contract", "contract.json"][..], &["regenerate", "--offline"]] {
        workspace.run(arguments).succeeds(&["0 bytes written", "unchanged"]);
        assert_eq!((workspace.tree(), workspace.times()), (tree.clone(), times.clone()), "{arguments:?}");
    }
    workspace.run(&["regenerate", "--check"]).succeeds(&["up to date"]);
}

#[test]
fn only_what_changed_is_written_and_going_back_restores_every_byte() {
    let workspace = Workspace::pinned();
    let (tree, times) = (workspace.tree(), workspace.times());
    workspace.pin(&contract::with_paths(&["/api/things", "/api/others"]));
    let written = workspace.times();
    assert!(workspace.generated().iter().any(|path| path.ends_with("others.rs")));
    assert_eq!(written["generated-client/src/lib.rs"], times["generated-client/src/lib.rs"]);
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);

    let run = workspace.pin(&contract::small());
    assert!(run.stdout.contains(" removed"), "{run:?}");
    let mut back = workspace.tree();
    let report = back.remove("specs/drift.md").expect("the report on the way back");
    assert!(String::from_utf8_lossy(&report).contains("/api/others` is gone"));
    assert!(back == tree, "{:?}", back.keys().collect::<Vec<_>>());
}

#[test]
fn the_order_of_keys_changes_no_byte() {
    let document = contract::with_paths(&["/api/things", "/api/others"]);
    let workspace = Workspace::new();
    workspace.pin(&document);
    let expected = workspace.tree();
    for seed in 1..=8 {
        let shuffled = contract::shuffled(&document, seed);
        assert_ne!(shuffled, document);
        workspace.write("contract.json", &shuffled);
        workspace.run(&["regenerate", "--contract", "contract.json"]).succeeds(&["0 bytes written"]);
        let fresh = Workspace::new();
        fresh.pin(&shuffled);
        let mut tree = fresh.tree();
        // The lock records the received bytes; everything that follows from them is the same.
        for path in ["contract.json", LOCK] {
            tree.insert(path.to_owned(), expected[path].clone());
        }
        assert_eq!(tree, expected, "seed {seed}");
    }
}

#[test]
fn a_hand_edit_is_refused_by_name_with_the_way_out() {
    let workspace = Workspace::pinned();
    let tree = workspace.tree();
    let source = some_source(&workspace);
    for path in [source.as_str(), "specs/client.txt", "specs/contracts/service.json"] {
        let text = workspace.read(path);
        workspace.write(path, &format!("{text}\n"));
        let edited = workspace.tree();
        for source in [&["regenerate", "--contract", "contract.json"][..], &["regenerate", "--offline"]] {
            workspace.run(source).fails(2, &[path, &format!("git checkout -- {path}"), "nothing was written"]);
            assert_eq!(workspace.tree(), edited);
        }
        workspace.write(path, &text);
    }
    workspace.replace("generated-client/Cargo.toml", "things = [", "things = [ ");
    workspace.run(&["regenerate", "--offline"]).fails(2, &[BLOCK, "git checkout -- generated-client/Cargo.toml"]);
    workspace.run(&["regenerate", "--offline", "--overwrite"]).succeeds(&["1 file, 0 removed"]);
    assert_eq!(workspace.tree(), tree);
}

#[test]
fn a_removed_family_that_was_edited_is_not_removed() {
    let workspace = Workspace::new();
    workspace.pin(&contract::with_paths(&["/api/things", "/api/others"]));
    let path = workspace.generated().into_iter().find(|path| path.ends_with("others.rs")).expect("a family's file");
    workspace.write(&path, "// mine\n");
    workspace.write("contract.json", &contract::small());
    workspace.run(&["regenerate", "--contract", "contract.json"]).fails(2, &[&path]);
    assert_eq!(workspace.read(&path), "// mine\n");
}

#[test]
fn an_unlisted_file_is_refused_and_a_missing_one_is_rewritten() {
    let workspace = Workspace::pinned();
    let tree = workspace.tree();
    let stray = "generated-client/src/generated/stray.rs";
    workspace.write(stray, "// mine\n");
    workspace.run(&["regenerate", "--offline"]).fails(2, &[stray, "unlisted", "move"]);
    workspace.run(&["regenerate", "--offline", "--overwrite"]).fails(2, &[stray]);
    fs::remove_file(workspace.path(stray)).expect("removed");

    let source = some_source(&workspace);
    fs::remove_file(workspace.path(&source)).expect("removed");
    workspace.run(&["regenerate", "--offline"]).succeeds(&["1 file, 0 removed"]);
    assert_eq!(workspace.tree(), tree);
}

#[test]
fn check_lists_every_stale_file_with_its_cause_and_writes_nothing() {
    let workspace = Workspace::pinned();
    let source = some_source(&workspace);
    let text = workspace.read(&source);
    workspace.write(&source, &format!("{text}// mine\n"));
    workspace.write("generated-client/src/generated/stray.rs", "// mine\n");
    fs::remove_file(workspace.path("specs/ledger.txt")).expect("removed");
    fs::remove_dir_all(workspace.path("specs/.regenerate")).expect("removed");
    let (tree, times) = (workspace.tree(), workspace.times());

    let run = workspace.run(&["regenerate", "--check"]);
    let expected = format!(
        "{source}: hand edit\n  fix: git checkout -- {source}\n\
         generated-client/src/generated/stray.rs: unlisted: the lock does not know it\n  \
         fix: mv generated-client/src/generated/stray.rs generated-client/src/\n\
         specs/ledger.txt: missing\n  fix: cargo driftless regenerate --offline\n"
    );
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), expected.as_str()));
    assert_eq!((workspace.tree(), workspace.times()), (tree, times));
    assert!(!workspace.path("specs/.regenerate").exists());
}

#[test]
fn check_names_the_input_that_changed() {
    let workspace = Workspace::pinned();
    let source = some_source(&workspace);
    workspace.replace("specs/codegen.toml", "name = \"things\"", "name = \"stuff\"");
    let run = workspace.run(&["regenerate", "--check"]);
    assert_eq!(run.code, Some(2));
    for line in
        [format!("{source}: configuration"), format!("{LOCK}: configuration"), format!("{BLOCK}: configuration")]
    {
        assert!(run.stdout.contains(&line), "{line}\n{}", run.stdout);
    }
    workspace.run(&["regenerate", "--offline"]).succeeds(&["removed"]);
    assert!(!workspace.path(&source).exists());
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);

    // The output of an earlier version of the generator, from the same inputs.
    let source = source.replace("things.rs", "stuff.rs");
    let before = digest(&hashes(&workspace));
    let text = workspace.read(&source);
    workspace.write(&source, &format!("{text}// Of an earlier version.\n"));
    workspace.replace(LOCK, &before, &digest(&hashes(&workspace)));
    let run = workspace.run(&["regenerate", "--check"]);
    assert_eq!(run.code, Some(2));
    let fix = "  fix: cargo driftless regenerate --offline\n";
    assert_eq!(run.stdout, format!("{source}: generator\n{fix}{LOCK}: generator\n{fix}"));
}

#[test]
fn check_tells_an_edited_pin_and_a_missing_one() {
    let workspace = Workspace::pinned();
    let path = "specs/contracts/service.json";
    let text = workspace.read(path);
    workspace.write(path, &text.replace("\"v1\"", "\"v2\""));
    let run = workspace.run(&["regenerate", "--check"]);
    assert_eq!((run.code, run.stdout), (Some(2), format!("{path}: hand edit\n  fix: git checkout -- {path}\n")));
    fs::remove_file(workspace.path(path)).expect("removed");
    let run = workspace.run(&["regenerate", "--check"]);
    assert_eq!((run.code, run.stdout), (Some(2), format!("{path}: missing\n  fix: git checkout -- {path}\n")));
    workspace.run(&["regenerate", "--offline"]).fails(2, &[path, "git checkout", "cargo driftless regenerate"]);
}

#[test]
fn an_edited_pin_can_be_taken_as_it_is() {
    let workspace = Workspace::pinned();
    let path = "specs/contracts/service.json";
    let text = workspace.read(path);
    workspace.write(path, &text.replace("\"v1\"", "\"v2\""));
    workspace.run(&["regenerate", "--offline", "--overwrite"]).succeeds(&["changed"]);
    assert!(workspace.read(LOCK).contains("contract_version = \"v2\""));
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);
}

#[test]
fn a_lock_in_conflict_says_what_to_do_and_offline_does_it() {
    let workspace = Workspace::pinned();
    let tree = workspace.tree();
    let lock = workspace.read(LOCK);
    workspace.write(LOCK, &format!("<<<<<<< HEAD\n{lock}=======\nversion = 2\n>>>>>>> other\n"));
    let advice = "take one side of all generated files, run `cargo driftless regenerate --offline --overwrite`";
    workspace.run(&["regenerate", "--contract", "contract.json"]).fails(5, &[advice]);
    workspace.run(&["regenerate", "--check"]).fails(5, &[advice]);
    workspace.run(&["regenerate", "--offline"]).succeeds(&["written anew"]);
    let mut fixed = workspace.tree();
    // A lost lock loses nothing but the source of the contract.
    fixed.insert(LOCK.to_owned(), tree[LOCK].clone());
    assert_eq!(fixed, tree);
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);
}

#[test]
fn a_lock_that_cannot_be_read_is_named_with_its_line() {
    let workspace = Workspace::pinned();
    workspace.replace(LOCK, "version = 3\n", "version = 3\ncolour = \"red\"\n");
    workspace.run(&["regenerate", "--check"]).fails(5, &["colour", "line 3", "--offline"]);
    workspace.replace(LOCK, "version = 3\ncolour = \"red\"\n", "version = 99\n");
    let before = workspace.tree();
    for arguments in [&["--check"][..], &["--offline"], &["--contract", "contract.json", "--overwrite"]] {
        let run = workspace.run(&[&["regenerate"], arguments].concat());
        run.fails(5, &["lock/version", "version 99", "regenerate --offline --overwrite"]);
    }
    assert_eq!(workspace.tree(), before);
    workspace.run(&["regenerate", "--offline", "--overwrite"]).succeeds(&["written anew"]);
}

#[test]
fn a_lock_that_lists_a_file_of_others_is_refused() {
    let workspace = Workspace::pinned();
    let lock = workspace.read(LOCK);
    workspace.write("mine.txt", "");
    for path in ["mine.txt", "specs/contracts/../../mine.txt", "generated-client/src/lib.rs"] {
        let listed = lock.replace("outputs = [\n", &format!("outputs = [\n    {path:?},\n"));
        workspace.write(LOCK, &listed);
        workspace.run(&["regenerate", "--contract", "contract.json"]).fails(5, &[path, "lock/invalid"]);
    }
    workspace.write(LOCK, &lock.replace("name = \"service\"", "name = \"../platform\""));
    workspace.run(&["regenerate", "--contract", "contract.json"]).fails(5, &["../platform"]);
    assert!(workspace.path("mine.txt").is_file());
}

#[test]
fn a_hand_edit_is_told_from_a_changed_contract() {
    let workspace = Workspace::pinned();
    let path = "specs/client.txt";
    let text = workspace.read(path);
    workspace.write(path, &format!("{text}\n"));
    workspace.write("contract.json", &contract::with_paths(&["/api/things", "/api/others"]));
    let run = workspace.run(&["regenerate", "--contract", "contract.json"]);
    run.fails(2, &[path]);
    assert!(!run.stderr.contains("mod.rs") && !run.stderr.contains("ledger"), "{run:?}");
}

#[test]
fn a_contract_in_conflict_is_no_contract() {
    let workspace = Workspace::pinned();
    let path = "specs/contracts/service.json";
    let text = workspace.read(path);
    workspace.write(path, &format!("<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n"));
    workspace.run(&["regenerate", "--offline"]).fails(5, &[path, "take one side of all generated files"]);
}

#[test]
fn locked_fails_when_the_source_is_another() {
    let workspace = Workspace::pinned();
    let tree = workspace.tree();
    workspace.run(&["regenerate", "--contract", "contract.json", "--locked"]).succeeds(&["0 bytes written"]);
    workspace.write("other.json", &contract::with_paths(&["/api/others"]));
    workspace.run(&["regenerate", "--contract", "other.json", "--locked"]).fails(2, &["service", "--locked"]);
    fs::remove_file(workspace.path("other.json")).expect("removed");
    assert_eq!(workspace.tree(), tree);
}

#[test]
fn a_broken_part_of_a_contract_is_named_and_the_rest_is_generated() {
    let workspace = Workspace::new();
    let document = contract::with_paths(&["/api/things", "/api/others"]).replacen(
        "\"#/components/schemas/Thing\"",
        "\"#/components/schemas/Absent\"",
        1,
    );
    let run = workspace.pin(&document);
    let pointer = "/paths/~1api~1things/get";
    assert!(run.stdout.contains(pointer), "{}", run.stdout);
    assert!(workspace.read("specs/ledger.txt").contains(pointer));
    assert!(workspace.generated().iter().any(|path| path.ends_with("others.rs")));
}

#[test]
fn the_lock_holds_no_path_of_this_machine() {
    let workspace = Workspace::new();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let file = elsewhere.path().join("contract.json");
    fs::write(&file, contract::small()).expect("written");
    workspace.run(&["regenerate", "--contract", &file.to_string_lossy()]).succeeds(&[]);
    let lock = workspace.read(LOCK);
    assert!(lock.contains("source = \"contract.json\"\n"), "{lock}");
    for (path, content) in workspace.tree() {
        let text = String::from_utf8_lossy(&content).into_owned();
        assert!(!text.contains(&*elsewhere.path().to_string_lossy()), "{path}");
        assert!(!text.contains(&*workspace.root().to_string_lossy()), "{path}");
    }
}

#[test]
fn mistakes_of_configuration_and_command_line_have_their_own_exit_code() {
    let workspace = Workspace::pinned();
    workspace.write("specs/codegen.toml", &format!("{CONFIGURATION}\ncolour = 'red'\n"));
    let line = CONFIGURATION.lines().count() + 2;
    workspace.run(&["regenerate", "--offline"]).fails(5, &[&format!("specs/codegen.toml:{line}:"), "colour"]);
    workspace.run(&["regenerate", "--colour"]).fails(5, &["--colour"]);
    workspace.run(&["regenerate", "--check", "--base-url", "https://platform.invalid"]).fails(5, &["--check"]);
    workspace.run(&["regenerate", "--contract", "absent.json"]).fails(5, &["specs/codegen.toml"]);
    workspace.write("specs/codegen.toml", CONFIGURATION);
    workspace.run(&["regenerate", "--contract", "absent.json"]).fails(5, &["absent.json"]);
    Workspace::new().run(&["regenerate", "--offline"]).fails(5, &["no contract is pinned"]);
    workspace.run(&["--help"]).succeeds(&["regenerate", "Exit codes"]);
}

#[test]
fn with_nothing_configured_the_sandbox_serves_the_whole_job() {
    let workspace = Workspace::new();
    workspace.run(&["regenerate"]).succeeds(&["starting the sandbox", "getting a token", "service from sandbox"]);
    assert!(workspace.read(LOCK).contains("source = \"sandbox\"\n"));
    assert!(!workspace.read(LOCK).contains("127.0.0.1"));
    let (tree, times) = (workspace.tree(), workspace.times());
    workspace.run(&["regenerate"]).succeeds(&["0 bytes written"]);
    assert_eq!((workspace.tree(), workspace.times()), (tree, times));
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);
}

/// Another style of names: once, and the run says it.
#[test]
fn another_style_renames_operations_once() {
    let workspace = Workspace::pinned();
    let before = workspace.read("specs/client.txt");
    assert!(before.contains("things.list_things "), "{before}");
    let configuration = workspace.read("specs/codegen.toml");
    workspace.write("specs/codegen.toml", &(configuration + "\n[style]\nversion = 2\n"));
    workspace
        .run(&["regenerate", "--offline"])
        .succeeds(&["style       2 operations", "things.list_things → things.list\n"]);
    assert!(workspace.read(NAMES).contains("\nstyle operations = 2\n"));
    let again = workspace.run(&["regenerate", "--offline"]);
    again.succeeds(&["0 bytes written"]);
    assert!(!again.stderr.contains("style "), "{again:?}");
    // Names of another format are not read: the error names the commands, and they work.
    let tree = workspace.tree();
    workspace.replace(NAMES, "style arguments = 2\n", "");
    for command in [&["regenerate", "--check"][..], &["regenerate", "--offline", "--overwrite"]] {
        workspace.run(command).fails(5, &["names/version", "git checkout", "regenerate --offline --overwrite"]);
    }
    fs::remove_file(workspace.path(NAMES)).expect("removed");
    workspace.run(&["regenerate", "--offline", "--overwrite"]).succeeds(&[]);
    assert_eq!(workspace.tree(), tree);
}

/// An identifier with a type of its own, and without: each run says which places changed, once, and whoever reads the configuration
/// sees that nothing on the wire did.
#[test]
fn an_identifier_changes_types_and_nothing_else() {
    let workspace = Workspace::pinned();
    let plain = workspace.read("specs/codegen.toml");
    let entry = "\n[[id]]\nname = \"ThingId\"\nmembers = [\"Thing.id\", \"Thing.parentId\"]\n";
    workspace.write("specs/codegen.toml", &(plain.clone() + entry));
    workspace.run(&["regenerate", "--offline"]).succeeds(&[
        "id          1 place has another type in Rust",
        "the wire is as it was",
        "  service#/components/schemas/Thing.id → ThingId\n",
        "\"Thing.parentId\"",
    ]);
    assert!(workspace.read(NAMES).contains("\nid service#/components/schemas/Thing.id = ThingId\n"));
    assert!(workspace.read("specs/client.txt").contains("types::ThingId"));
    let again = workspace.run(&["regenerate", "--offline"]);
    again.succeeds(&["0 bytes written"]);
    assert!(!again.stderr.contains("id    "), "{again:?}");
    workspace.write("specs/codegen.toml", &plain);
    workspace.run(&["regenerate", "--offline"]).succeeds(&["Thing.id → the type of the contract\n"]);
    assert!(!workspace.read(NAMES).contains("ThingId"));
    workspace.write("specs/codegen.toml", &(plain + "\n[[id]]\nname = \"ThingId\"\nmembers = [\"Nothing.id\"]\n"));
    workspace.run(&["regenerate", "--offline"]).fails(5, &["id/unmatched", "specs/codegen.toml", "remove the [[id]]"]);
}
