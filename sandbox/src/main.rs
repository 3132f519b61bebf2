//! The sandbox as a program, which runs until a signal or the end of its standard input. `--help` lists its flags, and `control
//! --help` the commands for a running sandbox.

mod commands;
mod ends;
mod failure;
mod output;
mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    match program::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
