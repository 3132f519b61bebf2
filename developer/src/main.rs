//! The commands of the developers of driftless. `cargo xtask` compiles and starts this program for them.

mod bench;
mod corpus;
mod flags;
mod fuzz;
mod random;
mod tidy;

use std::process::ExitCode;

use clap::Parser as _;
use driftless::{bounded, child, console, develop, failure, features, interrupt, stand_alone, workspace};

use crate::failure::Failure;
use crate::flags::{Command, Flags};

fn main() -> ExitCode {
    develop::ended(Flags::try_parse(), run)
}

fn run(flags: Flags) -> Result<ExitCode, Failure> {
    let workspace = || develop::workspace(&flags.scope);
    match flags.command {
        Command::Tool(command) => develop::run(&flags.scope, command),
        Command::Corpus(flags) => corpus::run(&workspace()?, &flags),
        Command::CorpusOne(flags) => corpus::run_one(&workspace()?, &flags),
        Command::Fuzz(flags) => fuzz::run(&workspace()?, &flags),
        Command::FuzzWorker(flags) => fuzz::run_worker(&workspace()?, &flags),
        Command::Bench(flags) => bench::run(&workspace()?, &flags),
        Command::BenchStages(flags) => bench::stages(&flags),
        Command::Tidy => tidy::run(&workspace()?),
    }
}
