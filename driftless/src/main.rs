//! The program `cargo driftless`.

fn main() -> std::process::ExitCode {
    driftless::main()
}
