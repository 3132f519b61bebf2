//! A typed client for the project and infrastructure platform.
//!
//! ```no_run
//! use platform_client::{Platform, auth::{ClientCredentials, SecretFile}};
//!
//! # async fn run() -> Result<(), platform_client::Error> {
//! let platform = Platform::builder("https://platform.example")
//!     .credential(ClientCredentials::new(
//!         "https://issuer.example",
//!         "my-service",
//!         SecretFile::new("/run/secrets/platform"),
//!     ))
//!     .build()?;
//! # let _ = platform;
//! # Ok(()) }
//! ```
#![deny(missing_docs)]
// Types of large contracts refer to each other in chains that are longer than the default lets the compiler follow.
#![recursion_limit = "512"]

mod address;
pub mod auth;
mod call;
mod error;
mod events;
// Formatted by the generator: rustfmt would make a hand edit of it.
#[rustfmt::skip]
mod generated;
#[cfg(feature = "graphql")]
pub mod graphql;
#[cfg(feature = "operations")]
pub mod operations;
mod platform;
mod request;
mod session;
mod stream;
mod upload;
mod value;
mod wire;

pub use bytes::Bytes;
pub use http::{HeaderMap, StatusCode};
pub use serde_json::Value;
pub use uuid::Uuid;

pub use call::{Call, CallFuture, Response};
pub use error::{Error, Problem};
pub use events::{Event, EventStream};
pub use generated::*;
pub use platform::{Platform, PlatformBuilder};
pub use request::{RawResponse, Request};
pub use stream::ByteStream;
pub use upload::Upload;
pub use value::{Base64, Date, DateTime, Decimal, Maybe, Object, Time, TimeSpan};
pub use wire::Method;
