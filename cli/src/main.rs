//! `platform`: the operations of the platform at the shell. `platform --help` lists them.

use driftless_cli::Program;

fn main() -> std::process::ExitCode {
    let program = Program::new("platform", env!("CARGO_PKG_VERSION"), include_str!("operations.table"));
    let about = "Projects and infrastructure of the platform: its operations at the shell, and as tools for agents";
    driftless_cli::main::<platform_client::Platform>(program.about(about))
}
