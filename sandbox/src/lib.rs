//! A local stand-in for the whole platform: a real HTTP server on loopback, for tests and for trying things out.
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
//! - its contract, as JSON and YAML, in the style that Swashbuckle writes, and a page that names it;
//! - an identity issuer: discovery, key set, and the token endpoint with the client-credentials grant (platform document
//!   §4.5);
//! - the three documented project operations (platform document §4.3, §7);
//! - operations for everything that the nine route families cover (platform document §4.2). The document does not show
//!   them: the contract marks them `x-provenance: assumed`, and their shapes are the sandbox's own.
//!
//! # What the document does not show
//!
//! The document shows no status for a missing token, for failed authorization or for a created project. The sandbox has to
//! answer something, and these are its choices; a deployment may differ:
//!
//! | what | the sandbox's choice |
//! |---|---|
//! | missing, invalid or expired bearer token | 401, empty, with `WWW-Authenticate: Bearer` |
//! | identifiers of another team on creation | 403, `application/problem+json` |
//! | a created project | 201 with `Location` and the project |
//! | fields of a returned project | those of the creation, and `id` |
//! | a project identifier that is no GUID | 404, as for a missing project |
//! | error bodies | ASP.NET's problem details |
//! | a field that a closed object of an assumed operation does not declare | 400 |
//! | a request body of another media type | 415 |
//! | token errors | 400 for all of them, as Duende answers |
#![deny(missing_docs)]

mod admin;
mod caller;
mod clock;
mod compliance;
mod contract;
mod data;
mod directory;
mod engine;
mod error;
mod face;
mod fault;
mod graphql;
mod issuer;
mod problem;
mod projects;
mod reply;
mod requests;
mod sandbox;
mod server;
mod vault;
mod workflow;

pub use clock::Clock;
pub use directory::{Client, Grant, Membership, Role, SecretFile, Team, TeamClaim, User};
pub use error::Error;
pub use fault::{Fault, FaultControl, FaultError, Reset};
pub use issuer::{ApiTokenFormat, ErrorStyle, IssuerControl, RefreshPolicy};
pub use requests::{RequestRecord, Requests};
pub use sandbox::{Options, Sandbox, start, start_with};
pub use workflow::Outcome;
