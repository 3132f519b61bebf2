//! The client of another contract, for features that the platform's contract lacks. The hand-written files are the client's own,
//! under another root, and `tests/other.rs` of the workspace writes `generated`.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, unreachable_pub, unused_imports, reason = "the client has more than the tests call")]

#[path = "../../src/call.rs"]
mod call;
#[rustfmt::skip]
mod generated;
mod headers;
#[path = "../../src/platform.rs"]
mod platform;
mod redirects;
#[path = "../../src/response.rs"]
mod response;
mod security;
mod service;
#[cfg(feature = "testing")]
#[path = "../../src/testing.rs"]
mod testing;
mod written_back;

use call::{Call, Submission};
use generated::{families, types};
use platform::{Platform, Server};
use response::{Declared, Response};

type PlatformBuilder = driftless_runtime::ClientBuilder<Platform>;
