//! Kills, signals, full and read-only file systems: the tree is the old one or the new one.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::sha256;
use crate::support::contract::{self, Random};
use crate::support::{Run, Workspace, interrupted};

type Tree = BTreeMap<String, Vec<u8>>;

/// Many families, so that a swap has many steps.
fn large() -> String {
    let paths: Vec<String> = (0..12).map(|index| format!("/api/family{index}/items")).collect();
    contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Kills the program at random instants. The seed of a failure is in its message: set KILL_SEED to repeat it.
#[test]
#[ignore = "takes longer: .ci/run runs it"]
fn a_kill_at_any_instant_leaves_the_old_tree_or_the_new_one() {
    let seed = std::env::var("KILL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_250_517);
    let mut random = Random::new(seed);
    let workspace = Workspace::pinned();
    workspace.replace("specs/codegen.toml", "[source]\n", "[source]\nlargest_loss = 100\n");
    workspace.write("small.json", &contract::small());
    workspace.write("large.json", &large());
    settled(&workspace, "small.json");
    let start = Instant::now();
    let large = settled(&workspace, "large.json");
    let whole = start.elapsed();
    // Each state holds the report on how it came about.
    let small = settled(&workspace, "small.json");
    assert_eq!(settled(&workspace, "large.json"), large);
    assert_ne!(small, large);

    let mut seen = BTreeMap::new();
    for round in 0..50 {
        let (from, to, file) =
            if round % 2 == 0 { (&large, &small, "small.json") } else { (&small, &large, "large.json") };
        let mut child = workspace
            .command(&["regenerate", "--contract", file])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let instant = whole * u32::try_from(random.below(1000)).expect("small") / 1000;
        // The swap lasts a moment only: every other kill is aimed at it.
        if round % 4 >= 2 {
            let journal = workspace.path("specs/.regenerate/staged");
            while !journal.exists() && child.try_wait().expect("waits").is_none() {
                std::hint::spin_loop();
            }
            sleep(Duration::from_micros(random.below(12_000) as u64));
        } else {
            sleep(instant);
        }
        child.kill().expect("killed by its id");
        child.wait().expect("gone");

        let case = format!("KILL_SEED={seed}, round {round}");
        let check = workspace.run(&["regenerate", "--check"]);
        let state = match check.code {
            Some(0) => "clean",
            Some(2) => {
                assert!(check.stdout.contains("interrupted"), "{case}: {check:?}");
                workspace.run(&["regenerate", "--offline"]).succeeds(&["completed an interrupted run"]);
                workspace.run(&["regenerate", "--check"]).succeeds(&[]);
                "fixed"
            }
            _ => panic!("{case}: {check:?}"),
        };
        let tree = workspace.tree();
        assert!(tree == *from || tree == *to, "{case}: a mixture");
        let new = if tree == *to { "new" } else { "old" };
        *seen.entry(format!("{state}, {new}")).or_insert(0) += 1;
        settled(&workspace, file);
    }
    println!("{seen:?}");
}

/// The state that a kill right after the commit leaves.
#[test]
fn check_names_an_interrupted_swap_and_the_next_run_mends_it() {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    let path = "specs/client.txt";
    fs::create_dir_all(workspace.path("specs/.regenerate/staged")).expect("created");
    let after = sha256(&workspace.read(path));
    fs::rename(workspace.path(path), workspace.path("specs/.regenerate/staged/0")).expect("moved");
    workspace.write(path, "the old content\n");
    let before_that = sha256("the old content\n");
    let step = serde_json::json!({ "path": path, "before": before_that, "after": after });
    let journal = serde_json::json!({ "version": 1, "files": [step] });
    workspace.write("specs/.regenerate/journal", &journal.to_string());

    let check = workspace.run(&["regenerate", "--check"]);
    assert_eq!(check.code, Some(2));
    assert!(check.stdout.contains("interrupted") && check.stdout.contains("fix: cargo driftless regenerate --offline"));
    workspace.run(&["regenerate", "--offline"]).succeeds(&["completed an interrupted run (1 file)", "0 bytes written"]);
    assert_eq!(workspace.tree(), before);
}

/// A journal below `specs` is believed about the tool's own files only.
#[test]
fn a_planted_journal_writes_nothing_of_others_and_says_what_to_do() {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    let evil = "fn main() {}\n";
    for path in ["generated-client/build.rs", "../outside", "/tmp/outside", "specs/codegen.toml"] {
        workspace.write("specs/.regenerate/staged/0", evil);
        let step = serde_json::json!({ "path": path, "before": null, "after": sha256(evil) });
        let journal = serde_json::json!({ "version": 1, "files": [step] });
        workspace.write("specs/.regenerate/journal", &journal.to_string());
        workspace.run(&["regenerate", "--offline"]).fails(
            6,
            &["files/journal", "specs/.regenerate/journal", path, "never writes", "remove specs/.regenerate"],
        );
        assert_eq!(workspace.tree(), before, "{path}");
    }
    // The files that an earlier version of the tool left.
    workspace.write("specs/.regenerate/journal", "[{\"path\":\"specs/ledger.txt\",\"sha256\":null}]");
    workspace.run(&["regenerate", "--offline"]).fails(6, &["files/journal", "not a journal of this tool"]);
    assert_eq!(workspace.tree(), before);
    fs::remove_dir_all(workspace.path("specs/.regenerate")).expect("removed");
    workspace.run(&["regenerate", "--offline", "--overwrite"]).succeeds(&["0 bytes written"]);
}

/// A folder of the tool that is a link, wherever it leads: nothing is read, written or removed behind it.
#[test]
fn folders_that_are_links_are_named_and_not_followed() {
    for folder in [
        "specs",
        "specs/contracts",
        "specs/graphql",
        "specs/.regenerate",
        "generated-client",
        "generated-client/src",
        "generated-client/src/generated",
        "generated-client/src/generated/families",
    ] {
        let workspace = Workspace::pinned();
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        let target = elsewhere.path().join("place");
        fs::create_dir_all(workspace.path(folder)).expect("there");
        copy(&workspace.path(folder), &target);
        fs::remove_dir_all(workspace.path(folder)).expect("removed");
        std::os::unix::fs::symlink(&target, workspace.path(folder)).expect("linked");
        workspace.write("large.json", &large());
        let before = tree_of(&target);
        for arguments in [
            &["regenerate", "--contract", "large.json", "--accept-loss"][..],
            &["regenerate", "--offline", "--overwrite"],
        ] {
            let run = workspace.run(arguments);
            run.fails(6, &["files/link", &format!("{folder} is a symbolic link")]);
            assert!(tree_of(&target) == before, "{folder}, {arguments:?}");
        }
    }
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    let status = Command::new("cp").arg("-R").arg(from).arg(to).status().expect("cp runs");
    assert!(status.success());
}

fn tree_of(folder: &std::path::Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.insert(path.clone(), fs::read(&path).expect("read"));
            }
        }
    }
    files
}

