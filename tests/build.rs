//! Says which contract is pinned: tests that name operations of the platform are built for the sandbox's contract only.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Lines of the lock without which no test can be built: the documented operations and their Rust names.
const NEEDED: [&str; 3] = [
    "operation GET /api/projects/v1/projects = projects.list_projects",
    "operation GET /api/projects/v1/projects/{project_id} = projects.get_project",
    "operation POST /api/projects/v1/projects = projects.create_project",
];

/// The sandbox marks where its operations come from. A deployment does not.
const MARK: &str = "\"x-provenance\"";

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let specs = here.parent().map(Path::to_path_buf).unwrap_or_default().join("specs");
    let (names, contracts) = (specs.join("names.lock"), specs.join("contracts"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", names.display());
    println!("cargo::rerun-if-changed={}", contracts.display());
    println!("cargo::rustc-check-cfg=cfg(contract, values(\"sandbox\"))");
    let names = fs::read_to_string(names).unwrap_or_default();
    if NEEDED.iter().all(|needed| names.lines().any(|line| line == *needed)) && is_marked(&contracts)? {
        println!("cargo::rustc-cfg=contract=\"sandbox\"");
    } else {
        println!(
            "cargo::warning=the pinned contract is not the sandbox's: tests that name its operations are left out"
        );
    }
    Ok(())
}

fn is_marked(contracts: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(contracts)? {
        if fs::read_to_string(entry?.path())?.contains(MARK) {
            return Ok(true);
        }
    }
    Ok(false)
}
