//! The requests: counted by operation, and the last of them in a journal, with their headers and bodies.

mod arrived;
mod capture;
mod filter;
mod graphql;
mod loose;
mod mask;
mod record;
mod verified;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, Method};
use tokio::sync::broadcast;

use crate::clock;
use crate::operations::{Operations, is_control};
use capture::Captured;

pub use mask::{is_mask, json as mask};

pub use arrived::Arrived;
pub use filter::RequestFilter;
pub use record::{Message, RequestRecord};
pub use verified::{Expected, NearMiss, Verified};

const KEPT: usize = 1000;

/// The fault that was applied to a request. The response carries it to the journal.
#[derive(Clone, Debug)]
pub struct Suffered {
    /// The rule of the fault; `None` if it came from the header of the request.
    pub rule: Option<u64>,
    /// The fault, as [`Fault`](crate::fault::Fault) is written.
    pub fault: String,
}

/// Counts and the last requests.
#[derive(Debug)]
pub struct Log {
    known: Arc<dyn Operations>,
    inner: Mutex<Inner>,
    sender: broadcast::Sender<()>,
}

#[derive(Debug, Default)]
struct Inner {
    number: u64,
    counts: HashMap<(Method, String), u64>,
    last: VecDeque<RequestRecord>,
}

/// The requests to a running sandbox since it started, or since [`Requests::clear`].
#[derive(Clone, Copy, Debug)]
pub struct Requests<'a>(&'a Log);

impl<'a> Requests<'a> {
    /// The handle of a journal.
    pub fn new(log: &'a Log) -> Self {
        Self(log)
    }

    /// Returns the number of requests with a method for a path template of the contract, such as
    /// `/pets/{petId}`, or for another path. A request counts when it arrives, even if its connection is
    /// reset before it is handled.
    pub fn count(&self, method: &str, template: &str) -> u64 {
        let Ok(method) = Method::from_bytes(method.as_bytes()) else { return 0 };
        self.0.lock().counts.get(&(method, template.to_owned())).copied().unwrap_or_default()
    }

    /// Returns the number of requests.
    pub fn total(&self) -> u64 {
        self.0.lock().counts.values().sum()
    }

    /// Returns the last thousand requests, oldest first.
    pub fn last(&self) -> Vec<RequestRecord> {
        self.0.last()
    }

    /// Returns those of the last thousand requests that match a filter, oldest first.
    pub fn matching(&self, filter: &RequestFilter) -> Vec<RequestRecord> {
        self.0.matching(filter)
    }

    /// Checks the number of matching requests among the last thousand against the expected one.
    pub fn verify(&self, filter: &RequestFilter, expected: Expected) -> Verified {
        self.0.verify(filter, expected)
    }

    /// Clears counts and requests.
    pub fn clear(&self) {
        self.0.clear();
    }
}

impl Log {
    /// An empty journal.
    pub fn new(known: Arc<dyn Operations>) -> Self {
        Self { known, inner: Mutex::default(), sender: broadcast::Sender::new(16) }
    }

    /// The operations that filters can name.
    pub fn known(&self) -> &dyn Operations {
        self.known.as_ref()
    }

    /// The last requests, oldest first.
    pub fn last(&self) -> Vec<RequestRecord> {
        self.lock().last.iter().cloned().collect()
    }

    pub(crate) fn matching(&self, filter: &RequestFilter) -> Vec<RequestRecord> {
        self.lock().last.iter().filter(|record| record.is_taken_by(filter)).cloned().collect()
    }

    pub(crate) fn verify(&self, filter: &RequestFilter, expected: Expected) -> Verified {
        let inner = self.lock();
        let count = inner.last.iter().filter(|record| record.is_taken_by(filter)).count();
        let is_complete = inner.last.front().is_none_or(|first| first.number == 1);
        let is_satisfied = expected.is_met_by(count);
        let mut near_misses = Vec::new();
        if !is_satisfied {
            let near = inner.last.iter().filter_map(|record| record.near_miss(filter));
            near.for_each(|near| near.add(&mut near_misses));
        }
        Verified { count, is_satisfied, is_complete, near_misses }
    }

    /// Forgets all requests and their counts.
    pub fn clear(&self) {
        *self.lock() = Inner::default();
        // An error means that there is no receiver.
        let _ = self.sender.send(());
    }

    /// The number of requests per method and template.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.lock().counts.iter().map(|((method, path), count)| (format!("{method} {path}"), *count)).collect()
    }

    /// Subscribes to a notice of every answer.
    pub fn subscribe(&self) -> broadcast::Receiver<()> {
        self.sender.subscribe()
    }

    fn arrive(&self, method: &Method, template: &str) {
        let mut inner = self.lock();
        // Paths without an operation come from clients: their number is limited.
        let has_room = inner.counts.len() < 10_000;
        match inner.counts.entry((method.clone(), template.to_owned())) {
            Entry::Occupied(mut count) => *count.get_mut() += 1,
            Entry::Vacant(entry) if has_room => drop(entry.insert(1)),
            Entry::Vacant(_) => {}
        }
    }

    fn answer(&self, mut record: RequestRecord) {
        let mut inner = self.lock();
        inner.number += 1;
        record.number = inner.number;
        if inner.last.len() >= KEPT {
            inner.last.pop_front();
        }
        inner.last.push_back(record);
        drop(inner);
        // An error means that there is no receiver.
        let _ = self.sender.send(());
    }

    /// The headers with the credentials of the contract marked, so that they are masked.
    fn marked(&self, mut headers: HeaderMap) -> HeaderMap {
        for (name, value) in headers.iter_mut() {
            value.set_sensitive(value.is_sensitive() || self.known.is_secret(name.as_str()));
        }
        headers
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a request of a server and records its outcome.
pub async fn record(State((log, server)): State<(Arc<Log>, &'static str)>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    if is_control(log.known(), &path) {
        return next.run(request).await;
    }
    let query = request.uri().query().map(|query| mask::form_with(query, |name| log.known.is_secret(name)));
    let template = log.known.template(&method, &path).unwrap_or_else(|| path.clone());
    log.arrive(&method, &template);
    let (mut parts, body) = request.into_parts();
    let (sent, body) = Captured::record_request(log.marked(parts.headers.clone()), body).await;
    let arrived = Arc::new(Arrived { method: method.to_string(), server, path, query, template, request: sent });
    parts.extensions.insert(Arc::clone(&arrived));
    let response = next.run(Request::from_parts(parts, body)).await;
    let (parts, body) = response.into_parts();
    let (answered, body) = Captured::record(parts.headers.clone(), body);
    log.answer(RequestRecord {
        number: 0,
        method: arrived.method.clone(),
        server: arrived.server,
        path: arrived.path.clone(),
        query: arrived.query.clone(),
        template: arrived.template.clone(),
        status: parts.status.as_u16(),
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        at: clock::timestamp(),
        fault: parts.extensions.get::<Suffered>().map(|suffered| suffered.fault.clone()),
        fault_id: parts.extensions.get::<Suffered>().and_then(|suffered| suffered.rule),
        arrived,
        response: answered,
    });
    Response::from_parts(parts, body)
}
