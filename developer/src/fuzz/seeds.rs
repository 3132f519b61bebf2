//! The contracts that are mutated: the cases of the generator's tests, and contracts of other services if they are
//! available.

use std::fs;
use std::path::Path;

use driftless::develop;
use driftless_codegen::{Setup, load};
use serde_json::Value;

use crate::corpus;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// Folder of the cases, relative to the workspace.
const CASES: &str = "codegen/tests/cases";

/// A contract that can be read, with its configuration.
#[derive(Debug)]
pub(super) struct Seed {
    pub(super) name: String,
    /// The bytes of the file.
    pub(super) bytes: Vec<u8>,
    pub(super) tree: Value,
    /// Text of its own `codegen.toml`.
    pub(super) configuration: String,
    pub(super) setup: Setup,
}

/// All seeds, sorted by name; none is larger than `largest` bytes.
pub(super) fn read(workspace: &Workspace, contracts: Option<&Path>, largest: usize) -> Result<Vec<Seed>, Failure> {
    let mut seeds = Vec::new();
    let reserved = develop::reserved(workspace)?;
    let cases = workspace.path(CASES);
    for folder in [cases.is_dir().then_some(cases.as_path()), contracts].into_iter().flatten() {
        for (name, path) in corpus::contracts(&[folder.to_owned()], None)? {
            let bytes = fs::read(&path).map_err(|error| Failure::file("read", &path, &error))?;
            if bytes.len() > largest {
                continue;
            }
            // A file that cannot be read is not a seed.
            let Ok(loaded) = load::load("platform", &bytes) else { continue };
            let own = path.with_file_name("codegen.toml");
            let configuration = fs::read_to_string(own).unwrap_or_default();
            let own = develop::setup_beside(&path)?.unwrap_or_default();
            let setup = Setup { reserved: reserved.clone(), ..own };
            seeds.push(Seed { name, bytes, tree: loaded.tree, configuration, setup });
        }
    }
    seeds.sort_by(|one, other| one.name.cmp(&other.name));
    if seeds.is_empty() {
        return Err(Failure::configuration(
            "fuzz/no-contracts",
            format!("neither {CASES} nor --contracts holds a contract of at most {largest} bytes"),
            "name a folder with contracts by --contracts, or allow larger ones by --largest",
        ));
    }
    Ok(seeds)
}
