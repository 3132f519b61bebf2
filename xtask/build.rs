//! Computes the hash of the generator, so that a stale output can name the generator as its cause.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

/// Locked dependencies whose versions decide what the generator writes.
const DEPENDENCIES: [&str; 10] = [
    "apollo-compiler",
    "heck",
    "openapiv3",
    "prettyplease",
    "progenitor",
    "progenitor-impl",
    "serde_yaml",
    "syn",
    "typify",
    "typify-impl",
];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = here.parent().map(Path::to_path_buf).unwrap_or_default();
    let sources = root.join("codegen").join("src");
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-changed={}", lock.display());

    let mut files = Vec::new();
    collect(&sources, &sources, &mut files)?;
    files.sort();

    let mut hash = Sha256::new();
    for (name, path) in &files {
        hash.update(format!("{name}\n"));
        hash.update(meaningful(&fs::read_to_string(path)?));
    }
    hash.update(versions(&fs::read_to_string(&lock).unwrap_or_default()));
    let digest = hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    println!("cargo::rustc-env=GENERATOR_HASH={digest}");
    Ok(())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() {
            if name != "tests" {
                collect(root, &path, files)?;
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && !name.ends_with("_tests.rs") {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((relative, path));
        }
    }
    Ok(())
}

/// Comments, blank lines and indentation change no output.
fn meaningful(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

fn versions(lock: &str) -> String {
    let mut found = Vec::new();
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"')) else { continue };
        if DEPENDENCIES.contains(&name) {
            found.push(format!("{name} {}\n", lines.next().unwrap_or_default()));
        }
    }
    found.sort();
    found.concat()
}
