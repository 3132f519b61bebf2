//! Asynchronous operations: work that the service accepts and completes later.
//!
//! The documentation of a service says (§4.4): a 2xx response does not mean that infrastructure is ready; the caller stores
//! the returned identifier, watches through GraphQL queries and subscriptions, and goes on only after the returned
//! state and the follow-up events are checked. It names neither states nor events nor fields: a [`Binding`] has them,
//! and those of a generated client come from its configuration.
//!
//! ```no_run
//! # async fn run(client: driftless_runtime::Client, text: &str) -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use driftless_runtime::operations::{Deadline, OperationRef, OperationOutcome};
//!
//! // `submit` of a bound operation gave a reference, and a program kept it.
//! let reference: OperationRef = serde_json::from_str(text)?;
//! let operation = client.operation(reference)?;
//! match operation.wait(Deadline::after(Duration::from_secs(600))).await? {
//!     OperationOutcome::Succeeded(last) => println!("ready: {:?}", last.events()),
//!     OperationOutcome::StillRunning(_) | OperationOutcome::Unreachable { .. } => println!("wait again: the operation goes on"),
//!     other => println!("not ready: {other:?}"),
//! }
//! # Ok(()) }
//! ```
//!
//! The query is authoritative, and the subscription only triggers queries: a final state that was pushed is confirmed
//! by a query, a push never moves a state back, and every end of the stream leads to a query and to a new subscription.
//! Dropping a watcher cancels nothing.

mod accepted;
mod address;
mod attempt;
mod binding;
mod contents;
mod deadline;
mod detached;
mod entry;
mod error;
mod fingerprint;
mod handle;
mod intent;
mod lease;
mod memory;
mod observation;
mod operation;
mod options;
mod outcome;
mod overview;
#[cfg(feature = "postgres")]
pub mod postgres;
mod reference;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod row;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
#[cfg(test)]
#[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "some is for one store only"))]
mod store_tests;
mod submit;
mod time;
mod tracker;
mod trouble;
mod watch;
mod worker;

#[doc(hidden)]
pub use binding::Bindings;
pub use binding::{Binding, Cancel, Events, States, Watched};
pub use deadline::Deadline;
pub use entry::{Entry, Status, Unfinished, Unreadable};
pub use handle::Operations;
pub use intent::Intent;
pub use lease::{Demand, HeldOperation, Instance, Lease, Wanted};
pub use memory::MemoryStore;
pub use observation::{Observation, ObservationSource, OperationState};
pub use operation::Operation;
pub use options::WatchOptions;
pub use outcome::OperationOutcome;
pub use overview::{Count, Failing, Overview, Owner, Standing};
#[cfg(feature = "postgres")]
#[doc(inline)]
pub use postgres::PostgresStore;
pub use reference::OperationRef;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{FIRST, Store, StoreFuture, WakeFuture};
pub use watch::Watch;
pub use worker::{Discarded, Ended, Worker, WorkerEvent};
