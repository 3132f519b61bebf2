//! The sandbox as a program, which runs until a signal or the end of its standard input. `--help` lists its flags, and `control
//! --help` the commands for a running sandbox. Without the cargo feature `server`, it is the stand-in of a regeneration.

#[cfg(feature = "server")]
mod commands;
mod ends;
mod failure;
mod output;
#[cfg(not(feature = "server"))]
mod plain;
#[cfg(feature = "server")]
mod program;

use std::process::ExitCode;

#[cfg(not(feature = "server"))]
use plain::run;
#[cfg(feature = "server")]
use program::run;

fn main() -> ExitCode {
    match run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
