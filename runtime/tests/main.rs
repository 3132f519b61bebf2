//! The tests of this crate are one program: it is linked once, and they run in parallel. `traces.rs` and `measured.rs`
//! are separate programs, because they record everything in the process.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod allocations;
#[cfg(all(feature = "blocking", feature = "operations"))]
mod blocking;
#[cfg(unix)]
#[path = "support/certificates.rs"]
mod certificates;
mod charsets;
mod compliance;
mod download;
#[cfg(unix)]
mod durations;
#[cfg(all(feature = "testing", feature = "blocking"))]
mod fake;
#[cfg(feature = "graphql")]
mod graphql_items;
#[cfg(feature = "graphql")]
mod graphql_query;
#[cfg(feature = "graphql")]
mod graphql_socket;
#[cfg(feature = "graphql")]
mod graphql_trusted;
#[cfg(feature = "keyring")]
mod keyring;
#[cfg(unix)]
mod network;
#[cfg(feature = "operations")]
mod operations_address;
#[cfg(feature = "sqlite")]
mod operations_labels;
#[cfg(feature = "sqlite")]
mod operations_store;
#[cfg(feature = "operations")]
mod operations_submit;
#[cfg(all(feature = "operations", feature = "testing"))]
mod operations_watch;
mod page_shelves;
mod pages;
#[cfg(all(unix, feature = "graphql"))]
mod peers;
mod proxy;
mod requests;
mod runtimes;
mod security;
mod session;
#[cfg(unix)]
mod sign_in;
mod support;
#[cfg(feature = "graphql")]
#[path = "support/graphql.rs"]
mod support_graphql;
#[cfg(feature = "operations")]
#[path = "support/operations.rs"]
mod support_operations;
#[cfg(target_os = "linux")]
mod tls;
#[cfg(unix)]
mod tokens;
