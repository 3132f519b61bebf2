//! Subscriptions: the guarantees of the socket, whatever the service does.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::support::{Reply, Server, WATCHDOG};
use crate::support_graphql::{GraphqlServer, Peer};
use driftless_runtime::{
    Client, Error, Value,
    auth::{Credential, StaticToken, Token, TokenFuture, TokenRequest},
    graphql::{Delivery, Gap, GraphqlOptions, Subscription, SubscriptionTransport},
};
use futures_util::{SinkExt as _, StreamExt as _, future::join_all};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
};
use tokio_tungstenite::tungstenite::Message;

const DOCUMENT: &str = "subscription { changed }";

fn platform_with(url: &str, options: GraphqlOptions) -> Client {
    Client::builder(url).credential(StaticToken::new("canary-token")).graphql(options).build().unwrap()
}

fn platform(url: &str) -> Client {
    platform_with(url, GraphqlOptions::new())
}

fn subscribe(platform: &Client) -> Subscription<Value> {
    platform.graphql().subscribe(DOCUMENT, ())
}

/// The data of the next message.
async fn data(subscription: &mut Subscription<Value>) -> Value {
    loop {
        match within(subscription.next()).await.unwrap().unwrap() {
            Delivery::Next(answer) => return answer.into_data().unwrap(),
            _ => continue,
        }
    }
}

async fn failure(subscription: &mut Subscription<Value>) -> Error {
    within(subscription.next()).await.unwrap().unwrap_err()
}

/// Nothing in these tests takes long; a longer wait hangs.
async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(WATCHDOG, future).await.expect("it hangs")
}

#[tokio::test]
async fn a_subscription_delivers_until_it_is_complete() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        assert_eq!(peer.authorization.as_deref(), Some("Bearer canary-token"));
        assert_eq!(peer.acknowledge().await["Authorization"], "Bearer canary-token");
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, "1").await;
        peer.next(&id, "2").await;
        peer.send(format!(r#"{{"id":"{id}","type":"complete"}}"#)).await;
        peer.idle().await;
    })
    .await;
    let mut subscription = subscribe(&platform(&server.url));
    assert_eq!(data(&mut subscription).await, 1);
    assert_eq!(data(&mut subscription).await, 2);
    assert!(within(subscription.next()).await.is_none());
    assert!(within(subscription.next()).await.is_none());
}

#[tokio::test]
async fn the_token_goes_where_the_configuration_says() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let server = GraphqlServer::sockets(move |mut peer: Peer| {
        let record = Arc::clone(&record);
        async move {
            let payload = peer.acknowledge().await;
            record.lock().unwrap().push((peer.authorization.clone(), payload));
            let id = peer.subscribed().await.unwrap();
            peer.next(&id, "1").await;
            peer.idle().await;
        }
    })
    .await;
    for options in [
        GraphqlOptions::new().token_in_header(false).token_in_payload(Some("accessToken")),
        GraphqlOptions::new().token_in_payload(None),
    ] {
        data(&mut subscribe(&platform_with(&server.url, options))).await;
    }
    let bearer = "Bearer canary-token";
    assert_eq!(
        *seen.lock().unwrap(),
        [(None, serde_json::json!({ "accessToken": bearer })), (Some(bearer.to_owned()), serde_json::Value::Null)]
    );
}

#[tokio::test]
async fn another_subprotocol_or_none_is_refused() {
    for protocol in ["", "graphql-ws", "graphql-transport-ws, graphql-ws"] {
        let server = GraphqlServer::start(
            protocol,
            |_| Reply::new(500, &[], ""),
            |mut peer: Peer| async move {
                assert!(peer.receive().await.is_none(), "the token is not sent to who speaks another protocol");
            },
        )
        .await;
        let error = failure(&mut subscribe(&platform(&server.url))).await;
        assert!(error.is_socket() && error.to_string().contains("subprotocol"), "{error:?}");
    }
}

