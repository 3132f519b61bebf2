//! The largest contract or schema that is read, from any source.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::console::size;
use crate::failure::{Exit, Failure};

/// The most that is read, in bytes.
pub const LIMIT: usize = 64 * 1024 * 1024;

/// A file up to the first byte beyond what a contract may have: it may be a pipe or a device that never ends.
pub fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The failure for a place that holds more than a contract may have.
pub fn too_large(source: &str) -> Failure {
    Failure::new(
        Exit::Contract,
        "contract/too-large",
        format!("{source} holds more than {}", size(LIMIT)),
        "check that it is the place of the contract",
    )
}
