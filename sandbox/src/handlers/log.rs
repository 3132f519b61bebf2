//! The log of a resource: the events of the work on it, as text, or as server-sent events that continue while it changes.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::call::{Call, split};
use crate::caller::Caller;
use crate::clock;
use crate::state::{Store, View};
use crate::workflow::{Event, Workflow};
use crate::{live, media};

/// The interval of comments on an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The header in which a reconnecting reader sends the identifier of its last event (WHATWG HTML §9.2).
const LAST_EVENT_ID: &str = "last-event-id";

/// A line of the log, and the workflow and event that it comes from.
struct Line {
    event: Option<(Uuid, u32)>,
    text: String,
}

/// The last `lines` lines, or all.
pub(super) fn text(call: &Call<'_>) -> Response {
    let lines = all(&call.view, call.parent_address().unwrap_or_default()).unwrap_or_default();
    let wanted = call.input.parameters.get("lines").and_then(Value::as_i64);
    let count = wanted.and_then(|count| usize::try_from(count).ok()).unwrap_or(lines.len());
    let last = lines.iter().skip(lines.len().saturating_sub(count));
    let text: String = last.map(|line| format!("{}\n", line.text)).collect();
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// The log so far, or the part after the reader's last event, and then each new line.
pub(super) fn stream(call: &Call<'_>) -> Response {
    let mut follower = Follower {
        store: Arc::clone(&call.api.store),
        caller: call.view.caller.clone(),
        target: call.parent_address().unwrap_or_default().to_owned(),
        // Subscribes while the state is locked, so that no change after the first read is missed.
        changes: call.api.store.hub().watch(),
        sent: HashMap::new(),
        state: None,
        sent_at: Instant::now(),
        waiting: VecDeque::new(),
    };
    let seen = call.input.headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
    follower.begin(&call.view, seen);
    let end = Box::pin(live::end(&call.api.issuer, &call.api.faults, call.view.caller));
    let chunks = stream::unfold(follower, Follower::next).take_until(end);
    let headers = [(CONTENT_TYPE, media::EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(chunks)).into_response()
}

/// A reader of the stream. Changes only wake it, and it reads the log itself, so a slow reader misses nothing.
struct Follower {
    store: Arc<Store>,
    caller: Caller,
    target: String,
    changes: watch::Receiver<()>,
    /// The last sent event of each workflow.
    sent: HashMap<Uuid, u32>,
    state: Option<String>,
    /// The time of the last send.
    sent_at: Instant,
    waiting: VecDeque<Bytes>,
}

impl Follower {
    fn begin(&mut self, view: &View<'_>, seen: Option<&str>) {
        let lines = all(view, &self.target).unwrap_or_default();
        let is_seen = |line: &Line| line.event.map(identifier).is_some_and(|id| seen == Some(&id));
        let first = lines.iter().position(is_seen).map_or(0, |index| index + 1);
        for (index, line) in lines.into_iter().enumerate() {
            if let Some((workflow, sequence)) = line.event {
                self.sent.insert(workflow, sequence);
            }
            if index >= first {
                self.tell(&line);
            }
        }
        self.state = state(view, &self.target);
    }

    fn tell(&mut self, line: &Line) {
        let id = line.event.map(|event| format!("id: {}\n", identifier(event))).unwrap_or_default();
        self.waiting.push_back(Bytes::from(format!("{id}data: {}\n\n", line.text)));
    }

    /// The next chunk of the stream, which ends when the resource is gone.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(chunk) = self.waiting.pop_front() {
                self.sent_at = Instant::now();
                return Some((Ok(chunk), self));
            }
            let is_silent = timeout_at(self.sent_at + KEEP_ALIVE, self.changes.changed()).await.is_err();
            self.read()?;
            if is_silent && self.waiting.is_empty() {
                self.waiting.push_back(Bytes::from_static(b":\n\n"));
            }
        }
    }

    /// Reads the new lines of the log.
    fn read(&mut self) -> Option<()> {
        let store = Arc::clone(&self.store);
        let read = store.with(&self.caller, |view| {
            let lines = happened(&view, &self.target, |workflow, event| {
                self.sent.get(&workflow.id).is_none_or(|sent| event.sequence > *sent)
            });
            state(&view, &self.target).map(|state| (lines, state))
        });
        let (lines, state) = read.ok().flatten()?;
        for line in lines {
            self.sent.extend(line.event);
            self.tell(&line);
        }
        if self.state.as_ref() != Some(&state) {
            self.tell(&Line { event: None, text: state.clone() });
            self.state = Some(state);
        }
        Some(())
    }
}

fn identifier((workflow, sequence): (Uuid, u32)) -> String {
    format!("{workflow}.{sequence}")
}

/// The whole log, which ends with the present state. `None` if the resource is gone.
fn all(view: &View<'_>, target: &str) -> Option<Vec<Line>> {
    let plain = |text: String| Line { event: None, text };
    let (collection, key) = split(target);
    let id = view.get(collection, key)?.get("id").map(Value::to_string).unwrap_or_default();
    let mut lines = vec![plain("log opened".to_owned()), plain(format!("id {id}"))];
    lines.extend(happened(view, target, |_, _| true));
    lines.push(plain(state(view, target)?));
    Some(lines)
}

fn state(view: &View<'_>, target: &str) -> Option<String> {
    let (collection, key) = split(target);
    let state = view.get(collection, key)?.get("state").map(Value::to_string);
    Some(format!("state {}", state.unwrap_or_default()))
}

/// The events of the work on a resource that pass a filter, oldest first.
fn happened(view: &View<'_>, target: &str, wanted: impl Fn(&Workflow, &Event) -> bool) -> Vec<Line> {
    let mut events: Vec<(&Workflow, &Event)> = view
        .work_on(target)
        .flat_map(|workflow| workflow.events.iter().map(move |event| (workflow, event)))
        .filter(|(workflow, event)| wanted(workflow, event))
        .collect();
    events.sort_by_key(|(_, event)| event.at);
    let line = |(workflow, event): (&Workflow, &Event)| Line {
        event: Some((workflow.id, event.sequence)),
        text: format!("{} {} {} {:?}", clock::timestamp_of(event.at), workflow.kind.name(), event.kind, event.phase),
    };
    events.into_iter().map(line).collect()
}