#[tokio::test]
async fn a_connection_that_is_not_acknowledged_times_out() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move { peer.idle().await }).await;
    let options = GraphqlOptions::new().connect_timeout(Duration::from_millis(200));
    let error = failure(&mut subscribe(&platform_with(&server.url, options))).await;
    assert!(error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn close_codes_reach_the_caller() {
    type Predicate = fn(&Error) -> bool;
    let cases: [(u16, Predicate, bool); 8] = [
        (4400, Error::is_bad_request, false),
        (4401, Error::is_unauthorized, false),
        (4403, Error::is_forbidden, false),
        (4408, Error::is_socket, true),
        (4409, Error::is_socket, false),
        (4429, Error::is_rate_limited, true),
        (1011, Error::is_socket, true),
        (1000, Error::is_socket, true),
    ];
    for before in [true, false] {
        for (code, predicate, retryable) in cases {
            let server = GraphqlServer::sockets(move |mut peer: Peer| async move {
                if !before {
                    peer.acknowledge().await;
                    peer.subscribed().await;
                }
                peer.close(code, "no canary-token here").await;
            })
            .await;
            let error = failure(&mut subscribe(&platform(&server.url))).await;
            assert_eq!(error.close_code(), Some(code), "{error:?}");
            assert!(predicate(&error) && error.is_socket(), "{error:?}");
            assert_eq!(error.is_retryable(), retryable, "{error:?}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }
}

/// A connection that is reset (RST) or cut off at any point of the protocol is a failure of the network.
#[tokio::test]
async fn a_socket_that_is_reset_is_a_failure_that_passes_and_no_violation_of_the_protocol() {
    for (point, name) in
        ["before the acknowledgement", "after it", "after a message", "within a frame"].iter().enumerate()
    {
        for is_reset in [true, false] {
            let server = GraphqlServer::sockets(move |mut peer: Peer| async move {
                if point > 0 {
                    peer.acknowledge().await;
                    let id = peer.subscribed().await.unwrap();
                    if point > 1 {
                        peer.next(&id, "1").await;
                    }
                }
                let stream = peer.socket.get_mut();
                if point > 2 {
                    // The head of a text of 100 bytes, and one of them.
                    stream.write_all(b"\x81\x64{").await.unwrap();
                }
                if is_reset {
                    stream.set_zero_linger().unwrap();
                }
            })
            .await;
            let mut subscription = subscribe(&platform(&server.url));
            let error = loop {
                match within(subscription.next()).await.unwrap() {
                    Ok(delivery) => assert!(point > 1, "{delivery:?}"),
                    Err(error) => break error,
                }
            };
            assert!(error.is_retryable() && error.is_socket(), "{name}, {is_reset}: {error} {error:?}");
            assert!(!error.to_string().contains("violates"), "{name}, {is_reset}: {error}");
            assert!(within(subscription.next()).await.is_none());
        }
    }
}

#[tokio::test]
async fn an_error_message_ends_its_subscription_only() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let first = peer.subscribed().await.unwrap();
        let second = peer.subscribed().await.unwrap();
        peer.send(format!(r#"{{"id":"{first}","type":"error","payload":[{{"message":"no canary-token"}}]}}"#)).await;
        peer.next(&second, "2").await;
        peer.idle().await;
    })
    .await;
    let platform = platform(&server.url);
    let (mut first, mut second) = (subscribe(&platform), subscribe(&platform));
    let error = failure(&mut first).await;
    assert_eq!(error.graphql_errors()[0].message(), "no [redacted]");
    assert!(within(first.next()).await.is_none());
    assert_eq!(data(&mut second).await, 2);
}

#[tokio::test]
async fn a_flood_of_pings_is_answered_and_holds_nothing_up() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        for number in 0..20_000_u32 {
            peer.socket.feed(Message::Ping(number.to_be_bytes().to_vec().into())).await.unwrap();
            peer.socket.feed(Message::text(r#"{"type":"ping","payload":{"n":1}}"#)).await.unwrap();
        }
        peer.socket.flush().await.unwrap();
        // One pong at least, to the last of them.
        while peer.receive().await.unwrap() != serde_json::json!({ "type": "pong", "payload": { "n": 1 } }) {}
        peer.next(&id, "\"after\"").await;
        let late = peer.subscribed().await.unwrap();
        peer.next(&late, "\"late\"").await;
        peer.idle().await;
    })
    .await;
    let platform = platform(&server.url);
    let mut subscription = subscribe(&platform);
    assert_eq!(data(&mut subscription).await, "after");
    assert_eq!(data(&mut subscribe(&platform)).await, "late");
    assert_eq!(server.opened(), 1);
}

#[tokio::test]
async fn a_message_of_65_mib_ends_the_socket_and_not_the_client() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        if peer.number == 0 {
            peer.next(&id, &format!("\"{}\"", "x".repeat(65 << 20))).await;
        } else {
            peer.next(&id, "1").await;
        }
        peer.idle().await;
    })
    .await;
    let platform = platform(&server.url);
    let error = failure(&mut subscribe(&platform)).await;
    assert!(error.is_too_large(), "{error:?}");
    assert_eq!(data(&mut subscribe(&platform)).await, 1);
}

