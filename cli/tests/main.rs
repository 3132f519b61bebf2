//! Sessions at the shell: the program, run against a sandbox on loopback.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod account;
mod asynchronous;
mod failing;
mod families;
mod help;
mod output;
mod raw;
mod support;
mod tools;
