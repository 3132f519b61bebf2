//! The operations of a service at the shell, and as tools for agents, from the table of operations that driftless writes.
//!
//! A program is a `main` of one call. `cargo driftless regenerate` writes the table if the workspace has a folder `cli`:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     let program = driftless_cli::Program::new("service", env!("CARGO_PKG_VERSION"), include_str!("operations.table"));
//!     driftless_cli::main::<service_client::Service>(program)
//! }
//! ```
//!
//! It sends through the runtime of generated clients: tokens, retries, limits and errors are theirs.
#![deny(missing_docs)]

mod account;
mod answer;
mod arguments;
mod checked;
mod command;
mod context;
mod curl;
mod describe;
mod failure;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;
mod names;
mod output;
mod raw;
mod run;
mod save;
#[doc(hidden)]
pub mod schema;
mod send;
mod shell;
mod table;
mod terminal;
#[cfg(feature = "mcp")]
mod tools;
#[cfg(feature = "operations")]
mod work;

use std::ffi::OsString;
use std::ops::Deref;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use driftless_runtime::Client;
use driftless_runtime::codegen::GeneratedClient;

use crate::command::Words;
use crate::context::Context;
use crate::table::Table;

pub use failure::{Exit, Failure};

/// A program for the operations of one service.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    name: &'static str,
    version: &'static str,
    table: &'static str,
    about: &'static str,
}

impl Program {
    /// Describes a program: its name at the shell, its version, and the table of operations.
    pub const fn new(name: &'static str, version: &'static str, table: &'static str) -> Self {
        Self { name, version, table, about: "The operations of the service at the shell" }
    }

    /// Sets the line that `--help` begins with.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }
}

/// Runs the command that the arguments of the process name, with the client `P` of the service, and returns its exit code.
///
/// A command that succeeds ends with 0; [`Exit`] has the other codes.
pub fn main<P>(program: Program) -> ExitCode
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let words: Vec<OsString> = std::env::args_os().collect();
    match begin::<P>(program, &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(program.name);
            failure.exit.into()
        }
    }
}

fn begin<P>(program: Program, words: &[OsString]) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let table = Table::new(program.table)?;
    let assumed = std::env::var_os(format!("{}ASSUMED", P::VARIABLES)).is_some_and(|value| value == "1");
    if shell::complete(&program, table, assumed)? {
        return Ok(());
    }
    let texts = words.iter().skip(1).filter_map(|word| word.to_str()).map(str::to_owned);
    let root = command::root(&program, table, &Words::new(texts), assumed, own())?;
    let matches = match root.try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return failure::usage(&error),
    };
    let context = Context::new(program, table, assumed, &matches);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("the asynchronous runtime does not start: {error}"),
            "raise the limit of open files",
        )
    })?;
    let done = runtime.block_on(dispatch::<P>(&context, &matches));
    done.map_err(|failure| account::explain::<P>(&program, context.profile.as_deref(), failure))
}

/// The commands that are not operations.
fn own() -> Vec<Command> {
    let mut commands = account::commands();
    commands.extend(raw::commands());
    #[cfg(feature = "operations")]
    commands.push(work::command());
    commands.extend(shell::commands());
    #[cfg(feature = "mcp")]
    commands.push(tools::command());
    commands
}

async fn dispatch<P>(context: &Context, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    if context.dry_run && command::is_own(name) && name != "api" {
        let hint = "nothing was sent; leave `--dry-run` out";
        return Err(Failure::usage(format!("`{name}` has no dry run"), hint));
    }
    match name {
        "api" => raw::api::<P>(context, matches).await,
        "graphql" => raw::graphql::<P>(context, matches).await,
        #[cfg(feature = "mcp")]
        "mcp" => tools::run::<P>(context, matches).await,
        #[cfg(feature = "operations")]
        "operations" => work::run::<P>(context, matches).await,
        "completions" | "docs" | "man" => shell::run(context, own(), name, matches),
        "login" | "logout" | "whoami" | "token" | "profiles" => {
            account::run::<P>(&context.program, name, matches).await
        }
        family => {
            let families = command::families(context.table)?;
            let family = families.into_iter().find(|entry| entry.command == family).map(|entry| entry.family);
            let Some((family, (command, matches))) = family.zip(matches.subcommand()) else { return Ok(()) };
            let names = context.table.names(family.name);
            let operations = names::operations(family.name, &names);
            let Some((operation, _)) = operations.iter().find(|(_, own)| own == command) else { return Ok(()) };
            run::run::<P>(context, &family, operation, matches).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A family with the name of a command would hide it.
    #[test]
    fn no_family_gets_the_name_of_a_command() {
        for command in own() {
            assert!(command::is_own(command.get_name()), "{}", command.get_name());
        }
    }
}
