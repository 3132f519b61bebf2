//! Faults, clock, journal, control interface and HTTP server of the sandboxes of driftless: the part that does not depend on the service that a
//! sandbox stands in for.
//!
//! `driftless-sandbox` and the workspace's own stand-in build on it. Programs use their types, which they re-export: the rest of this
//! package can change with any version.
#![deny(missing_docs)]

// Each module uses only those before it.
pub mod clock;
#[cfg(feature = "data")]
pub mod database;
pub mod media;
pub mod pointer;
pub mod problem;

mod operations;

pub mod requests;

pub mod fault;

pub mod upload;

pub mod server;

pub mod command;

pub mod interface;

pub mod ui;

pub use operations::{OperationFacts, Operations};
