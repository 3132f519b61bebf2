//! The subscriptions of one client, and the way to the task that looks after them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::{
    GraphqlOptions,
    queue::{Feed, Queue},
    supervisor,
    total::Total,
};
use crate::{Error, error::Kind, session::Session};

/// What the supervisor is told.
pub(super) enum Request {
    Add { id: u64, payload: Arc<str>, feed: Arc<Feed> },
    Remove(u64),
}

/// The part of a session that subscriptions share.
pub(crate) struct Hub {
    options: GraphqlOptions,
    state: Mutex<State>,
    /// What all queues hold.
    total: Arc<Total>,
    /// Looks at operations, of which there may be thousands, take turns.
    #[cfg(feature = "operations")]
    pub(crate) looks: tokio::sync::Semaphore,
}

#[derive(Default)]
struct State {
    requests: Option<mpsc::UnboundedSender<Request>>,
    last: u64,
    /// The service has refused the upgrade.
    no_upgrade: bool,
}

impl Hub {
    pub(crate) fn new(options: GraphqlOptions) -> Self {
        // One message at least finds room.
        let total = Arc::new(Total::new(options.total.max(options.message_limit.saturating_add(1024))));
        Self {
            options,
            state: Mutex::default(),
            total,
            #[cfg(feature = "operations")]
            looks: tokio::sync::Semaphore::new(8),
        }
    }

    pub(super) fn options(&self) -> &GraphqlOptions {
        &self.options
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue of the configured size.
    pub(super) fn queue(&self) -> Arc<Queue> {
        Queue::new(self.options.buffer, self.options.message_limit.saturating_mul(2), Arc::clone(&self.total))
    }

    /// Adds a subscription, and starts the supervisor where there is none.
    pub(super) fn add(session: &Arc<Session>, payload: Arc<str>, feed: Arc<Feed>) -> Result<u64, Error> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| {
            Error::new(Kind::Configuration, "a subscription needs a Tokio runtime")
                .hint("call it within one: `Runtime::enter`, or an async function")
        })?;
        let mut state = session.graphql.state();
        state.last += 1;
        let id = state.last;
        let mut request = Request::Add { id, payload, feed };
        if let Some(requests) = &state.requests {
            match requests.send(request) {
                Ok(()) => return Ok(id),
                Err(back) => request = back.0,
            }
        }
        let (requests, received) = mpsc::unbounded_channel();
        // The receiver is still here.
        let _ = requests.send(request);
        state.requests = Some(requests);
        runtime.spawn(supervisor::run(Arc::clone(session), received));
        Ok(id)
    }

    pub(super) fn remove(&self, id: u64) {
        if let Some(requests) = &self.state().requests {
            let _ = requests.send(Request::Remove(id));
        }
    }

    /// Lets the supervisor go, unless it was asked for something in the meantime.
    pub(super) fn retire(&self, received: &mpsc::UnboundedReceiver<Request>) -> bool {
        let mut state = self.state();
        let idle = received.is_empty();
        if idle {
            state.requests = None;
        }
        idle
    }

    pub(super) fn has_no_upgrade(&self) -> bool {
        self.state().no_upgrade
    }

    pub(super) fn set_no_upgrade(&self) {
        self.state().no_upgrade = true;
    }
}