#[tokio::test]
async fn unknown_identifiers_and_messages_after_complete_are_ignored() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        for stranger in ["999", "x", "-1", "", "18446744073709551616"] {
            peer.next(stranger, "0").await;
            peer.send(format!(r#"{{"id":"{stranger}","type":"complete"}}"#)).await;
            peer.send(format!(r#"{{"id":"{stranger}","type":"error","payload":[]}}"#)).await;
        }
        peer.next(&id, "1").await;
        peer.send(format!(r#"{{"id":"{id}","type":"complete"}}"#)).await;
        peer.next(&id, "2").await;
        peer.send(format!(r#"{{"id":"{id}","type":"error","payload":[]}}"#)).await;
        let second = peer.subscribed().await.unwrap();
        assert_ne!(second, id);
        peer.next(&second, "3").await;
        peer.idle().await;
    })
    .await;
    let platform = platform(&server.url);
    let mut subscription = subscribe(&platform);
    assert_eq!(data(&mut subscription).await, 1);
    assert!(within(subscription.next()).await.is_none());
    assert_eq!(data(&mut subscribe(&platform)).await, 3);
    assert_eq!(server.opened(), 1);
}

#[tokio::test]
async fn what_is_no_message_of_the_protocol_ends_the_socket_with_4400() {
    for odd in ["not json", "{}", r#"{"type":"data","id":"1"}"#, r#"{"type":"next","id":"1"}"#] {
        let (signal, code) = tokio::sync::oneshot::channel();
        let signal = Arc::new(Mutex::new(Some(signal)));
        let server = GraphqlServer::sockets(move |mut peer: Peer| {
            let signal = signal.lock().unwrap().take().unwrap();
            async move {
                peer.acknowledge().await;
                peer.subscribed().await;
                peer.send(odd).await;
                while let Some(Ok(message)) = peer.socket.next().await {
                    if let Message::Close(Some(frame)) = message {
                        signal.send(u16::from(frame.code)).unwrap();
                        return;
                    }
                }
            }
        })
        .await;
        let error = failure(&mut subscribe(&platform(&server.url))).await;
        assert!(error.is_socket(), "{error:?}");
        assert_eq!(within(code).await.unwrap(), 4400);
    }
}

#[tokio::test]
async fn a_slow_consumer_loses_its_own_oldest_messages_and_stalls_nobody() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let slow = peer.subscribed().await.unwrap();
        let quick = peer.subscribed().await.unwrap();
        for number in 0..10_000 {
            peer.next(&slow, &number.to_string()).await;
        }
        peer.send(r#"{"type":"ping"}"#).await;
        while peer.receive().await.unwrap()["type"] != "pong" {}
        peer.next(&quick, "\"quick\"").await;
        peer.idle().await;
    })
    .await;
    let platform = platform_with(&server.url, GraphqlOptions::new().buffer(16));
    let (mut slow, mut quick) = (subscribe(&platform), subscribe(&platform));
    assert_eq!(data(&mut quick).await, "quick", "the socket was read, and pinged, while nobody took from the other");
    match within(slow.next()).await.unwrap().unwrap() {
        Delivery::Gap(Gap::Overflow { dropped }) => assert_eq!(dropped, 10_000 - 16),
        other => panic!("{other:?}"),
    }
    for number in 10_000 - 16..10_000 {
        assert_eq!(data(&mut slow).await, number);
    }
}

#[tokio::test]
async fn many_subscriptions_share_one_socket_and_leave_it_one_by_one() {
    let completed = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&completed);
    let server = GraphqlServer::sockets(move |mut peer: Peer| {
        let count = Arc::clone(&count);
        async move {
            peer.acknowledge().await;
            while let Some(message) = peer.receive().await {
                if message["type"] == "subscribe" {
                    let id = message["id"].as_str().unwrap().to_owned();
                    peer.next(&id, &id).await;
                } else if message["type"] == "complete" {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            }
        }
    })
    .await;
    let platform = platform(&server.url);
    let mut all: Vec<_> = (0..200).map(|_| subscribe(&platform)).collect();
    let numbers = join_all(all.iter_mut().map(data)).await;
    let distinct: std::collections::HashSet<String> = numbers.iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), 200, "each gets its own messages");
    assert_eq!(server.opened(), 1);
    drop(all);
    within(async {
        while completed.load(Ordering::SeqCst) < 200 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_silent_service_is_pinged_and_then_given_up() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        peer.subscribed().await;
        // Without reading, no ping is answered.
        std::future::pending::<()>().await;
    })
    .await;
    let options = GraphqlOptions::new().keep_alive(Duration::from_millis(50));
    let error = failure(&mut subscribe(&platform_with(&server.url, options))).await;
    assert!(error.is_timeout() && error.is_retryable(), "{error:?}");
}

/// A credential whose tokens are numbered. The first of them, as many as the last field, live for a time, the others
/// for an hour.
struct Numbered(AtomicU32, Duration, u32);

impl Credential for Numbered {
    fn token<'a>(&'a self, _request: TokenRequest<'a>) -> TokenFuture<'a> {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        let lifetime = if number < self.2 { self.1 } else { Duration::from_secs(3600) };
        Box::pin(async move { Ok(Token::new(format!("token-{number}")).expires_in(lifetime)) })
    }
}

#[tokio::test]
async fn the_socket_is_replaced_before_its_token_expires_and_nothing_is_missed() {
    // Both sockets are open at once; each reports its messages to the other.
    let (events, _) = tokio::sync::broadcast::channel::<String>(16);
    let sender = events.clone();
    let server = GraphqlServer::sockets(move |mut peer: Peer| {
        let (sender, mut events) = (sender.clone(), sender.subscribe());
        async move {
            assert_eq!(peer.authorization, Some(format!("Bearer token-{}", peer.number)));
            peer.acknowledge().await;
            let id = peer.subscribed().await.unwrap();
            peer.next(&id, &format!("\"first of {}\"", peer.number)).await;
            if peer.number == 1 {
                sender.send("the new one is there".to_owned()).unwrap();
                peer.idle().await;
            } else {
                events.recv().await.unwrap();
                peer.next(&id, "\"last of 0\"").await;
                peer.idle().await;
            }
        }
    })
    .await;
    let credential = Numbered(AtomicU32::new(0), Duration::from_millis(2500), 1);
    let options = GraphqlOptions::new().overlap(WATCHDOG);
    let platform = Client::builder(&server.url).credential(credential).graphql(options).build().unwrap();
    let mut subscription = subscribe(&platform);
    assert_eq!(data(&mut subscription).await, "first of 0");
    let mut seen = deliveries(&mut subscription, 3).await;
    seen.sort();
    assert_eq!(seen, ["first of 1", "last of 0", "renewed"]);
}

#[tokio::test]
async fn a_replaced_socket_is_closed_after_the_overlap() {
    let (gone, closed) = tokio::sync::watch::channel(false);
    let server = GraphqlServer::sockets(move |mut peer: Peer| {
        let gone = gone.clone();
        async move {
            peer.acknowledge().await;
            peer.subscribed().await.unwrap();
            peer.idle().await;
            gone.send_modify(|gone| *gone |= peer.number == 0);
        }
    })
    .await;
    let credential = Numbered(AtomicU32::new(0), Duration::from_millis(1500), 1);
    let options = GraphqlOptions::new().overlap(Duration::from_millis(50));
    let platform = Client::builder(&server.url).credential(credential).graphql(options).build().unwrap();
    let mut subscription = subscribe(&platform);
    assert_eq!(deliveries(&mut subscription, 1).await, ["renewed"]);
    within(closed.clone().wait_for(|gone| *gone)).await.unwrap();
    assert_eq!(server.opened(), 2);
}

#[tokio::test]
async fn what_a_replaced_socket_says_of_the_end_ends_no_subscription() {
    // In each case the old socket ends in the overlap, and only then the new one sends its first message.
    let cases = ["complete", "error", "close", "break"].map(|way| tokio::spawn(old_socket_ends(way)));
    for case in cases {
        case.await.unwrap();
    }
}

async fn old_socket_ends(way: &'static str) {
    let (events, _) = tokio::sync::broadcast::channel::<&'static str>(16);
    let server = GraphqlServer::sockets(move |mut peer: Peer| {
        let (sender, mut events) = (events.clone(), events.subscribe());
        async move {
            peer.acknowledge().await;
            let id = peer.subscribed().await.unwrap();
            peer.next(&id, &format!("\"first of {}\"", peer.number)).await;
            if peer.number == 1 {
                sender.send("the new one is there").unwrap();
                while events.recv().await.unwrap() != "the old one has ended" {}
                peer.next(&id, "\"second of 1\"").await;
                peer.idle().await;
            } else if peer.number == 0 {
                while events.recv().await.unwrap() != "the new one is there" {}
                peer.next(&id, "\"last of 0\"").await;
                match way {
                    "complete" => peer.send(format!(r#"{{"id":"{id}","type":"complete"}}"#)).await,
                    "error" => {
                        peer.send(format!(r#"{{"id":"{id}","type":"error","payload":[{{"message":"x"}}]}}"#)).await;
                    }
                    "close" => peer.close(1000, "").await,
                    _ => drop(peer),
                }
                let _ = sender.send("the old one has ended");
                std::future::pending::<()>().await;
            }
        }
    })
    .await;
    let credential = Numbered(AtomicU32::new(0), Duration::from_millis(2500), 1);
    let options = GraphqlOptions::new().overlap(WATCHDOG);
    let platform = Client::builder(&server.url).credential(credential).graphql(options).build().unwrap();
    let mut subscription = subscribe(&platform);
    while deliveries(&mut subscription, 1).await != ["second of 1"] {}
}

/// One request for a subscription, on the side of a server of events.
struct EventConnection(TcpStream);

impl EventConnection {
    /// Returns the next request, and its token. The head of the response is written.
    async fn accept(listener: &TcpListener) -> (Self, String) {
        let (mut stream, _) = within(listener.accept()).await.unwrap();
        let (mut request, mut chunk) = (String::new(), [0; 4096]);
        while !request.contains("changed") {
            let length = within(stream.read(&mut chunk)).await.unwrap();
            request.push_str(std::str::from_utf8(&chunk[..length]).unwrap());
        }
        let token = request.split("Bearer ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await.unwrap();
        (Self(stream), token)
    }

    async fn next(&mut self, data: &str) {
        self.0.write_all(format!("event: next\ndata: {{\"data\":\"{data}\"}}\n\n").as_bytes()).await.unwrap();
    }

    /// Waits until the client has disconnected.
    async fn gone(&mut self) {
        assert_eq!(within(self.0.read(&mut [0; 16])).await.unwrap_or(0), 0);
    }
}

/// The data of the next messages, and the gaps.
async fn deliveries(subscription: &mut Subscription<Value>, count: usize) -> Vec<String> {
    let mut seen = Vec::new();
    while seen.len() < count {
        seen.push(match within(subscription.next()).await.unwrap().unwrap() {
            Delivery::Next(answer) => answer.into_data().unwrap().as_str().unwrap().to_owned(),
            Delivery::Gap(Gap::Renewed) => "renewed".to_owned(),
            other => format!("{other:?}"),
        });
    }
    seen
}

/// The first token is about to expire.
fn events_with_a_short_token(url: &str) -> Client {
    let credential = Numbered(AtomicU32::new(0), Duration::from_millis(2500), 1);
    let options =
        GraphqlOptions::new().overlap(Duration::from_secs(3)).transport(SubscriptionTransport::ServerSentEvents);
    Client::builder(url).credential(credential).graphql(options).build().unwrap()
}

#[tokio::test]
async fn a_stream_of_events_is_replaced_before_its_token_expires_and_nothing_is_missed() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let platform = events_with_a_short_token(&format!("http://{}", listener.local_addr().unwrap()));
    let mut subscription = subscribe(&platform);
    let (mut first, token) = EventConnection::accept(&listener).await;
    assert_eq!(token, "token-0");
    first.next("first of 0").await;
    assert_eq!(deliveries(&mut subscription, 1).await, ["first of 0"]);

    let (mut second, token) = EventConnection::accept(&listener).await;
    assert_eq!(token, "token-1");
    // Both are open: messages of either arrive.
    first.next("last of 0").await;
    second.next("first of 1").await;
    let mut seen = deliveries(&mut subscription, 3).await;
    seen.sort();
    assert_eq!(seen, ["first of 1", "last of 0", "renewed"]);
    first.gone().await;
    second.next("second of 1").await;
    assert_eq!(deliveries(&mut subscription, 1).await, ["second of 1"]);
    drop(subscription);
    second.gone().await;
}

#[tokio::test]
async fn a_stream_of_events_goes_on_while_no_other_can_be_opened() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let platform = events_with_a_short_token(&format!("http://{}", listener.local_addr().unwrap()));
    let mut subscription = subscribe(&platform);
    let (mut first, _) = EventConnection::accept(&listener).await;
    let (mut refused, _) = within(listener.accept()).await.unwrap();
    refused.write_all(b"HTTP/1.1 403 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await.unwrap();
    first.next("still there").await;
    assert_eq!(deliveries(&mut subscription, 1).await, ["still there"]);
    let (mut second, _) = EventConnection::accept(&listener).await;
    second.next("there again").await;
    assert_eq!(deliveries(&mut subscription, 2).await, ["renewed", "there again"]);
    // The end of the replaced stream is not the end of the subscription.
    first.0.write_all(b"event: complete\ndata:\n\n").await.unwrap();
    second.next("and on").await;
    assert_eq!(deliveries(&mut subscription, 1).await, ["and on"]);
    second.0.write_all(b"event: complete\ndata:\n\n").await.unwrap();
    assert!(within(subscription.next()).await.is_none());
}

fn events_only(url: &str, options: GraphqlOptions) -> Client {
    platform_with(url, options.transport(SubscriptionTransport::ServerSentEvents))
}

#[tokio::test]
async fn events_that_end_without_complete_are_an_error_as_on_the_socket() {
    // Older services send the end without data.
    let server = Server::always(events("event: complete\n\n")).await;
    assert!(within(subscribe(&events_only(&server.url, GraphqlOptions::new())).next()).await.is_none());
    for body in ["", ": hello\n\n", "event: other\ndata:\n\n", "event: complete"] {
        let server = Server::always(events(body)).await;
        let error = failure(&mut subscribe(&events_only(&server.url, GraphqlOptions::new()))).await;
        assert!(error.is_socket() && error.is_retryable() && error.to_string().contains("`complete`"), "{error:?}");
    }
}

#[tokio::test]
async fn events_that_fall_silent_are_given_up_and_comments_keep_them() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let options = GraphqlOptions::new().keep_alive(Duration::from_secs(1));
    let platform =
        Client::builder(format!("http://{}", listener.local_addr().unwrap())).credential(StaticToken::new("a"));
    let platform = platform.graphql(options.transport(SubscriptionTransport::ServerSentEvents)).build().unwrap();
    let mut subscription = subscribe(&platform);
    let (mut stream, _) = EventConnection::accept(&listener).await;
    // Together they are longer than the allowed silence.
    for _ in 0..21 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stream.0.write_all(b":\n\n").await.unwrap();
    }
    stream.next("still there").await;
    assert_eq!(deliveries(&mut subscription, 1).await, ["still there"]);
    let error = failure(&mut subscription).await;
    assert!(error.is_timeout() && error.is_retryable() && error.to_string().contains("`keep_alive`"), "{error:?}");
}

#[tokio::test]
async fn a_message_above_the_limit_names_the_limit_and_the_option_on_either_transport() {
    let body = format!("event: next\ndata: {{\"data\":\"{}\"}}\n\n", "a".repeat(2000));
    let server = Server::always(events(&body)).await;
    let options = GraphqlOptions::new().message_limit(1000);
    let events = failure(&mut subscribe(&events_only(&server.url, options.clone()))).await;
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, &format!("\"{}\"", "a".repeat(2000))).await;
        peer.idle().await;
    })
    .await;
    let socket = failure(&mut subscribe(&platform_with(&server.url, options))).await;
    for error in [events, socket] {
        let text = error.to_string();
        assert!(error.is_too_large() && text.contains("1000 bytes"), "{text}");
        assert!(text.contains("`message_limit`") && text.contains("select less"), "{text}");
    }
}

