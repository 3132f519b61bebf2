//! What one call changes of the client's configuration.

use std::time::Duration;

use http::HeaderMap;

use super::RetryPolicy;
use crate::MinThroughput;

/// What one call changes of the client's configuration.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) deadline: Option<Duration>,
    pub(crate) idle: Option<Duration>,
    /// How often the call is sent, where it says so itself.
    pub(crate) retries: Option<RetryPolicy>,
    pub(crate) least: Option<MinThroughput>,
    pub(crate) idempotent: bool,
    pub(crate) retry_when_asked: bool,
    /// The call begins work, whatever its method says.
    pub(crate) begins: bool,
    /// Whether the body of a success is handed over while it arrives, where the call says it.
    pub(crate) stream: Option<bool>,
    /// The call takes any media type, after those that the contract names.
    pub(crate) anything: bool,
    pub(crate) headers: HeaderMap,
}

/// Gives a type that becomes a call the options of calls, which lie at this path of fields.
macro_rules! options {
    ([$($generic:ident)?] $type:ty, $($path:ident).+) => {
        impl$(<$generic>)? $type {
            /// Sets the time that this call may take, all attempts included.
            pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
                self.$($path).+.deadline = Some(deadline);
                self
            }

            /// Sets how long the service may be silent in this call: between the pieces of a body, and before the head of
            /// the response where the call may be sent again.
            pub fn idle_timeout(mut self, timeout: std::time::Duration) -> Self {
                self.$($path).+.idle = Some(timeout);
                self
            }

            /// Sends this call once, whatever comes back.
            pub fn no_retry(mut self) -> Self {
                self.$($path).+.retries = Some($crate::RetryPolicy::never());
                self
            }

            /// Sets how often this call is sent, and the time that one attempt may take.
            pub fn with_retries(mut self, policy: $crate::RetryPolicy) -> Self {
                self.$($path).+.retries = Some(policy);
                self
            }

            /// Sets the least throughput of the body of the response to this call.
            pub fn with_min_throughput(mut self, least: $crate::MinThroughput) -> Self {
                self.$($path).+.least = Some(least);
                self
            }

            /// Says that sending this call twice does no more than sending it once, so that it may be retried as a `GET` is.
            pub fn idempotent(mut self) -> Self {
                self.$($path).+.idempotent = true;
                self
            }

            /// Sends this call again when the service refuses it with 429 or 503 and says `Retry-After`, whatever its method
            /// is.
            pub fn retry_when_asked(mut self) -> Self {
                self.$($path).+.retry_when_asked = true;
                self
            }
        }
    };
}
pub(crate) use options;
