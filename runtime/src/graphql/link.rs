//! The task that owns one socket. It reads all messages, answers pings, and waits for no consumer.

use std::{
    collections::{HashMap, VecDeque},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::{Sink as _, Stream as _};
use reqwest::Upgraded;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{mpsc, oneshot};
use tokio_websockets::{Error as SocketError, Message, WebSocketStream};

use super::{
    close,
    connect::{self, Opened},
    endpoint::{Room, SubscriptionRequest},
    full,
    message::{self, ServerMessage},
    queue::Feed,
};
use crate::{
    clock::{self, Until},
    error::{Error, GraphqlError, read_errors, scrub_text},
};

/// The time limit for a service to read that the socket is closed.
const CLOSING: Duration = Duration::from_secs(20);

/// A command to the task of a socket.
pub(super) enum Order {
    Subscribe { id: u64, payload: Arc<str>, feed: Arc<Feed> },
    Unsubscribe(u64),
}

/// A running socket. It ends when this is dropped.
pub(super) struct Link {
    orders: mpsc::UnboundedSender<Order>,
    /// Completes when the socket has ended.
    pub(super) ended: oneshot::Receiver<()>,
}

impl Link {
    /// Starts the task.
    pub(super) fn start(
        opened: Opened,
        epoch: u64,
        keep_alive: Duration,
        reports: mpsc::UnboundedSender<SubscriptionRequest>,
        room: Arc<Room>,
    ) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let driver = Driver {
            socket: opened.socket,
            secret: opened.secret,
            orders: received,
            reports,
            room,
            routes: HashMap::new(),
            sent: 0,
            outgoing: VecDeque::new(),
            pong: None,
            unflushed: false,
            orders_first: false,
            epoch,
            keep_alive,
        };
        tokio::spawn(driver.run(end));
        Self { orders, ended }
    }

    pub(super) fn order(&self, order: Order) {
        // A task that has ended reports that through `ended`.
        let _ = self.orders.send(order);
    }
}

struct Driver {
    socket: WebSocketStream<Upgraded>,
    secret: Option<SecretString>,
    orders: mpsc::UnboundedReceiver<Order>,
    /// The sender to the supervisor.
    reports: mpsc::UnboundedSender<SubscriptionRequest>,
    room: Arc<Room>,
    routes: HashMap<u64, Route>,
    /// The number of subscriptions that were requested.
    sent: u64,
    outgoing: VecDeque<ClientMessage>,
    /// The pong for the last ping of the protocol: one is enough for several pings.
    pong: Option<Message>,
    unflushed: bool,
    orders_first: bool,
    epoch: u64,
    keep_alive: Duration,
}

/// A message that waits until the connection accepts it.
enum ClientMessage {
    Ping,
    Subscribe(u64, Arc<str>),
    Complete(u64),
}

impl ClientMessage {
    fn message(self) -> Message {
        match self {
            Self::Ping => Message::ping(""),
            Self::Subscribe(id, payload) => Message::text(message::subscribe(id, &payload)),
            Self::Complete(id) => Message::text(message::complete(id)),
        }
    }
}

struct Route {
    feed: Arc<Feed>,
    /// Sequence number within the socket.
    order: u64,
}

enum LinkEvent {
    Message(Message),
    Order(Order),
    /// The socket is no longer needed.
    Unwanted,
    Ended(Option<SocketError>),
}

/// The reason that the socket ends.
enum End {
    Unwanted,
    Failed(Error),
    /// Failed, because the service allows fewer subscriptions on a socket.
    Full(Error),
    /// Failed, and the socket is closed with this code.
    Refused(Error, u16),
}

impl Driver {
    async fn run(mut self, ended: oneshot::Sender<()>) {
        let end = self.work().await;
        let (error, code, full) = match end {
            End::Unwanted => (None, 1000, false),
            End::Failed(error) => (Some(error), 1000, false),
            End::Full(error) => (Some(error), 1000, true),
            End::Refused(error, code) => (Some(error), code, false),
        };
        if full {
            // It is unknown which one was too many, so half of them is the next guess. Subscriptions that come back at
            // once use it.
            self.room.learn(self.routes.len() / 2);
        }
        for Route { feed, .. } in self.routes.into_values() {
            feed.end(self.epoch, error.clone());
        }
        // The next socket does not wait for the closing of this one.
        let _ = ended.send(());
        // The service may no longer read.
        let _ = clock::limit(self.keep_alive.min(CLOSING), connect::close(&mut self.socket, code, "")).await;
    }