#[tokio::test]
async fn a_head_of_an_upgrade_that_is_too_large_is_no_failure_of_the_network() {
    let head = format!("HTTP/1.1 101 X\r\nconnection: upgrade\r\n{}\r\n", "x-a: b\r\n".repeat(200));
    let long = format!("HTTP/1.1 101 X\r\nx-a: {}\r\n\r\n", "b".repeat(600_000));
    for head in [head, long] {
        let server = Server::always(Reply::raw(&[&head]).and_hang()).await;
        let error = failure(&mut subscribe(&platform(&server.url))).await;
        let text = error.to_string();
        assert!(error.is_too_large() && !error.is_retryable(), "{error:?}");
        assert!(text.contains("headers") && !text.contains("the connection broke"), "{text}");
    }
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        if peer.number == 0 {
            return peer.close(4401, "expired").await;
        }
        assert_eq!(peer.authorization.as_deref(), Some("Bearer token-1"));
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, "1").await;
        peer.idle().await;
    })
    .await;
    let credential = Numbered(AtomicU32::new(0), Duration::ZERO, 0);
    let platform = Client::builder(&server.url).credential(credential).build().unwrap();
    assert_eq!(data(&mut subscribe(&platform)).await, 1);
    assert_eq!(server.opened(), 2);
}

