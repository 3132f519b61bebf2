//! Subscriptions over a WebSocket: the protocol `graphql-transport-ws`, as the npm package graphql-ws defines it.

mod message;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::StreamExt;
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use self::message::{Incoming, token};
use super::Service;
use super::request::{begin, is_refused};
use crate::caller::Caller;
use crate::fault::Connection;

const PROTOCOL: &str = "graphql-transport-ws";
/// The maximum wait for the first message of a client.
const PATIENCE: Duration = Duration::from_secs(3);
/// The maximum duration of the closing handshake.
const GOODBYE: Duration = Duration::from_secs(1);
const MESSAGE_LIMIT: usize = 1024 * 1024;
/// The number of messages that may be queued for a slow client.
const WAITING: usize = 64;

/// A close code and its reason.
struct End(u16, String);

/// One open WebSocket.
struct Socket {
    service: Service,
    /// The caller, from the header of the upgrade or from the first message.
    caller: Option<Arc<Caller>>,
    is_open: bool,
    running: HashMap<String, JoinHandle<()>>,
    results: mpsc::Sender<(String, Option<Value>)>,
}

/// Answers the upgrade. A token in its header is checked at once; otherwise, the first message has to have it.
pub(super) fn open(
    service: Service,
    upgrade: WebSocketUpgrade,
    headers: &HeaderMap,
    connection: Connection,
) -> Response {
    let caller = match headers.contains_key(http::header::AUTHORIZATION) {
        true => match service.issuer.caller(headers) {
            Ok(caller) => Some(caller),
            Err(response) => return *response,
        },
        false => None,
    };
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(MESSAGE_LIMIT);
    upgrade.on_upgrade(move |socket| run(socket, service, caller, connection))
}

async fn run(mut socket: WebSocket, service: Service, caller: Option<Arc<Caller>>, connection: Connection) {
    if socket.protocol().is_none() {
        return close(&mut socket, End(4406, "Subprotocol not acceptable".to_owned())).await;
    }
    let mut ends = service.faults.socket_ends();
    ends.mark_unchanged();
    let (results, mut finished) = mpsc::channel(WAITING);
    let mut state = Socket { service, caller, is_open: false, running: HashMap::new(), results };
    let deadline = Instant::now() + PATIENCE;
    let end = loop {
        let expiry = state.expiry();
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => match state.receive(&text) {
                    Ok(Some(answer)) => if send(&mut socket, &answer).await.is_err() { break None },
                    Ok(None) => {}
                    Err(end) => break Some(end),
                },
                Some(Ok(Message::Binary(_))) => break Some(End(4400, "Invalid message".to_owned())),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
            },
            Some((id, answer)) = finished.recv() => {
                let answer = state.answer(&id, answer);
                if let Some(answer) = answer && send(&mut socket, &answer).await.is_err() {
                    break None;
                }
            }
            () = sleep_until(deadline), if !state.is_open => {
                break Some(End(4408, "Connection initialisation timeout".to_owned()));
            }
            () = sleep_until(expiry.unwrap_or(deadline)), if expiry.is_some() => {
                break Some(End(4401, "Unauthorized: the token has expired".to_owned()));
            }
            Ok(()) = ends.changed() => {
                let (_, code) = *ends.borrow_and_update();
                match code {
                    Some(code) => break Some(End(code, "The sandbox was asked for this close.".to_owned())),
                    None => connection.cut(),
                }
                // The next write detects the cut.
                break Some(End(1001, String::new()));
            }
        }
    };
    for task in state.running.into_values() {
        task.abort();
    }
    match end {
        Some(end) => close(&mut socket, end).await,
        None => part(&mut socket).await,
    }
}

impl Socket {
    /// Handles a message: returns the immediate answer, or the reason to close the socket.
    fn receive(&mut self, text: &str) -> Result<Option<Value>, End> {
        match message::read(text).map_err(|reason| End(4400, reason))? {
            Incoming::Init(payload) => self.init(&payload).map(Some),
            Incoming::Ping(payload) => Ok(Some(match payload {
                Some(payload) => json!({ "type": "pong", "payload": payload }),
                None => json!({ "type": "pong" }),
            })),
            Incoming::Pong => Ok(None),
            Incoming::Complete(id) => {
                if let Some(task) = self.running.remove(&id) {
                    task.abort();
                }
                Ok(None)
            }
            Incoming::Subscribe(id, request) => self.subscribe(id, *request).map(|()| None),
        }
    }

    fn init(&mut self, payload: &Value) -> Result<Value, End> {
        if self.is_open {
            return Err(End(4429, "Too many initialisation requests".to_owned()));
        }
        if let Some(token) = token(payload) {
            let caller = self.service.issuer.caller_of(token);
            self.caller = Some(caller.ok_or(End(4403, "Forbidden: the token is not valid".to_owned()))?);
        }
        if self.caller.is_none() {
            return Err(End(4401, "Unauthorized: no token came with connection_init or the upgrade".to_owned()));
        }
        self.is_open = true;
        Ok(json!({ "type": "connection_ack" }))
    }

    fn subscribe(&mut self, id: String, request: async_graphql::Request) -> Result<(), End> {
        let (Some(caller), true) = (&self.caller, self.is_open) else {
            return Err(End(4401, "Unauthorized".to_owned()));
        };
        if self.running.contains_key(&id) {
            return Err(End(4409, format!("Subscriber for {id} already exists")));
        }
        let mut stream = begin(request, &self.service, caller);
        let (results, name) = (self.results.clone(), id.clone());
        let task = tokio::spawn(async move {
            while let Some(answer) = stream.next().await {
                if is_refused(&answer) {
                    let errors = json!({ "id": name, "type": "error", "payload": answer.errors });
                    let _ = results.send((name, Some(errors))).await;
                    return;
                }
                let next = json!({ "id": name, "type": "next", "payload": answer });
                if results.send((name.clone(), Some(next))).await.is_err() {
                    return;
                }
            }
            // An error means that the socket is closed.
            let _ = results.send((name, None)).await;
        });
        self.running.insert(id, task);
        Ok(())
    }

    /// The message for a result. Nothing is sent for subscriptions that the client has completed.
    fn answer(&mut self, id: &str, answer: Option<Value>) -> Option<Value> {
        if !self.running.contains_key(id) {
            return None;
        }
        let ended = answer.as_ref().is_none_or(|answer| answer.get("type").is_some_and(|kind| kind == "error"));
        if ended {
            self.running.remove(id);
        }
        Some(answer.unwrap_or_else(|| json!({ "id": id, "type": "complete" })))
    }

    /// The expiry of the token, on the timer's clock.
    fn expiry(&self) -> Option<Instant> {
        let left = self.caller.as_ref()?.expires?.saturating_sub(self.service.issuer.now());
        Some(Instant::now() + Duration::from_secs(u64::try_from(left).unwrap_or_default().min(86_400)))
    }
}

async fn send(socket: &mut WebSocket, value: &Value) -> Result<(), axum::Error> {
    socket.send(Message::Text(value.to_string().into())).await
}

async fn close(socket: &mut WebSocket, End(code, reason): End) {
    // If the close frame cannot be sent, the peer is gone and needs no handshake.
    if socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await.is_ok() {
        part(socket).await;
    }
}

/// Reads until the peer has closed as well: reading is also needed to answer its close frame.
async fn part(socket: &mut WebSocket) {
    let _ = timeout(GOODBYE, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
}
