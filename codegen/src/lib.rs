//! Turns a Swagger/OpenAPI contract into a typed Rust client.
//!
//! Bytes in, files out: this crate knows no network, no clock, no environment, and writes nothing.
//! The stages, in order: [`load`], `upgrade`, `normalise`, `model`, `generate`, `refine`, `emit`.
//! `ARCHITECTURE.md` at the top of the workspace says what each stage owns.
#![deny(missing_docs)]

mod config;
mod ledger;
pub mod load;
mod names;
mod output;
mod report;
pub mod upgrade;
mod walk;

pub use config::{Config, Correction, Family, Unreferenced};
pub use ledger::{Entry, Ledger, Loss};
pub use load::{Dialect, Loaded};
pub use names::Names;
pub use output::{Contract, Degraded, Feature, Output, Stats};
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
    let _ = (config, names);
    let mut report = Report::default();
    for contract in contracts {
        if let Err(problem) = load::load(contract.name, contract.bytes) {
            report.push(problem);
        }
    }
    report.into_result(Output::default())
}
