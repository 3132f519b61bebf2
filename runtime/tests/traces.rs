//! The records of `tracing` and `log`, by any crate and at the finest level, contain no secret, no token, and no value
//! of a call.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "support/certificates.rs"]
mod certificates;
#[path = "traces/secrets.rs"]
mod secrets;
mod support;
#[cfg(feature = "graphql")]
#[path = "support/graphql.rs"]
mod support_graphql;

use std::{
    cell::Cell,
    fmt::Write as _,
    io::Write as _,
    sync::{Arc, Mutex, OnceLock},
};

use driftless_runtime::{
    Call, Certificates, Client, Method,
    auth::{ClientCredentials, SecretSource},
    codegen::prelude::{Operation, Parameter, Payload},
};
use support::{Reply, Server, WATCHDOG};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Keeps the text of all spans and events, and of all records of `log`.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<String>>);

thread_local! {
    /// `true` on the threads of a server with its own WebSocket library.
    static IS_SERVER: Cell<bool> = const { Cell::new(false) };
}

impl Everything {
    /// Installs both subscribers of the process, which can be set only once.
    fn recorded() -> Self {
        static RECORDED: OnceLock<Everything> = OnceLock::new();
        let set = || {
            let everything = Self::default();
            tracing::subscriber::set_global_default(everything.clone()).unwrap();
            log::set_boxed_logger(Box::new(everything.clone())).unwrap();
            log::set_max_level(log::LevelFilter::Trace);
            everything
        };
        RECORDED.get_or_init(set).clone()
    }

    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    /// Returns the lines with a canary in any form.
    fn leaks(&self) -> Vec<String> {
        self.leaks_after(&mut 0)
    }

    /// Returns the lines with a canary that came after this many bytes, which it sets to all.
    fn leaks_after(&self, length: &mut usize) -> Vec<String> {
        let forms = secrets::forms();
        let text = self.0.lock().unwrap().get(*length..).unwrap_or_default().to_owned();
        *length += text.len();
        let leaks = text.lines().filter(|line| forms.iter().any(|form| line.contains(form)));
        leaks.map(str::to_owned).collect()
    }
}

impl log::Log for Everything {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        if !IS_SERVER.get() {
            let _ = writeln!(self.0.lock().unwrap(), "{} {}", record.target(), record.args());
        }
    }

    fn flush(&self) {}
}

