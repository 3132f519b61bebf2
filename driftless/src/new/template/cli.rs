//! `@STEM@`: the operations of the service at the shell, and as tools for agents. `@STEM@ --help` lists them.

fn main() -> std::process::ExitCode {
    let table = include_str!("operations.table");
    driftless_cli::main::<@LIBRARY@::@CLIENT@>(driftless_cli::Program::new("@STEM@", env!("CARGO_PKG_VERSION"), table))
}
