//! The workspace from end to end: the generated client against the sandbox and against a server that keeps what it is
//! sent, the documents against the code they describe, and the commands as a maintainer runs them.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod documents;
mod outputs;
mod replaced;
mod sendable;
mod setters;

#[cfg(all(unix, contract = "sandbox"))]
mod credentials;
#[cfg(contract = "sandbox")]
mod example;
#[cfg(contract = "sandbox")]
mod fakes;
#[cfg(contract = "sandbox")]
mod families;
#[cfg(contract = "sandbox")]
mod faults;
#[cfg(contract = "sandbox")]
mod graphql;
#[cfg(contract = "sandbox")]
mod killed;
#[cfg(contract = "sandbox")]
mod projects;
#[cfg(contract = "sandbox")]
mod resumed;
#[cfg(contract = "sandbox")]
mod shapes;
#[cfg(contract = "sandbox")]
mod tokens;
#[cfg(contract = "sandbox")]
mod wire;
