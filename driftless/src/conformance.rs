//! `conformance`: a program of its own, so that the tool does not bring its judge along.

use std::process::{Command, ExitCode};

use crate::child;
use crate::failure::Failure;
use crate::flags;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, flags: &flags::Conformance) -> Result<ExitCode, Failure> {
    let name = format!("cargo-driftless-conformance{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok().map(|own| own.with_file_name(&name)).filter(|path| path.is_file());
    let mut command = Command::new(own.unwrap_or_else(|| name.into()));
    command.arg("--workspace").arg(workspace.root()).args(&flags.flags);
    child::become_of(&mut command).map_err(|error| {
        Failure::configuration(
            "conformance/start",
            format!("the program cargo-driftless-conformance does not start: {error}"),
            "install it: cargo install driftless-conformance",
        )
    })
}
