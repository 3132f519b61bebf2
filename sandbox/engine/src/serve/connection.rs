//! The listener and its connections.

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use driftless_sandbox_control::fault::Line;
use driftless_sandbox_control::interface::Control;
use http::Method;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, SemaphorePermit, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout, timeout_at};

use super::control;
use super::handle::{Received, Service, refuse, status};
use super::reply::Reply;
use crate::error::Error;

/// The longest body of a request.
const MOST_BYTES: usize = 64 << 20;

/// The bodies that are being received, together. A longer one is refused while the others take this memory.
const MOST_BYTES_OF_ALL: usize = 512 << 20;

/// Connections at a time. Further ones wait in the queue of the operating system.
const MOST_CONNECTIONS: usize = 1_000;

/// Time for the head of a request, and between two requests.
const HEAD: Duration = Duration::from_secs(30);

/// Time for the body of a request: for all of it, and for the next part.
const BODY: Duration = Duration::from_secs(300);
const BODY_PART: Duration = Duration::from_secs(30);

/// The limits that all connections share.
#[derive(Debug)]
struct Limits {
    connections: Arc<Semaphore>,
    bytes: Semaphore,
}

/// A running server. Dropping it lets the running requests end and closes the listener.
#[derive(Debug)]
pub(crate) struct Server {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    control: Control,
}

