//! The crates of the tool in a workspace that has no registry for them.

use std::fs::{self, File};
use std::path::Path;

use flate2::read::GzDecoder;

use crate::failure::Failure;

/// The crates that a workspace depends on, below each other.
const CRATES: [&str; 3] = ["driftless", "driftless-codegen", "driftless-runtime"];

/// Those crates, and that of a program for the shell.
pub(super) fn crates(cli: bool) -> impl Iterator<Item = &'static str> {
    CRATES.into_iter().chain(cli.then_some("driftless-cli"))
}

/// Unpacks `NAME-VERSION.crate` of a folder into `vendor`.
pub(super) fn unpack(packed: &Path, workspace: &Path, cli: bool) -> Result<(), Failure> {
    let vendor = workspace.join("vendor");
    fs::create_dir_all(&vendor).map_err(|error| Failure::file("create", &vendor, &error))?;
    for name in crates(cli) {
        let folder = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let path = packed.join(format!("{folder}.crate"));
        let file = File::open(&path).map_err(|error| {
            Failure::configuration(
                "new/vendored",
                format!("{} cannot be opened: {error}", path.display()),
                "name the folder that `cargo package` writes the crates of this version into: target/package",
            )
        })?;
        // It writes below the folder only, whatever paths the archive names.
        let unpacked = tar::Archive::new(GzDecoder::new(file)).unpack(&vendor);
        unpacked.map_err(|error| Failure::file("unpack", &path, &error))?;
        let manifest = vendor.join(&folder).join("Cargo.toml");
        if !manifest.is_file() {
            return Err(Failure::configuration(
                "new/vendored",
                format!("{} holds no {folder}/Cargo.toml", path.display()),
                "pack the crate anew: cargo package",
            ));
        }
    }
    Ok(())
}
