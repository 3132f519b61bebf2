//! A server on loopback that records its requests, and sends configured answers.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use platform_client::{Bytes, Error, Platform};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One recorded request.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    /// Path and query, unmodified.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Recorded {
    /// The request as text: its first line, the headers by name without those of every request, and the body. A `Content-Length`
    /// that matches the body is left out. The boundary of a multipart body, which is different in each request, reads `BOUNDARY`.
    pub(crate) fn text(&self) -> String {
        let length = self.body.len().to_string();
        let mut headers: Vec<String> = self
            .headers
            .iter()
            .filter(|(name, _)| !["accept-encoding", "host", "user-agent", "x-request-id"].contains(&name.as_str()))
            .filter(|(name, value)| {
                self.body.is_empty() || name.as_str() != "content-length" || *value != length.as_str()
            })
            .map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap()))
            .collect();
        headers.sort();
        let body = String::from_utf8_lossy(&self.body);
        let text = format!("{} {}\n{}\n{body}", self.method, self.target, headers.concat());
        match self.boundary() {
            Some(boundary) => text.replace(&boundary, "BOUNDARY"),
            None => text,
        }
    }

    /// The boundary of a multipart body.
    pub(crate) fn boundary(&self) -> Option<String> {
        let kind = self.headers.get("content-type")?.to_str().unwrap();
        kind.split_once("boundary=").map(|(_, boundary)| boundary.trim_matches('"').to_owned())
    }
}

/// The answer of the server.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Reply {
    pub(crate) fn new(status: u16, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }.header("content-type", media_type)
    }

    pub(crate) fn json(body: &'static str) -> Self {
        Self::new(200, "application/json; charset=utf-8", body)
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

struct Record {
    answer: Box<dyn Fn(&Recorded) -> Reply + Send + Sync>,
    requests: Mutex<Vec<Recorded>>,
}

/// A server on loopback, until it is dropped.
pub(crate) struct Recorder {
    url: String,
    record: Arc<Record>,
    task: JoinHandle<()>,
}

impl Recorder {
    /// A server with one answer to everything.
    pub(crate) async fn start(reply: Reply) -> Self {
        Self::start_with(move |_| reply.clone()).await
    }

    pub(crate) async fn start_with(answer: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let record = Arc::new(Record { answer: Box::new(answer), requests: Mutex::default() });
        let router = Router::new().fallback(record_and_answer).with_state(Arc::clone(&record));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, record, task }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A client of the server, without a credential.
    pub(crate) fn client(&self) -> Platform {
        Platform::builder(&self.url).no_retry().build().unwrap()
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.record.requests.lock().unwrap().clone()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn record_and_answer(State(record): State<Arc<Record>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let (method, target) = (head.method.to_string(), head.uri.to_string());
    let recorded = Recorded { method, target, headers: head.headers, body };
    let reply = (record.answer)(&recorded);
    record.requests.lock().unwrap().push(recorded);
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(reply.body)).unwrap()
}

/// Makes one call against a server with this answer: returns the request and the result.
pub(crate) async fn exchange<T>(
    reply: Reply,
    call: impl AsyncFnOnce(&Platform) -> Result<T, Error>,
) -> (Recorded, Result<T, Error>) {
    let server = Recorder::start(reply).await;
    let outcome = call(&server.client()).await;
    let mut requests = server.requests();
    let last = requests.pop().unwrap_or_else(|| panic!("no request: {:?}", outcome.as_ref().err()));
    assert!(requests.is_empty(), "one call is one request: {requests:?}");
    (last, outcome)
}

/// Makes one call that must succeed with this answer, and compares the request.
#[track_caller]
pub(crate) fn requested(sent: &Recorded, expected: &str) {
    assert_eq!(sent.text(), expected, "\nsent:\n{}\nexpected:\n{expected}\n", sent.text());
}
