//! Figures for `docs/fleet.md`: from the push of an end to its handler, with a service of sockets and queries on
//! loopback, and workers that watch.
//!
//! `runtime/tests/postgres.sh cargo test -p driftless-runtime --all-features --lib postgres::latency -- --ignored --nocapture`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a program that prints figures")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};
use tokio_tungstenite::tungstenite::{
    Message,
    handshake::server::{Request, Response},
    http::HeaderValue,
};

use super::{
    PostgresStore,
    scale_tests::{fill, part},
    tests::Shared,
};
use crate::{
    Client, clock,
    graphql::GraphqlOptions,
    operations::{Binding, WatchOptions, WorkerEvent, store_tests::THING},
};

/// The number of ends that are pushed one after the other, and at once.
const PUSHES: usize = 200;
/// A limit that only a hang reaches.
const WATCHDOG: Duration = Duration::from_secs(1200);

static PUSHED: Binding = Binding {
    subscription: Some("subscription ($id: ID!) { changed(id: $id) { state } }"),
    pushed_state: Some("/changed/state"),
    ..THING
};

/// The target of a push: the socket, and the number of the subscription on it.
type Subscriber = (mpsc::UnboundedSender<String>, String);

/// A service that returns each operation as running until it is set otherwise.
#[derive(Default)]
struct Service {
    looks: AtomicUsize,
    subscribers: Mutex<BTreeMap<String, Subscriber>>,
    ended: Mutex<BTreeSet<String>>,
}