fn events(body: &str) -> Reply {
    Reply::new(200, &[("content-type", "text/event-stream; charset=utf-8")], body)
}

#[tokio::test]
async fn server_sent_events_take_over_where_the_upgrade_is_refused() {
    let body =
        ": hello\n\nevent: next\ndata: {\"data\":1}\n\nevent: next\ndata: {\"data\":2}\n\nevent: complete\ndata:\n\n";
    for status in [400, 404, 405, 426, 501, 200] {
        let server = Server::start(
            move |request| {
                if request.method == "GET" { Reply::new(status, &[], "no") } else { events(body) }
            },
        )
        .await;
        let platform = platform(&server.url);
        for _ in 0..2 {
            let mut subscription = subscribe(&platform);
            assert_eq!(data(&mut subscription).await, 1);
            assert_eq!(data(&mut subscription).await, 2);
            assert!(within(subscription.next()).await.is_none());
        }
        let requests = server.requests();
        assert_eq!(requests.iter().filter(|request| request.method == "GET").count(), 1, "it is asked once");
        let post = requests.iter().find(|request| request.method == "POST").unwrap();
        assert_eq!(post.header("accept"), Some("text/event-stream"));
        assert_eq!(post.header("authorization"), Some("Bearer canary-token"));
    }
}

#[tokio::test]
async fn transports_that_are_chosen_are_kept_to() {
    let server =
        Server::start(|request| if request.method == "GET" { Reply::new(404, &[], "") } else { events("") }).await;
    let socket = platform_with(&server.url, GraphqlOptions::new().transport(SubscriptionTransport::WebSocket));
    assert!(failure(&mut subscribe(&socket)).await.is_not_found());
    let sse = platform_with(&server.url, GraphqlOptions::new().transport(SubscriptionTransport::ServerSentEvents));
    assert!(failure(&mut subscribe(&sse)).await.is_socket());
    assert_eq!(server.last().method, "POST");
}

