//! The workspace from end to end: the generated client against the sandbox and against a server that records its requests, the
//! documents against the code they describe, and the commands as a maintainer runs them.

// Shared parts are used by the files that are built: build.rs leaves out those that the pinned contract lacks the operations of.
#![cfg_attr(
    not(contract = "sandbox"),
    allow(dead_code, unused_imports, reason = "what they share, all of them need only together")
)]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod documents;
mod drift;
mod growth;
mod other;
mod outputs;
mod pinned;
mod programs;
mod replaced;
mod sendable;
mod setters;

#[cfg(all(unix, has = "credentials"))]
mod credentials;
#[cfg(has = "example")]
mod example;
#[cfg(has = "fakes")]
mod fakes;
mod families;
#[cfg(has = "faults")]
mod faults;
#[cfg(all(unix, has = "fleet"))]
mod fleet;
#[cfg(has = "graphql")]
mod graphql;
#[cfg(has = "killed")]
mod killed;
#[cfg(has = "projects")]
mod projects;
#[cfg(has = "resumed")]
mod resumed;
#[cfg(has = "shapes")]
mod shapes;
#[cfg(has = "tokens")]
mod tokens;
mod wire;
