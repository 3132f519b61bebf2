//! A stateful stand-in for any Swagger 2.0 or OpenAPI 3 contract, on loopback.
//!
//! It needs no configuration. It infers from the contract which operations list, create, read, change and delete items, keeps
//! what programs create, and answers with bodies that are valid by the contract. Requests are checked as the contract says.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let contract = std::fs::read("openapi.json")?;
//! let sandbox = driftless_sandbox::start(&contract).await?;
//! println!("call {}", sandbox.base_url());
//! # Ok(()) }
//! ```
#![deny(missing_docs)]

// Each module uses only those before it.
mod error;
mod seed;

mod contract;
mod outline;

mod schema;

mod request;

pub mod conformance;

mod fit;
mod infer;
mod state;

mod act;

mod serve;

mod sandbox;

pub use error::Error;
pub use sandbox::{Options, Sandbox, explain, start, start_with};
