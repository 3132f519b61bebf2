//! A typed client for the project and infrastructure platform.
//!
//! A [`Platform`] is one session with the service: connections, credential, deadlines, retries, limits. Each route family of
//! the contract is a method of it that leads to the operations of the family ([`families`] has a list of them, and each operation an
//! example); each operation returns a [`Call`], which `.await` sends. [`Platform::request`](driftless_runtime::Client::request)
//! sends requests to endpoints without a generated method.
//!
//! ```no_run
//! use std::time::Duration;
//! use platform_client::{Method, Object, Platform, auth::{ClientCredentials, SecretFile}};
//!
//! # async fn run() -> Result<(), platform_client::Error> {
//! let secret = SecretFile::new("/run/secrets/platform");
//! let platform = Platform::builder("https://platform.example")
//!     .credential(ClientCredentials::new("https://issuer.example", "my-service", secret))
//!     .deadline(Duration::from_secs(20))
//!     .build()?;
//! let request = platform.request(Method::Get, "/api/projects/v1/projects");
//! for project in request.send().await?.json::<Vec<Object>>()? {
//!     println!("{:?}", project.get::<String>("name")?);
//! }
//! # Ok(()) }
//! ```
//!
//! # Compatibility
//!
//! An addition to the contract breaks no caller: optional parameters and bodies are set on the call, types are
//! `#[non_exhaustive]` and made by `new` or `default`, names stay, and a call keeps its return type. A removal, a new requirement
//! and another type are errors of the next compile. The guide on compatibility, in the repository, lists both.
//!
//! # Calls
//!
//! - A call uses the session's token, which is refreshed before it expires, and once after a 401.
//! - It ends by its deadline, 60 s unless set, with all attempts and token requests included.
//! - It is retried if no connection was made, and, for `GET` and other calls without effects, after failures of the network and
//!   of the service. The guide on errors and retries, in the repository, has the rules.
//! - A `POST` whose connection breaks is not retried: [`Error::is_submission_unknown`].
//! - It follows no redirect, and sends the token to the origin of the base URL only. `http` is for loopback.
//! - It reads at most 16 MiB of a body that is decoded, and 64 KiB of the body of an error.
//! - It is one `tracing` span, `driftless.call`, with OpenTelemetry's attributes of HTTP clients, and no values.
//!
//! Calls run on tokio, with its input, output and time enabled.
//!
//! # Features
//!
//! | feature | on by default | adds |
//! |---|---|---|
//! | one per route family | yes | the operations and types of the family |
//! | `assumed` | no | operations and types that only the sandbox has, until the client is generated from a deployment |
//! | `unreferenced` | no | types of the contract that no operation uses |
//! | `http2` | no | HTTP/2 over TLS |
//! | `profiles` | no | `Platform::from_profile`, and profiles for [`Platform::from_env`] |
//! | `keyring` | no | secrets in the keyring of the system: `auth::SecretKeyring` |
//! | `blocking` | no | a client for programs without asynchronous code |
//! | `testing` | no | a fake service without a network, for tests of your own code |
//! | `graphql` | no | GraphQL queries, and subscriptions over a WebSocket or server-sent events |
//! | `operations` | no | asynchronous operations: references, watching, waiting; enables `graphql` |
//! | `sqlite` | no | a store of operations on disk; enables `operations` |
//! | `metrics` | no | metrics through the crate `metrics`: requests, durations, retries, tokens, subscriptions |
//! | `postgres` | no | a store of operations in PostgreSQL, which several instances share; enables `operations` |
//! | `xml` | no | operations for which the contract offers XML only |
//! | `gzip` | no | compressed responses (`accept-encoding: gzip`) |
// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]
// Types of large contracts refer to each other in chains that are longer than the default lets the compiler follow.
#![recursion_limit = "512"]

// Formatted by the generator: rustfmt would make a hand edit of it.
#[rustfmt::skip]
mod generated;

pub use generated::*;
