//! Keeps one socket open while there are subscriptions, and replaces it before its token expires.

use std::{collections::BTreeMap, pin::Pin, sync::Arc};

use tokio::{runtime::Handle, sync::mpsc, task::AbortHandle};

use super::{
    connect::{self, Opened, Refused},
    endpoint::{Endpoint, SubscriptionRequest},
    hub::{FeedEntry, Hub},
    link::{Link, Order},
    options::SubscriptionTransport,
    queue::Feed,
    schedule::{Due, Renewal, Schedule},
    sse,
};
use crate::{client::Session, clock};

type Opening = Pin<Box<dyn Future<Output = Result<Box<Opened>, Refused>> + Send>>;

struct Supervisor {
    session: Arc<Session>,
    endpoint: Arc<Endpoint>,
    /// In the order of their creation.
    subscriptions: BTreeMap<u64, Subscription>,
    current: Option<Link>,
    /// The replaced socket, while it overlaps.
    retiring: Option<Link>,
    opening: Option<Opening>,
    epoch: u64,
    schedule: Schedule,
}

struct Subscription {
    payload: Arc<str>,
    feed: Arc<Feed>,
    /// The task of a subscription with its own request.
    task: Option<AbortHandle>,
}

enum Turn {
    Request(Option<SubscriptionRequest>),
    Opened(Result<Box<Opened>, Refused>),
    Ended,
    Due(Due),
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
        schedule: Schedule::new(),
    };
    loop {
        match supervisor.step(&mut requests).await {
            Turn::Request(Some(request)) => supervisor.obey(request),
            Turn::Opened(Ok(opened)) => supervisor.opened(*opened),
            Turn::Opened(Err(refused)) => supervisor.refused(refused),
            Turn::Ended => supervisor.ended(),
            Turn::Due(Due::Renew) => supervisor.open(),
            Turn::Due(Due::Retire) => {
                supervisor.retiring = None;
                supervisor.schedule.retired();
            }
            Turn::Request(None) => return,
            Turn::Due(Due::Idle) => {
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
        let (at, due) = self.schedule.next();
        let opening = async {
            match &mut self.opening {
                Some(opening) => opening.as_mut().await,
                None => std::future::pending().await,
            }
        };
        let ended = async {
            match &mut self.current {
                // Without an answer, its task has ended.
                Some(link) => drop((&mut link.ended).await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            request = requests.recv() => Turn::Request(request),
            outcome = opening => Turn::Opened(outcome),
            () = ended => Turn::Ended,
            () = at.sleep() => Turn::Due(due),
        }
    }

    fn obey(&mut self, request: SubscriptionRequest) {
        match request {
            SubscriptionRequest::Add { id, payload, feed } => {
                feed.move_to(self.epoch, false);
                let mut subscription = Subscription { payload, feed, task: None };
                match &self.current {
                    Some(link) => subscription.send(id, link),
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
        for link in self.current.iter().chain(&self.retiring) {
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
        let idle = Hub::for_session(&self.session).options().idle;
        self.schedule.used(clock::now(), !self.subscriptions.is_empty(), idle);
        if self.current.is_none()
            && self.opening.is_none()
            && self.subscriptions.values().any(Subscription::is_on_socket)
        {
            self.open();
        }
    }

    fn open(&mut self) {
        let session = Arc::clone(&self.session);
        let pause = self.schedule.open();
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
        let now = clock::now();
        let renewal = Renewal::new(now, opened.usable_for, options.overlap);
        let (reports, room) = (self.endpoint.requests.clone(), Arc::clone(Hub::for_session(&self.session).room()));
        let link = Link::start(opened, self.epoch, options.keep_alive, reports, room);
        let renewed = self.schedule.opened(now, renewal);
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
        self.retiring = self.current.replace(link);
        tracing::debug!(subscriptions = self.subscriptions.len(), renewed, "the socket is open");
    }

    fn refused(&mut self, refused: Refused) {
        self.opening = None;
        let Refused { error, no_upgrade } = refused;
        tracing::debug!(code = error.code(), "no socket");
        if self.current.is_some() {
            self.schedule.refused(clock::now());
            return;
        }
        if no_upgrade && Hub::for_session(&self.session).options().transport == SubscriptionTransport::Auto {
            Hub::for_session(&self.session).upgrade_refused();
            self.schedule.unsupported();
            for subscription in self.subscriptions.values_mut().filter(|subscription| subscription.is_on_socket()) {
                subscription.start(&self.session);
            }
            return;
        }
        self.schedule.refused(clock::now());
        for subscription in self.subscriptions.values().filter(|subscription| subscription.is_on_socket()) {
            subscription.feed.end(self.epoch, Some(error.clone()));
        }
        self.subscriptions.retain(|_, subscription| !subscription.is_on_socket());
    }

    /// Handles the end of the current socket, which has notified its subscriptions. Those that it never sent go to the
    /// next one.
    fn ended(&mut self) {
        self.current = None;
        self.schedule.ended(clock::now());
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
