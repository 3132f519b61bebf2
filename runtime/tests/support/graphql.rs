//! A GraphQL server on loopback under the test's control: queries as HTTP replies, sockets as scripts.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "shared between tests, each of which uses a part")]

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async_with_config,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
        http::{HeaderValue, StatusCode},
        protocol::{CloseFrame, WebSocketConfig},
    },
};

use crate::support::{Handler, Recorded, Reply, serve};

pub type Script = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One socket, on the server's side.
pub struct Peer {
    pub socket: WebSocketStream<TcpStream>,
    pub authorization: Option<String>,
    /// The number of this socket on the server, from 0.
    pub number: usize,
}

impl Peer {
    pub async fn send(&mut self, text: impl Into<String>) {
        let text: String = text.into();
        // Some tests expect a client that has disconnected.
        let _ = self.socket.send(Message::text(text)).await;
    }

    /// Returns the next message of the protocol; `None` if the client has disconnected.
    pub async fn receive(&mut self) -> Option<serde_json::Value> {
        loop {
            match self.socket.next().await? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Waits for `connection_init`, acknowledges it, and returns its payload.
    pub async fn acknowledge(&mut self) -> serde_json::Value {
        let init = self.receive().await.unwrap();
        assert_eq!(init["type"], "connection_init");
        self.send(r#"{"type":"connection_ack"}"#).await;
        init["payload"].clone()
    }

    /// Waits for the next `subscribe`, and returns its identifier.
    pub async fn subscribed(&mut self) -> Option<String> {
        loop {
            let message = self.receive().await?;
            if message["type"] == "subscribe" {
                return Some(message["id"].as_str().unwrap().to_owned());
            }
        }
    }

    pub async fn next(&mut self, id: &str, data: &str) {
        self.send(format!(r#"{{"id":"{id}","type":"next","payload":{{"data":{data}}}}}"#)).await;
    }

    pub async fn close(mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        let _ = self.socket.close(Some(frame)).await;
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    /// Reads until the client has disconnected.
    pub async fn idle(&mut self) {
        while self.receive().await.is_some() {}
    }
}

/// A server on a port of its own, until it is dropped.
pub struct GraphqlServer {
    pub url: String,
    sockets: Arc<AtomicUsize>,
    /// The number of upgrades that are still refused.
    refusals: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<Recorded>>>,
    task: tokio::task::JoinHandle<()>,
}

impl GraphqlServer {
    /// Sockets only.
    pub async fn sockets<F: Future<Output = ()> + Send + 'static>(
        script: impl Fn(Peer) -> F + Send + Sync + 'static,
    ) -> Self {
        Self::start("graphql-transport-ws", |_| Reply::new(500, &[], ""), script).await
    }

    pub async fn start<F: Future<Output = ()> + Send + 'static>(
        protocol: &'static str,
        handler: impl Fn(&Recorded) -> Reply + Send + Sync + 'static,
        script: impl Fn(Peer) -> F + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sockets = Arc::new(AtomicUsize::new(0));
        let refusals = Arc::new(AtomicUsize::new(0));
        let refuse = Arc::clone(&refusals);
        let requests = Arc::new(Mutex::new(Vec::new()));
        // Only the first request of a connection is checked for an upgrade.
        let handler: Arc<Handler> = Arc::new(move |request| handler(request).and_close());
        let script: Arc<dyn Fn(Peer) -> Script + Send + Sync> = Arc::new(move |peer| Box::pin(script(peer)));
        let (count, record) = (Arc::clone(&sockets), Arc::clone(&requests));
        let task = tokio::spawn(async move {
            // Scripts end with the server.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (handler, script) = (Arc::clone(&handler), Arc::clone(&script));
                let (count, refuse, record) = (Arc::clone(&count), Arc::clone(&refuse), Arc::clone(&record));
                connections.spawn(async move {
                    if wants_socket(&stream).await {
                        upgrade(stream, protocol, &count, &refuse, &*script).await;
                    } else {
                        serve(stream, handler, record).await;
                    }
                });
            }
        });
        Self { url, sockets, refusals, requests, task }
    }

    /// Returns the number of sockets that were opened.
    pub fn opened(&self) -> usize {
        self.sockets.load(Ordering::SeqCst)
    }

    /// Refuses the next upgrades with 404.
    pub fn refuse_upgrades(&self, count: usize) {
        self.refusals.store(count, Ordering::SeqCst);
    }

    pub fn requests(&self) -> Vec<Recorded> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for GraphqlServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn wants_socket(stream: &TcpStream) -> bool {
    let mut head = [0; 4096];
    loop {
        let length = stream.peek(&mut head).await.unwrap_or(0);
        let text = String::from_utf8_lossy(&head[..length]).to_lowercase();
        if length == 0 || text.contains("\r\n\r\n") {
            return text.contains("upgrade: websocket");
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

async fn upgrade(
    stream: TcpStream,
    protocol: &'static str,
    count: &AtomicUsize,
    refusals: &AtomicUsize,
    script: &(dyn Fn(Peer) -> Script + Send + Sync),
) {
    let mut authorization = None;
    #[allow(clippy::result_large_err, reason = "the signature is the library's")]
    let answer = |request: &Request, mut response: Response| {
        let refuses = |left: usize| left.checked_sub(1);
        if refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, refuses).is_ok() {
            let mut refusal = ErrorResponse::new(None);
            *refusal.status_mut() = StatusCode::NOT_FOUND;
            return Err(refusal);
        }
        authorization = request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
        if !protocol.is_empty() {
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(protocol));
        }
        Ok(response)
    };
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let Ok(socket) = accept_hdr_async_with_config(stream, answer, Some(config)).await else { return };
    let number = count.fetch_add(1, Ordering::SeqCst);
    script(Peer { socket, authorization, number }).await;
}
