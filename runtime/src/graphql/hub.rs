//! The subscriptions of one client, and their distribution over sockets.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Instant,
};

use tokio::{
    runtime::Handle,
    sync::mpsc::{self, UnboundedReceiver},
};

use super::{
    background,
    endpoint::{Endpoint, Room, SubscriptionRequest},
    options::GraphqlOptions,
    persisted::Persisted,
    queue::{Feed, Queue},
    refusals::UpgradeRefusals,
    total::Total,
};
use crate::{Error, client::Session};

/// Starts the task that manages one socket.
pub(super) type Start = fn(&Handle, Arc<Session>, Arc<Endpoint>, UnboundedReceiver<SubscriptionRequest>, u64);

/// A subscription on its way to a socket.
pub(super) struct FeedEntry {
    pub(super) id: u64,
    pub(super) payload: Arc<str>,
    pub(super) feed: Arc<Feed>,
}

/// The part of a session that subscriptions share.
pub(crate) struct Hub {
    options: GraphqlOptions,
    state: Mutex<HubState>,
    room: Arc<Room>,
    /// The service's knowledge of document hashes.
    pub(super) persisted: Persisted,
    /// The total size of all queues.
    total: Arc<Total<Queue>>,
    /// The turns of queries of operations, of which there may be thousands.
    #[cfg(feature = "operations")]
    pub(crate) looks: tokio::sync::Semaphore,
}

#[derive(Default)]
struct HubState {
    /// Numbers for subscriptions, endpoints and sockets.
    last: u64,
    endpoints: Vec<Arc<Endpoint>>,
    upgrades: UpgradeRefusals,
}

impl HubState {
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

impl Hub {
    fn new(options: GraphqlOptions) -> Self {
        // There is room for at least one message.
        let total = Arc::new(Total::new(options.total.max(options.message_limit.saturating_add(1024))));
        Self {
            options,
            state: Mutex::default(),
            room: Arc::default(),
            persisted: Persisted::default(),
            total,
            #[cfg(feature = "operations")]
            looks: tokio::sync::Semaphore::new(8),
        }
    }

    /// Returns the hub of a session.
    pub(crate) fn for_session(session: &Session) -> &Self {
        let make = || Self::new(session.extensions.get().cloned().unwrap_or_default());
        // No other layer uses this extension.
        static NONE: OnceLock<Hub> = OnceLock::new();
        session.graphql.get_or_init(make).unwrap_or_else(|| NONE.get_or_init(|| Self::new(GraphqlOptions::new())))
    }

    pub(super) fn options(&self) -> &GraphqlOptions {
        &self.options
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a queue of the configured size.
    pub(super) fn queue(&self) -> Arc<Queue> {
        Queue::new(self.options.buffer, self.options.message_limit.saturating_mul(2), Arc::clone(&self.total))
    }

    /// Returns a number that no other socket of this client has.
    pub(super) fn epoch(&self) -> u64 {
        self.state().number()
    }

    /// Adds a subscription.
    pub(super) fn add(session: &Arc<Session>, payload: Arc<str>, feed: Arc<Feed>, start: Start) -> Result<(), Error> {
        let mut state = Hub::for_session(session).state();
        let id = state.number();
        Self::settle(session, &mut state, FeedEntry { id, payload, feed }, None, start)
    }

    /// Moves a subscription to another socket, because its own has no capacity for so many.
    pub(super) fn spread(session: &Arc<Session>, from: u64, entry: FeedEntry, start: Start) -> Result<(), Error> {
        let mut state = Hub::for_session(session).state();
        Self::settle(session, &mut state, entry, Some(from), start)
    }

    /// Finds a socket with capacity, or starts the supervisor of another one.
    fn settle(
        session: &Arc<Session>,
        state: &mut HubState,
        FeedEntry { id, payload, feed }: FeedEntry,
        except: Option<u64>,
        start: Start,
    ) -> Result<(), Error> {
        let room = Hub::for_session(session).room.get().min(Hub::for_session(session).options.per_socket);
        let mut request = SubscriptionRequest::Add { id, payload, feed: Arc::clone(&feed) };
        let mut index = 0;
        while let Some(endpoint) = state.endpoints.get(index) {
            if Some(endpoint.number) == except || endpoint.taken() >= room {
                index += 1;
                continue;
            }
            if !endpoint.add(id, &feed) {
                return Ok(());
            }
            match endpoint.requests.send(request) {
                Ok(()) => return Ok(()),
                // Its supervisor has ended.
                Err(back) => request = back.0,
            }
            state.endpoints.remove(index);
        }
        let runtime = background::handle()?;
        let (requests, received) = mpsc::unbounded_channel();
        let endpoint = Arc::new(Endpoint::new(state.number(), requests));
        if endpoint.add(id, &feed) {
            // The receiver is still here.
            let _ = endpoint.requests.send(request);
            state.endpoints.push(Arc::clone(&endpoint));
            let epoch = state.number();
            start(runtime, Arc::clone(session), endpoint, received, epoch);
        }
        Ok(())
    }

    /// Removes a subscription whose consumer was dropped.
    pub(super) fn remove(&self, queue: &Queue) {
        // Not while the subscription moves to another socket.
        let state = self.state();
        if let Some(leave) = queue.close() {
            leave.leave();
        }
        drop(state);
    }

    /// Ends a supervisor, unless it got a request in the meantime.
    pub(super) fn retire(&self, number: u64, received: &UnboundedReceiver<SubscriptionRequest>) -> bool {
        let mut state = self.state();
        let idle = received.is_empty();
        if idle {
            state.endpoints.retain(|endpoint| endpoint.number != number);
            if state.endpoints.is_empty() {
                self.room.forget();
            }
        }
        idle
    }

    pub(super) fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Returns whether the service has refused the upgrade recently.
    pub(super) fn has_no_upgrade(&self) -> bool {
        self.state().upgrades.is_in_force(Instant::now())
    }

    pub(super) fn upgrade_refused(&self) {
        self.state().upgrades.add(self.options.upgrade, Instant::now());
    }

    pub(super) fn upgraded(&self) {
        self.state().upgrades.clear();
    }
}