/// Listens on an address.
pub(crate) async fn bind(address: IpAddr, port: u16) -> Result<(TcpListener, SocketAddr), Error> {
    let refused = |error: std::io::Error| {
        let message = format!("the sandbox cannot listen on {}: {error}", SocketAddr::new(address, port));
        Error::new("address", "", message, "choose another port, or 0 for any free one")
    };
    let listener = TcpListener::bind((address, port)).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

impl Server {
    pub(crate) fn start(listener: TcpListener, service: Arc<Service>, control: Control) -> Self {
        let (stop, stopped) = oneshot::channel();
        Self { stop, task: tokio::spawn(accept(listener, service, control.clone(), stopped)), control }
    }

    /// The parts that faults, clock and journal are controlled by.
    pub(crate) fn control(&self) -> &Control {
        &self.control
    }

    /// Lets the running requests end, for a limited time.
    pub(crate) async fn stop(self) {
        const PATIENCE: Duration = Duration::from_secs(2);
        let Self { stop, mut task, control } = self;
        drop(stop);
        control.faults.end_sockets(None);
        if timeout(PATIENCE, &mut task).await.is_err() {
            task.abort();
        }
    }
}

async fn accept(listener: TcpListener, service: Arc<Service>, control: Control, mut stopped: oneshot::Receiver<()>) {
    let (goodbye, hears) = watch::channel(());
    let mut connections = JoinSet::new();
    let limits = Arc::new(Limits {
        connections: Arc::new(Semaphore::new(MOST_CONNECTIONS)),
        bytes: Semaphore::new(MOST_BYTES_OF_ALL),
    });
    let answers = {
        let (service, limits, hears) = (Arc::clone(&service), Arc::clone(&limits), hears.clone());
        move |request: Request| {
            let (service, limits, goodbye) = (Arc::clone(&service), Arc::clone(&limits), hears.clone());
            async move { respond(service, &limits, goodbye, request).await }
        }
    };
    let routes = control::router(&service, control.clone()).fallback(answers);
    let router = control::observed(routes, &control);
    let next = async || {
        let permit = Arc::clone(&limits.connections).acquire_owned().await;
        listener.accept().await.map(|(stream, _)| (stream, permit))
    };
    loop {
        tokio::select! {
            accepted = next() => match accepted {
                Ok((stream, permit)) => {
                    let conversation = converse(stream, router.clone(), hears.clone());
                    connections.spawn(async move {
                        conversation.await;
                        drop(permit);
                    });
                }
                // Too many open files, for example: it ends when a connection does.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = connections.join_next() => {}
            _ = &mut stopped => break,
        }
    }
    drop((listener, goodbye));
    while connections.join_next().await.is_some() {}
}

/// Answers the requests of one connection. When the server stops, the running request is the last one.
async fn converse(stream: TcpStream, router: Router, mut goodbye: watch::Receiver<()>) {
    let line = Line::new(stream);
    let connection = line.connection();
    let router = TowerToHyperService::new(router);
    let routes = service_fn(move |mut request: http::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(connection.clone()));
        router.call(request)
    });
    let mut http = Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut served = pin!(http.serve_connection(TokioIo::new(line), routes));
    // A client may disconnect, or not speak HTTP: the server goes on.
    tokio::select! {
        _ = served.as_mut() => return,
        _ = goodbye.changed() => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}

async fn respond(
    service: Arc<Service>,
    limits: &Limits,
    mut goodbye: watch::Receiver<()>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let mut taken = None;
    let collected = tokio::select! {
        collected = collect(body, limits, &mut taken) => collected,
        // The end of the sandbox does not wait for the rest of a body.
        _ = goodbye.changed() => Err((503, "the sandbox ends")),
    };
    let body = match collected {
        Ok(body) => body,
        Err((status, detail)) => return response(refuse(None, status, detail), &head.method),
    };
    let received = Received {
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        method: head.method,
        headers: head.headers,
        body,
        part: None,
    };
    let method = received.method.clone();
    let answering = Arc::clone(&service);
    // A large body or a large schema takes its time: on a thread of its own, it delays no other connection and no signal.
    let answer = spawn_blocking(move || answering.answer(&received)).await;
    let failed = |_| refuse(None, 500, "the sandbox failed for this request: it is a bug, please report it");
    response(answer.unwrap_or_else(failed), &method)
}

/// The whole body, or a status with its reason. `taken` is its part of the memory for all bodies.
async fn collect<'l>(
    body: Body,
    limits: &'l Limits,
    taken: &mut Option<SemaphorePermit<'l>>,
) -> Result<Bytes, (u16, &'static str)> {
    const TOO_LONG: (u16, &str) = (413, "the body is longer than 64 MiB, the limit of the sandbox");
    const TOO_SLOW: (u16, &str) =
        (408, "the body is too slow: the sandbox waits 30 s for its next part, and 300 s for all");
    const TOO_MANY: (u16, &str) = (503, "the sandbox receives 512 MiB of bodies already: try again");
    if body.size_hint().lower() > MOST_BYTES as u64 {
        return Err(TOO_LONG);
    }
    let mut body = pin!(body);
    let mut collected = BytesMut::new();
    let end = Instant::now() + BODY;
    loop {
        let next =
            timeout_at(end.min(Instant::now() + BODY_PART), poll_fn(|context| body.as_mut().poll_frame(context)));
        let Some(frame) = next.await.map_err(|_| TOO_SLOW)? else { return Ok(collected.freeze()) };
        let frame = frame.map_err(|_| (400, "the body cannot be read: check its chunks and its length"))?;
        let Ok(data) = frame.into_data() else { continue };
        if collected.len() + data.len() > MOST_BYTES {
            return Err(TOO_LONG);
        }
        let bytes = u32::try_from(data.len()).map_err(|_| TOO_LONG)?;
        let more = limits.bytes.try_acquire_many(bytes).map_err(|_| TOO_MANY)?;
        match taken {
            Some(taken) => taken.merge(more),
            None => *taken = Some(more),
        }
        collected.extend_from_slice(&data);
    }
}

fn response(reply: Reply, method: &Method) -> Response {
    let status = status(&reply);
    let body = if *method == Method::HEAD { Vec::new() } else { reply.body };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let media_type = reply.media_type.as_deref().and_then(|name| HeaderValue::from_str(name).ok());
    if let Some(media_type) = media_type {
        headers.insert(CONTENT_TYPE, media_type);
    }
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
    if reply.is_invented {
        headers.insert("x-sandbox-invented", HeaderValue::from_static("true"));
    }
    response
}
