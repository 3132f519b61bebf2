//! `cargo xtask`: the commands of `driftless`. Those of its developers are in the package `developer`, which their first use compiles.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use driftless::failure::{Exit, Failure};
use driftless::flags::{EXIT_CODES, Scope};
use driftless::{child, develop};

/// Maintainers' commands of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXIT_CODES)]
struct Flags {
    #[command(flatten)]
    scope: Scope,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Tool(driftless::flags::Command),
    /// For developers: generates and checks a client for every contract of a folder, and prints a table.
    #[command(disable_help_flag = true, after_help = "`cargo xtask corpus --help` lists its flags.")]
    Corpus(Rest),
    /// For developers: generates clients from contracts that are changed at random, and reports crashes and wrong output.
    #[command(disable_help_flag = true, after_help = "`cargo xtask fuzz --help` lists its flags.")]
    Fuzz(Rest),
    /// For developers: measures driftless beside other generators.
    #[command(disable_help_flag = true, after_help = "`cargo xtask bench --help` lists its flags.")]
    Bench(Rest),
    /// For developers: checks the conventions of the workspace, and says how to fix each finding.
    #[command(disable_help_flag = true, after_help = "`cargo xtask tidy --help` lists its flags.")]
    Tidy(Rest),
}

#[derive(Debug, Args)]
struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

fn main() -> ExitCode {
    develop::ended(Flags::try_parse(), run)
}

fn run(flags: Flags) -> Result<ExitCode, Failure> {
    match flags.command {
        Command::Tool(command) => develop::run(&flags.scope, command),
        Command::Corpus(_) | Command::Fuzz(_) | Command::Bench(_) | Command::Tidy(_) => developer(),
    }
}

/// Goes on as the program of the developers, with the same arguments.
fn developer() -> Result<ExitCode, Failure> {
    let mut program = child::cargo();
    program.args(["run", "--quiet", "--package", "developer", "--manifest-path"]);
    program.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../developer/Cargo.toml"));
    if !cfg!(debug_assertions) {
        program.arg("--release");
    }
    program.arg("--").args(std::env::args_os().skip(1));
    let hint = "run: cargo run -p developer -- --help";
    child::become_of(&mut program)
        .map_err(|error| Failure::new(Exit::Configuration, "developer", format!("cargo: {error}"), hint))
}
