//! A stateful stand-in for any Swagger 2.0 or OpenAPI 3 contract, on loopback.
#![deny(missing_docs)]

mod contract;
mod error;
mod request;
mod schema;

pub use error::Error;
