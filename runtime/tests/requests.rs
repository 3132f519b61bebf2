//! Retries, calls that are not retried, and the knowledge of the caller afterwards.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::support::{Recorded, Reply, Server, WATCHDOG, limits};
use driftless_runtime::{
    Client, ClientBuilder, Error, ErrorKind, Incoming, Method, Middleware, MiddlewareFuture, MinThroughput, Next,
    Outgoing, RetryPolicy, Upload, auth::StaticToken,
};
use http::HeaderValue;

fn client(server: &Server, with: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
    with(Client::builder(&server.url)).build().unwrap()
}

async fn send(platform: &Client, method: Method) -> Result<(), Error> {
    platform.request(method, "/x").json(&1).send().await.map(drop)
}

/// Refuses the first request, and accepts the others.
async fn once(reply: Reply) -> Server {
    let count = AtomicU32::new(0);
    Server::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => reply.clone(),
        _ => Reply::json(200, "{}"),
    })
    .await
}

#[tokio::test]
async fn put_and_delete_are_retried_by_choice() {
    for method in [Method::Put, Method::Delete] {
        let server = once(Reply::json(502, "{}")).await;
        assert!(send(&client(&server, |builder| builder), method).await.is_err());
        assert_eq!(server.requests().len(), 1);
        let server = once(Reply::json(502, "{}")).await;
        send(&client(&server, ClientBuilder::retry_put_and_delete), method).await.unwrap();
    }
    let server = once(Reply::json(502, "{}")).await;
    assert!(send(&client(&server, ClientBuilder::retry_put_and_delete), Method::Post).await.is_err());
}

#[tokio::test]
async fn a_post_is_repeated_only_when_asked_and_by_choice() {
    let asks = |status| Reply::new(status, &[("retry-after", "0")], "");
    for status in [429, 503] {
        let server = once(asks(status)).await;
        assert!(send(&client(&server, |builder| builder), Method::Post).await.is_err());
        let server = once(asks(status)).await;
        send(&client(&server, ClientBuilder::retry_when_asked), Method::Post).await.unwrap();
        assert_eq!(server.requests().len(), 2);
        let server = once(asks(status)).await;
        let platform = client(&server, |builder| builder);
        platform.request(Method::Patch, "/x").retry_when_asked().send().await.unwrap();
        let server = once(Reply::json(status, "{}")).await;
        assert!(send(&client(&server, ClientBuilder::retry_when_asked), Method::Post).await.is_err());
        assert_eq!(server.requests().len(), 1, "without Retry-After the service asks for nothing");
    }
    let server = once(asks(502)).await;
    assert!(send(&client(&server, ClientBuilder::retry_when_asked), Method::Post).await.is_err());
}

