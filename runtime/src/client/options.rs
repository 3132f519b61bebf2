//! What one call changes of the client's configuration.

use std::time::Duration;

use http::HeaderMap;

/// What one call changes of the client's configuration.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) deadline: Option<Duration>,
    pub(crate) idle: Option<Duration>,
    pub(crate) no_retry: bool,
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
                self.$($path).+.no_retry = true;
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
