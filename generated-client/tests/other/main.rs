//! The client of another contract, for features that the platform's contract lacks. `tests/other.rs` of the workspace writes
//! `generated`.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, unused_imports, reason = "the client has more than the tests call")]

#[rustfmt::skip]
mod generated;
mod headers;
mod redirects;
mod security;
mod service;
mod written_back;

use generated::*;
