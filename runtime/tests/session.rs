//! The public behaviour of a session: addresses, deadlines, retries, redirects, errors.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use crate::support::{Reply, Server};
use driftless_runtime::{
    Call,
    codegen::prelude::{Operation, Payload},
};
use driftless_runtime::{Client, Error, Method, Object, RawResponse, Upload, auth::StaticToken};

async fn get(server: &Server) -> Result<RawResponse, Error> {
    Client::builder(&server.url).build()?.request(Method::Get, "/x").no_retry().send().await
}

#[test]
fn addresses_that_would_give_the_token_away_are_refused() {
    let refused = [
        "http://platform.example",
        "http://127.0.0.1.evil.test",
        "http://localhost.evil.test",
        "http://10.0.0.1",
        "http://0.0.0.0:80",
        "ftp://platform.example",
        "https://user@platform.example",
        "https://user:canary@platform.example",
        "https://:canary@platform.example",
        "https://platform.example/?token=canary",
        "https://platform.example/#canary",
        "platform.example",
        "",
        "https://",
        "file:///etc/passwd",
    ];
    for address in refused {
        let error = Client::builder(address).build().unwrap_err();
        assert!(error.is_request(), "{address}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
    for address in [
        "https://platform.example",
        "http://127.0.0.1:5000",
        "http://localhost",
        "http://[::1]:1/base",
        "http://127.8.8.8",
    ] {
        Client::builder(address).build().unwrap();
    }
}

#[test]
fn a_user_agent_with_a_line_break_is_refused() {
    assert!(Client::builder("https://platform.example").user_agent("a\r\nx: y").build().unwrap_err().is_request());
}

#[tokio::test]
async fn the_escape_hatch_sends_what_it_is_told() {
    let server = Server::always(Reply::json(200, r#"{"id":7}"#)).await;
    let platform = Client::builder(format!("{}/base", server.url)).user_agent("me/1").build().unwrap();
    let body: Object = [("name", "x")].into_iter().collect();
    let response = platform
        .request(Method::Put, "/api/a b/1")
        .query("q", "ü&")
        .query("ids", [1, 2])
        .query("none", None::<i32>)
        .header("if-match", "\"1\"")
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(response.json::<Object>().unwrap().get::<i32>("id").unwrap(), Some(7));
    let sent = server.last();
    assert_eq!((sent.method.as_str(), sent.target.as_str()), ("PUT", "/base/api/a%20b/1?q=%C3%BC%26&ids=1&ids=2"));
    assert_eq!(sent.text(), r#"{"name":"x"}"#);
    assert_eq!(sent.header("if-match"), Some("\"1\""));
    assert_eq!(sent.header("user-agent"), Some("me/1"));
    platform.request(Method::Post, "/x").body(Upload::bytes("raw").content_type("text/csv")).send().await.unwrap();
    assert_eq!((server.last().text().as_str(), server.last().header("content-type")), ("raw", Some("text/csv")));
    let mut stream = platform.request(Method::Get, "/x").stream().await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().as_ref(), br#"{"id":7}"#);
}

#[tokio::test]
async fn who_the_caller_is_is_said_by_the_credential_alone() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let client = || Client::builder(&server.url);
    for name in ["authorization", "Authorization", "PROXY-AUTHORIZATION"] {
        let call = client().build().unwrap().request(Method::Get, "/x").header(name, "Bearer canary").send().await;
        let error = call.unwrap_err();
        assert!(error.is_request() && error.to_string().contains("credential"), "{error}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
    for name in ["Accept", "content-type", "authorization"] {
        let error = client().default_header(name, "canary").build().unwrap_err();
        assert!(error.to_string().contains(name) && !error.to_string().contains("canary"), "{error}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn paths_that_leave_the_service_are_refused() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let platform = Client::builder(format!("{}/base", server.url)).build().unwrap();
    for path in [
        "",
        "x",
        "/../x",
        "/a/../../x",
        "/a/%2e%2e/x",
        "/a?b",
        "/a#b",
        "/a\\b",
        "//evil.test/x/../y",
        "https://evil.test/",
    ] {
        let error = platform.request(Method::Get, path).send().await.unwrap_err();
        assert!(error.is_request(), "{path}: {error}");
    }
    let error = platform.request(Method::Get, "/x").header("x", "canary\r\ny: z").send().await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"));
    assert!(platform.request(Method::Get, "/x").header("x y", "z").send().await.is_err());
    assert!(server.requests().is_empty());
    platform.request(Method::Get, "//double").send().await.unwrap();
    assert_eq!(server.last().target, "/base//double", "the origin stays");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Server::always(Reply::json(200, "{}")).await;
    let target = format!("{}/y", elsewhere.url);
    for status in [301, 302, 303, 307, 308] {
        let target = target.clone();
        let server = Server::start(move |_| Reply::new(status, &[("location", &target)], "")).await;
        let error = get(&server).await.unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert!(error.to_string().contains("not followed"), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn statuses_become_predicates() {
    type Predicate = fn(&Error) -> bool;
    let table: [(u16, Predicate); 10] = [
        (400, Error::is_bad_request),
        (401, Error::is_unauthorized),
        (403, Error::is_forbidden),
        (404, Error::is_not_found),
        (409, Error::is_conflict),
        (412, Error::is_precondition_failed),
        (429, Error::is_rate_limited),
        (500, Error::is_server_error),
        (503, Error::is_retryable),
        (304, Error::is_not_modified),
    ];
    for (status, predicate) in table {
        let server = Server::always(Reply::new(status, &[], "")).await;
        let error = get(&server).await.unwrap_err();
        assert!(predicate(&error), "{status}");
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert_eq!(error.operation(), Some("request"));
        assert_eq!((error.raw_body(), error.problem()), (&b""[..], None));
        let others =
            table.iter().filter(|(other, _)| *other != status && !matches!((*other, status), (500, 503) | (503, 429)));
        for (other, predicate) in others {
            assert!(!predicate(&error), "{status} is not {other}");
        }
    }
}

#[tokio::test]
async fn problems_are_read_wherever_they_parse() {
    let body = r#"{"type":"https://x/y","title":"Invalid","status":400,"detail":"The\u001b[31m name\nis","instance":"/p",
        "errors":{"name":["is too long","is odd"],"$":"alone"},"traceId":"00-1","more":{"a":1}}"#;
    let server = Server::always(Reply::new(400, &[("content-type", "text/plain")], body)).await;
    let error = get(&server).await.unwrap_err();
    let problem = error.problem().unwrap();
    assert_eq!(problem.title.as_deref(), Some("Invalid"));
    assert_eq!(problem.kind.as_deref(), Some("https://x/y"));
    assert_eq!((problem.status, problem.instance.as_deref()), (Some(400), Some("/p")));
    assert_eq!(problem.errors["name"], ["is too long", "is odd"]);
    assert_eq!(problem.errors["$"], ["alone"]);
    assert_eq!(problem.trace_id.as_deref(), Some("00-1"));
    assert_eq!(problem.extensions["more"], serde_json::json!({"a": 1}));
    assert_eq!(error.body_as::<Object>().unwrap().get::<i32>("status").unwrap(), Some(400));
    assert!(error.body_as::<Vec<i32>>().unwrap_err().is_decode());
    let printed = error.to_string();
    assert!(printed.contains("400 Bad Request") && printed.contains("The\\u{1b}[31m name\\nis"), "{printed}");
    assert!(!printed.contains(['\u{1b}', '\n']), "{printed}");

    let odd = r#"{"type":5,"status":"x","errors":[1],"traceId":null}"#;
    let server = Server::always(Reply::json(400, odd)).await;
    let error = get(&server).await.unwrap_err();
    let problem = error.problem().unwrap();
    assert_eq!((&problem.kind, problem.status, problem.errors.len(), problem.extensions.len()), (&None, None, 0, 4));

    for body in ["<html>", "[1]", "\"text\"", "{\"cut", ""] {
        let server = Server::always(Reply::json(500, body)).await;
        let error = get(&server).await.unwrap_err();
        assert_eq!((error.problem(), error.raw_body()), (None, body.as_bytes()));
        assert!(!error.to_string().contains("html"), "{error}");
    }
}

#[tokio::test]
async fn a_404_says_that_it_may_be_invisible() {
    let server = Server::always(Reply::json(404, "{}")).await;
    let error = get(&server).await.unwrap_err();
    assert_eq!(error.to_string(), "request: 404 Not Found (missing, or not visible to this caller)");
}

#[tokio::test]
async fn safe_calls_are_retried_and_others_are_not() {
    let retried = [408, 429, 500, 502, 503, 504].map(async |status| {
        let count = AtomicU32::new(0);
        let server = Server::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::new(status, &[("retry-after", "0")], ""),
            _ => Reply::json(200, "{}"),
        })
        .await;
        let platform = Client::builder(&server.url).build().unwrap();
        platform.request(Method::Get, "/x").send().await.unwrap();
        assert_eq!(server.requests().len(), 2);
    });
    futures_util::future::join_all(retried).await;
    let server = Server::always(Reply::new(503, &[("retry-after", "0")], "")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let sent = || server.requests().len();
    assert!(platform.request(Method::Get, "/x").send().await.is_err());
    assert_eq!(sent(), 3, "three attempts");
    assert!(platform.request(Method::Get, "/x").no_retry().send().await.is_err());
    assert_eq!(sent(), 4);
    for method in [Method::Post, Method::Put, Method::Patch, Method::Delete] {
        let before = sent();
        assert!(platform.request(method, "/x").send().await.is_err());
        assert_eq!(sent(), before + 1, "{method:?}");
    }
    let before = sent();
    assert!(platform.request(Method::Post, "/x").idempotent().json(&1).send().await.is_err());
    assert_eq!(sent(), before + 3);
    let once = Client::builder(&server.url).no_retry().build().unwrap();
    let before = sent();
    assert!(once.request(Method::Get, "/x").send().await.is_err());
    assert_eq!(sent(), before + 1);
    for (status, attempts) in [(400, 1), (404, 1), (501, 1), (500, 2)] {
        let server = Server::always(Reply::json(status, "{}")).await;
        let platform = Client::builder(&server.url).build().unwrap();
        assert!(platform.request(Method::Get, "/x").send().await.is_err());
        assert_eq!(server.requests().len(), attempts, "{status}");
    }
}

#[tokio::test]
async fn retry_after_beyond_the_deadline_is_not_waited_for() {
    for value in ["999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let server = Server::always(Reply::new(503, &[("retry-after", value)], "")).await;
        let platform = Client::builder(&server.url).build().unwrap();
        let error = platform.request(Method::Get, "/x").send().await.unwrap_err();
        assert!(error.is_server_error() && error.retry_after().unwrap() > Duration::from_secs(1_000_000));
        assert_eq!(server.requests().len(), 1);
    }
    for value in ["-5", "soon", "", "18446744073709551616"] {
        let server = Server::always(Reply::new(503, &[("retry-after", value)], "")).await;
        assert_eq!(get(&server).await.unwrap_err().retry_after(), None, "{value}");
    }
    let server = Server::always(Reply::new(503, &[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], "")).await;
    assert_eq!(get(&server).await.unwrap_err().retry_after(), Some(Duration::ZERO));
}

#[tokio::test]
async fn one_deadline_covers_all() {
    let stalls = Server::always(Reply::raw(&["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", "ab"]).and_hang()).await;
    let silent = Server::always(Reply::raw(&[]).and_hang()).await;
    for server in [stalls, silent] {
        let platform = Client::builder(&server.url).deadline(Duration::from_millis(150)).build().unwrap();
        let error = platform.request(Method::Get, "/x").send().await.unwrap_err();
        assert!(error.is_timeout() && error.is_retryable(), "{error}");
        // The limit of a silence, which comes later, is a timeout as well.
        assert!(error.to_string().contains("no answer within 0.15 s"), "{error}");
        let error = platform.request(Method::Get, "/x").deadline(Duration::ZERO).send().await.unwrap_err();
        assert!(error.is_timeout());
    }
    let server = Server::always(Reply::json(200, "1")).await;
    let platform = Client::builder(&server.url).deadline(Duration::MAX).build().unwrap();
    platform.request(Method::Get, "/x").send().await.unwrap();
}

#[tokio::test]
async fn connections_that_fail_and_those_that_break_are_told_apart() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let platform = Client::builder(address).build().unwrap();
    let error = platform.request(Method::Post, "/x?").send().await.unwrap_err();
    assert!(error.is_request());
    let error = platform.request(Method::Post, "/x").send().await.unwrap_err();
    assert!(error.is_connect() && error.is_retryable(), "{error}");

    let server = Server::always(Reply::close()).await;
    let platform = Client::builder(&server.url).build().unwrap();
    let error = platform.request(Method::Post, "/x").query("q", "canary").send().await.unwrap_err();
    assert_eq!(error.code(), "transport");
    assert!(error.is_submission_unknown() && error.was_sent());
    assert!(error.to_string().contains("it is unknown"), "{error}");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    assert_eq!(server.requests().len(), 1, "the server saw exactly one");
}

#[tokio::test]
async fn a_false_length_is_an_error() {
    let server = Server::always(Reply::raw(&["HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n", "short"])).await;
    let platform = Client::builder(&server.url).deadline(Duration::from_millis(500)).no_retry().build().unwrap();
    assert!(platform.request(Method::Get, "/x").send().await.is_err());
    let server = Server::always(Reply::raw(&["HTTP/1.1 200 OK\r\nno header\r\n\r\n"])).await;
    assert_eq!(get(&server).await.unwrap_err().code(), "transport");
}

#[tokio::test]
async fn a_safe_call_survives_a_broken_connection() {
    let count = AtomicU32::new(0);
    let server = Server::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::close(),
        _ => Reply::json(200, "{}"),
    })
    .await;
    Client::builder(&server.url).build().unwrap().request(Method::Get, "/x").send().await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn the_limit_of_bodies_is_configured() {
    let server = Server::always(Reply::json(200, "\u{feff}[1,2,3]")).await;
    let limited = |bytes| Client::builder(&server.url).body_limit(bytes).build().unwrap();
    let exact = limited(10);
    let read = exact.request(Method::Get, "/x").send().await.unwrap();
    assert_eq!(read.json::<Vec<i32>>().unwrap(), [1, 2, 3], "a byte-order mark is not a part of JSON");
    assert!(limited(9).request(Method::Get, "/x").send().await.unwrap_err().is_too_large());
}

#[tokio::test]
async fn headers_that_frame_the_message_are_refused() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let platform = Client::builder(&server.url).build().unwrap();
    for name in ["Content-Length", "transfer-encoding", "Host", "connection"] {
        assert!(platform.request(Method::Get, "/x").header(name, "5").send().await.unwrap_err().is_request(), "{name}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn values_can_cross_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Client>();
    shared::<Error>();
    shared::<RawResponse>();
    shared::<Upload>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

#[tokio::test]
async fn a_client_is_made_without_connections() {
    let platform = Client::builder("https://platform.example").credential(StaticToken::new("canary")).build().unwrap();
    assert_eq!(platform.clone().base_url(), "https://platform.example/");
    assert_eq!(format!("{platform:?}"), "Client { base_url: \"https://platform.example/\", .. }");
}

/// A requested stream is one, even if it is JSON, which a generated operation would decode. An operation whose contract
/// declares no body.
static COVER: Operation = Operation { name: "get_cover", path: "/cover", ..Operation::family("things") };

#[tokio::test]
async fn what_the_contract_does_not_declare_is_read_on_every_call() {
    let server = Server::always(Reply::new(200, &[("x-kind", "a")], "[1,2,3]")).await;
    let client = Client::builder(&server.url).body_limit(7).build().unwrap();
    let cover = |client| Call::new(client, &COVER, &[], Payload::None, |_| Ok(()));
    cover(&client).await.unwrap();
    let raw = cover(&client).raw().await.unwrap();
    assert_eq!(
        (raw.status().as_u16(), &raw.bytes()[..], &raw.headers()["x-kind"]),
        (200, &b"[1,2,3]"[..], &"a".parse().unwrap())
    );
    assert_eq!(cover(&client).json::<Vec<u8>>().await.unwrap(), [1, 2, 3]);
    assert_eq!(cover(&client).text().await.unwrap(), "[1,2,3]");
    assert!(cover(&client).json::<String>().await.unwrap_err().is_decode());
    // Above the limit each is an error, and the body can be streamed.
    let narrow = Client::builder(&server.url).body_limit(6).build().unwrap();
    let error = cover(&narrow).raw().await.unwrap_err();
    assert!(error.is_too_large() && error.to_string().contains("streaming"), "{error:?}");
    assert!(cover(&narrow).text().await.unwrap_err().is_too_large());
    assert!(cover(&narrow).json::<Vec<u8>>().await.unwrap_err().is_too_large());
    let body = cover(&narrow).stream().await.unwrap();
    assert_eq!(body.bytes_up_to(7).await.unwrap().len(), 7);
}

#[tokio::test]
async fn json_can_be_streamed_beyond_the_limit() {
    let server = Server::always(Reply::json(200, &format!("[{}0]", "1,".repeat(500)))).await;
    let platform = Client::builder(&server.url).body_limit(40).build().unwrap();
    let body = platform.request(Method::Get, "/x").stream().await.unwrap();
    assert_eq!(body.bytes_up_to(2_000).await.unwrap().len(), 1_003);
}

/// The headers of an error, without a token that the server repeats in them.
#[tokio::test]
async fn errors_keep_the_headers_of_the_response() {
    let headers = [("x-trace", "7"), ("x-trace", "8"), ("x-echo", "Bearer canary-token")];
    let server = Server::always(Reply::new(404, &headers, "")).await;
    let platform = Client::builder(&server.url).credential(StaticToken::new("canary-token")).build().unwrap();
    let error = platform.request(Method::Get, "/x").send().await.unwrap_err();
    assert_eq!(error.headers().get_all("x-trace").iter().collect::<Vec<_>>(), ["7", "8"]);
    assert_eq!(error.headers()["x-echo"], "Bearer [redacted]");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreached = Client::builder(format!("http://{closed}")).build().unwrap();
    let error = unreached.request(Method::Get, "/x").no_retry().send().await.unwrap_err();
    assert!(error.headers().is_empty());
}

#[tokio::test]
async fn the_limit_of_bodies_holds_for_what_a_stream_keeps_in_memory() {
    let event = format!("data: {}\n\n", "x".repeat(50));
    let server = Server::always(Reply::new(200, &[("content-type", "text/event-stream")], event.repeat(10))).await;
    let client = |limit| Client::builder(&server.url).body_limit(limit).build().unwrap();
    let (small, large) = (client(40), client(200));
    let request = |platform: &Client| {
        let platform = platform.clone();
        async move { platform.request(Method::Get, "/x").stream().await.unwrap() }
    };
    for platform in [&small, &large] {
        let error = request(platform).await.bytes().await.unwrap_err();
        assert!(error.is_too_large() && error.to_string().contains("longer than"), "{error}");
        assert!(request(platform).await.text().await.unwrap_err().is_too_large());
        assert_eq!(request(platform).await.bytes_up_to(1000).await.unwrap().len(), 580, "what the caller says counts");
        let mut body = request(platform).await;
        let mut length = 0;
        while let Some(chunk) = body.next().await {
            length += chunk.unwrap().len();
        }
        assert_eq!(length, 580, "what is read piece by piece has no limit");
    }
    let mut events = small.request(Method::Get, "/x").events().await.unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.is_too_large() && error.to_string().contains("40 bytes"), "{error}");
    assert!(events.next().await.is_none());
}

/// Sets one header, and reports it.
struct Sets(&'static str, &'static str);

impl driftless_runtime::Middleware for Sets {
    fn handle<'a>(
        &'a self,
        mut request: driftless_runtime::Outgoing,
        next: driftless_runtime::Next<'a>,
    ) -> driftless_runtime::MiddlewareFuture<'a> {
        Box::pin(async move {
            request.headers.append(self.0, self.1.parse().unwrap());
            next.run(request).await
        })
    }
}

#[tokio::test]
async fn a_middleware_cannot_frame_the_message() {
    let server = Server::always(Reply::json(200, "{}")).await;
    for (name, value) in [
        ("content-length", "0"),
        ("content-length", "3"),
        ("transfer-encoding", "chunked"),
        ("host", "other.example"),
        ("connection", "close"),
    ] {
        let platform = Client::builder(&server.url).middleware(Sets(name, value)).build().unwrap();
        for method in [Method::Get, Method::Post] {
            let error = platform.request(method, "/x").json(&1).send().await.unwrap_err();
            assert!(error.is_request() && !error.was_sent() && error.to_string().contains(name), "{name}: {error}");
        }
    }
    assert!(server.requests().is_empty());
    let platform = Client::builder(&server.url).middleware(Sets("x-tenant", "blue")).build().unwrap();
    platform.request(Method::Post, "/x").send().await.unwrap();
    assert_eq!(server.last().header("x-tenant"), Some("blue"));
}
