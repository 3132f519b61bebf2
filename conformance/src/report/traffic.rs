//! The requests of a run, and the connections that they came over.

use std::collections::BTreeSet;

use driftless_sandbox::conformance::Recorded;
use serde::Serialize;

/// A client that keeps its connections needs few: an answer that ends early ends its connection.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Traffic {
    /// The number of requests.
    pub requests: usize,
    /// The number of connections.
    pub connections: usize,
    #[serde(skip)]
    seen: BTreeSet<usize>,
}

impl Traffic {
    /// Adds the requests of a case.
    pub(crate) fn add(&mut self, recorded: &[Recorded]) {
        self.requests += recorded.len();
        self.seen.extend(recorded.iter().map(|request| request.connection));
        self.connections = self.seen.len();
    }

    pub(super) fn text(&self) -> String {
        format!("{} requests over {} connections\n", self.requests, self.connections)
    }
}
