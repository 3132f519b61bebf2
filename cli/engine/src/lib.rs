//! The operations of a service at the shell, and as tools for agents, from the table of operations that driftless writes.
#![deny(missing_docs)]

#[allow(dead_code, reason = "until the tree of commands has it")]
mod account;
mod failure;
mod terminal;

use std::process::ExitCode;

use driftless_runtime::codegen::GeneratedClient;

pub use failure::{Exit, Failure};
pub use terminal::Terminal;

/// A program for the operations of one service.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name at the shell.
    pub(crate) name: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
    /// The table of operations, which `regenerate` writes.
    pub(crate) table: &'static str,
}

impl Program {
    /// Describes a program.
    pub const fn new(name: &'static str, version: &'static str, table: &'static str) -> Self {
        Self { name, version, table }
    }
}

/// Runs the command that the arguments of the process name, with the client `P` of the service.
pub fn main<P: GeneratedClient>(program: Program) -> ExitCode {
    let _ = (program.name, program.version, program.table, P::VARIABLES);
    ExitCode::SUCCESS
}
