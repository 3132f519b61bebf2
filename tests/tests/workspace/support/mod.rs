//! What the tests share: clients of a sandbox, a server that keeps what it is sent, and the programs of the workspace.

#[cfg(contract = "sandbox")]
mod caller;
mod programs;
#[cfg(contract = "sandbox")]
mod recorder;

use std::path::{Path, PathBuf};

#[cfg(contract = "sandbox")]
pub(crate) use caller::{builder, client, component, sandbox, secret_files, variables};
pub(crate) use programs::{Programs, Run, cargo};
#[cfg(contract = "sandbox")]
pub(crate) use recorder::{Recorder, Reply, exchange, requested};

/// The top of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// A file of the workspace.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
