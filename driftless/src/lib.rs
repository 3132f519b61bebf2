//! Keeps a typed Rust client in step with a service whose contract it does not control: the commands of `cargo xtask`.
//!
//! A workspace has a package `xtask` of one line, and so the version of the tool is that of its `Cargo.lock`:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     driftless::main()
//! }
//! ```
//!
//! The program `cargo driftless` has the same commands.
#![deny(missing_docs)]

mod adopt;
mod asked;
#[doc(hidden)]
pub mod bounded;
mod check;
#[doc(hidden)]
pub mod child;
mod comparison;
#[doc(hidden)]
pub mod console;
mod drift;
#[doc(hidden)]
pub mod failure;
#[doc(hidden)]
pub mod features;
#[doc(hidden)]
pub mod flags;
#[doc(hidden)]
pub mod interrupt;
mod lock;
mod names;
mod regenerate;
mod review;
mod sandbox;
mod schema;
mod settings;
mod source;
mod transaction;
mod tree;
#[doc(hidden)]
pub mod workspace;

use std::process::ExitCode;

use clap::Parser as _;

pub use crate::failure::Failure;
pub use crate::review::{NotAccepted, Review};

/// Runs the command that the arguments of the program name, and gives its exit code.
pub fn main() -> ExitCode {
    // `cargo driftless …` starts `cargo-driftless driftless …`.
    let arguments: Vec<_> = std::env::args_os().collect();
    let is_cargo = arguments.get(1).is_some_and(|first| first == "driftless");
    let arguments = arguments.into_iter().enumerate().filter(|(index, _)| !(is_cargo && *index == 1));
    let flags = flags::Flags::try_parse_from(arguments.map(|(_, argument)| argument));
    develop::ended(flags, |flags| develop::run(flags.workspace, flags.command))
}

/// For the commands of this tool's own developers. It may change with every version.
#[doc(hidden)]
pub mod develop {
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;

    use clap::error::ErrorKind;
    use driftless_codegen::{Reserved, Setup};

    /// The name of a document that the configuration does not name.
    pub const DEFAULT_NAME: &str = crate::source::DEFAULT_NAME;

    use crate::console;
    use crate::failure::{Exit, Failure};
    use crate::flags::Command;
    use crate::workspace::Workspace;

    /// Runs a command, and prints why it failed.
    pub fn ended<F>(flags: Result<F, clap::Error>, run: impl FnOnce(F) -> Result<ExitCode, Failure>) -> ExitCode {
        let flags = match flags {
            Ok(flags) => flags,
            Err(error) => {
                // A write to a closed terminal has nowhere to be reported.
                let _ = error.print();
                return match error.kind() {
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                    _ => Exit::Configuration.into(),
                };
            }
        };
        match run(flags) {
            Ok(code) => code,
            Err(failure) => {
                console::failure(&failure.to_string());
                failure.exit.into()
            }
        }
    }

    /// Runs a command of the tool.
    pub fn run(workspace: Option<PathBuf>, command: Command) -> Result<ExitCode, Failure> {
        let workspace = || Workspace::find(workspace);
        match command {
            Command::Regenerate(flags) if flags.check => crate::check::run(&workspace()?),
            Command::Regenerate(flags) => crate::regenerate::run(&workspace()?, &flags),
            Command::Adopt(flags) => crate::adopt::run(&workspace()?, &flags),
            Command::Sandbox(flags) => crate::sandbox::run(&flags),
            Command::Drift(flags) => crate::drift::run(&workspace()?, &flags),
        }
    }

    /// Names that the client of a workspace takes for itself.
    pub fn reserved(workspace: &Workspace) -> Result<Reserved, Failure> {
        crate::regenerate::reserved(workspace)
    }

    /// The configuration of a workspace.
    pub fn setup(workspace: &Workspace) -> Result<Setup, Failure> {
        Ok(crate::settings::Settings::read(workspace)?.codegen)
    }

    /// The configuration that a contract brings along in its own folder. `None`: it brings none.
    pub fn setup_beside(contract: &Path) -> Result<Option<Setup>, Failure> {
        Ok(crate::settings::Settings::beside(contract)?.map(|settings| settings.codegen))
    }
}
