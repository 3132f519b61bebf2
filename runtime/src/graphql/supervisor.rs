//! Keeps one socket open while there are subscriptions, and replaces it before its token expires.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::mpsc, task::AbortHandle};

use super::{
    connect::{self, Opened, Refused},
    endpoint::{Endpoint, SubscriptionRequest},
    hub::{FeedEntry, Hub},
    link::{Link, Order},
    options::SubscriptionTransport,
    queue::Feed,
    renewal::{Renewal, pause},
    sse,
};
use crate::{
    client::Session,
    clock::{self, Until},
};

/// After this time, a socket counts as good: the next may be opened at once.
const STEADY: Duration = Duration::from_secs(10);

type Opening = Pin<Box<dyn Future<Output = Result<Box<Opened>, Refused>> + Send>>;

struct Supervisor {
    session: Arc<Session>,
    endpoint: Arc<Endpoint>,
    /// In the order of their creation.
    subscriptions: BTreeMap<u64, Subscription>,
    current: Option<Current>,
    retiring: Option<(Link, Until)>,
    opening: Option<Opening>,
    epoch: u64,
    failures: u32,
    idle_since: Option<Instant>,
}

struct Subscription {
    payload: Arc<str>,
    feed: Arc<Feed>,
    /// The task of a subscription with its own request.
    task: Option<AbortHandle>,
}

struct Current {
    link: Link,
    since: Instant,
    renewal: Renewal,
}

enum Turn {
    Request(Option<SubscriptionRequest>),
    Opened(Result<Box<Opened>, Refused>),
    Ended,
    Renew,
    Retire,
    Idle,
}

/// Starts the management of one socket, on a runtime that outlives the caller's.
pub(super) fn start(
    runtime: &Handle,
    session: Arc<Session>,
    endpoint: Arc<Endpoint>,
    requests: mpsc::UnboundedReceiver<SubscriptionRequest>,
    epoch: u64,
) {
    runtime.spawn(run(session, endpoint, requests, epoch));
}

async fn run(
    session: Arc<Session>,
    endpoint: Arc<Endpoint>,
    mut requests: mpsc::UnboundedReceiver<SubscriptionRequest>,
    epoch: u64,
) {
    let mut supervisor = Supervisor {
        session,
        endpoint,
        subscriptions: BTreeMap::new(),
        current: None,
        retiring: None,
        opening: None,
        epoch,
        failures: 0,
        idle_since: None,
    };
    loop {
        match supervisor.step(&mut requests).await {
            Turn::Request(Some(request)) => supervisor.obey(request),
            Turn::Opened(Ok(opened)) => supervisor.opened(*opened),
            Turn::Opened(Err(refused)) => supervisor.refused(refused),
            Turn::Ended => supervisor.ended(),
            Turn::Renew => supervisor.open(),
            Turn::Retire => supervisor.retiring = None,
            Turn::Request(None) => return,
            Turn::Idle => {
                if Hub::for_session(&supervisor.session).retire(supervisor.endpoint.number, &requests) {
                    return;
                }
            }
        }
        supervisor.settle();
    }
}

