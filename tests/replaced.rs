//! Another contract in place of the platform's: the workspace compiles without a change by hand, and the way back restores
//! every byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Programs, Run, cargo, root};

/// A contract that shares nothing with the platform's, for where the large one is not at hand.
const SMALL: &str = r##"{"openapi":"3.0.1","info":{"title":"Pets","version":"1"},"paths":{"/pets/{id}":{"get":{"tags":["Pet"],
"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer","format":"int32"}}],
"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}}}},
"components":{"schemas":{"Pet":{"type":"object","properties":{"name":{"type":"string"}}}}}}"##;

/// Radarr's contract: 238 operations of another service.
const LARGE: &str = "../shared/contracts/dotnet/Radarr+Radarr__src_Radarr.Api.V3_openapi.json";

/// The files of a workspace by path, without what tools keep for themselves.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if ["target", ".git", ".regenerate"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// What differs, by name, with the first line that does: the bytes would be too much to read.
fn differing(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for name in before.keys().chain(after.keys()) {
        let (old, new) = (before.get(name), after.get(name));
        if old == new {
            continue;
        }
        let text = |bytes: Option<&Vec<u8>>| String::from_utf8_lossy(bytes.map_or(&[][..], Vec::as_slice)).into_owned();
        let (old, new) = (text(old), text(new));
        let line = new.lines().zip(old.lines()).find(|(new, old)| new != old).map(|(new, _)| new.to_owned());
        found.insert(name.clone(), line.unwrap_or_default());
    }
    found
}

fn regenerate(workspace: &Path, arguments: &[&str]) {
    let mut command = Programs::get().command("xtask");
    command.arg("--workspace").arg(workspace).arg("regenerate").args(arguments);
    let run = Run::from(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

#[test]
#[ignore = "compiles a copy of the workspace: .ci/run runs it"]
fn another_contract_needs_no_change_by_hand() {
    let large = root().join(LARGE);
    let folder = tempfile::tempdir().unwrap();
    let contract = if large.is_file() { large } else { folder.path().join("pets.json") };
    if contract.starts_with(folder.path()) {
        println!("{LARGE} is not there: a small contract takes its place");
        fs::write(&contract, SMALL).unwrap();
    }
    // The same place each time, so that the dependencies that were compiled there count; and a place of its own, because
    // cargo takes members of two copies of a workspace for one another.
    let place = Programs::get().target().join("replaced-contract");
    let copy = place.join("workspace");
    if copy.exists() {
        fs::remove_dir_all(&copy).unwrap();
    }
    let before = files(&root());
    for (name, bytes) in &before {
        let path = copy.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    regenerate(&copy, &["--contract", contract.to_str().unwrap()]);
    let replaced = files(&copy);
    let changed = differing(&before, &replaced);
    let machine = |path: &Path| {
        path.starts_with("specs")
            || path.starts_with("generated-client/src/generated")
            || path == Path::new("generated-client/Cargo.toml")
    };
    assert!(changed.len() > 10 && changed.keys().all(|path| machine(path)), "{changed:?}");

    for arguments in [
        &["check", "--locked", "--workspace", "--all-targets", "--all-features"][..],
        &["check", "--locked", "-p", "platform-client", "--no-default-features"],
    ] {
        let mut command = cargo(arguments);
        command.current_dir(&copy).env("CARGO_TARGET_DIR", place.join("target"));
        let run = Run::from(command.output().unwrap());
        assert_eq!(run.code, Some(0), "{arguments:?}\n{}", run.stderr);
    }

    regenerate(&copy, &["--sandbox"]);
    let different = differing(&before, &files(&copy));
    assert!(
        different.is_empty(),
        "the way back restores every byte, but for {different:?}\n\
         what is checked in is not what the sandbox serves now: run `cargo xtask regenerate --sandbox`; where only the hash of the \
         download differs, remove specs/codegen.lock first"
    );
    fs::remove_dir_all(&copy).unwrap();
}
