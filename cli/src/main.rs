//! `platform`: the operations of the platform at the shell. `platform --help` lists them.

use driftless_cli::Program;

fn main() -> std::process::ExitCode {
    let program = Program::new("platform", env!("CARGO_PKG_VERSION"), include_str!("operations.table"));
    driftless_cli::main::<platform_client::Platform>(program)
}
