//! Requests over HTTP: their bodies, and answers to them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::any;
use bytes::{Bytes, BytesMut};
use driftless_sandbox_control::interface::Control;
use driftless_sandbox_control::server::Limits;
use driftless_sandbox_control::upload::{Stopped, TooSlow};
use http::Method;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http_body::Body as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

use super::control;
use super::handle::{Received, Service, refuse, status};
use super::reply::Reply;

/// The longest body of a request.
const MOST_BYTES: usize = 64 << 20;

const TOO_LONG: (u16, &str) = (413, "the body is longer than 64 MiB, the limit of the sandbox");

/// The bodies that are being received, together. A longer one is refused while the others take this memory.
const MOST_BYTES_OF_ALL: usize = 512 << 20;

/// Limits of connections, and of the heads of requests.
pub(crate) const LIMITS: Limits = Limits { head: Duration::from_secs(30), connections: 1_000 };

/// The routes of a sandbox.
pub(crate) fn router(service: &Arc<Service>, control: &Control) -> Router {
    let bytes = Arc::new(Semaphore::new(MOST_BYTES_OF_ALL));
    let answering = Arc::clone(service);
    let answers = move |request: Request| {
        let (service, bytes) = (Arc::clone(&answering), Arc::clone(&bytes));
        async move { respond(service, &bytes, request).await }
    };
    let mut routes = control::router(service, control.clone());
    if service.has_control_interface {
        // The control interface takes all other paths there. Its guard refuses forms, which the issuer reads.
        routes = routes.route("/sandbox/issuer/{*rest}", any(answers.clone()));
    }
    control::observed(routes.fallback(answers), control)
}

async fn respond(service: Arc<Service>, bytes: &Semaphore, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let mut taken = None;
    if let Some(tokens) = service.security.tokens.as_ref().filter(|tokens| tokens.serves(head.uri.path())) {
        return match collect(body, bytes, &mut taken).await {
            Ok(body) => tokens.answer(Request::from_parts(head, Body::from(body))).await,
            Err((status, detail)) => response(refuse(None, status, detail), &head.method),
        };
    }
    let body = match collect(body, bytes, &mut taken).await {
        Ok(body) => body,
        // A path that nothing serves is refused as such: the journal has the beginning of the body.
        Err(TOO_LONG) if !service.takes(&head.method, head.uri.path()) => Bytes::new(),
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
    most: &'l Semaphore,
    taken: &mut Option<SemaphorePermit<'l>>,
) -> Result<Bytes, (u16, &'static str)> {
    const TOO_MANY: (u16, &str) = (503, "the sandbox receives 512 MiB of bodies already: try again");
    if body.size_hint().lower() > MOST_BYTES as u64 {
        return Err(TOO_LONG);
    }
    let mut body = pin!(body);
    let mut collected = BytesMut::new();
    loop {
        let next = poll_fn(|context| body.as_mut().poll_frame(context));
        let Some(frame) = next.await else { return Ok(collected.freeze()) };
        let frame = frame.map_err(|error| match &error {
            error if TooSlow::is_cause_of(error) => (408, TooSlow::DETAIL),
            // The end of the sandbox does not wait for the rest of a body.
            error if Stopped::is_cause_of(error) => (503, "the sandbox ends"),
            _ => (400, "the body cannot be read: check its chunks and its length"),
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if collected.len() + data.len() > MOST_BYTES {
            return Err(TOO_LONG);
        }
        let bytes = u32::try_from(data.len()).map_err(|_| TOO_LONG)?;
        let more = most.try_acquire_many(bytes).map_err(|_| TOO_MANY)?;
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