/// Regenerates from a file, and gives the tree.
fn settled(workspace: &Workspace, file: &str) -> Tree {
    workspace.run(&["regenerate", "--contract", file]).succeeds(&[]);
    workspace.tree()
}

#[test]
fn a_signal_while_waiting_for_the_network_leaves_the_old_tree() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    let child = workspace
        .command(&["regenerate", "--base-url", &format!("http://{address}")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // The connection shows that the handler stands.
    let _connection = listener.accept().expect("connected");
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(status.success());
    let run: Run = child.wait_with_output().expect("ends").into();
    run.fails(130, &["interrupted", "nothing was changed"]);
    assert_eq!(workspace.tree(), before);
}

/// A contract that takes many seconds.
fn huge() -> String {
    let paths: Vec<String> = (0..12_000).map(|index| format!("/api/things/a{index}")).collect();
    contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn one_signal_ends_a_generation() {
    let workspace = Workspace::pinned();
    workspace.write("huge.json", &huge());
    let before = workspace.tree();
    let mut command = workspace.command(&["regenerate", "--contract", "huge.json", "--accept-loss"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program runs");
    interrupted(child, "generating").fails(130, &["interrupted", "nothing was changed"]);
    assert!(workspace.tree() == before, "the tree changed");
    workspace.run(&["regenerate", "--offline"]).succeeds(&["0 bytes written"]);
}

/// No folder is left, whatever its name.
#[test]
fn a_signal_leaves_nothing_of_a_new_workspace() {
    let workspace = Workspace::new();
    let paths: Vec<String> = (0..6_000).map(|index| format!("/api/others/a{index}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    workspace.write("large.json", &contract::with_paths(&paths));
    let before = workspace.tree();
    let mut command = workspace.command(&["new", "made", "--contract", "large.json"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program runs");
    interrupted(child, "generating").fails(130, &["interrupted", "nothing was changed"]);
    assert!(workspace.tree() == before, "something is left");
}

#[test]
fn a_second_run_at_the_same_time_is_kept_out() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let workspace = Workspace::pinned();
    let mut first = workspace
        .command(&["regenerate", "--base-url", &format!("http://{address}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let _connection = listener.accept().expect("connected");
    let second = workspace.run(&["regenerate", "--offline"]);
    first.kill().expect("killed by its id");
    first.wait().expect("gone");
    second.fails(5, &["files/busy", "another"]);
    workspace.run(&["regenerate", "--offline"]).succeeds(&["0 bytes written"]);
}

/// A limit on the size of files refuses a write in the middle, as a full disk does.
#[test]
fn no_space_leaves_the_old_tree() {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    workspace.write("large.json", &large());
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    let inner = workspace.command(&["regenerate", "--contract", "large.json", "--accept-loss"]);
    command.args(["-c", script]).arg(inner.get_program()).args(inner.get_args()).current_dir(workspace.root());
    let run: Run = command.output().expect("the program runs").into();
    run.fails(6, &["files/no-space", "write", "run the command again"]);
    fs::remove_file(workspace.path("large.json")).expect("removed");
    assert_eq!(workspace.tree(), before);
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);
}

#[test]
fn a_read_only_folder_leaves_the_old_tree() {
    let workspace = Workspace::pinned();
    workspace.write("large.json", &large());
    let before = workspace.tree();
    let folder = "generated-client/src/generated/families";
    let mut command = unprivileged(&workspace, &["regenerate", "--contract", "large.json", "--accept-loss"]);
    fs::set_permissions(workspace.path(folder), Permissions::from_mode(0o555)).expect("set");
    let run: Run = command.output().expect("the program runs").into();
    fs::set_permissions(workspace.path(folder), Permissions::from_mode(0o777)).expect("set");
    run.fails(6, &["files/permission", folder]);
    assert_eq!(workspace.tree(), before);
    let run: Run = command.output().expect("the program runs").into();
    run.succeeds(&[]);
}

/// Permissions do not bind the superuser: a test that runs as one lets another user run the program.
fn unprivileged(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = workspace.command(arguments);
    if fs::metadata("/proc/self").map(|metadata| metadata.uid()).is_ok_and(|user| user != 0) {
        return command;
    }
    let program = workspace.path("specs/.regenerate/program");
    // A program that this process has open for writing, or a child that another test starts meanwhile, cannot be run.
    let copied = Command::new("cp").arg(crate::PROGRAM).arg(&program).status().expect("cp runs");
    assert!(copied.success());
    let mut waiting = vec![workspace.root().to_path_buf()];
    while let Some(path) = waiting.pop() {
        fs::set_permissions(&path, Permissions::from_mode(0o777)).expect("set");
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).expect("listed").map(|entry| entry.expect("an entry").path()));
        }
    }
    command = {
        let mut other = Command::new(program);
        other.args(command.get_args()).current_dir(workspace.root());
        other
    };
    command.uid(65_534).gid(65_534);
    command
}
