//! Settings of attempts: retries, and the minimum throughput of bodies.

use super::ClientBuilder;
use crate::{MinThroughput, RetryPolicy};

impl<P> ClientBuilder<P> {
    /// Sends each call once, whatever the result.
    pub fn no_retry(mut self) -> Self {
        self.retries = RetryPolicy::never();
        self
    }

    /// Sets the policy of attempts: their number, the pauses between them, and the time limit of each.
    pub fn retries(mut self, policy: RetryPolicy) -> Self {
        self.retries = policy;
        self
    }

    /// Sets the number of retries that calls to a server may use before others succeed; 100 unless set. Five calls that
    /// succeed at once earn one back. Zero allows none, `u32::MAX` is practically unlimited.
    pub fn retry_budget(mut self, attempts: u32) -> Self {
        self.retry_budget = attempts;
        self
    }

    /// Sets the minimum throughput of response bodies; 240 bytes a second unless set. Server-sent events
    /// have no minimum.
    pub fn min_throughput(mut self, least: MinThroughput) -> Self {
        self.least = least;
        self
    }

    /// Retries `PUT` and `DELETE` like `GET`: for services where sending them twice has the same effect as sending them
    /// once.
    pub fn retry_put_and_delete(mut self) -> Self {
        self.retry_writes = true;
        self
    }

    /// Retries every call, including `POST` and `PATCH`, if the service refuses it with 429 or 503 and `Retry-After`.
    pub fn retry_when_asked(mut self) -> Self {
        self.retry_when_asked = true;
        self
    }
}
