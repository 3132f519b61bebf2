//! The tests of this crate are one program: it is linked once, and they run beside one another.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod bench;
mod conformance;
mod corpus;
#[cfg(target_os = "linux")]
mod features;
mod help;
mod reserved;
mod std_names;
#[allow(dead_code, reason = "the tests of driftless need more of it")]
#[path = "../../driftless/tests/support/mod.rs"]
mod support;
mod verbs;

/// The program that the tests run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_developer");
