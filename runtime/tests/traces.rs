//! Everything that is traced, at the finest level, shows no secret, no token, and no value of a call.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use platform_runtime::{
    Call, Client, Method,
    auth::{ClientCredentials, SecretSource},
    codegen::prelude::{Operation, Parameter, Payload},
};
use support::{Reply, Server, WATCHDOG};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Keeps the text of all spans and events.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<String>>);

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
        let _ = writeln!(self.0.lock().unwrap(), "{}", span.metadata().name());
        span.record(&mut &*self);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut &*self);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut &*self);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

static OPERATION: Operation =
    Operation { name: "get_x", path: "/x/{id}", parameters: &[Parameter::path("id")], ..Operation::family("things") };

struct Secret;

impl SecretSource for Secret {
    fn read(&self) -> Result<platform_runtime::auth::SecretString, platform_runtime::Error> {
        Ok("canary-secret".to_owned().into())
    }
}

#[tokio::test]
async fn traces_hold_no_values() {
    let everything = Everything::default();
    tracing::subscriber::set_global_default(everything.clone()).unwrap();
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
            let mut shown = format!("{error} {error:?}");
            let mut cause = std::error::Error::source(&error);
            while let Some(next) = cause {
                shown += &format!("{next} {next:?}");
                cause = next.source();
            }
            assert!(!shown.contains("canary-token") && !shown.contains("canary-header"), "{shown}");
        }
    }
    assert!(server.requests().iter().any(|request| request.header("authorization") == Some("Bearer canary-token")));
    let client = Client::builder(format!("{}/prefix", server.url)).build().unwrap();
    let call = Call::new(&client, &OPERATION, &[&"canary-value"], Payload::None, |_| Ok(()));
    assert!(call.await.unwrap_err().is_not_found());
    let gone = Client::builder("http://127.0.0.1:1").no_retry().build().unwrap();
    assert!(gone.request(Method::Get, "/canary-path").send().await.unwrap_err().is_connect());
    let traced = everything.0.lock().unwrap().clone();
    let (_, port) = server.url.rsplit_once(':').unwrap();
    for field in [
        "platform.call",
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
    assert!(!traced.contains("canary"), "{traced}");
}
