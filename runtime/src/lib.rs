//! The runtime of generated clients: a session with connections, credential, deadlines, retries and limits; calls,
//! streams and pages; GraphQL and asynchronous operations.
//!
//! Programs depend on a generated crate, which re-exports all of this and adds the operations of a
//! contract. Without one, a [`Client`] sends requests by method and path:
//!
//! ```no_run
//! use std::time::Duration;
//! use driftless_runtime::{Client, Method, Object, auth::{ClientCredentials, SecretFile}};
//!
//! # async fn run() -> Result<(), driftless_runtime::Error> {
//! let secret = SecretFile::new("/run/secrets/service");
//! let client = Client::builder("https://service.example")
//!     .credential(ClientCredentials::new("https://issuer.example", "my-service", secret))
//!     .deadline(Duration::from_secs(20))
//!     .build()?;
//! let request = client.request(Method::Get, "/api/projects/v1/projects");
//! for project in request.send().await?.json::<Vec<Object>>()? {
//!     println!("{:?}", project.get::<String>("name")?);
//! }
//! # Ok(()) }
//! ```
//!
//! # Features
//!
//! All are off by default.
//!
//! | feature | effect |
//! |---|---|
//! | `http2` | HTTP/2 over TLS |
//! | `profiles` | `Client::from_profile`, and profiles for [`Client::from_env`] |
//! | `keyring` | secrets in the keyring of the system: `auth::SecretKeyring` |
//! | `blocking` | a client for programs without asynchronous code |
//! | `testing` | a fake service, for tests of your own code |
//! | `graphql` | GraphQL queries, and subscriptions over a WebSocket or server-sent events |
//! | `operations` | asynchronous operations: references, watching, waiting; turns on `graphql` |
//! | `sqlite` | a store of operations on disk; turns on `operations` |
//! | `metrics` | measurements through the crate `metrics`: requests, durations, retries, tokens, subscriptions |
//! | `postgres` | a store of operations in PostgreSQL, which several instances share; turns on `operations` |
//! | `xml` | operations whose bodies are XML alone |
//! | `gzip` | asks for compressed responses, and unpacks them |
// docs.rs marks the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]
#![warn(clippy::disallowed_methods)]

// From the lowest layer to the highest. Each module uses only those below it: `cargo xtask tidy` refuses others.
mod clock;
mod json;
mod telemetry;

mod error;
mod value;

mod transport;

pub mod auth;

mod protocol;

mod client;

#[cfg(feature = "graphql")]
pub mod graphql;

#[cfg(feature = "operations")]
pub mod operations;

#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "blocking")]
pub mod blocking;

#[doc(hidden)]
pub mod codegen;

mod front;

#[doc(hidden)]
pub mod download;

#[doc(hidden)]
pub mod program;

pub use bytes::Bytes;
pub use http::{HeaderMap, StatusCode};
pub use reqwest;
pub use time;
pub use uuid::Uuid;

pub use client::{
    Call, CallFuture, Client, ClientBuilder, Items, Pages, Preview, RawResponse, Request, Response, RetryPolicy,
    ServerSettings, Submission,
    middleware::{Incoming, Middleware, MiddlewareFuture, Next, Outgoing},
};
pub use error::{Error, ErrorKind, Problem};
pub use json::{Decimal, Object, Value};
pub use protocol::{Event, EventStream, Method, Redirect, Upload};
pub use transport::{ByteStream, Certificates, MinThroughput};
pub use value::{AsText, Base64, Date, DateTime, Maybe, Time, TimeSpan};
