//! The differences of two requests that are differences of what is submitted.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::collections::BTreeSet;

use super::Contents;
use crate::{Client, Method, Object, Request, Upload, Value, protocol::Parts};

fn client() -> Client {
    Client::builder("http://localhost/base").build().unwrap()
}

async fn contents(request: Request<'_>) -> Contents {
    let (_, prepared, options) = request.into_parts(false);
    Contents::read(&prepared.unwrap(), &options.headers, Some("Idempotency-Key"), None).await.unwrap()
}

/// A deterministic generator, after Knuth.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn value(&mut self, depth: usize) -> Value {
        let scalars = [r#""""#, r#""1""#, "1", "1.0", "-0", "null", "true", r#""é\u0000""#, "[]", "{}"];
        match self.below(if depth == 0 { 1 } else { 3 }) {
            0 => Value::read(scalars[self.below(scalars.len())]).unwrap(),
            1 => Value::Array((0..self.below(4)).map(|_| self.value(depth - 1)).collect()),
            _ => Value::Object((0..self.below(4)).map(|name| (format!("m{name}"), self.value(depth - 1))).collect()),
        }
    }

    /// The same value with the members of its objects in another order.
    fn shuffled(&mut self, value: &Value) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.iter().map(|item| self.shuffled(item)).collect()),
            Value::Object(object) => {
                let mut left: Vec<_> = object.iter().map(|(name, member)| (name, self.shuffled(member))).collect();
                let mut members = Object::new();
                while !left.is_empty() {
                    let (name, member) = left.remove(self.below(left.len()));
                    members.set(name, member);
                }
                Value::Object(members)
            }
            scalar => scalar.clone(),
        }
    }
}

/// A form of a value that does not depend on the order of members.
fn ordered(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(ordered).collect::<Vec<_>>().join(",")),
        Value::Object(object) => {
            let members: BTreeSet<_> =
                object.iter().map(|(name, member)| format!("{name}:{}", ordered(member))).collect();
            format!("{{{members:?}}}")
        }
        scalar => scalar.to_string(),
    }
}

