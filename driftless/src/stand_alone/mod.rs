//! Lays out a client crate with other generated sources, outside the workspace.

mod manifest;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::features;
use crate::workspace::{CLIENT_MANIFEST, Workspace};

/// A file name for a contract.
pub fn slug(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' }).collect()
}

/// Checks that the client's features fit into a manifest.
pub fn fits(workspace: &Workspace, features: &str) -> Result<(), Failure> {
    features::replace(&text(workspace, CLIENT_MANIFEST)?, features).map(drop)
}

/// Writes the crate into a folder and removes the former sources. `features` is the block of its manifest.
pub fn lay_out(
    workspace: &Workspace,
    folder: &Path,
    files: &BTreeMap<String, String>,
    features: &str,
) -> Result<(), Failure> {
    let sources = folder.join("src");
    match fs::remove_dir_all(&sources) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::file("remove", &sources, &error));
        }
        _ => {}
    }
    for path in workspace.files_below("generated-client/src")? {
        let relative = path.trim_start_matches("generated-client/");
        if !relative.starts_with("src/generated/") {
            write(&folder.join(relative), &workspace.read(&path)?.unwrap_or_default())?;
        }
    }
    for (name, text) in files {
        write(&sources.join("generated").join(name), text.as_bytes())?;
    }
    let client = text(workspace, CLIENT_MANIFEST)?;
    let client = features::replace(&client, features)?;
    let manifest = manifest::stand_alone(&client, &text(workspace, "Cargo.toml")?, workspace.root())?;
    write(&folder.join("Cargo.toml"), manifest.as_bytes())?;
    if let Some(lock) = workspace.read("Cargo.lock")?.filter(|_| !folder.join("Cargo.lock").exists()) {
        write(&folder.join("Cargo.lock"), &lock)?;
    }
    Ok(())
}

/// The manifest of a package outside the workspace: the values that it inherits are written out.
///
/// # Errors
///
/// A manifest cannot be read.
pub fn inherited(workspace: &Workspace, manifest: &str) -> Result<String, Failure> {
    manifest::stand_alone(manifest, &text(workspace, "Cargo.toml")?, workspace.root())
}

fn text(workspace: &Workspace, path: &str) -> Result<String, Failure> {
    let bytes = workspace.read(path)?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
    }
    fs::write(path, content).map_err(|error| Failure::file("write", path, &error))
}
