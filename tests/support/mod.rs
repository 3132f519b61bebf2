//! Shared parts of the tests: clients of a sandbox, a server that records its requests, and the programs of the workspace.

mod caller;
#[cfg(has = "support/component")]
mod component;
mod programs;
mod recorder;

use std::path::{Path, PathBuf};

use driftless_codegen::{ClientNames, Config, Setup};

pub(crate) use caller::{builder, client, sandbox, secret_files, variables};
#[cfg(has = "support/component")]
pub(crate) use component::{component, deploying};
pub(crate) use programs::{Programs, Run, cargo};
pub(crate) use recorder::{Recorded, Recorder, Reply, exchange, requested};

/// The top of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// A file of the workspace.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The configuration of a client of another contract, which is called as the client of this workspace.
pub(crate) fn setup() -> Setup {
    let client = ClientNames {
        package: "platform-client".to_owned(),
        name: "Platform".to_owned(),
        variables: "PLATFORM_".to_owned(),
    };
    Setup::from(Config { client, ..Config::default() })
}
