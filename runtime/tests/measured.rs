//! The metrics of the feature `metrics`.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use driftless_runtime::{
    Call, Client, Method,
    auth::{ClientCredentials, SecretString},
    codegen::prelude::{Operation, Payload},
};
use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use support::{Reply, Server};

/// The recorded metrics, by name and labels.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<BTreeMap<String, f64>>>);

struct Line(Ledger, String);

impl Line {
    fn change(&self, change: impl FnOnce(&mut f64)) {
        change(self.0.0.lock().unwrap().entry(self.1.clone()).or_default());
    }
}

impl CounterFn for Line {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    fn increment(&self, value: u64) {
        self.change(|sum| *sum += value as f64);
    }

    fn absolute(&self, _: u64) {}
}

impl GaugeFn for Line {
    fn increment(&self, value: f64) {
        self.change(|sum| *sum += value);
    }

    fn decrement(&self, value: f64) {
        self.change(|sum| *sum -= value);
    }

    fn set(&self, _: f64) {}
}

impl HistogramFn for Line {
    fn record(&self, value: f64) {
        assert!((0.0..60.0).contains(&value), "seconds");
        self.change(|count| *count += 1.0);
    }
}

impl Ledger {
    fn line(&self, key: &Key) -> Arc<Line> {
        let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        Arc::new(Line(self.clone(), format!("{} {}", key.name(), labels.join(" "))))
    }
}

impl Recorder for Ledger {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.line(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.line(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.line(key))
    }
}

static OPERATION: Operation = Operation { name: "list_x", path: "/busy", ..Operation::family("things") };

#[tokio::test]
async fn requests_retries_tokens_and_subscriptions_are_measured() {
    let ledger = Ledger::default();
    metrics::set_global_recorder(ledger.clone()).unwrap_or_else(|_| panic!("another recorder"));
    let server = Server::start(|request| match request.path() {
        "/connect/token" => Reply::json(200, r#"{"access_token":"canary","expires_in":60,"token_type":"Bearer"}"#),
        "/busy" => Reply::new(503, &[("retry-after", "0")], ""),
        "/x" => Reply::json(200, "{}"),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let credential = ClientCredentials::new(&server.url, "me", SecretString::from("canary-secret"));
    let client = Client::builder(&server.url).credential(credential).build().unwrap();
    client.request(Method::Post, "/x").query("canary", 1).send().await.unwrap();
    assert!(Call::new(&client, &OPERATION, &[], Payload::None, |_| Ok(())).await.unwrap_err().status().is_some());
    let gone = Client::builder("http://127.0.0.1:1").no_retry().build().unwrap();
    assert!(gone.request(Method::Get, "/").send().await.is_err());
    // A call that is dropped is not measured, and no longer counts as in progress.
    let silent = Server::always(Reply::raw(&[]).and_hang()).await;
    let client = Client::builder(&silent.url).build().unwrap();
    let call = client.request(Method::Get, "/").send();
    tokio::select! {
        _ = call => panic!("an answer"),
        () = async { while silent.requests().is_empty() { tokio::task::yield_now().await; } } => {}
    }
    #[cfg(feature = "graphql")]
    {
        let one = client.graphql().subscribe::<driftless_runtime::Value, _>("subscription { x }", &());
        let two = client.graphql().subscribe::<driftless_runtime::Value, _>("subscription { x }", &());
        drop(one);
        assert_eq!(ledger.0.lock().unwrap().get("driftless.client.subscriptions "), Some(&1.0));
        drop(two);
    }
    let recorded = ledger.0.lock().unwrap().clone();
    let place = |url: &str| format!("server.address=127.0.0.1 server.port={}", url.rsplit(':').next().unwrap());
    let (here, silent) = (place(&server.url), place(&silent.url));
    let nowhere = place("http://127.0.0.1:1");
    let active = "http.client.active_requests http.request.method";
    let duration = "http.client.request.duration http.request.method";
    let expected: BTreeMap<String, f64> = [
        (format!("{active}=POST {here}"), 0.0),
        (format!("{active}=GET {here} url.template=/busy"), 0.0),
        (format!("{active}=GET {nowhere}"), 0.0),
        (format!("{active}=GET {silent}"), 0.0),
        (format!("{duration}=POST {here} http.response.status_code=200"), 1.0),
        (format!("{duration}=GET {here} url.template=/busy http.response.status_code=503 error.type=503"), 3.0),
        (format!("{duration}=GET {nowhere} error.type=connect"), 1.0),
        ("driftless.client.calls operation=request".to_owned(), 1.0),
        ("driftless.client.calls operation=request error.type=connect".to_owned(), 1.0),
        ("driftless.client.calls operation=list_x family=things error.type=503".to_owned(), 1.0),
        ("driftless.client.retries operation=request".to_owned(), 0.0),
        ("driftless.client.retries operation=list_x family=things".to_owned(), 2.0),
        ("driftless.client.tokens outcome=obtained".to_owned(), 1.0),
        #[cfg(feature = "graphql")]
        ("driftless.client.subscriptions ".to_owned(), 0.0),
    ]
    .into();
    assert_eq!(recorded, expected);
    #[cfg(feature = "operations")]
    a_worker_is_measured(&ledger).await;
}

#[cfg(feature = "operations")]
async fn a_worker_is_measured(ledger: &Ledger) {
    use driftless_runtime::{
        graphql::GraphqlOptions,
        operations::{Binding, Ended, States, WorkerEvent},
    };

    static THING: Binding = Binding {
        kind: "thing",
        path: "/things",
        query: "query ($id: ID!) { thing(id: $id) { state } }",
        state: "/thing/state",
        states: States { pending: &[], succeeded: &["DONE"], failed: &[], cancelled: &[] },
        ..Binding::NONE
    };
    let server = Server::start(|request| match request.path() {
        "/graphql" => Reply::json(200, r#"{"data":{"thing":{"state":"DONE"}}}"#),
        _ => Reply::json(202, r#"{"id":"canary"}"#),
    })
    .await;
    let client = Client::builder(&server.url).graphql(GraphqlOptions::new()).build().unwrap();
    let operations = client.operations().with_binding(&THING);
    client.request(Method::Post, "/things").submit(&operations, "thing", Some("canary")).await.unwrap();
    let handled = Arc::new(tokio::sync::Notify::new());
    let notify = Arc::clone(&handled);
    let worker = operations.worker().retry(std::time::Duration::ZERO, std::time::Duration::ZERO);
    let worker = worker.poll(std::time::Duration::from_millis(5)).on_event(move |event| {
        if let WorkerEvent::Handled { .. } = event {
            notify.notify_one();
        }
    });
    // The first time, the handler fails.
    let handler = |ended: Ended| std::future::ready(if ended.failures() == 0 { Err("canary") } else { Ok(()) });
    worker.handle(handler, async move { handled.notified().await }).await.unwrap();
    let mut recorded = ledger.0.lock().unwrap().clone();
    recorded.retain(|name, _| name.starts_with("driftless.worker."));
    let expected = [
        ("driftless.worker.claims ", 2.0),
        ("driftless.worker.failures kind=thing error.type=handler", 1.0),
        ("driftless.worker.handled kind=thing outcome=succeeded", 1.0),
        ("driftless.worker.handling.duration kind=thing", 1.0),
        ("driftless.worker.held kind=thing", 0.0),
    ];
    assert_eq!(recorded, expected.map(|(name, value)| (name.to_owned(), value)).into());
    assert!(!format!("{:?}", ledger.0.lock().unwrap()).contains("canary"), "no label holds a value of a call");
}
