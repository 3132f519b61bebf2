//! A service with one kind of asynchronous operation, under the test's control.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "shared between tests, each of which uses a part")]

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use driftless_runtime::{
    Client, ClientBuilder, Method,
    auth::StaticToken,
    graphql::GraphqlOptions,
    operations::{Binding, Cancel, Events, Operation, Operations, States, WatchOptions},
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::support::{Recorded, Reply};

pub static THING: Binding = Binding {
    kind: "thing",
    method: Method::Post,
    path: "/rooms/{room}/things",
    identifier: "/result/id",
    query: "query ($id: ID!) { thing(id: $id) { state events { kind } } }",
    subscription: Some("subscription ($id: ID!) { changed(id: $id) { state event { kind } } }"),
    state: "/thing/state",
    pushed_state: Some("/changed/state"),
    states: States { pending: &["A", "B"], succeeded: &["DONE"], failed: &["BAD"], cancelled: &["STOPPED"] },
    cancel: Some(Cancel { method: Method::Delete, path: "/rooms/{room}/things/{thing}", parameter: "thing" }),
    idempotency: Some("Idempotency-Key"),
    ..Binding::NONE
};

/// The same, with follow-up events.
pub static READY_THING: Binding = Binding {
    kind: "ready-thing",
    events: Some(Events { list: "/thing/events", name: "/kind", pushed: Some("/changed/event"), required: &["ready"] }),
    ..THING
};

/// The same, without a subscription, a cancelling operation and a header for repetitions.
pub static POLLED_THING: Binding =
    Binding { kind: "polled-thing", subscription: None, cancel: None, idempotency: None, ..THING };

/// The results of queries: once all of them were returned, the last one is repeated.
#[derive(Clone, Default)]
pub struct World(Arc<Mutex<VecDeque<Value>>>, watch::Sender<usize>);

impl World {
    pub fn new(states: &[&str]) -> Self {
        let world = Self::default();
        for state in states {
            world.show(state, &[]);
        }
        world
    }

    /// Returns a state after all others. An empty one is not visible.
    pub fn show(&self, state: &str, events: &[&str]) {
        let events: Vec<Value> = events.iter().map(|kind| json!({ "kind": kind })).collect();
        let thing = if state.is_empty() { Value::Null } else { json!({ "state": state, "events": events }) };
        self.0.lock().unwrap().push_back(json!({ "data": { "thing": thing } }));
    }

    /// Answers a query with a whole body.
    pub fn answer(&self, body: Value) {
        self.0.lock().unwrap().push_back(body);
    }

    /// Returns only this from now on.
    pub fn only(&self, state: &str, events: &[&str]) {
        self.0.lock().unwrap().clear();
        self.show(state, events);
    }

    pub fn query(&self) -> Reply {
        let mut states = self.0.lock().unwrap();
        let next = if states.len() > 1 { states.pop_front() } else { states.front().cloned() };
        self.1.send_modify(|count| *count += 1);
        Reply::json(200, &next.unwrap().to_string())
    }

    /// Waits until there were this many queries.
    pub async fn looked(&self, times: usize) {
        self.1.subscribe().wait_for(|count| *count >= times).await.unwrap();
    }

    /// Accepts submissions, and answers queries.
    pub fn reply(&self, request: &Recorded) -> Reply {
        match request.path() {
            "/graphql" if request.method == "POST" => self.query(),
            "/graphql" => Reply::new(429, &[], ""),
            _ => Reply::json(202, r#"{"result":{"id":17}}"#),
        }
    }
}

/// Fast, so that tests are.
pub fn options() -> WatchOptions {
    let soon = Duration::from_millis(20);
    WatchOptions::new().settle(soon).interval(soon).reconnect(soon).safety(Duration::from_secs(600))
}

pub fn platform(url: &str) -> Client {
    builder(url).build().unwrap()
}

pub fn builder(url: &str) -> ClientBuilder {
    Client::builder(url).credential(StaticToken::new("canary-token")).graphql(GraphqlOptions::new())
}

pub fn operations(url: &str) -> Operations {
    operations_of(&platform(url))
}

pub fn operations_of(client: &Client) -> Operations {
    client
        .operations()
        .with_binding(&THING)
        .with_binding(&READY_THING)
        .with_binding(&POLLED_THING)
        .with_options(options())
}

pub async fn submitted(operations: &Operations, kind: &str) -> Operation {
    let platform = operations.client().clone();
    platform.request(Method::Post, "/rooms/r 1/things").submit(operations, kind, None).await.unwrap()
}
