//! What the layers above keep with a session.

#[cfg(feature = "graphql")]
use std::{any::Any, sync::OnceLock};
use std::{pin::Pin, sync::Arc};

use http::HeaderMap;

use crate::{Error, protocol::Prepared};

/// The state of a layer above, which this one does not know. It is made when it is first asked for.
#[cfg(feature = "graphql")]
#[derive(Default)]
pub(crate) struct Extension(OnceLock<Box<dyn Any + Send + Sync>>);

#[cfg(feature = "graphql")]
impl Extension {
    /// The state; `None` where it is that of another layer.
    pub(crate) fn get_or_init<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(make())).downcast_ref()
    }
}

/// Answers calls in place of the service.
pub(crate) trait Double: Send + Sync {
    /// The response to a call, or the error of its connection.
    fn answer<'a>(
        &'a self,
        prepared: &'a Prepared,
        headers: HeaderMap,
        body: Option<reqwest::Body>,
    ) -> Pin<Box<dyn Future<Output = Result<reqwest::Response, Error>> + Send + 'a>>;
}

/// The double of a session, if it has one.
pub(crate) type Doubled = Option<Arc<dyn Double>>;