#[tokio::test]
async fn a_stream_is_never_sent_twice() {
    let chunks = || {
        struct Once(Option<driftless_runtime::Bytes>);
        impl futures_core::Stream for Once {
            type Item = std::io::Result<driftless_runtime::Bytes>;
            fn poll_next(
                mut self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<Self::Item>> {
                std::task::Poll::Ready(self.0.take().map(Ok))
            }
        }
        Upload::stream(Once(Some("part".into())), None)
    };
    for reply in [Reply::json(503, "{}"), Reply::json(401, "{}")] {
        let server = once(reply).await;
        let platform = client(&server, |builder| builder.credential(StaticToken::new("t")));
        assert!(platform.request(Method::Post, "/x").idempotent().body(chunks()).send().await.is_err());
        assert_eq!((server.requests().len(), server.last().text()), (1, "part".to_owned()));
    }
}

#[tokio::test]
async fn a_post_whose_connection_dies_is_a_submission_unknown() {
    for reply in [Reply::close(), Reply::raw(&["HTTP/1.1 2"])] {
        let server = Server::always(reply).await;
        let platform = client(&server, |builder| builder);
        let error = send(&platform, Method::Post).await.unwrap_err();
        assert!(error.is_submission_unknown() && error.was_sent() && error.is_broken(), "{error}");
        assert!(error.to_string().contains("check before you send it again"), "{error}");
        assert_eq!(server.requests().len(), 1, "the server saw exactly one");
        let error = platform.request(Method::Get, "/x").no_retry().send().await.unwrap_err();
        assert!(!error.is_submission_unknown() && error.was_sent());
    }
    let silent = Server::always(Reply::raw(&[]).and_hang()).await;
    let mut limits = limits();
    // With the first limits, a slow machine sends nothing.
    for limit in &mut limits {
        let platform = client(&silent, |builder| builder.deadline(limit));
        let error = send(&platform, Method::Post).await.unwrap_err();
        assert!(error.is_timeout(), "{error}");
        if error.is_submission_unknown() {
            break;
        }
    }
    let arrived = async {
        while silent.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(WATCHDOG, arrived).await.expect("it was sent");

    let taken = Server::always(Reply::raw(&["HTTP/1.1 201 X\r\ncontent-length: 9\r\n\r\n", "{"])).await;
    for limit in limits {
        let hasty = client(&taken, |builder| builder.idle_timeout(limit));
        let error = send(&hasty, Method::Post).await.unwrap_err();
        if error.status().is_some() {
            assert!(!error.is_submission_unknown() && error.status().unwrap().as_u16() == 201, "{error}");
            break;
        }
        assert!(error.is_timeout() && limit < WATCHDOG / 2, "{error}");
    }
    let refused = Server::always(Reply::json(503, "{}")).await;
    let error = send(&client(&refused, |builder| builder), Method::Post).await.unwrap_err();
    assert!(!error.is_submission_unknown() && error.was_sent());

    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = send(&Client::builder(address).build().unwrap(), Method::Post).await.unwrap_err();
    assert!(!error.is_submission_unknown() && !error.was_sent(), "nothing was sent");
}

#[tokio::test]
async fn a_silent_service_is_asked_again_by_calls_that_may_repeat() {
    asked_again(|| Reply::raw(&[]).and_hang(), false).await;
    // A body that stalls, too.
    asked_again(|| Reply::raw(&["HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n", "{"]).and_hang(), false).await;
    // One call may have a shorter limit than its client.
    asked_again(|| Reply::raw(&[]).and_hang(), true).await;
}

/// The first response does not arrive: a second request gets one, within the idle timeout.
async fn asked_again(first: fn() -> Reply, by_call: bool) {
    for patience in limits() {
        let server = once(first()).await;
        let platform = client(&server, |builder| builder.idle_timeout(if by_call { WATCHDOG } else { patience }));
        let request = platform.request(Method::Get, "/x");
        let request = if by_call { request.idle_timeout(patience) } else { request };
        if request.send().await.is_ok() && server.requests().len() == 2 {
            return;
        }
    }
    panic!("no second request with an answer");
}

#[tokio::test]
async fn second_attempts_have_a_budget_over_the_client() {
    let server = Server::always(Reply::new(503, &[("retry-after", "0")], "")).await;
    let platform = client(&server, |builder| builder);
    // At the same time, so that their pauses pass together.
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let platform = platform.clone();
            tokio::spawn(async move {
                for _ in 0..10 {
                    assert!(platform.request(Method::Get, "/x").send().await.is_err());
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    assert_eq!(server.requests().len(), 300, "two hundred calls, a hundred second attempts, and no more");
}

#[tokio::test]
async fn the_gate_lets_so_many_through() {
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (inside, peak) = (Arc::clone(&now), Arc::clone(&most));
    let server = Server::start(move |_| {
        peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        inside.fetch_sub(1, Ordering::SeqCst);
        Reply::json(200, "{}")
    })
    .await;
    let platform = client(&server, |builder| builder.max_concurrency(1));
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let platform = platform.clone();
            tokio::spawn(async move { send(&platform, Method::Get).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 1);
    // A caller in the queue keeps its own deadline.
    let silent = Server::always(Reply::raw(&[]).and_hang()).await;
    let platform = client(&silent, |builder| builder.max_concurrency(1));
    let first = platform.clone();
    let first = tokio::spawn(async move { send(&first, Method::Get).await });
    while silent.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let queued = platform.request(Method::Post, "/x").deadline(Duration::from_millis(50)).send().await.unwrap_err();
    assert!(queued.is_timeout() && !queued.was_sent(), "{queued}");
    first.abort();
}

#[tokio::test]
async fn a_call_has_one_identifier_in_the_logs_of_both_sides() {
    let server = once(Reply::json(502, "{}")).await;
    client(&server, |builder| builder).request(Method::Get, "/x").send().await.unwrap();
    let ids: Vec<_> =
        server.requests().iter().map(|request| request.header("x-request-id").unwrap().to_owned()).collect();
    assert!(ids[0].len() == 32 && ids[0] == ids[1], "{ids:?}");

    let server = Server::always(Reply::new(500, &[("x-trace", "theirs")], r#"{"traceId":"00-9"}"#)).await;
    let platform = client(&server, |builder| builder.request_id_header("x-trace").no_retry());
    let error = platform.request(Method::Get, "/x").header("x-trace", "mine").send().await.unwrap_err();
    assert_eq!(server.last().header("x-trace"), Some("mine"));
    assert_eq!((error.request_id(), error.trace_id()), (Some("theirs"), Some("00-9")));
    assert!(error.to_string().contains("[00-9]"), "{error}");

    let server = Server::always(Reply::close()).await;
    let platform = client(&server, |builder| builder.request_id_header(""));
    assert_eq!(send(&platform, Method::Post).await.unwrap_err().request_id(), None);
    assert_eq!(server.last().header("x-request-id"), None);
}

struct Stamp(&'static str, Arc<AtomicU32>);

impl Middleware for Stamp {
    fn handle<'a>(&'a self, mut request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        Box::pin(async move {
            let printed = format!("{request:?} {next:?} {:?}", request.headers);
            assert!(!printed.contains("canary"), "a middleware never sees the token");
            request.headers.append("x-stamp", HeaderValue::from_static(self.0));
            request.headers.insert("authorization", HeaderValue::from_static("Bearer forged"));
            let answer = next.run(request).await?;
            self.1.fetch_add(u32::from(answer.status().as_u16()), Ordering::SeqCst);
            Ok(answer)
        })
    }
}

#[tokio::test]
async fn middleware_wraps_each_attempt() {
    let server = once(Reply::new(503, &[("retry-after", "0")], "")).await;
    let sum = Arc::new(AtomicU32::new(0));
    let platform = client(&server, |builder| {
        let builder = builder.credential(StaticToken::new("canary")).middleware(Stamp("outer", Arc::clone(&sum)));
        builder.middleware(Stamp("inner", Arc::clone(&sum)))
    });
    send(&platform, Method::Get).await.unwrap();
    assert_eq!(sum.load(Ordering::SeqCst), 2 * (503 + 200), "each sees the status of each attempt");
    let stamps = |request: &Recorded| {
        request.headers.iter().filter(|(name, _)| name == "x-stamp").map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    assert_eq!(server.requests().len(), 2);
    for request in server.requests() {
        assert_eq!(stamps(&request), ["outer", "inner"]);
        assert_eq!(request.header("authorization"), Some("Bearer canary"), "the credential has the last word");
    }
}

#[cfg(feature = "gzip")]
#[tokio::test]
async fn a_compressed_body_is_bounded_after_decompression() {
    use std::io::Write as _;

    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&vec![b' '; 1024 * 1024]).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 32 * 1024);
    let reply = Reply::new(200, &[("content-encoding", "gzip"), ("content-type", "application/json")], packed);
    let server = Server::always(reply).await;
    let client = client(&server, |builder| builder.body_limit(64 * 1024));
    let error = client.request(Method::Get, "/x").send().await.unwrap_err();
    assert!(error.is_too_large(), "{error}");
    assert_eq!(server.last().header("accept-encoding"), Some("gzip"));
}

#[tokio::test]
async fn bodies_without_end_are_bounded() {
    // A length of 1 GiB is refused by its announcement, chunks by their sum, and nesting by the decoder.
    let announced =
        Server::always(Reply::raw(&["HTTP/1.1 200 X\r\ncontent-length: 1073741824\r\n\r\n"]).and_hang()).await;
    let platform = client(&announced, |builder| builder.deadline(WATCHDOG));
    assert!(platform.request(Method::Get, "/x").send().await.unwrap_err().is_too_large());

    let piece = format!("100000\r\n{}\r\n", "x".repeat(0x10_0000));
    let mut pieces = vec!["HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n"];
    pieces.extend(std::iter::repeat_n(piece.as_str(), 40));
    let chunked = Server::always(Reply::raw(&pieces)).await;
    let platform = client(&chunked, |builder| builder.deadline(WATCHDOG));
    assert!(platform.request(Method::Get, "/x").send().await.unwrap_err().is_too_large());

    let deep = Server::always(Reply::json(200, &("[".repeat(100_000) + &"]".repeat(100_000)))).await;
    let answer = client(&deep, |builder| builder).request(Method::Get, "/x").send().await.unwrap();
    assert!(answer.json::<driftless_runtime::Value>().unwrap_err().is_decode());

    // A trickle keeps the connection busy, and ends with the deadline all the same.
    let mut drops = vec!["HTTP/1.1 200 X\r\ncontent-length: 1000\r\n\r\n"];
    drops.extend(std::iter::repeat_n("x", 200));
    let trickle = Server::always(Reply::raw(&drops)).await;
    let platform = client(&trickle, |builder| builder.deadline(Duration::from_millis(300)));
    assert!(platform.request(Method::Get, "/x").send().await.unwrap_err().is_timeout());

    let huge_error = Server::always(Reply::new(400, &[], "x".repeat(1_000_000))).await;
    let error = client(&huge_error, |builder| builder).request(Method::Get, "/x").send().await.unwrap_err();
    assert_eq!(error.raw_body().len(), 64 * 1024);
}

/// Records calls, and answers those that it has a response for.
struct Cache(Arc<std::sync::Mutex<Vec<String>>>);

impl Middleware for Cache {
    fn handle<'a>(&'a self, request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        let (url, attempt, length) = (request.url(), request.attempt(), request.body_length());
        let seen = format!("{} {url} {:?} {attempt} {length:?}", request.method, request.path_template());
        self.0.lock().unwrap().push(seen);
        Box::pin(async move {
            if request.url().ends_with("/cached") {
                let headers = http::HeaderMap::from_iter([(http::header::ETAG, HeaderValue::from_static("\"7\""))]);
                return Ok(Incoming::new(http::StatusCode::OK, headers, "{\"a\":1.10}"));
            }
            if request.url().ends_with("/refused") {
                return Err(Error::new(ErrorKind::Other, "the cache is closed"));
            }
            if request.url().ends_with("/flaky") && request.attempt() == 1 {
                return Err(Error::new(ErrorKind::Connect, "the network of the test is down"));
            }
            next.run(request).await
        })
    }
}

#[tokio::test]
async fn a_middleware_sees_the_request_and_may_answer_itself() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let client = Client::builder(&server.url).middleware(Cache(Arc::clone(&seen))).build().unwrap();
    let cached = client.request(Method::Get, "/cached").send().await.unwrap();
    assert_eq!((cached.header("etag"), cached.bytes().as_ref()), (Some("\"7\""), &b"{\"a\":1.10}"[..]));
    let error = client.request(Method::Get, "/refused").send().await.unwrap_err();
    assert_eq!((error.kind(), error.was_sent()), (ErrorKind::Other, false));
    assert!(error.to_string().contains("the cache is closed") && error.operation().is_some(), "{error}");
    assert!(server.requests().is_empty(), "nothing was sent");
    client.request(Method::Post, "/flaky").query("q", "a b").body(Upload::bytes("12345")).send().await.unwrap();
    client.request(Method::Post, "/flaky").json(&serde_json::json!({ "a": 1 })).send().await.unwrap();
    assert_eq!(server.requests().len(), 2, "an error of the network is handled as one");
    let url = &server.url;
    let expected = [
        format!("GET {url}/cached None 1 Some(0)"),
        format!("GET {url}/refused None 1 Some(0)"),
        format!("POST {url}/flaky?q=a%20b None 1 Some(5)"),
        format!("POST {url}/flaky None 1 Some(7)"),
        format!("POST {url}/flaky None 2 Some(7)"),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_call_is_sent_as_often_as_its_client_or_it_says() {
    let server = Server::always(Reply::json(503, "{}")).await;
    let at_once = || RetryPolicy::default().initial_backoff(Duration::ZERO);
    let sent = async |platform: &Client, policy: Option<RetryPolicy>| {
        let before = server.requests().len();
        let request = platform.request(Method::Get, "/x");
        let request = match policy {
            Some(policy) => request.with_retries(policy),
            None => request,
        };
        assert_eq!(request.send().await.unwrap_err().status().unwrap(), 503);
        server.requests().len() - before
    };
    let platform = client(&server, |builder| builder.retries(at_once().max_attempts(5)));
    assert_eq!(sent(&platform, None).await, 5);
    assert_eq!(sent(&platform, Some(at_once().max_attempts(7))).await, 7);
    assert_eq!(sent(&platform, Some(RetryPolicy::never())).await, 1);
    let platform = client(&server, |builder| builder.no_retry());
    assert_eq!(sent(&platform, None).await, 1);
    assert_eq!(sent(&platform, Some(at_once())).await, 3, "a call is free to choose otherwise");
    let platform = client(&server, |builder| builder.retries(at_once().max_attempts(5)).retry_budget(6));
    assert_eq!((sent(&platform, None).await, sent(&platform, None).await, sent(&platform, None).await), (5, 3, 1));
    assert_eq!(sent(&platform, Some(at_once().without_budget())).await, 3, "this call needs no budget");
}

#[tokio::test]
async fn an_attempt_has_a_time_of_its_own() {
    for body in [&[] as &[&str], &["HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n", "{"]] {
        let mut is_repeated = false;
        for patience in limits() {
            let server = once(Reply::raw(body).and_hang()).await;
            let policy = RetryPolicy::default().initial_backoff(Duration::ZERO).attempt_timeout(patience);
            let platform = client(&server, |builder| builder.idle_timeout(WATCHDOG).retries(policy));
            if platform.request(Method::Get, "/x").send().await.is_ok() && server.requests().len() == 2 {
                is_repeated = true;
                break;
            }
        }
        assert!(is_repeated, "no second attempt with an answer");
        let server = Server::always(Reply::raw(body).and_hang()).await;
        let platform = client(&server, |builder| builder.idle_timeout(WATCHDOG));
        for patience in limits() {
            let before = server.requests().len();
            let policy = RetryPolicy::default().attempt_timeout(patience);
            let error = platform.request(Method::Post, "/x").with_retries(policy).send().await.unwrap_err();
            assert!(error.is_timeout() && error.to_string().contains("attempt"), "{error}");
            if server.requests().len() == before + 1 {
                // The head of a response settles the result of the call.
                assert_eq!(error.is_submission_unknown(), body.is_empty(), "{error}");
                break;
            }
        }
        assert!(!server.requests().is_empty(), "a call that arrived");
    }
}

/// A byte now and then is not a silence: it is too slow.
#[tokio::test]
async fn a_trickle_ends_a_body() {
    let mut pieces = vec!["HTTP/1.1 200 X\r\ncontent-type: text/plain\r\ncontent-length: 3000\r\n\r\n"];
    pieces.resize(3_001, "x");
    let server = Server::always(Reply::raw(&pieces)).await;
    let least = MinThroughput::bytes_per_second(10_000).grace(Duration::from_millis(50));
    let by_client = client(&server, |builder| builder.no_retry().min_throughput(least));
    let plain = client(&server, |builder| builder.no_retry());
    let mut streams = vec![
        by_client.request(Method::Get, "/x").stream().await.unwrap(),
        plain.request(Method::Get, "/x").with_min_throughput(least).stream().await.unwrap(),
    ];
    for stream in &mut streams {
        let mut bytes = 0;
        let error = loop {
            match stream.next().await {
                Some(Ok(chunk)) => bytes += chunk.len(),
                Some(Err(error)) => break error,
                None => panic!("the body was read"),
            }
        };
        assert!(error.is_timeout() && error.to_string().contains("10000 bytes a second") && bytes < 3_000, "{error}");
        assert!(stream.next().await.is_none());
    }
    let error = by_client.request(Method::Get, "/x").send().await.unwrap_err();
    assert!(error.is_timeout() && error.to_string().contains("10000 bytes a second"), "{error}");
    // Enough for a few bytes in some milliseconds each, however slow the machine is.
    let short = Server::always(Reply::raw(&["HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\n", "{", "}"])).await;
    client(&short, |builder| builder).request(Method::Get, "/x").send().await.unwrap();
}
