//! Another version of the tool in a workspace. `driftless/tests/packed.sh` does the same with cargo itself and two packed versions.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Run, Workspace, contract};

/// Stands in for cargo: `update` locks the version of a file, and `run` is this version of the tool, with another name for an
/// operation, as another generator might choose it.
const CARGO: &str = r#"#!/bin/sh
set -eu
echo "$*" >> ../calls
case $1 in
    update)
        grep '^driftless = ' Cargo.toml >> ../calls
        printf '[[package]]\nname = "driftless"\nversion = "%s"\n' "$(cat ../newest)" > Cargo.lock
        ;;
    run)
        [ ! -e ../broken ] || { echo 'error: could not compile `xtask`' >&2; exit 101; }
        [ -e ../renamed ] || printf '[rename]\n"GET /health" = "is_healthy"\n' >> specs/codegen.toml
        touch ../renamed
        shift 5
        exec "$PROGRAM" "$@"
        ;;
esac
"#;

fn made() -> Workspace {
    let folder = Workspace::new();
    folder.write("contract.json", &contract::with_paths(&["/api/orders/v1", "/health"]));
    folder.run(&["new", "made", "--contract", "contract.json", "--name", "orders"]).succeeds(&[]);
    folder.write("cargo", CARGO);
    std::fs::set_permissions(folder.path("cargo"), std::fs::Permissions::from_mode(0o755)).expect("executable");
    folder.write("made/Cargo.lock", "version = 4\n");
    folder.write("newest", "9.1.0");
    folder
}

fn upgrade(folder: &Workspace, flags: &[&str]) -> Run {
    let mut command = std::process::Command::new(crate::PROGRAM);
    command.args(["--workspace", "made", "upgrade"]).args(flags).current_dir(folder.root());
    command.env("CARGO", folder.path("cargo")).env("PROGRAM", crate::PROGRAM);
    command.output().expect("the program runs").into()
}

#[test]
fn the_newest_version_is_taken_and_the_changes_are_printed() {
    let folder = made();
    let before = folder.read("made/Cargo.toml");
    let version = env!("CARGO_PKG_VERSION");
    upgrade(&folder, &[]).succeeds(&[
        &format!("version     {version} → 9.1.0"),
        "items       1 removed, 0 changed, 1 added (specs/client.txt)",
        "programs    those that use a removed or changed item may need an edit",
        "- none.list_health  GET /health",
        "+ none.is_healthy  GET /health",
        "cargo test --workspace",
    ]);
    assert_eq!(folder.read("made/Cargo.toml"), before.replace(&format!("\"={version}\""), "\"=9.1.0\""));
    assert!(folder.read("made/generated-client/src/generated/families/none.rs").contains("is_healthy"));
    let calls = folder.read("calls");
    assert!(calls.contains("update driftless driftless-codegen driftless-runtime\n"), "{calls}");
    assert!(calls.contains(&format!("driftless = \">={version}\"\n")), "{calls}");
    upgrade(&folder, &[]).succeeds(&["9.1.0: cargo finds no newer one"]);
    upgrade(&folder, &["--to", "9.0.0"]).succeeds(&["version     9.1.0 → 9.0.0", "items       unchanged"]);
}

/// The files of cargo are as they were after a failure, and a file that somebody edited is not written over.
#[test]
fn a_version_that_cannot_be_taken_leaves_the_manifest_and_the_lock() {
    let folder = made();
    let files = || [folder.read("made/Cargo.toml"), folder.read("made/Cargo.lock")];
    let before = files();
    folder.write("broken", "");
    upgrade(&folder, &[]).fails(5, &["upgrade/failed", "could not compile `xtask`", "are as they were"]);
    assert_eq!(files(), before);
    upgrade(&folder, &["--to", "nine"]).fails(5, &["upgrade/version"]);
    std::fs::remove_file(folder.path("broken")).expect("removed");

    let edited = "made/generated-client/src/generated/families/none.rs";
    folder.write(edited, &(folder.read(edited) + "// mine\n"));
    upgrade(&folder, &[]).fails(5, &["upgrade/failed"]);
    assert_eq!(files(), before);
    assert!(folder.read(edited).ends_with("// mine\n"));
}
