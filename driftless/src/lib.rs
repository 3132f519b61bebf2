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

#[doc(hidden)]
pub mod approvals;
mod asked;
#[doc(hidden)]
pub mod bounded;
mod check;
#[doc(hidden)]
pub mod child;
mod comparison;
mod conformance;
#[doc(hidden)]
pub mod console;
mod drift;
#[doc(hidden)]
pub mod failure;
#[doc(hidden)]
pub mod features;
mod files;
#[doc(hidden)]
pub mod flags;
#[doc(hidden)]
pub mod folders;
mod inputs;
#[doc(hidden)]
pub mod interrupt;
mod lock;
mod names;
mod new;
#[doc(hidden)]
pub mod place;
mod program;
mod regenerate;
mod review;
mod sandbox;
#[doc(hidden)]
pub mod sarif;
mod schema;
mod serving;
mod settings;
mod source;
#[doc(hidden)]
pub mod stand_alone;
mod suggestions;
mod transaction;
mod tree;
mod upgrade;
#[doc(hidden)]
pub mod workspace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

pub use crate::failure::Failure;
pub use crate::review::{NotAccepted, Review};

/// Runs the command that the arguments of the program name, and gives its exit code.
pub fn main() -> ExitCode {
    // `cargo driftless …` starts `cargo-driftless driftless …`.
    let arguments: Vec<_> = std::env::args_os().collect();
    let is_cargo = arguments.get(1).is_some_and(|first| first == "driftless");
    let arguments = arguments.into_iter().enumerate().filter(|(index, _)| !(is_cargo && *index == 1));
    program::start(std::env::args_os().next().as_deref());
    let command = program::renamed(flags::Flags::command());
    let matches = command.try_get_matches_from(arguments.map(|(_, argument)| argument));
    let flags = matches.and_then(|matches| flags::Flags::from_arg_matches(&matches));
    develop::ended(flags, |flags| develop::run(&flags.scope, flags.command))
}

/// The folders of a workspace that hold a service: the folder itself, and those that `add` made.
///
/// # Errors
///
/// The folder cannot be listed.
pub fn services(workspace: impl AsRef<Path>) -> Result<Vec<PathBuf>, Failure> {
    let top = workspace.as_ref();
    let failed = |error: std::io::Error| Failure::file("list", top, &error);
    let top = top.canonicalize().map_err(failed)?;
    let mut folders = vec![top.clone()];
    for entry in std::fs::read_dir(&top).map_err(failed)? {
        folders.push(entry.map_err(failed)?.path());
    }
    folders.retain(|folder| folder.join(workspace::CONFIGURATION).is_file());
    folders.sort();
    Ok(folders)
}

/// For the commands of this tool's own developers. It may change with every version.
#[doc(hidden)]
pub mod develop {
    use std::path::Path;
    use std::process::ExitCode;

    use clap::error::ErrorKind;
    use driftless_codegen::{Names, Reserved, Setup};

    /// The name of a document that the configuration does not name.
    pub const DEFAULT_NAME: &str = crate::settings::DEFAULT_NAME;

    use crate::console;
    use crate::failure::{Exit, Failure};
    use crate::files::Files;
    use crate::flags::{Command, DriftCommand, OneService, Scope, Services};
    use crate::inputs::Inputs;
    pub use crate::source::{Bounds, LiveService, SecretHeader, ServiceAnswer};
    use crate::workspace::{CONFIGURATION, Workspace};

    /// Runs a command, and prints why it failed.
    pub fn ended<F: Send>(
        flags: Result<F, clap::Error>,
        run: impl FnOnce(F) -> Result<ExitCode, Failure> + Send,
    ) -> ExitCode {
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
        let no_thread = |error: std::io::Error| {
            let message = format!("no thread with a stack of 256 MiB can be started: {error}");
            Failure::new(
                Exit::Files,
                "files/thread",
                message,
                "raise the limits of processes and of virtual memory (`ulimit -u`, `ulimit -v`)",
            )
        };
        match driftless_codegen::room(|| run(flags)).map_err(no_thread).flatten() {
            Ok(code) => code,
            Err(failure) => {
                console::failure(&failure.to_string());
                failure.exit.into()
            }
        }
    }

    /// Runs a command of the tool.
    pub fn run(scope: &Scope, command: Command) -> Result<ExitCode, Failure> {
        match command {
            Command::New(flags) => without_service(scope, "new").and_then(|()| crate::new::new(&flags)),
            Command::Add(flags) => {
                without_service(scope, "add").and_then(|()| crate::new::add(top(scope)?.root(), &flags))
            }
            Command::Upgrade(flags) => {
                without_service(scope, "upgrade").and_then(|()| crate::upgrade::run(&top(scope)?, &flags))
            }
            Command::Sandbox(flags) => {
                one(scope, &flags.one, "sandbox", |workspace| crate::serving::run(workspace, &flags))
            }
            Command::Conformance(flags) => {
                one(scope, &flags.one, "conformance", |workspace| crate::conformance::run(workspace, &flags))
            }
            Command::Regenerate(flags) => each(scope, &flags.services, |workspace| match flags.check {
                true => crate::check::run(workspace),
                false => crate::regenerate::run(workspace, &flags),
            }),
            Command::Drift(flags) => match &flags.command {
                Some(DriftCommand::Explain { .. }) => {
                    without_service(scope, "drift explain").and_then(|()| crate::drift::run(&top(scope)?, &flags))
                }
                Some(DriftCommand::Accept(accept)) => {
                    one(scope, &accept.one, "drift accept", |workspace| crate::drift::run(workspace, &flags))
                }
                None => each(scope, &flags.services, |workspace| crate::drift::run(workspace, &flags)),
            },
        }
    }

