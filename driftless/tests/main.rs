//! The tests of this crate are one program: it is linked once, and they run beside one another.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod behaviours;
#[path = "support/browser.rs"]
mod browser;
#[cfg(unix)]
mod certificates;
mod commands;
#[cfg(unix)]
mod credentials;
mod discovery;
mod download;
mod drift;
mod drift_bad_input;
mod drift_reports;
mod graphql;
#[cfg(unix)]
mod interrupted;
mod keys;
mod manifest;
mod merged;
mod name_guesses;
mod new;
mod outputs;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod recipes;
mod review;
mod rules;
#[cfg(unix)]
mod sandbox;
mod servers;
#[cfg(unix)]
mod serving;
mod shrunk;
mod stand_in;
mod support;
#[cfg(unix)]
mod upgrade;

/// The program that the tests run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-driftless");

/// SHA-256, in lower-case hexadecimal digits.
fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
