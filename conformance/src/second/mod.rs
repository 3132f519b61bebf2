//! A second judge: the client that progenitor generates from the same contract is called with the same arguments, and sends its own
//! bytes.
//!
//! progenitor runs in a process of its own, because a contract can bring it to an end that no program survives.

mod calls;
mod contract;
mod generate;
mod program;
mod same;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub(crate) use calls::Second;
pub use same::Opinion;

/// The first argument of the process that progenitor runs in. The second one is a contract.
pub const GENERATE: &str = "generate-second-client";

/// A client of progenitor, and the operations that it has.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Generated {
    /// The client, with a function that calls it.
    source: String,
    /// By JSON pointer, the number of the operation, or the reason that it has none.
    operations: BTreeMap<String, Result<usize, String>>,
    /// The parameters of the query that are credentials.
    keys: Vec<String>,
    /// The paths of the addresses of the service.
    bases: Vec<String>,
}

/// Generates the client of a contract by progenitor: the work of the process [`GENERATE`]. Returns the client as JSON.
///
/// # Errors
///
/// The contract cannot be read, or is not one of OpenAPI 3.0.
pub fn generate(contract: &Path) -> Result<String, String> {
    let bytes = std::fs::read(contract).map_err(|error| error.to_string())?;
    // A panic of progenitor is the reason that an operation is not compared.
    std::panic::set_hook(Box::new(|_| {}));
    let generated = generate::generate(&contract::Contract::read(&bytes)?)?;
    serde_json::to_string(&generated).map_err(|error| error.to_string())
}
