//! State that the layers above keep in a session.

#[cfg(feature = "graphql")]
use std::{any::Any, sync::OnceLock};
use std::{pin::Pin, sync::Arc};

use http::HeaderMap;

use crate::{Error, protocol::Prepared};

/// The state of a layer above, whose type this module does not know. It is created on first use.
#[cfg(feature = "graphql")]
#[derive(Default)]
pub(crate) struct Extension(OnceLock<Box<dyn Any + Send + Sync>>);

#[cfg(feature = "graphql")]
impl Extension {
    /// Returns the state; `None` if it belongs to another layer.
    pub(crate) fn get_or_init<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(make())).downcast_ref()
    }
}

/// Answers calls instead of the service.
pub(crate) trait Double: Send + Sync {
    /// Returns the response to a call, or the error of its connection.
    fn answer<'a>(
        &'a self,
        prepared: &'a Prepared,
        headers: HeaderMap,
        body: Option<reqwest::Body>,
    ) -> Pin<Box<dyn Future<Output = Result<reqwest::Response, Error>> + Send + 'a>>;
}

/// The double of a session, if it has one.
pub(crate) type Doubled = Option<Arc<dyn Double>>;