    /// Refuses flags before the name of a command that works on no service.
    fn without_service(scope: &Scope, command: &str) -> Result<(), Failure> {
        let flag = match scope {
            Scope { all: true, .. } => "all",
            Scope { service: Some(_), .. } => "service",
            _ => return Ok(()),
        };
        let code = if flag == "all" { "flags/all" } else { "flags/service" };
        Err(Failure::configuration(code, format!("--{flag} is not for `{command}`"), "leave the flag out"))
    }

    /// Runs a command for the service that the flags before or behind its name choose.
    fn one(
        scope: &Scope,
        flags: &OneService,
        command: &str,
        run: impl FnOnce(&Workspace) -> Result<ExitCode, Failure>,
    ) -> Result<ExitCode, Failure> {
        without_service(&Scope { service: None, ..scope.clone() }, command)?;
        run(&workspace(&behind(scope, &flags.service, false)?)?)
    }

    /// The flags before the name of a command, or else those behind it.
    fn behind(scope: &Scope, service: &Option<String>, all: bool) -> Result<Scope, Failure> {
        let (before, after) = (scope.all || scope.service.is_some(), all || service.is_some());
        if before && after {
            let message = "the service is named before the command and behind it";
            return Err(Failure::configuration("flags/service", message, "name it behind the command"));
        }
        let scope = scope.clone();
        Ok(if after { Scope { service: service.clone(), all, ..scope } } else { scope })
    }

    /// The workspace of the service that the flags name.
    pub fn workspace(scope: &Scope) -> Result<Workspace, Failure> {
        let Some(service) = &scope.service else { return top(scope) };
        let top = top(scope)?;
        let folder = crate::services(top.root())?.into_iter().find(|folder| *folder == top.root().join(service));
        let folder = folder.ok_or_else(|| {
            Failure::configuration(
                "flags/service",
                format!("the workspace has no service {service:?}"),
                format!("name a folder with {CONFIGURATION}, or make one: cargo xtask add {service} --base-url URL"),
            )
        })?;
        Workspace::find(Some(folder))
    }

    fn top(scope: &Scope) -> Result<Workspace, Failure> {
        Workspace::find(scope.workspace.clone())
    }

    /// Runs a command for the service that the flags name, or for all: the first exit code that is not 0 counts.
    fn each(
        scope: &Scope,
        flags: &Services,
        run: impl Fn(&Workspace) -> Result<ExitCode, Failure>,
    ) -> Result<ExitCode, Failure> {
        let scope = behind(scope, &flags.one.service, flags.all)?;
        if !scope.all {
            return run(&workspace(&scope)?);
        }
        let top = top(&scope)?;
        let mut code = None;
        for folder in crate::services(top.root())? {
            let name = folder.strip_prefix(top.root()).ok().and_then(Path::to_str).filter(|name| !name.is_empty());
            console::progress(&format!("== {}", name.unwrap_or("the service at the top")));
            let outcome = run(&Workspace::find(Some(folder))?).unwrap_or_else(|failure| {
                console::failure(&failure.to_string());
                failure.exit.into()
            });
            if outcome != ExitCode::SUCCESS {
                code.get_or_insert(outcome);
            }
        }
        Ok(code.unwrap_or(ExitCode::SUCCESS))
    }

    /// The inputs of a client's generation.
    #[derive(Debug, Default)]
    pub struct Sources {
        /// Contracts, each with its name.
        pub contracts: Vec<(String, Vec<u8>)>,
        pub setup: Setup,
        pub names: Names,
    }

    /// The pinned contracts of a workspace, its configuration and its names.
    pub fn pinned(workspace: &Workspace) -> Result<Sources, Failure> {
        let inputs = Inputs::read(workspace)?;
        let (files, lock) = (&inputs.files, inputs.lock.readable()?);
        let pins = crate::regenerate::pinned(files, lock, false)?;
        let reserved = crate::regenerate::reserved(files)?;
        let mut setup = Setup { reserved, ..inputs.settings.codegen.clone() };
        setup.graphql.schema = crate::schema::pinned(files, lock, false)?;
        Ok(Sources {
            contracts: pins.into_iter().map(|pin| (pin.entry.name, pin.canonical.as_bytes().to_vec())).collect(),
            setup,
            names: crate::regenerate::names(files)?,
        })
    }

    /// The day, as `YYYY-MM-DD` in UTC.
    pub fn today() -> String {
        crate::inputs::today()
    }

    /// Names that the client of a workspace takes for itself.
    pub fn reserved(workspace: &Workspace) -> Result<Reserved, Failure> {
        crate::regenerate::reserved(&Files::read(workspace)?)
    }

    /// The configuration of a workspace.
    pub fn setup(workspace: &Workspace) -> Result<Setup, Failure> {
        Ok(crate::settings::Settings::from_files(&Files::read(workspace)?)?.codegen)
    }

    /// The configuration that a contract brings along in its own folder. `None`: it brings none.
    pub fn setup_beside(contract: &Path) -> Result<Option<Setup>, Failure> {
        Ok(crate::settings::Settings::beside(contract)?.map(|settings| settings.codegen))
    }
}