    async fn work(&mut self) -> End {
        let mut last_message = Instant::now();
        let mut asked = false;
        loop {
            let silence = if asked { self.keep_alive.saturating_mul(2) } else { self.keep_alive };
            let step = Until::from(last_message, silence).limit(std::future::poll_fn(|cx| self.poll(cx))).await;
            let end = match step {
                Err(_) if asked => Some(End::Failed(close::silent(silence))),
                Err(_) => {
                    asked = true;
                    self.outgoing.push_back(ClientMessage::Ping);
                    None
                }
                Ok(LinkEvent::Message(message)) => {
                    last_message = Instant::now();
                    asked = false;
                    self.receive(message)
                }
                Ok(LinkEvent::Order(order)) => {
                    self.obey(order);
                    None
                }
                Ok(LinkEvent::Unwanted) => Some(End::Unwanted),
                Ok(LinkEvent::Ended(Some(cause))) => Some(End::Failed(close::broken(&cause))),
                Ok(LinkEvent::Ended(None)) => Some(End::Failed(close::ended())),
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<LinkEvent> {
        if let Err(cause) = self.write(context) {
            return Poll::Ready(LinkEvent::Ended(Some(cause)));
        }
        // Alternating, so that neither a flood of messages nor one of commands delays the other.
        self.orders_first = !self.orders_first;
        if self.orders_first
            && let Poll::Ready(order) = self.orders.poll_recv(context)
        {
            return Poll::Ready(order.map_or(LinkEvent::Unwanted, LinkEvent::Order));
        }
        // Each ping is answered: a service that does not accept pongs sends no more pings.
        match Pin::new(&mut self.socket).poll_ready(context) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(cause)) => return Poll::Ready(LinkEvent::Ended(Some(cause))),
            Poll::Pending => return self.poll_orders(context),
        }
        match Pin::new(&mut self.socket).poll_next(context) {
            Poll::Ready(Some(Ok(message))) => return Poll::Ready(LinkEvent::Message(message)),
            Poll::Ready(Some(Err(cause))) => return Poll::Ready(LinkEvent::Ended(Some(cause))),
            Poll::Ready(None) => return Poll::Ready(LinkEvent::Ended(None)),
            Poll::Pending => {}
        }
        self.poll_orders(context)
    }

    fn poll_orders(&mut self, context: &mut Context<'_>) -> Poll<LinkEvent> {
        if self.orders_first {
            return Poll::Pending;
        }
        self.orders.poll_recv(context).map(|order| order.map_or(LinkEvent::Unwanted, LinkEvent::Order))
    }

    /// Writes as much as the connection accepts now.
    fn write(&mut self, context: &mut Context<'_>) -> Result<(), SocketError> {
        while self.pong.is_some() || !self.outgoing.is_empty() {
            match Pin::new(&mut self.socket).poll_ready(context)? {
                Poll::Pending => break,
                Poll::Ready(()) => {
                    let Some(message) =
                        self.pong.take().or_else(|| self.outgoing.pop_front().map(ClientMessage::message))
                    else {
                        break;
                    };
                    Pin::new(&mut self.socket).start_send(message)?;
                    self.unflushed = true;
                }
            }
        }
        if self.unflushed && Pin::new(&mut self.socket).poll_flush(context)?.is_ready() {
            self.unflushed = false;
        }
        Ok(())
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Subscribe { id, payload, feed } => {
                self.sent += 1;
                self.routes.insert(id, Route { feed, order: self.sent });
                self.outgoing.push_back(ClientMessage::Subscribe(id, payload));
            }
            Order::Unsubscribe(id) => {
                if self.routes.remove(&id).is_none() {
                    return;
                }
                // A subscription that was never sent needs no `complete`: nothing piles up if the service sends and
                // does not read.
                let waits =
                    |message: &ClientMessage| matches!(message, ClientMessage::Subscribe(other, _) if *other == id);
                match self.outgoing.iter().position(waits) {
                    Some(index) => drop(self.outgoing.remove(index)),
                    None => self.outgoing.push_back(ClientMessage::Complete(id)),
                }
            }
        }
    }

    fn receive(&mut self, message: Message) -> Option<End> {
        if let Some((code, reason)) = message.as_close() {
            let code = u16::from(code);
            let error = close::closed(code, reason, self.secret.as_ref());
            return Some(if code == 4429 || full::says(reason) { End::Full(error) } else { End::Failed(error) });
        }
        if message.is_ping() || message.is_pong() {
            return None;
        }
        let Some(text) = message.as_text() else {
            return Some(End::Refused(close::protocol("a binary message"), 4400));
        };
        match ServerMessage::read(text) {
            // An unknown identifier belongs to a subscription that has ended.
            Some(ServerMessage::Next(id, payload)) => {
                if let Some(Route { feed, .. }) = self.route(id) {
                    feed.push(self.scrubbed(payload.get()).into());
                }
            }
            Some(ServerMessage::Failed(id, payload)) => {
                if let Some((id, route)) = self.take(id) {
                    let errors = read_errors(payload.map_or("null", |payload| payload.get()), self.secret.as_ref());
                    self.failed(id, &route, errors);
                }
            }
            Some(ServerMessage::Complete(id)) => {
                if let Some((_, Route { feed, .. })) = self.take(id) {
                    feed.end(self.epoch, None);
                }
            }
            Some(ServerMessage::Ping(payload)) => self.pong = Some(Message::text(message::pong(payload))),
            Some(ServerMessage::Pong | ServerMessage::Acknowledged) => {}
            None => return Some(End::Refused(close::protocol("a message that it does not have"), 4400)),
        }
        None
    }

    fn scrubbed(&self, payload: &str) -> String {
        match &self.secret {
            Some(secret) => scrub_text(payload, secret.expose_secret()),
            None => payload.to_owned(),
        }
    }

    /// Ends a subscription that the service refuses, unless another socket may have capacity for it.
    fn failed(&self, id: u64, route: &Route, errors: Vec<GraphqlError>) {
        if full::is_said_by(&errors) {
            // Those that the service accepted before it. If it is the first, another socket changes nothing.
            let others = self.routes.values().filter(|other| other.order < route.order).count();
            if others == 0 {
                self.room.forget();
            } else {
                self.room.learn(others);
                if self.reports.send(SubscriptionRequest::Full { id, epoch: self.epoch }).is_ok() {
                    return;
                }
            }
        }
        route.feed.end(self.epoch, Some(Error::graphql(errors)));
    }

    fn route(&self, id: &str) -> Option<&Route> {
        self.routes.get(&id.parse().ok()?)
    }

    fn take(&mut self, id: &str) -> Option<(u64, Route)> {
        self.routes.remove_entry(&id.parse().ok()?)
    }
}