#[tokio::test]
async fn refusals_of_the_caller_are_errors_on_either_transport() {
    for (status, predicate) in
        [(401, Error::is_unauthorized as fn(&Error) -> bool), (403, Error::is_forbidden), (429, Error::is_rate_limited)]
    {
        let server =
            Server::always(Reply::new(status, &[("www-authenticate", "Bearer x=\"canary-token\"")], "canary-token"))
                .await;
        for transport in [SubscriptionTransport::Auto, SubscriptionTransport::ServerSentEvents] {
            let platform = platform_with(&server.url, GraphqlOptions::new().transport(transport));
            let error = failure(&mut subscribe(&platform)).await;
            assert!(predicate(&error), "{error:?}");
            assert!(!format!("{error} {error:?} {:?}", error.raw_body()).contains("canary"), "{error:?}");
        }
    }
    let server = Server::start(|_| Reply::json(200, "{}")).await;
    let platform = platform_with(&server.url, GraphqlOptions::new().transport(SubscriptionTransport::ServerSentEvents));
    assert!(failure(&mut subscribe(&platform)).await.is_socket());
}

#[tokio::test]
async fn an_upgrade_follows_no_redirect() {
    let other = Server::always(Reply::new(200, &[], "")).await;
    let location = format!("{}/graphql", other.url);
    for status in [302, 307, 308] {
        let server = Server::always(Reply::new(status, &[("location", &location)], "")).await;
        let error = failure(&mut subscribe(&platform(&server.url))).await;
        assert_eq!(error.status().unwrap().as_u16(), status);
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn an_upgrade_that_proves_nothing_is_refused() {
    let server = Server::always(
        Reply::raw(&["HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-accept: wrong\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n"])
        .and_hang(),
    )
    .await;
    let error = failure(&mut subscribe(&platform(&server.url))).await;
    assert!(error.is_socket() && error.to_string().contains("confirmed"), "{error:?}");
}

#[tokio::test]
async fn a_refused_upgrade_is_asked_for_again_after_a_time() {
    let body = "event: next\ndata: {\"data\":\"an event\"}\n\nevent: complete\ndata:\n\n";
    let script = |mut peer: Peer| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, "\"a message\"").await;
        peer.idle().await;
    };
    let server = GraphqlServer::start("graphql-transport-ws", move |_| events(body), script).await;
    for (time, second) in [(Duration::ZERO, "a message"), (Duration::MAX, "an event")] {
        let platform = platform_with(&server.url, GraphqlOptions::new().upgrade_again_after(time));
        server.refuse_upgrades(1);
        // After a refusal, events are used, without a delay.
        assert_eq!(data(&mut subscribe(&platform)).await, "an event");
        assert_eq!(data(&mut subscribe(&platform)).await, second, "{time:?}");
    }
    assert_eq!(server.opened(), 1);
}