impl Visit for &Everything {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = writeln!(self.0.lock().unwrap(), "{field}={value:?}");
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        let _ = writeln!(self.0.lock().unwrap(), "{field}={value} as an integer");
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if !IS_SERVER.get() {
            let _ = writeln!(self.0.lock().unwrap(), "{} {}", span.metadata().target(), span.metadata().name());
            span.record(&mut &*self);
        }
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        if !IS_SERVER.get() {
            values.record(&mut &*self);
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if !IS_SERVER.get() {
            let _ = writeln!(self.0.lock().unwrap(), "{}", event.metadata().target());
            event.record(&mut &*self);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

static OPERATION: Operation =
    Operation { name: "get_x", path: "/x/{id}", parameters: &[Parameter::path("id")], ..Operation::family("things") };

struct Secret;

impl SecretSource for Secret {
    fn read(&self) -> Result<driftless_runtime::auth::SecretString, driftless_runtime::Error> {
        Ok("canary-secret".to_owned().into())
    }
}

#[tokio::test]
async fn traces_hold_no_values() {
    let everything = Everything::recorded();
    let server = Server::start(|request| match request.path() {
        "/connect/token" => {
            Reply::json(200, r#"{"access_token":"canary-token","expires_in":60,"token_type":"Bearer"}"#)
        }
        "/canary-path/bad" => Reply::json(401, r#"{"detail":"canary-token canary-secret"}"#),
        "/canary-path/busy" => Reply::new(503, &[("retry-after", "0")], "canary-body"),
        "/canary-path" => Reply::json(200, r#"{"a":"canary-answer"}"#),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let credential = ClientCredentials::new(&server.url, "client", Secret);
    let platform = Client::builder(&server.url).credential(credential).build().unwrap();
    for path in ["/canary-path", "/canary-path/bad", "/canary-path/busy"] {
        let outcome = platform
            .request(Method::Get, path)
            .query("canary-name", "canary-query")
            .header("x-canary", "canary-header")
            .json(&"canary-sent")
            .deadline(WATCHDOG)
            .send()
            .await;
        if let Err(error) = outcome {
            let mut printed = format!("{error} {error:?}");
            let mut cause = std::error::Error::source(&error);
            while let Some(next) = cause {
                printed += &format!("{next} {next:?}");
                cause = next.source();
            }
            assert!(!printed.contains("canary-token") && !printed.contains("canary-header"), "{printed}");
        }
    }
    assert!(server.requests().iter().any(|request| request.header("authorization") == Some("Bearer canary-token")));
    let client = Client::builder(format!("{}/prefix", server.url)).build().unwrap();
    let call = Call::new(&client, &OPERATION, &[&"canary-value"], Payload::None, |_| Ok(()));
    assert!(call.await.unwrap_err().is_not_found());
    let gone = Client::builder("http://127.0.0.1:1").no_retry().build().unwrap();
    assert!(gone.request(Method::Get, "/canary-path").send().await.unwrap_err().is_connect());
    let traced = everything.text();
    let (_, port) = server.url.rsplit_once(':').unwrap();
    for field in [
        "driftless.call",
        "operation=\"request\"",
        "http.request.method=\"GET\"",
        "http.response.status_code=200 as an integer",
        "http.response.status_code=503 as an integer",
        "http.request.resend_count=2 as an integer",
        "error.type=\"503\"",
        "error.type=\"401\"",
        "error.type=\"connect\"",
        "otel.status_code=\"ERROR\"",
        "otel.kind=\"client\"",
        "otel.name=\"GET\"",
        "otel.name=\"GET /x/{id}\"",
        "url.template=\"/x/{id}\"",
        "server.address=\"127.0.0.1\"",
        &format!("server.port={port} as an integer"),
        &format!("url.full=\"{}/REDACTED", server.url),
        "/prefix/x/{id}",
    ] {
        assert!(traced.contains(field), "{field} is not in:\n{traced}");
    }
    assert_eq!(everything.leaks(), Vec::<String>::new());
}

/// Labels and references of operations are written into a database, and read.
#[cfg(all(feature = "sqlite", feature = "postgres"))]
#[tokio::test]
async fn nothing_records_what_is_kept_in_sqlite_and_postgres() {
    use driftless_runtime::{
        auth::StaticToken,
        operations::{Binding, Operations, PostgresStore, SqliteStore, States},
    };

    static THING: Binding = Binding {
        kind: "thing",
        method: Method::Post,
        path: "/things",
        identifier: "/id",
        query: "query ($id: ID!) { thing(id: $id) { state } }",
        state: "/thing/state",
        states: States { pending: &["A"], succeeded: &["DONE"], failed: &[], cancelled: &[] },
        ..Binding::NONE
    };

    let everything = Everything::recorded();
    let server = Server::start(|request| match request.path() {
        "/things" => Reply::json(202, r#"{"id":"canary-id"}"#),
        _ => Reply::json(200, r#"{"data":{"thing":{"state":"DONE"}}}"#),
    })
    .await;
    let client =
        || Client::builder(&server.url).credential(StaticToken::new("canary-token")).build().unwrap().operations();
    let keep = async |operations: Operations| {
        let operations = operations.with_binding(&THING);
        let request = operations.client().request(Method::Post, "/things").json(&"canary-sent");
        let operation = request.submit_or_resume(&operations, "thing", "canary-label").await.unwrap();
        operation.wait(WATCHDOG).await.unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    keep(client().with_store(SqliteStore::open(folder.path().join("canary-store")).unwrap())).await;
    match std::env::var("PLATFORM_POSTGRES_URL") {
        Ok(url) => {
            let schema = format!("traces_{}", std::process::id());
            let store = PostgresStore::builder(&url).schema(&schema).migrate().open().await.unwrap();
            keep(client().with_store(store)).await;
            assert!(everything.text().contains("parameters: [REDACTED"), "the driver records its statements");
        }
        Err(_) => drop(writeln!(std::io::stderr(), "SKIPPED: no PostgreSQL; run it with runtime/tests/postgres.sh")),
    }
    assert_eq!(everything.leaks(), Vec::<String>::new());
}

/// A socket sends the token in `connection_init`, and variables in each subscription; server-sent events have them in the request.
#[cfg(feature = "graphql")]
#[tokio::test]
async fn nothing_records_what_graphql_sends() {
    use driftless_runtime::{
        Value,
        auth::StaticToken,
        graphql::{GraphqlOptions, SubscriptionTransport},
    };
    use support_graphql::{GraphqlServer, Peer};

    let everything = Everything::recorded();
    let (send, started) = tokio::sync::oneshot::channel();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    // Its WebSocket library records received messages, which the client does not control.
    let server = std::thread::spawn(move || {
        IS_SERVER.set(true);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let answer = |request: &support::Recorded| {
                assert!(request.text().contains("canary-variable"), "{request:?}");
                match request.header("accept") {
                    Some("text/event-stream") => Reply::new(
                        200,
                        &[("content-type", "text/event-stream")],
                        "event: next\ndata: {\"data\":{\"a\":\"canary-answer\"}}\n\nevent: complete\n\n",
                    ),
                    _ => Reply::json(200, r#"{"data":{"a":"canary-answer"}}"#),
                }
            };
            let script = |mut peer: Peer| async move {
                assert_eq!(peer.acknowledge().await["Authorization"], "Bearer canary-token");
                let id = peer.subscribed().await.unwrap();
                peer.next(&id, r#"{"a":"canary-answer"}"#).await;
                peer.send(format!(r#"{{"id":"{id}","type":"complete"}}"#)).await;
                peer.idle().await;
            };
            let server = GraphqlServer::start("graphql-transport-ws", answer, script).await;
            let root = certificates::Root::new();
            let port =
                secrets::peer::tls(&root, "localhost", server.url.rsplit(':').next().unwrap().parse().unwrap()).await;
            let urls = [server.url.clone(), format!("https://localhost:{port}")];
            send.send((urls, root.1)).unwrap();
            let _ = ended.await;
        });
    });
    let (urls, root) = started.await.unwrap();
    const DOCUMENT: &str = "subscription S($a: String) { a(a: $a) }";
    let variables = || serde_json::json!({ "a": "canary-variable" });
    let transports = [SubscriptionTransport::WebSocket, SubscriptionTransport::ServerSentEvents];
    for (url, transport) in urls.iter().flat_map(|url| transports.map(|transport| (url, transport))) {
        let options = GraphqlOptions::new().transport(transport);
        let client = Client::builder(url)
            .no_proxy()
            .root_certificates(Certificates::pem(root.clone()))
            .credential(StaticToken::new("canary-token"))
            .graphql(options)
            .build()
            .unwrap();
        let mut subscription = client.graphql().subscribe::<Value, _>(DOCUMENT, variables());
        let mut answers = 0;
        while let Some(delivery) = tokio::time::timeout(WATCHDOG, subscription.next()).await.unwrap() {
            answers += usize::from(format!("{:?}", delivery.unwrap()).contains("canary-answer"));
        }
        assert_eq!(answers, 1, "{url} {transport:?}");
        let answer = client.graphql().query::<Value, _>("query Q($a: String) { a(a: $a) }", variables()).await.unwrap();
        assert!(answer.data().is_some());
    }
    drop(end);
    server.join().unwrap();
    let recorded = everything.text();
    assert!(recorded.contains("graphql"), "{recorded}");
    assert_eq!(everything.leaks(), Vec::<String>::new());
}
