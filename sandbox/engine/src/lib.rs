//! A stateful stand-in for any Swagger 2.0 or OpenAPI 3 contract, on loopback, or on an address of the caller's choice.
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
#![cfg_attr(not(feature = "data"), allow(dead_code, reason = "only a state that is saved has its changes noted"))]
#![cfg_attr(
    not(feature = "issuer"),
    allow(dead_code, unused_imports, reason = "only the issuer reads addresses and scopes")
)]

// Each module uses only those before it.
mod error;
mod number;
mod seed;

mod behaviour;

mod contract;
mod outline;

mod schema;

mod request;

pub mod conformance;

mod fit;
mod infer;
#[allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::len_without_is_empty,
    reason = "the other sandbox alone sees it, in `host`"
)]
mod state;

mod act;

mod serve;

#[cfg(feature = "data")]
mod data;

#[cfg(feature = "graphql")]
mod graphql;

mod sandbox;

#[doc(hidden)]
pub mod host;

pub use behaviour::Behaviour;
pub use driftless_sandbox_control::clock::Clock;
pub use driftless_sandbox_control::fault::{Fault, FaultControl, FaultError, FaultRule, Reset, Waits};
pub use driftless_sandbox_control::requests::{
    Expected, Message, NearMiss, RequestFilter, RequestRecord, Requests, Verified,
};
pub use error::Error;
pub use sandbox::{Document, Options, Sandbox, explain, explain_all, explain_graphql, start, start_all, start_with};
