//! The options of one call, which override the client's configuration.

use std::time::Duration;

use http::HeaderMap;

use super::RetryPolicy;
use crate::MinThroughput;

/// The options of one call, which override the client's configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) deadline: Option<Duration>,
    pub(crate) idle: Option<Duration>,
    /// The retry policy of the call.
    pub(crate) retries: Option<RetryPolicy>,
    pub(crate) least: Option<MinThroughput>,
    pub(crate) idempotent: bool,
    pub(crate) retry_when_asked: bool,
    /// The call starts work, whatever its method is.
    pub(crate) begins: bool,
    /// `true` if the body of a success is streamed, `false` if it is read whole.
    pub(crate) stream: Option<bool>,
    /// The call accepts any media type, after those that the contract names.
    pub(crate) anything: bool,
    pub(crate) headers: HeaderMap,
}

/// Defines the options of calls on a type that becomes a call and has them at this path of fields.
macro_rules! options {
    ([$($generic:ident)?] $type:ty, $($path:ident).+) => {
        impl$(<$generic>)? $type {
            /// Sets the time limit of this call, including all attempts.
            pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
                self.$($path).+.deadline = Some(deadline);
                self
            }

            /// Sets the longest silence of the service in this call: between the pieces of a body, and before the head
            /// of the response if the call may be retried.
            pub fn idle_timeout(mut self, timeout: std::time::Duration) -> Self {
                self.$($path).+.idle = Some(timeout);
                self
            }

            /// Sends this call once, whatever the result.
            pub fn no_retry(mut self) -> Self {
                self.$($path).+.retries = Some($crate::RetryPolicy::never());
                self
            }

            /// Sets the policy of attempts for this call.
            pub fn with_retries(mut self, policy: $crate::RetryPolicy) -> Self {
                self.$($path).+.retries = Some(policy);
                self
            }

            /// Sets the minimum throughput of this call's response body.
            pub fn with_min_throughput(mut self, least: $crate::MinThroughput) -> Self {
                self.$($path).+.least = Some(least);
                self
            }

            /// Declares that sending this call twice has the same effect as sending it once, so that it is retried like
            /// `GET`.
            pub fn idempotent(mut self) -> Self {
                self.$($path).+.idempotent = true;
                self
            }

            /// Retries this call if the service refuses it with 429 or 503 and `Retry-After`, whatever its method is.
            pub fn retry_when_asked(mut self) -> Self {
                self.$($path).+.retry_when_asked = true;
                self
            }
        }
    };
}
pub(crate) use options;