/// A socket that accepts this many subscriptions at a time, answers each with its number, and refuses more.
async fn roomy(mut peer: Peer, room: usize, left: Arc<AtomicU32>, refuse: impl Fn(&str) -> String) {
    peer.acknowledge().await;
    let mut open = std::collections::HashSet::new();
    while let Some(message) = peer.receive().await {
        let Some(id) = message["id"].as_str() else { continue };
        if message["type"] == "complete" {
            open.remove(id);
        } else if open.len() == room
            || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
        {
            peer.send(refuse(id)).await;
        } else {
            open.insert(id.to_owned());
            peer.next(id, id).await;
        }
    }
}

fn refusal(id: &str) -> String {
    format!(r#"{{"id":"{id}","type":"error","payload":[{{"message":"Subscription limit reached"}}]}}"#)
}

#[tokio::test]
async fn a_socket_that_takes_no_more_subscriptions_gets_another_beside_it() {
    for (configured, room) in [(usize::MAX, 10), (10, usize::MAX)] {
        let server =
            GraphqlServer::sockets(move |peer: Peer| roomy(peer, room, Arc::new(AtomicU32::new(u32::MAX)), refusal))
                .await;
        let options = GraphqlOptions::new().subscriptions_per_socket(configured);
        let platform = platform_with(&server.url, options);
        let mut all: Vec<_> = (0..35).map(|_| subscribe(&platform)).collect();
        let numbers = join_all(all.iter_mut().map(data)).await;
        let distinct: std::collections::HashSet<String> = numbers.iter().map(Value::to_string).collect();
        assert_eq!(distinct.len(), 35, "each gets its own messages");
        assert_eq!(server.opened(), 4);
        // A later one gets a seat that has become free.
        all.drain(..10);
        for _ in 0..3 {
            all.push(subscribe(&platform));
        }
        join_all(all.iter_mut().skip(25).map(data)).await;
        assert_eq!(server.opened(), 4);
    }
}

#[tokio::test]
async fn a_limit_that_another_socket_does_not_lift_is_an_error() {
    let left = Arc::new(AtomicU32::new(5));
    let server = GraphqlServer::sockets(move |peer: Peer| roomy(peer, usize::MAX, Arc::clone(&left), refusal)).await;
    let platform = platform(&server.url);
    let mut all: Vec<_> = (0..10).map(|_| subscribe(&platform)).collect();
    let ends = join_all(all.iter_mut().map(|subscription| within(subscription.next()))).await;
    let refused = ends.iter().filter(|end| matches!(end, Some(Err(error)) if error.is_graphql())).count();
    assert_eq!(refused, 5);
    assert_eq!(server.opened(), 2, "one other socket was tried for all of them");
}

#[tokio::test]
async fn a_service_that_closes_a_full_socket_gets_fewer_subscriptions_on_each() {
    let server = GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        for _ in 0..6 {
            let Some(id) = peer.subscribed().await else { return };
            peer.next(&id, "1").await;
        }
        if peer.subscribed().await.is_some() {
            peer.close(4429, "too many").await;
        }
    })
    .await;
    let platform = platform(&server.url);
    let mut first: Vec<_> = (0..12).map(|_| subscribe(&platform)).collect();
    // They share a socket, and lose it together.
    let error = loop {
        if let Err(error) = within(first[0].next()).await.unwrap() {
            break error;
        }
    };
    assert!(error.is_rate_limited() && error.is_retryable(), "{error:?}");
    drop(first);
    let mut second: Vec<_> = (0..12).map(|_| subscribe(&platform)).collect();
    for number in join_all(second.iter_mut().map(data)).await {
        assert_eq!(number, 1);
    }
}