#[tokio::test]
async fn a_json_body_is_the_same_in_any_order_of_members_and_another_for_any_other_difference() {
    let client = client();
    let post = |body: &Value| client.request(Method::Post, "/things").json(body);
    let mut random = Random(23);
    let mut known: Vec<(String, Contents)> = Vec::new();
    for _ in 0..400 {
        let value = random.value(3);
        let (form, first) = (ordered(&value), contents(post(&value)).await);
        assert_eq!(contents(post(&random.shuffled(&value))).await, first, "{value}");
        for (other, contents) in &known {
            assert_eq!(*contents == first, *other == form, "{other} and {form}");
        }
        known.push((form, first));
    }
    let distinct: BTreeSet<_> = known.iter().map(|(form, _)| form).collect();
    assert!(distinct.len() > 100, "{} values are too few to learn from", distinct.len());
    let spaced = Upload::bytes(r#"{ "b" : 2, "a" : 1 }"#).content_type("application/json");
    let written = contents(client.request(Method::Post, "/things").body(spaced)).await;
    assert_eq!(written, contents(post(&Value::read(r#"{"a":1,"b":2}"#).unwrap())).await);
}

#[tokio::test]
async fn each_part_of_a_request_counts_and_the_difference_is_named() {
    let (client, folder) = (client(), tempfile::tempdir().unwrap());
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    std::fs::write(&one, vec![7; 200_000]).unwrap();
    std::fs::write(&other, [vec![7; 199_999], vec![8]].concat()).unwrap();
    let post = || client.request(Method::Post, "/things/1").query("a", "1").header("if-match", "x");
    let requests = [
        ("", post()),
        ("another method or path", client.request(Method::Put, "/things/1").query("a", "1").header("if-match", "x")),
        ("another method or path", client.request(Method::Post, "/things/2").query("a", "1").header("if-match", "x")),
        ("another query", post().query("b", "2")),
        ("another query", post().query("a", "2")),
        ("another query", client.request(Method::Post, "/things/1").query("a", ["2", "1"]).header("if-match", "x")),
        (
            "another query",
            client.request(Method::Post, "/things/1").query("a", ["1", "2"]).header("if-match", "x").header("x-1", ""),
        ),
        ("other headers", post().header("if-match", "y")),
        ("other headers", post().header("x-tenant", "y")),
        ("other headers", post().header("content-type", "application/json")),
        ("another body", post().header("content-type", "a/b").body(Upload::bytes(""))),
        ("another body", post().header("content-type", "a/b").body(Upload::bytes("1"))),
        ("another body", post().header("content-type", "a/b").body(Upload::file(&one))),
        ("another body", post().header("content-type", "a/b").body(Upload::file(&other))),
    ];
    let mut known: Vec<(&str, Contents)> = Vec::new();
    for (name, request) in requests {
        let contents = contents(request).await;
        for (number, (_, other)) in known.iter().enumerate() {
            let difference = contents.difference(other);
            assert!(difference.is_some(), "{number} {name}");
            // The first is the one that the others were made from.
            assert!(number > 0 || name == "another body" || difference == Some(name), "{difference:?} {name}");
        }
        known.push((name, contents));
    }
    let bodies: BTreeSet<_> =
        known.iter().filter(|(name, _)| *name == "another body").map(|(_, one)| &one.body).collect();
    assert_eq!(bodies.len(), 4);
    // A file counts by its bytes, not by its path.
    let copy = folder.path().join("copy");
    std::fs::copy(&one, &copy).unwrap();
    let upload = |upload| contents(client.request(Method::Post, "/things").body(upload));
    assert_eq!(upload(Upload::file(&copy)).await, upload(Upload::bytes(vec![7; 200_000])).await);
    let (_, prepared, _) = client.request(Method::Post, "/x").body(Upload::file(folder.path())).into_parts(false);
    let error = Contents::read(&prepared.unwrap(), &http::HeaderMap::new(), None, None).await.unwrap_err();
    assert_eq!(error.code(), "file");
}

/// Two streams of one length would be one content, and the second would go out under the key of the first.
#[tokio::test]
async fn a_stream_cannot_be_labelled() {
    let stream = || Upload::stream(futures_util::stream::empty(), Some(0));
    let mut parts = Parts::default();
    parts.file("a", stream());
    let client = client();
    let (_, whole, _) = client.request(Method::Post, "/x").body(stream()).into_parts(false);
    let (_, form, _) = client.request(Method::Post, "/x").into_parts(false);
    let form = crate::protocol::Prepared { body: crate::protocol::Content::Parts(parts), ..form.unwrap() };
    for prepared in [whole.unwrap(), form] {
        let error = Contents::read(&prepared, &http::HeaderMap::new(), None, None).await.unwrap_err();
        assert!(error.is_request() && error.to_string().contains("without a label"), "{error}");
    }
}

#[tokio::test]
async fn who_asks_in_which_attempt_and_in_which_order_does_not_count() {
    let client = client();
    let post = || client.request(Method::Post, "/things").header("x-1", "1");
    let form = |text: &'static str| {
        post().header("content-type", "application/x-www-form-urlencoded").body(Upload::bytes(text))
    };
    let plain = contents(post()).await;
    for name in [
        "Cookie",
        "User-Agent",
        "Date",
        "Accept",
        "Accept-Language",
        "traceparent",
        "tracestate",
        "baggage",
        "b3",
        "X-B3-TraceId",
        "X-Request-Id",
        "X-Correlation-Id",
        "Request-Id",
        "Idempotency-Key",
    ] {
        assert_eq!(contents(post().header(name, "1")).await, plain, "{name}");
    }
    assert_eq!(contents(form("b=2&a=1&b=1")).await, contents(form("a=1&b=2&b=1")).await);
    assert_ne!(contents(form("b=2&a=1&b=1")).await, contents(form("a=1&b=1&b=2")).await);
    let query = |names: [&str; 2]| names.into_iter().fold(post(), |request, name| request.query(name, "1"));
    assert_eq!(contents(query(["a", "b"])).await, contents(query(["b", "a"])).await);
}

#[tokio::test]
async fn the_parts_of_a_form_count_in_any_order_of_their_names() {
    let client = client();
    let read = async |fill: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::default();
        fill(&mut parts);
        let (_, prepared, _) = client.request(Method::Post, "/things").into_parts(false);
        let mut prepared = prepared.unwrap();
        prepared.body = crate::protocol::Content::Parts(parts);
        Contents::read(&prepared, &http::HeaderMap::new(), None, None).await.unwrap()
    };
    let file = |bytes: &'static str| Upload::bytes(bytes).file_name("f").content_type("application/json");
    let first = read(&|parts| {
        parts.text("a", "1");
        parts.file("b", file(r#"{"x":1,"y":2}"#));
    })
    .await;
    let again = read(&|parts| {
        parts.file("b", file(r#"{"y":2,"x":1}"#));
        parts.text("a", "1");
    })
    .await;
    assert_eq!(first, again);
    let others: [&dyn Fn(&mut Parts); 6] = [
        &|parts| parts.text("a", "1"),
        &|parts| {
            parts.text("a", "2");
            parts.file("b", file(r#"{"x":1,"y":2}"#));
        },
        &|parts| {
            parts.text("c", "1");
            parts.file("b", file(r#"{"x":1,"y":2}"#));
        },
        &|parts| {
            parts.text("a", "1");
            parts.file("b", file(r#"{"x":1,"y":2}"#).file_name("g"));
        },
        &|parts| {
            parts.text("a", "1");
            parts.file("b", file(r#"{"x":1,"y":2}"#).content_type("application/xml"));
        },
        &|parts| {
            parts.text("a", "1");
            parts.file("b", file(r#"{"x":1,"y":3}"#));
        },
    ];
    for (number, other) in others.into_iter().enumerate() {
        assert_eq!(first.difference(&read(other).await), Some("another body"), "{number}");
    }
}

/// A reader of a store can see neither the contents nor which submissions have equal contents.
#[tokio::test]
async fn what_a_store_keeps_is_another_for_each_submission() {
    let plain = contents(client().request(Method::Post, "/things").json(&"a secret")).await;
    let (one, other) = (plain.of_submission("one"), plain.of_submission("other"));
    assert_eq!(one, plain.of_submission("one"));
    for (one, other) in [
        (&one.target, &other.target),
        (&one.query, &other.query),
        (&one.headers, &other.headers),
        (&one.body, &other.body),
    ] {
        assert!(one != other && one.len() == 32, "{one} {other}");
    }
    assert!(one.body != plain.body && !serde_json::to_string(&one).unwrap().contains("secret"));
}

/// Header and cookie parameters of the contract are contents under every name. Headers of a call, API keys and the idempotency
/// key are not.
#[tokio::test]
async fn parameters_of_the_contract_count_under_every_name() {
    use crate::{
        Call,
        codegen::{Scheme, Security},
        protocol::{Operation, Parameter, Payload},
    };

    static POST: Operation = Operation {
        name: "x",
        path: "/x",
        method: Method::Post,
        parameters: &[
            Parameter::cookie("tenant"),
            Parameter::header("Accept-Language"),
            Parameter::header("X-Request-Id"),
            Parameter::header("Traceparent"),
            Parameter::header("User-Agent"),
            Parameter::header("X-Other"),
            Parameter::header("Idempotency-Key"),
            Parameter::header("X-Key"),
            Parameter::cookie("key"),
        ],
        security: Security::Any(&[&[
            Scheme::Header { scheme: "a", name: "X-Key" },
            Scheme::Cookie { scheme: "b", name: "key" },
        ]]),
        ..Operation::family("things")
    };
    const UNCOUNTED: usize = 6;
    let client = client();
    let read = async |values: &[&str]| {
        let arguments: Vec<&dyn crate::protocol::Argument> = values.iter().map(|value| value as _).collect();
        let call = Call::new(&client, &POST, &arguments, Payload::None, |_| Ok(()));
        let (prepared, options) = call.header("accept-language", "of the call").unsent.into_parts().unwrap();
        Contents::read(&prepared, &options.headers, Some("Idempotency-Key"), Some("x-request-id")).await.unwrap()
    };
    let first = ["a"; 9];
    let contents = read(&first).await;
    assert_eq!(contents, read(&first).await);
    for position in 0..first.len() {
        let mut values = first;
        values[position] = "b";
        let difference = contents.difference(&read(&values).await);
        assert_eq!(difference.is_some(), position < UNCOUNTED, "{position}: {difference:?}");
    }
    // An earlier version did not store them.
    let mut values = first;
    values[0] = "b";
    let mut earlier = contents.clone();
    earlier.parameters = None;
    assert_eq!(earlier.difference(&read(&values).await), None);
}
