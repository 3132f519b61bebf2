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
#![deny(missing_docs)]

mod caller;
mod compliance;
mod contract;
mod control;
mod cors;
mod data;
mod directory;
mod error;
mod graphql;
mod handlers;
mod issuer;
mod live;
mod menu;
mod options;
mod publication;
mod reply;
mod sandbox;
mod serve;
mod server;
mod state;
mod ui;
mod values;
mod vault;
mod workflow;

use driftless_sandbox_control::{clock, fault, media, problem, requests};

pub use clock::Clock;
pub use control::Part;
pub use directory::{Client, Grant, Membership, Role, SecretFile, SecretFolder, Team, TeamClaim, User};
pub use error::Error;
pub use fault::{Fault, FaultControl, FaultError, FaultRule, Outcome, Reset, Waits};
pub use issuer::{ApiTokenFormat, ErrorStyle, IssuerControl, RefreshPolicy};
pub use options::Options;
pub use requests::{Expected, Message, NearMiss, RequestFilter, RequestRecord, Requests, Verified};
pub use sandbox::{Sandbox, start, start_with};
