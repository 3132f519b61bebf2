//! Turns a Swagger/OpenAPI contract into a typed Rust client.
//!
//! Bytes in, files out: this crate knows no network, no clock, no environment, and writes nothing.
//! The stages, in order: [`load`], `upgrade`, `normalise`, `model`, `generate`, `refine`, `emit`.
//! `ARCHITECTURE.md` at the top of the workspace says what each stage owns.
#![deny(missing_docs)]

mod bind;
mod config;
mod correct;
mod emit;
mod generate;
mod ledger;
pub mod load;
mod model;
mod naming;
mod normalise;
mod output;
mod pins;
mod pipeline;
mod refine;
mod report;
mod stats;
pub mod upgrade;
mod walk;

pub use config::{AsyncOperation, CancelOperation, Config, Correction, Family, FollowUp, StateMap, Unreferenced};
pub use emit::HEADER;
pub use ledger::{Entry, Ledger, Loss};
pub use load::{Dialect, Loaded};
pub use output::{Contract, Degraded, Feature, Output, Stats};
pub use pins::Names;
pub use report::{Problem, Report};

/// Generates the client for one or several contracts.
///
/// The same contracts, configuration and pinned names give the same bytes, whatever the key order of the source.
///
/// # Errors
///
/// A [`Report`] with every problem found, when a contract cannot be read at all. A part of a contract that cannot be
/// typed is no error: it is degraded on its own and named in [`Output::ledger`].
pub fn generate(contracts: &[Contract<'_>], config: &Config, names: &Names) -> Result<Output, Report> {
    pipeline::run(contracts, config, names)
}
