//! The tests of this crate are one program: it is linked once, and they run in parallel.
#![allow(
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod access;
#[path = "../engine/tests/browser.rs"]
mod browser;
mod compliance;
#[cfg(unix)]
mod console;
mod contract;
mod control;
mod control_document;
mod cors;
mod data;
#[path = "../engine/tests/document.rs"]
mod document;
mod faults;
mod grants;
mod graphql;
mod issuer;
mod journal;
mod life;
mod log;
mod openid;
mod operations;
#[cfg(unix)]
mod pages;
#[cfg(unix)]
mod program;
mod projects;
mod refusals;
mod resources;
mod rules;
#[path = "support/schema.rs"]
mod schema;
#[path = "../engine/tests/scripts.rs"]
mod scripts;
mod shapes;
mod stand_in;
mod support;
mod ui;
mod work;