impl Supervisor {
    async fn step(&mut self, requests: &mut mpsc::UnboundedReceiver<SubscriptionRequest>) -> Turn {
        let idle = self
            .idle_since
            .map_or(Until::NEVER, |since| Until::from(since, Hub::for_session(&self.session).options().idle));
        let renew = match &self.current {
            Some(current) if self.opening.is_none() => current.renewal.at,
            _ => Until::NEVER,
        };
        let retire = self.retiring.as_ref().map_or(Until::NEVER, |(_, until)| *until);
        let opening = async {
            match &mut self.opening {
                Some(opening) => opening.as_mut().await,
                None => std::future::pending().await,
            }
        };
        let ended = async {
            match &mut self.current {
                // Without an answer, its task has ended.
                Some(current) => drop((&mut current.link.ended).await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            request = requests.recv() => Turn::Request(request),
            outcome = opening => Turn::Opened(outcome),
            () = ended => Turn::Ended,
            () = renew.sleep() => Turn::Renew,
            () = retire.sleep() => Turn::Retire,
            () = idle.sleep() => Turn::Idle,
        }
    }

    fn obey(&mut self, request: SubscriptionRequest) {
        match request {
            SubscriptionRequest::Add { id, payload, feed } => {
                feed.move_to(self.epoch, false);
                let mut subscription = Subscription { payload, feed, task: None };
                match &self.current {
                    Some(current) => subscription.send(id, &current.link),
                    None if self.uses_requests() => subscription.start(&self.session),
                    None => {}
                }
                self.subscriptions.insert(id, subscription);
            }
            SubscriptionRequest::Remove(id) => drop(self.remove(id)),
            // The next socket reports the same as the replaced one.
            SubscriptionRequest::Full { id, epoch } if epoch == self.epoch => {
                if let Some(Subscription { payload, feed, .. }) = self.remove(id) {
                    let entry = FeedEntry { id, payload, feed: Arc::clone(&feed) };
                    if let Err(error) = Hub::spread(&self.session, self.endpoint.number, entry, start) {
                        feed.fail(error);
                    }
                }
            }
            SubscriptionRequest::Full { .. } => {}
        }
    }

    fn remove(&mut self, id: u64) -> Option<Subscription> {
        let subscription = self.subscriptions.remove(&id)?;
        if let Some(task) = &subscription.task {
            task.abort();
        }
        let links = self.current.as_ref().map(|current| &current.link).into_iter();
        for link in links.chain(self.retiring.as_ref().map(|(link, _)| link)) {
            link.order(Order::Unsubscribe(id));
        }
        Some(subscription)
    }

    /// Returns whether a further subscription becomes a request.
    fn uses_requests(&self) -> bool {
        match Hub::for_session(&self.session).options().transport {
            SubscriptionTransport::ServerSentEvents => true,
            SubscriptionTransport::WebSocket => false,
            SubscriptionTransport::Auto => self.opening.is_none() && Hub::for_session(&self.session).has_no_upgrade(),
        }
    }

    /// Starts the work that the state requires.
    fn settle(&mut self) {
        self.idle_since = match self.idle_since {
            _ if !self.subscriptions.is_empty() => None,
            None => Some(Instant::now()),
            since => since,
        };
        if self.current.is_none()
            && self.opening.is_none()
            && self.subscriptions.values().any(Subscription::is_on_socket)
        {
            self.open();
        }
    }

    fn open(&mut self) {
        let session = Arc::clone(&self.session);
        let pause = pause(self.failures);
        self.opening = Some(Box::pin(async move {
            clock::sleep(pause).await;
            connect::open(&session).await.map(Box::new)
        }));
    }

    fn opened(&mut self, opened: Opened) {
        self.opening = None;
        self.epoch = Hub::for_session(&self.session).epoch();
        Hub::for_session(&self.session).upgraded();
        let options = Hub::for_session(&self.session).options();
        let renewal = Renewal::new(opened.usable_for, options);
        let now = Instant::now();
        let (reports, room) = (self.endpoint.requests.clone(), Arc::clone(Hub::for_session(&self.session).room()));
        let link = Link::start(opened, self.epoch, options.keep_alive, reports, room);
        let old = self.current.take();
        let renewed = old.is_some();
        if renewed {
            self.failures = 0;
        }
        let epoch = self.epoch;
        self.subscriptions.retain(|id, subscription| {
            if subscription.is_on_socket() {
                let goes_on = subscription.feed.move_to(epoch, renewed);
                if goes_on {
                    subscription.send(*id, &link);
                }
                return goes_on;
            }
            true
        });
        self.retiring = old.map(|old| (old.link, Until::from(now, old.renewal.overlap)));
        self.current = Some(Current { link, since: now, renewal });
        tracing::debug!(subscriptions = self.subscriptions.len(), renewed, "the socket is open");
    }

    fn refused(&mut self, refused: Refused) {
        self.opening = None;
        let Refused { error, no_upgrade } = refused;
        tracing::debug!(code = error.code(), "no socket");
        if let Some(current) = &mut self.current {
            // The old socket goes on while it can.
            self.failures = self.failures.saturating_add(1);
            current.renewal.at = Until::after(Duration::ZERO);
            return;
        }
        if no_upgrade && Hub::for_session(&self.session).options().transport == SubscriptionTransport::Auto {
            Hub::for_session(&self.session).upgrade_refused();
            for subscription in self.subscriptions.values_mut().filter(|subscription| subscription.is_on_socket()) {
                subscription.start(&self.session);
            }
            return;
        }
        self.failures = self.failures.saturating_add(1);
        for subscription in self.subscriptions.values().filter(|subscription| subscription.is_on_socket()) {
            subscription.feed.end(self.epoch, Some(error.clone()));
        }
        self.subscriptions.retain(|_, subscription| !subscription.is_on_socket());
    }

    /// Handles the end of the current socket, which has notified its subscriptions. Those that it never sent go to the
    /// next one.
    fn ended(&mut self) {
        let steady = self.current.take().is_some_and(|current| current.since.elapsed() >= STEADY);
        self.failures = if steady { 0 } else { self.failures.saturating_add(1) };
        let epoch = self.epoch;
        self.subscriptions
            .retain(|_, subscription| !subscription.is_on_socket() || subscription.feed.move_to(epoch, false));
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        for subscription in self.subscriptions.values() {
            if let Some(task) = &subscription.task {
                task.abort();
            }
        }
    }
}

impl Subscription {
    /// Returns whether a socket carries it, or will.
    fn is_on_socket(&self) -> bool {
        self.task.is_none()
    }

    fn send(&self, id: u64, link: &Link) {
        let (payload, feed) = (Arc::clone(&self.payload), Arc::clone(&self.feed));
        link.order(Order::Subscribe { id, payload, feed });
    }

    fn start(&mut self, session: &Arc<Session>) {
        // The end of a socket does not affect it.
        let epoch = Hub::for_session(session).epoch();
        self.feed.move_to(epoch, false);
        let task = sse::run(Arc::clone(session), Arc::clone(&self.payload), Arc::clone(&self.feed), epoch);
        self.task = Some(tokio::spawn(task).abort_handle());
    }
}