impl Service {
    async fn start() -> (String, Arc<Self>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service: Arc<Self> = Arc::default();
        let shared = Arc::clone(&service);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                tokio::spawn(Arc::clone(&shared).serve(stream));
            }
        });
        (url, service)
    }

    async fn serve(self: Arc<Self>, mut stream: TcpStream) {
        let mut head = vec![0; 4096];
        let length = stream.peek(&mut head).await.unwrap_or_default();
        if String::from_utf8_lossy(&head[..length]).to_lowercase().contains("upgrade: websocket") {
            return self.sockets(stream).await;
        }
        let mut bytes = Vec::new();
        loop {
            while let Some((body, rest)) = request(&bytes) {
                self.looks.fetch_add(1, Ordering::SeqCst);
                let asked: Value = serde_json::from_slice(&body).unwrap();
                bytes = rest;
                let id = asked["variables"]["id"].as_str().unwrap();
                let state = if self.ended.lock().unwrap().contains(id) { "DONE" } else { "A" };
                let body = json!({ "data": { "thing": { "state": state } } }).to_string();
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
                if stream.write_all(format!("{head} {}\r\n\r\n{body}", body.len()).as_bytes()).await.is_err() {
                    return;
                }
            }
            match stream.read_buf(&mut bytes).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }

    async fn sockets(&self, stream: TcpStream) {
        #[allow(clippy::result_large_err, reason = "the signature is the library's")]
        let answer = |_: &Request, mut response: Response| {
            let protocol = HeaderValue::from_static("graphql-transport-ws");
            response.headers_mut().insert("sec-websocket-protocol", protocol);
            Ok(response)
        };
        let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(stream, answer).await else { return };
        let (sender, mut pushes) = mpsc::unbounded_channel();
        loop {
            tokio::select! {
                push = pushes.recv() => {
                    if socket.send(Message::text(push.unwrap())).await.is_err() {
                        return;
                    }
                }
                message = socket.next() => {
                    let Some(Ok(message)) = message else { return };
                    let Ok(text) = message.to_text() else { continue };
                    let Ok(message) = serde_json::from_str::<Value>(text) else { continue };
                    match message["type"].as_str() {
                        Some("connection_init") => sender.send(r#"{"type":"connection_ack"}"#.to_owned()).unwrap(),
                        Some("subscribe") => {
                            let id = message["payload"]["variables"]["id"].as_str().unwrap().to_owned();
                            let number = message["id"].as_str().unwrap().to_owned();
                            self.subscribers.lock().unwrap().insert(id, (sender.clone(), number));
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn end(&self, id: &str) {
        self.ended.lock().unwrap().insert(id.to_owned());
        let (sender, number) = self.subscribers.lock().unwrap().remove(id).unwrap();
        let payload = json!({ "data": { "changed": { "state": "DONE" } } });
        // A closed socket is replaced, and the end is found.
        drop(sender.send(json!({ "id": number, "type": "next", "payload": payload }).to_string()));
    }

    /// Waits until the first queries of all workers are over.
    async fn is_calm(&self, before: usize, watched: usize) {
        // Each operation is queried when it is watched, and once more when its subscription has had time to begin.
        while self.looks.load(Ordering::SeqCst) - before < 2 * watched {
            clock::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns the operations that are watched.
    fn watched(&self, count: usize) -> Vec<String> {
        let all: Vec<String> = self.subscribers.lock().unwrap().keys().cloned().collect();
        let step = (all.len() / count).max(1);
        all.into_iter().step_by(step).take(count).collect()
    }
}

/// The body of the first request, and the bytes after it.
fn request(bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length: usize = head.split("content-length:").nth(1)?.lines().next()?.trim().parse().ok()?;
    let body = bytes.get(end..end + length)?;
    Some((body.to_vec(), bytes[end + length..].to_vec()))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes minutes, and prints figures"]
async fn push_to_handler() {
    let Some(server) = Shared::shared().await else { return };
    println!("open | workers | watched | push to handler ms p50, p90, p99 | {PUSHES} at once: ends/s, the last ms");
    for open in [1_000, 10_000, 100_000] {
        let name = format!("push_{open}");
        let (url, service) = Service::start().await;
        let store = server.wide(&name).await;
        let deployment = client(&url).operations().deployment();
        let mut filled = 0;
        for workers in [1, 4, 16] {
            // Operations that have ended are replaced.
            let wanted = open + service.ended.lock().unwrap().len();
            fill(&store, &deployment, filled, wanted).await;
            filled = wanted;
            server.run(&name, "ANALYZE @.submission").await;
            figures(&server, &name, &url, &service, open, workers).await;
        }
    }
}

fn client(url: &str) -> Client {
    Client::builder(url).graphql(GraphqlOptions::new()).build().unwrap()
}

async fn figures(server: &Shared, name: &str, url: &str, service: &Service, open: usize, workers: usize) {
    service.subscribers.lock().unwrap().clear();
    let looks = service.looks.load(Ordering::SeqCst);
    let (handled, mut ends) = mpsc::unbounded_channel();
    let watching = open.div_ceil(workers).min(1000);
    let mut running = Vec::new();
    for number in 0..workers {
        let store: PostgresStore = server.builder(name).open().await.unwrap();
        let operations = client(url).operations().with_binding(&PUSHED).with_options(WatchOptions::new());
        let (stop, stopped) = oneshot::channel::<()>();
        let (events, handled) = (handled.clone(), handled.clone());
        let worker = operations.with_store(store).worker().name(format!("worker {number}")).watching(watching);
        let worker = worker.on_event(move |event| {
            if let WorkerEvent::Handled { took, .. } = event {
                drop(events.send(Err(*took)));
            }
        });
        let task = tokio::spawn(worker.handle(
            move |ended| {
                drop(handled.send(Ok((ended.reference().id().to_owned(), Instant::now()))));
                std::future::ready(Ok::<(), String>(()))
            },
            async move { drop(stopped.await) },
        ));
        running.push((stop, task));
    }
    let all = watching * workers;
    let subscribed = async {
        while service.subscribers.lock().unwrap().len() < all.min(open) {
            clock::sleep(Duration::from_millis(50)).await;
        }
    };
    clock::limit(WATCHDOG, subscribed).await.expect("all are watched");
    clock::limit(WATCHDOG, service.is_calm(looks, all)).await.expect("they begin");
    let mut times = Vec::new();
    for id in service.watched(PUSHES) {
        let begun = Instant::now();
        service.end(&id);
        let next = async {
            loop {
                match ends.recv().await.unwrap() {
                    Ok((handled_id, at)) if handled_id == id => return at,
                    _ => {}
                }
            }
        };
        times.push(clock::limit(WATCHDOG, next).await.expect("it is handled").duration_since(begun));
    }
    // Free slots are used again.
    let begun = Instant::now();
    let mut wanted: BTreeSet<String> = service.watched(PUSHES).into_iter().collect();
    let count = wanted.len() as f64;
    wanted.iter().for_each(|id| service.end(id));
    let mut last = Duration::ZERO;
    let rest = async {
        while !wanted.is_empty() {
            if let Ok((id, at)) = ends.recv().await.unwrap() {
                wanted.remove(&id);
                last = at.duration_since(begun);
            }
        }
    };
    clock::limit(WATCHDOG, rest).await.expect("they are handled");
    println!(
        "{open} | {workers} | {} | {:.1}, {:.1}, {:.1} | {:.0}, {:.0}",
        all.min(open),
        part(&mut times, 0.5),
        part(&mut times, 0.9),
        part(&mut times, 0.99),
        count / last.as_secs_f64(),
        last.as_secs_f64() * 1000.0,
    );
    for (stop, task) in running {
        stop.send(()).unwrap();
        task.await.unwrap().unwrap();
    }
}
