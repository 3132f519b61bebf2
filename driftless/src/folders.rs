//! The contracts of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Name and path of every contract: files as they are named, and those below a folder. Sorted by name.
///
/// # Errors
///
/// A path does not exist, or a folder cannot be listed.
pub fn contracts(paths: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut contracts = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, path, &mut contracts)?;
        } else {
            fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            contracts.push((name, path.clone()));
        }
    }
    contracts.sort();
    Ok(contracts)
}

fn walk(root: &Path, folder: &Path, contracts: &mut Vec<(String, PathBuf)>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file("list", folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // A link to a folder could lead back to one of its parents.
        let folder = entry.file_type().map_err(failed)?.is_dir();
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
        if folder {
            walk(root, &path, contracts)?;
        } else if !path.is_dir() && ["json", "yaml", "yml"].contains(&kind.as_str()) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            contracts.push((name, path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Exit;

    #[test]
    fn contracts_are_found_at_any_depth() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("deep/er")).expect("created");
        for name in ["b.JSON", "deep/er/a.yaml", "deep/c.yml", "notes.md"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let named = contracts(&[folder.path().to_path_buf()]).expect("listed");
        let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b.JSON", "deep/c.yml", "deep/er/a.yaml"]);
        assert_eq!(contracts(&[folder.path().join("absent.json")]).expect_err("absent").exit, Exit::Files);
    }
}
