//! `@STEM@`: the operations of the service at the shell, and as tools for agents. `@STEM@ --help` lists them.

use driftless_cli::Program;

fn main() -> std::process::ExitCode {
    // The first line of `--help`. Agents read it, too: write the purpose of the service here.
    let about = "The operations of the service @STEM@ at the shell, and as tools for agents";
    let table = include_str!("operations.table");
    let program = Program::new("@STEM@", env!("CARGO_PKG_VERSION"), table).about(about);
    driftless_cli::main::<@LIBRARY@::@CLIENT@>(program)
}
