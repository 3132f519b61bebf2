//! `cargo xtask`: the commands of driftless.

fn main() -> std::process::ExitCode {
    driftless::main()
}
