//! A local stand-in for the whole platform: a real HTTP server on loopback, for tests and for experiments.
//!
//! ```
//! # async fn example() -> Result<(), platform_sandbox::Error> {
//! let sandbox = platform_sandbox::start().await?;
//! println!("{} with tokens from {}", sandbox.base_url(), sandbox.auth_url());
//! for client in sandbox.clients() {
//!     println!("{}: {}", client.client_id, client.about);
//! }
//! sandbox.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! It serves
//!
//! - its contract, as JSON and YAML, in the style that Swashbuckle writes, in two revisions ([`Options::contract_revision`]);
//! - an identity issuer: discovery, key set, client credentials (platform document §4.5), authorization code with PKCE and a
//!   login page, refresh tokens, API tokens, OpenID Connect ([`Sandbox::issuer`] changes it while it runs);
//! - the three documented project operations (platform document §4.3, §7);
//! - operations for all nine route families (platform document §4.2). The document does not show them: the contract marks them
//!   `x-provenance: assumed`, and their shapes are the sandbox's own;
//! - asynchronous work that moves through states on a clock ([`Sandbox::clock`]), and GraphQL to watch it: queries, and
//!   subscriptions over WebSocket and server-sent events ([`Sandbox::graphql_url`]);
//! - the compliance resource server on a port of its own (platform document §5.7; [`Sandbox::compliance_url`]);
//! - fault injection ([`Sandbox::faults`], or the header `X-Sandbox-Fault`) and counts of requests ([`Sandbox::requests`]); the
//!   same over HTTP below `/sandbox`, described by `/sandbox/openapi.yaml`;
//! - pages for people: a console at `/sandbox`, Swagger UI at `/swagger`, queries and subscriptions at `/graphiql`.
//!
//! The state is kept in memory, or in a file of SQLite ([`Options::data`]). Teams, clients, users and resources come from
//! `sandbox/seed.toml`, or from a file of the same form ([`Options::seed`]).
//!
//! # Undocumented behaviour
//!
//! The document shows no status for a missing token, for failed authorization or for a created project. The sandbox has to choose
//! one; a deployment may differ. `sandbox/RULES.md` lists each choice and each rule of the document, with the test that covers
//! it.
//!
//! # Without the cargo feature `server`
//!
//! [`StandIn`] serves the contract, the schema of GraphQL and tokens for both, and nothing else: the part that
//! `cargo xtask regenerate` downloads.
#![deny(missing_docs)]
#![cfg_attr(
    not(feature = "server"),
    allow(dead_code, unused_imports, reason = "the server alone uses all of the directory")
)]

#[cfg(feature = "server")]
mod caller;
#[cfg(feature = "server")]
mod compliance;
mod contract;
#[cfg(feature = "server")]
mod control;
#[cfg(feature = "server")]
mod cors;
#[cfg(feature = "server")]
mod data;
mod directory;
mod error;
#[cfg(feature = "server")]
mod graphql;
#[cfg(feature = "server")]
mod handlers;
#[cfg(feature = "server")]
mod issuer;
#[cfg(feature = "server")]
mod live;
#[cfg(feature = "server")]
mod menu;
#[cfg(feature = "server")]
mod options;
#[cfg(feature = "server")]
mod publication;
#[cfg(feature = "server")]
mod reply;
#[cfg(feature = "server")]
mod sandbox;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod shape;
mod stand_in;
#[cfg(feature = "server")]
mod state;
#[cfg(feature = "server")]
mod ui;
#[cfg(feature = "server")]
mod workflow;

#[cfg(feature = "server")]
use driftless_sandbox_control::{clock, fault, media, problem, requests};

#[cfg(feature = "server")]
pub use clock::Clock;
#[cfg(feature = "server")]
pub use control::Part;
pub use directory::{Client, Grant, Membership, Role, SecretFile, SecretFolder, Team, TeamClaim, User};
pub use error::Error;
#[cfg(feature = "server")]
pub use fault::{Fault, FaultControl, FaultError, FaultRule, Outcome, Reset, Waits};
#[cfg(feature = "server")]
pub use issuer::{ApiTokenFormat, ErrorStyle, IssuerControl, RefreshPolicy};
#[cfg(feature = "server")]
pub use options::Options;
#[cfg(feature = "server")]
pub use requests::{Expected, Message, NearMiss, RequestFilter, RequestRecord, Requests, Verified};
#[cfg(feature = "server")]
pub use sandbox::{Sandbox, start, start_with};
pub use stand_in::StandIn;
