//! The tests of this crate are one program: it is linked once, and they run beside one another.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod adopt;
mod behaviours;
#[path = "support/browser.rs"]
mod browser;
#[cfg(unix)]
mod certificates;
mod conformance;
mod corpus;
#[cfg(unix)]
mod credentials;
mod discovery;
mod download;
mod drift;
mod drift_bad_input;
mod drift_reports;
#[cfg(target_os = "linux")]
mod features;
mod graphql;
#[cfg(unix)]
mod interrupted;
mod keys;
mod merged;
mod outputs;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod recipes;
mod rules;
#[cfg(unix)]
mod sandbox;
mod servers;
mod shrunk;
mod stand_in;
mod std_names;
mod support;
