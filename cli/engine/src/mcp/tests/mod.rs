//! Tests of the server with clients, and of its parts.

mod answers;
mod client;
#[cfg(feature = "mcp-http")]
mod http;
mod refusals;
mod rules;
mod searches;
#[path = "../../../examples/tools/service.rs"]
mod service;
mod sessions;

use crate::{Exit, Failure, mcp};