#[tokio::test]
async fn unread_subscriptions_together_hold_what_the_client_may_hold() {
    let signal = Arc::new(tokio::sync::Notify::new());
    let notify = Arc::clone(&signal);
    let server = GraphqlServer::sockets(move |mut peer: Peer| {
        let notify = Arc::clone(&notify);
        async move {
            peer.acknowledge().await;
            for _ in 0..20 {
                let id = peer.subscribed().await.unwrap();
                peer.next(&id, &format!("\"{}\"", "x".repeat(700))).await;
            }
            // The answer confirms that all of it was read.
            peer.send(r#"{"type":"ping"}"#).await;
            while peer.receive().await.unwrap()["type"] != "pong" {}
            notify.notify_one();
            peer.idle().await;
        }
    })
    .await;
    let options = GraphqlOptions::new().message_limit(1_000).buffered_bytes(8_000);
    let platform = platform_with(&server.url, options);
    let mut all: Vec<_> = (0..20).map(|_| subscribe(&platform)).collect();
    within(signal.notified()).await;
    let (mut kept, mut lost) = (0, 0);
    for subscription in &mut all {
        match within(subscription.next()).await.unwrap().unwrap() {
            Delivery::Next(_) => kept += 1,
            Delivery::Gap(Gap::Overflow { dropped: 1 }) => lost += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(kept + lost, 20, "each learns what became of its message");
    assert!((8..=11).contains(&kept), "{kept}");
}

/// Runtimes of callers that began a subscription, and were dropped, or are no longer driven.
fn leaves(work: impl AsyncFn() -> Subscription<Value>, is_dropped: bool) -> (Subscription<Value>, Option<Runtime>) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let subscription = runtime.block_on(work());
    (subscription, (!is_dropped).then_some(runtime))
}

#[test]
fn a_subscription_belongs_to_no_runtime_of_a_caller() {
    let server_runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let reader = Builder::new_current_thread().enable_all().build().unwrap();
    for is_dropped in [true, false] {
        let signal = Arc::new(tokio::sync::Notify::new());
        let wait = Arc::clone(&signal);
        let server = server_runtime.block_on(GraphqlServer::sockets(move |mut peer: Peer| {
            let wait = Arc::clone(&wait);
            async move {
                peer.acknowledge().await;
                let first = peer.subscribed().await.unwrap();
                peer.next(&first, "1").await;
                wait.notified().await;
                peer.next(&first, "2").await;
                let second = peer.subscribed().await.unwrap();
                peer.next(&second, "3").await;
                peer.idle().await;
            }
        }));
        let platform = platform(&server.url);
        let begin = async || {
            let mut subscription = subscribe(&platform);
            assert_eq!(data(&mut subscription).await, 1);
            subscription
        };
        let (mut first, _parked) = leaves(begin, is_dropped);
        signal.notify_one();
        reader.block_on(async {
            assert_eq!(data(&mut first).await, 2, "{is_dropped}");
            assert_eq!(data(&mut subscribe(&platform)).await, 3, "{is_dropped}");
        });
        assert_eq!(server.opened(), 1);
    }
}

#[test]
fn a_subscription_over_events_belongs_to_no_runtime_of_a_caller() {
    let reader = Builder::new_current_thread().enable_all().build().unwrap();
    for is_dropped in [true, false] {
        let listener = reader.block_on(TcpListener::bind(("127.0.0.1", 0))).unwrap();
        let options = GraphqlOptions::new().transport(SubscriptionTransport::ServerSentEvents);
        let platform = platform_with(&format!("http://{}", listener.local_addr().unwrap()), options);
        let begin = async || subscribe(&platform);
        let (mut first, _parked) = leaves(begin, is_dropped);
        reader.block_on(async {
            let (mut peer, _) = EventConnection::accept(&listener).await;
            peer.next("there").await;
            assert_eq!(deliveries(&mut first, 1).await, ["there"], "{is_dropped}");
        });
    }
}

#[test]
fn outside_of_a_runtime_a_subscription_works() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(GraphqlServer::sockets(|mut peer: Peer| async move {
        peer.acknowledge().await;
        let id = peer.subscribed().await.unwrap();
        peer.next(&id, "1").await;
        peer.idle().await;
    }));
    let mut subscription = subscribe(&platform(&server.url));
    assert_eq!(runtime.block_on(data(&mut subscription)), 1);
}

#[tokio::test]
async fn every_time_that_a_caller_can_write_is_taken() {
    type Set = fn(GraphqlOptions, Duration) -> GraphqlOptions;
    let options: [(&str, Set); 5] = [
        ("keep_alive", GraphqlOptions::keep_alive),
        ("connect_timeout", GraphqlOptions::connect_timeout),
        ("overlap", GraphqlOptions::overlap),
        ("idle_timeout", GraphqlOptions::idle_timeout),
        ("upgrade_again_after", GraphqlOptions::upgrade_again_after),
    ];
    let body = "event: next\ndata: {\"data\":1}\n\nevent: complete\ndata:\n\n";
    let server = GraphqlServer::start(
        "graphql-transport-ws",
        move |_| events(body),
        |mut peer: Peer| async move {
            peer.acknowledge().await;
            while let Some(id) = peer.subscribed().await {
                peer.next(&id, "1").await;
            }
        },
    )
    .await;
    let never = [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(i64::MAX as u64)];
    for (name, set) in options {
        for time in never.into_iter().chain([Duration::ZERO, Duration::from_nanos(1)]) {
            for (refusals, transport) in [
                (0, SubscriptionTransport::Auto),
                (1, SubscriptionTransport::Auto),
                (0, SubscriptionTransport::ServerSentEvents),
            ] {
                server.refuse_upgrades(refusals);
                let options = set(GraphqlOptions::new().transport(transport), time);
                // Tokens that are always about to expire: a connection is soon replaced.
                let credential = Numbered(AtomicU32::new(0), Duration::from_secs(2), u32::MAX);
                let platform = Client::builder(&server.url).credential(credential).graphql(options).build().unwrap();
                for _ in 0..2 {
                    match within(subscribe(&platform).next()).await.unwrap() {
                        Ok(_) => {}
                        Err(error)
                            if ["connect_timeout", "keep_alive"].contains(&name) && time < Duration::from_secs(1) =>
                        {
                            assert!(error.is_timeout(), "{error:?}");
                        }
                        Err(error) => panic!("{name} {time:?}: {error:?}"),
                    }
                }
            }
        }
    }
}
