//! Settings of attempts: how often calls are sent, and when a body is too slow.

use super::ClientBuilder;
use crate::{MinThroughput, RetryPolicy};

impl<P> ClientBuilder<P> {
    /// Sends each call once, whatever comes back.
    pub fn no_retry(mut self) -> Self {
        self.retries = RetryPolicy::never();
        self
    }

    /// Sets how often calls are sent, the pauses between attempts, and the time that one attempt may take.
    pub fn retries(mut self, policy: RetryPolicy) -> Self {
        self.retries = policy;
        self
    }

    /// Sets how many second attempts the calls to a server may make before others succeed; 100 unless set. Five calls that succeed
    /// at once earn one back. Zero allows none, `u32::MAX` has no end in practice.
    pub fn retry_budget(mut self, attempts: u32) -> Self {
        self.retry_budget = attempts;
        self
    }

    /// Sets the least throughput of the bodies of responses; one byte a second unless set. Server-sent events have none.
    pub fn min_throughput(mut self, least: MinThroughput) -> Self {
        self.least = least;
        self
    }

    /// Retries `PUT` and `DELETE` as `GET` is: for services where sending them twice does no more than sending them once.
    pub fn retry_put_and_delete(mut self) -> Self {
        self.retry_writes = true;
        self
    }

    /// Sends every call again, `POST` and `PATCH` included, when the service refuses it with 429 or 503 and says
    /// `Retry-After`.
    pub fn retry_when_asked(mut self) -> Self {
        self.retry_when_asked = true;
        self
    }
}
