//! Maintainers' commands: `cargo xtask --help` lists them.
//!
//! This is the only program of the workspace that downloads, or writes into the repository.

mod adopt;
mod asked;
mod bounded;
mod check;
mod child;
mod comparison;
mod console;
mod corpus;
mod drift;
mod failure;
mod features;
mod flags;
mod fuzz;
mod growth;
mod interrupt;
mod lock;
mod names;
mod regenerate;
mod sandbox;
mod schema;
mod settings;
mod source;
mod tidy;
mod transaction;
mod tree;
mod workspace;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::failure::{Exit, Failure};
use crate::flags::{Command, Flags};

fn main() -> ExitCode {
    let flags = match Flags::try_parse() {
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

fn run(flags: Flags) -> Result<ExitCode, Failure> {
    let workspace = flags.workspace;
    match flags.command {
        Command::Regenerate(flags) if flags.check => check::run(&workspace::Workspace::find(workspace)?),
        Command::Regenerate(flags) => regenerate::run(&workspace::Workspace::find(workspace)?, &flags),
        Command::Adopt(flags) => adopt::run(&workspace::Workspace::find(workspace)?, &flags),
        Command::Sandbox(flags) => sandbox::run(&flags),
        Command::Corpus(flags) => corpus::run(&workspace::Workspace::find(workspace)?, &flags),
        Command::CorpusOne(flags) => corpus::run_one(&workspace::Workspace::find(workspace)?, &flags),
        Command::Fuzz(flags) => fuzz::run(&workspace::Workspace::find(workspace)?, &flags),
        Command::FuzzWorker(flags) => fuzz::run_worker(&workspace::Workspace::find(workspace)?, &flags),
        Command::Growth(flags) => growth::run(&workspace::Workspace::find(workspace)?, &flags),
        Command::Drift(flags) => drift::run(&workspace::Workspace::find(workspace)?, &flags),
        Command::DriftCases(flags) => drift::run_cases(&flags),
        Command::Tidy => tidy::run(&workspace::Workspace::find(workspace)?),
    }
}
