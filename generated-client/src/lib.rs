//! A typed client for the project and infrastructure platform.
//!
//! A [`Platform`] is one session with the service: connections, credential, deadlines, retries, limits. Each route family of
//! the contract is a method of it that leads to the operations of the family ([`families`] has a list of them, and each operation an
//! example); each operation returns a [`Call`], which `.await` sends. What no contract shows goes through [`Platform::request`](driftless_runtime::Client::request).
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
//! # What does not break, and what can
//!
//! What the contract adds changes no line of a program: optional parameters and bodies are set on the call, types are
//! `#[non_exhaustive]` and made by `new` or `default`, names stay, and a call returns what it returned. What the contract takes
//! away, demands anew, or gives another type is an error of the next compile. The guide `docs/compatibility.md` of the repository
//! lists both, and how each addition is tried.
//!
//! # What every call does
//!
//! - It takes the session's token, which is renewed before it expires, and once more when the service answers 401.
//! - It ends by its deadline, 60 s unless set, with all attempts and token requests included.
//! - It is sent again when no connection came about; and, for `GET`, `HEAD`, `OPTIONS`, `TRACE` and calls that say
//!   [`Call::idempotent`], when the connection broke, the service was silent, or the status is 408, 429, 502, 503 or 504,
//!   and once on 500: three attempts in all, with a random pause, or as long as `Retry-After` says where the deadline
//!   allows. All calls of a client share a budget for second attempts.
//! - A `POST` whose connection dies is not sent again: [`Error::is_submission_unknown`].
//! - It follows no redirect, and sends the token to the base address only. `http` is for loopback.
//! - It reads at most 16 MiB of a body that is decoded, and 64 KiB of the body of an error.
//! - It leaves one `tracing` span, `driftless.call`, with OpenTelemetry's attributes of HTTP clients, and no values.
//!
//! Calls run on tokio, with its input, output and time enabled.
//!
//! # Features
//!
//! | feature | on by default | what it does |
//! |---|---|---|
//! | one per route family | yes | the operations and types of the family |
//! | `assumed` | no | operations and types whose shape is the sandbox's, until the client is generated from a deployment |
//! | `unreferenced` | no | types of the contract that no operation uses |
//! | `http2` | no | HTTP/2 over TLS |
//! | `profiles` | no | `Platform::from_profile`, and profiles for [`Platform::from_env`] |
//! | `keyring` | no | secrets in the keyring of the system: `auth::SecretKeyring` |
//! | `blocking` | no | a client for programs without asynchronous code |
//! | `testing` | no | a service that is not there, for tests of your own code |
//! | `graphql` | no | GraphQL queries, and subscriptions over a WebSocket or server-sent events |
//! | `operations` | no | asynchronous operations: references, watching, waiting; turns on `graphql` |
//! | `sqlite` | no | a store of operations on disk; turns on `operations` |
//! | `metrics` | no | measurements through the crate `metrics`: requests, durations, retries, tokens, subscriptions |
//! | `postgres` | no | a store of operations in PostgreSQL, which several instances share; turns on `operations` |
//! | `xml` | no | operations whose bodies are XML alone |
//! | `gzip` | no | asks for compressed responses, and unpacks them |
// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]
// Types of large contracts refer to each other in chains that are longer than the default lets the compiler follow.
#![recursion_limit = "512"]

// Formatted by the generator: rustfmt would make a hand edit of it.
#[rustfmt::skip]
mod generated;

pub use generated::*;
