//! GraphQL over HTTP, WebSocket and server-sent events.

use std::time::Duration;

use crate::support;
use crate::support::{Caller, deployment};
use futures_util::{SinkExt, StreamExt};
use platform_sandbox::Sandbox;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

struct Socket(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Socket {
    async fn open(sandbox: &Sandbox, protocol: Option<&str>, token: Option<&str>) -> Result<Self, Error> {
        let url = sandbox.graphql_url().replace("http://", "ws://");
        let mut request = url.into_client_request().unwrap();
        if let Some(protocol) = protocol {
            request.headers_mut().insert("sec-websocket-protocol", protocol.parse().unwrap());
        }
        if let Some(token) = token {
            request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        Ok(Self(connect_async(request).await?.0))
    }

    /// A socket after its acknowledgement.
    async fn ready(sandbox: &Sandbox, token: &str) -> Self {
        let mut socket = Self::open(sandbox, Some("graphql-transport-ws"), None).await.unwrap();
        let payload = json!({ "Authorization": format!("Bearer {token}") });
        socket.send(&json!({ "type": "connection_init", "payload": payload })).await;
        assert_eq!(socket.next().await, json!({ "type": "connection_ack" }));
        socket
    }

    async fn send(&mut self, value: &Value) {
        self.0.send(Message::text(value.to_string())).await.unwrap();
    }

    async fn subscribe(&mut self, id: &str, query: &str) {
        self.send(&json!({ "id": id, "type": "subscribe", "payload": { "query": query } })).await;
    }

    async fn next(&mut self) -> Value {
        match self.0.next().await.unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Waits until all earlier messages are processed: the runtime has one thread, and the task of a subscription is spawned
    /// before the ping behind it is read.
    async fn settle(&mut self) {
        self.send(&json!({ "type": "ping" })).await;
        assert_eq!(self.next().await, json!({ "type": "pong" }));
    }

    /// The close code of the server.
    async fn close_code(&mut self) -> u16 {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

fn changed(id: &str) -> String {
    format!(
        "subscription {{ operationChanged(id: \"{id}\") {{ event {{ sequence kind state }} operation {{ isFinal }} }} }}"
    )
}

fn sequence(message: &Value) -> u64 {
    message.pointer("/payload/data/operationChanged/event/sequence").and_then(Value::as_u64).unwrap_or_default()
}

#[tokio::test]
async fn queries_answer_for_the_caller_and_errors_are_told() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let created = caller.create(support::PROJECTS, &support::project(&sandbox)).await;
    let data = caller
        .query("{ projects { id name teamId payload } viewer { subject teams { role } } virtualMachines { state } }")
        .await;
    assert_eq!(data["projects"][0]["payload"], created);
    assert_eq!(data["viewer"], json!({ "subject": "aurora-automation", "teams": [{ "role": "admin" }] }));
    assert_eq!(data["virtualMachines"], json!([{ "state": "Stopped" }]));
    let id = created["id"].as_str().unwrap();
    let named = json!({
        "query": "query A { viewer { subject } } query B($id: ID!) { project(id: $id) { name } }",
        "operationName": "B",
        "variables": { "id": id },
    });
    let reply: Value = caller.post("/graphql", &named).await.json().await.unwrap();
    assert_eq!(reply, json!({ "data": { "project": { "name": "Aurora" } } }));
    let other = Caller::new(&sandbox, 1).await;
    let reply: Value = other.post("/graphql", &named).await.json().await.unwrap();
    assert_eq!(reply, json!({ "data": { "project": null } }));

    let by_address =
        caller.request(Method::GET, "/graphql").query(&[("query", "{ viewer { subject } }"), ("variables", "{}")]);
    assert_eq!(
        by_address.send().await.unwrap().json::<Value>().await.unwrap()["data"]["viewer"]["subject"],
        "aurora-automation"
    );
    // A request that does not match the schema: 200 in the old media type, 400 in the new one.
    for (accept, status) in [("application/json", 200), ("application/graphql-response+json", 400)] {
        let request =
            caller.request(Method::POST, "/graphql").header("accept", accept).json(&json!({ "query": "{ nothing }" }));
        let response = request.send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), response.headers()["content-type"].to_str().unwrap().split(';').next()),
            (status, Some(accept))
        );
        assert!(response.json::<Value>().await.unwrap()["errors"][0]["message"].is_string());
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for (media_type, body, status) in [
        ("application/json", "{", 400),
        ("application/json", "[]", 400),
        ("application/json", "{\"query\":1}", 400),
        ("application/json", "{\"query\":\"{viewer{subject}}\",\"variables\":3}", 400),
        ("text/plain", "{\"query\":\"{viewer{subject}}\"}", 415),
    ] {
        let request = caller.request(Method::POST, "/graphql").header("content-type", media_type).body(body);
        assert_eq!(request.send().await.unwrap().status(), status, "{body}");
    }
    let length = 1024 * 1024;
    for (spaces, status) in [(length - 30, 200), (length, 413)] {
        let body = format!("{{\"query\":\"{{viewer{{subject}}}}\"{}}}", " ".repeat(spaces));
        let request = caller.request(Method::POST, "/graphql").header("content-type", "application/json").body(body);
        assert_eq!(request.send().await.unwrap().status(), status, "{spaces}");
    }
    assert_eq!(caller.get("/graphql").await.status(), 400);
    assert_eq!(caller.get("/graphql?query=%7Bviewer%7Bsubject%7D%7D&variables=x").await.status(), 400);
    let deep = format!("{{ operations {} }}", "{ events ".repeat(1000));
    let refused: Value = caller.post("/graphql", &json!({ "query": deep })).await.json().await.unwrap();
    assert!(refused["errors"].is_array() && refused.get("data").is_none(), "{refused}");
    for path in ["/graphql", "/graphql?sdl", "/graphql/schema", "/graphql/stream", "/graphql?query=%7B__typename%7D"] {
        let refused = support::fetch(format!("{}{path}", sandbox.base_url())).await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), refused.headers()["www-authenticate"].to_str().unwrap()),
            (401, "Bearer"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_schema_is_served_as_sdl_and_by_introspection() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let sdl = caller.get("/graphql/schema").await.text().await.unwrap();
    assert_eq!(caller.get("/graphql?sdl").await.text().await.unwrap(), sdl);
    for part in ["operationChanged(", "type Operation {", "enum OperationState {", "schema {"] {
        assert!(sdl.contains(part), "{part} is missing in {sdl}");
    }
    let types = caller.query("{ __schema { subscriptionType { name } types { name } } }").await;
    assert_eq!(types["__schema"]["subscriptionType"]["name"], "Subscription");
}

/// The document shows no field of GraphQL. Descriptions appear in both introspection and SDL.
#[tokio::test]
async fn every_type_and_every_root_field_is_marked_as_assumed() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let data = caller.query("{ __schema { types { kind name description fields { name description } } } }").await;
    let types = data.pointer("/__schema/types").unwrap().as_array().unwrap();
    let sdl = caller.get("/graphql/schema").await.text().await.unwrap();
    let marked = |entry: &Value| {
        let description = entry["description"].as_str().unwrap_or_default();
        description.starts_with("Assumed: ") && sdl.contains(description.lines().next().unwrap())
    };
    let mut unmarked = Vec::new();
    // The description of a scalar is its format, and the types of introspection are GraphQL's own.
    for entry in types.iter().filter(|entry| entry["kind"] != "SCALAR") {
        let name = entry["name"].as_str().unwrap();
        if name.starts_with("__") {
            continue;
        }
        let is_root = ["Query", "Subscription"].contains(&name);
        let fields = entry["fields"].as_array().into_iter().flatten().filter(|_| is_root);
        unmarked.extend(
            [entry]
                .into_iter()
                .chain(fields)
                .filter(|entry| !marked(entry))
                .map(|entry| format!("{name}: {}", entry["name"])),
        );
    }
    assert_eq!(unmarked, Vec::<String>::new());
    assert!(types.len() > 10);
}

#[tokio::test]
async fn a_socket_tells_every_change_and_completes_after_the_follow_up_event() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let (id, _) = deployment(&sandbox, &caller).await;
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    socket.subscribe("a", &changed(&id)).await;
    socket.send(&json!({ "type": "ping", "payload": { "n": 1 } })).await;
    assert_eq!(socket.next().await, json!({ "type": "pong", "payload": { "n": 1 } }));
    socket.settle().await;
    sandbox.clock().advance(Duration::from_secs(60));
    for (expected, kind) in [(2, "state-changed"), (3, "state-changed"), (4, "workload-ready")] {
        let next = socket.next().await;
        assert_eq!((next["id"].as_str(), next["type"].as_str(), sequence(&next)), (Some("a"), Some("next"), expected));
        assert_eq!(next.pointer("/payload/data/operationChanged/event/kind").unwrap(), kind);
    }
    assert_eq!(socket.next().await, json!({ "id": "a", "type": "complete" }));

    // A finished operation has no further events; a missing or invisible one is an error; and the socket stays open.
    socket.subscribe("a", &changed(&id)).await;
    assert_eq!(socket.next().await, json!({ "id": "a", "type": "complete" }));
    socket.subscribe("b", &changed("00000000-0000-4000-8000-000000000000")).await;
    let refused = socket.next().await;
    assert!(
        refused.pointer("/payload/errors/0/message").or(refused.pointer("/payload/0/message")).is_some(),
        "{refused}"
    );
    let stranger = Caller::new(&sandbox, 1).await;
    let mut other = Socket::ready(&sandbox, stranger.token()).await;
    other.subscribe("c", &changed(&id)).await;
    assert!(!other.next().await.to_string().contains("sequence"));
}

#[tokio::test]
async fn a_socket_runs_queries_and_several_subscriptions() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    socket.subscribe("q", "{ viewer { subject } }").await;
    assert_eq!(socket.next().await["payload"]["data"]["viewer"]["subject"], "aurora-automation");
    assert_eq!(socket.next().await, json!({ "id": "q", "type": "complete" }));
    socket.subscribe("e", "{ nothing }").await;
    let error = socket.next().await;
    assert_eq!((error["type"].as_str(), error["id"].as_str()), (Some("error"), Some("e")));
    assert!(error["payload"][0]["message"].is_string());

    socket.subscribe("all", "subscription { operationsChanged { operation { id } } }").await;
    socket.subscribe("gone", "subscription { operationsChanged { operation { id } } }").await;
    socket.send(&json!({ "id": "gone", "type": "complete" })).await;
    socket.settle().await;
    let (first, _) = deployment(&sandbox, &caller).await;
    sandbox.clock().advance(Duration::from_millis(150));
    let next = socket.next().await;
    assert_eq!(
        next,
        json!({ "id": "all", "type": "next", "payload": { "data": { "operationsChanged": { "operation": { "id": first } } } } })
    );
}

/// A client that has the head of its events, or the answer to a message after its subscription, misses no later event. The
/// runtime has several threads, so that a deferred subscription would be late.
#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_has_begun_when_its_client_is_answered() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for _ in 0..40 {
        sandbox.clock().hold();
        let (id, _) = deployment(&sandbox, &caller).await;
        let mut socket = Socket::ready(&sandbox, caller.token()).await;
        socket.subscribe("a", &changed(&id)).await;
        socket.settle().await;
        let request = caller.request(Method::POST, "/graphql/stream").json(&json!({ "query": changed(&id) }));
        let response = request.send().await.unwrap();
        sandbox.clock().advance(Duration::from_secs(60));
        assert_eq!(sequence(&socket.next().await), 2);
        assert_eq!(events(response).await.len(), 5);
    }
}

/// A list that follows `operationsChanged` alone lacks no operation: acceptance is the first event, also of planned work.
#[tokio::test]
async fn acceptance_is_told_to_those_who_may_see_the_operation() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let (caller, stranger) = (Caller::new(&sandbox, 0).await, Caller::new(&sandbox, 1).await);
    let query =
        "subscription { operationsChanged { event { sequence kind state } operation { id kind events { kind } } } }";
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    let mut strange = Socket::ready(&sandbox, stranger.token()).await;
    for socket in [&mut socket, &mut strange] {
        socket.subscribe("all", query).await;
        socket.settle().await;
    }
    let change = |message: &Value| message.pointer("/payload/data/operationsChanged").cloned().unwrap_or_default();
    let (id, _) = deployment(&sandbox, &caller).await;
    let accepted = json!({
        "event": { "sequence": 1, "kind": "accepted", "state": "QUEUED" },
        "operation": { "id": id, "kind": "workload-deployment", "events": [{ "kind": "accepted" }] },
    });
    assert_eq!(change(&socket.next().await), accepted);
    let machine = sandbox.team().virtual_machine_id;
    let timer = json!({ "minutes": 5 });
    let set = caller.request(Method::PUT, &format!("/api/virtual-machines/{machine}/shutdown-timer")).json(&timer);
    assert!(set.send().await.unwrap().status().is_success());
    let planned = change(&socket.next().await);
    assert_eq!(planned["event"]["kind"], "accepted");
    assert_eq!(planned["operation"]["kind"], "virtual-machine-shutdown-timer");
    sandbox.clock().advance(Duration::from_millis(150));
    assert_eq!(
        change(&socket.next().await)["event"],
        json!({ "sequence": 2, "kind": "state-changed", "state": "RUNNING" })
    );
    // The other team's subscription has only its own work.
    let start = format!("/api/virtual-machines/{}/start", sandbox.other_team().virtual_machine_id);
    let started: Value = stranger.post(&start, &json!({})).await.json().await.unwrap();
    assert_eq!(change(&strange.next().await)["operation"]["id"], started["id"]);
}

#[tokio::test]
async fn sockets_close_with_the_codes_of_the_protocol() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let protocol = Some("graphql-transport-ws");
    let init = json!({ "type": "connection_init" });
    let forbidden = json!({ "type": "connection_init", "payload": { "token": "a.b.c" } });
    let subscribe = json!({ "id": "1", "type": "subscribe", "payload": { "query": "{ viewer { subject } }" } });
    for (code, messages) in [
        (4400, vec![json!(1)]),
        (4400, vec![json!({ "type": "unknown" })]),
        (4400, vec![json!({ "type": "connection_init", "payload": 1 })]),
        (4401, vec![init.clone()]),
        (4401, vec![subscribe.clone()]),
        (4403, vec![forbidden]),
    ] {
        let mut socket = Socket::open(&sandbox, protocol, None).await.unwrap();
        for message in &messages {
            socket.send(message).await;
        }
        assert_eq!(socket.close_code().await, code, "{messages:?}");
    }
    let long = "subscription { operationsChanged { operation { id } } }";
    for (code, messages) in [
        (4429, vec![init.clone()]),
        (4400, vec![json!({ "type": "subscribe", "payload": { "query": long } })]),
        (4400, vec![json!({ "id": "1", "type": "subscribe", "payload": { "query": 1 } })]),
        (4409, vec![json!({ "id": "1", "type": "subscribe", "payload": { "query": long } }); 2]),
    ] {
        let mut socket = Socket::ready(&sandbox, caller.token()).await;
        for message in &messages {
            socket.send(message).await;
        }
        assert_eq!(socket.close_code().await, code, "{messages:?}");
    }
    let mut socket = Socket::open(&sandbox, protocol, None).await.unwrap();
    socket.0.send(Message::text("no JSON")).await.unwrap();
    assert_eq!(socket.close_code().await, 4400);
    let mut socket = Socket::open(&sandbox, protocol, None).await.unwrap();
    assert_eq!(socket.close_code().await, 4408);
    // The server refuses other protocols.
    let without = Socket::open(&sandbox, None, None).await;
    assert_eq!(without.unwrap().close_code().await, 4406);
}

#[tokio::test]
async fn a_token_in_the_upgrade_is_enough_and_its_expiry_closes_the_socket() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let protocol = Some("graphql-transport-ws");
    // The first lifetime that is long enough to open a socket on this machine.
    let mut lifetime = Duration::from_secs(2);
    let mut socket = loop {
        sandbox.set_token_lifetime(lifetime);
        let caller = Caller::new(&sandbox, 0).await;
        match Socket::open(&sandbox, protocol, Some(caller.token())).await {
            Ok(socket) => break socket,
            Err(error) => assert!(lifetime < Duration::from_secs(100), "{error}"),
        }
        lifetime *= 2;
    };
    socket.send(&json!({ "type": "connection_init" })).await;
    assert_eq!(socket.next().await["type"], "connection_ack");
    assert_eq!(socket.close_code().await, 4401);
    let refused = Socket::open(&sandbox, protocol, Some("a.b.c")).await;
    assert!(matches!(refused, Err(Error::Http(response)) if response.status() == 401));
}

#[tokio::test]
async fn sockets_and_events_have_faults() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let mut sockets = [Socket::ready(&sandbox, caller.token()).await, Socket::ready(&sandbox, caller.token()).await];
    sandbox.faults().close_sockets(1012).unwrap();
    for socket in &mut sockets {
        assert_eq!(socket.close_code().await, 1012);
    }
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    sandbox.faults().reset_sockets();
    assert!(matches!(socket.0.next().await, Some(Err(_))), "a reset has no close frame");

    let (id, _) = deployment(&sandbox, &caller).await;
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    socket.subscribe("a", &changed(&id)).await;
    socket.settle().await;
    sandbox.faults().drop_events(1);
    sandbox.faults().duplicate_events(1);
    sandbox.clock().advance(Duration::from_secs(60));
    let mut seen = Vec::new();
    loop {
        let message = socket.next().await;
        if message["type"] == "complete" {
            break;
        }
        seen.push(sequence(&message));
    }
    assert_eq!(seen, [3, 3, 4]);
}

/// Every code that a close frame can carry arrives unchanged, including those for errors of the peer; the others stand for a
/// missing frame or code (RFC 6455, section 7.4), and are refused.
#[tokio::test]
async fn sockets_close_with_the_code_of_the_fault() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 3999, 4000, 4401, 4999] {
        let mut socket = Socket::ready(&sandbox, caller.token()).await;
        sandbox.faults().close_sockets(code).unwrap();
        assert_eq!(socket.close_code().await, code);
        assert!(
            !matches!(socket.0.next().await, Some(Err(error)) if !matches!(error, Error::ConnectionClosed)),
            "{code}"
        );
    }
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, u16::MAX] {
        let refused = sandbox.faults().close_sockets(code).unwrap_err();
        assert!(refused.to_string().contains(&format!("code {code};")), "{refused}");
    }
    sandbox.faults().close_sockets(1000).unwrap();
    assert_eq!(socket.close_code().await, 1000);
}

async fn events(response: Response) -> Vec<String> {
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    text.split("\n\n").filter(|event| !event.is_empty()).map(str::to_owned).collect()
}

#[tokio::test]
async fn server_sent_events_tell_the_same() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let (id, _) = deployment(&sandbox, &caller).await;
    let request = caller.request(Method::POST, "/graphql").header("accept", "text/event-stream");
    let response = request.json(&json!({ "query": changed(&id) })).send().await.unwrap();
    sandbox.clock().advance(Duration::from_secs(60));
    let lines = events(response).await;
    assert_eq!((lines.len(), lines[0].as_str(), lines[4].as_str()), (5, ":", "event: complete\ndata: "));
    for (event, number) in lines[1..4].iter().zip(2..) {
        let data: Value = serde_json::from_str(event.strip_prefix("event: next\ndata: ").unwrap()).unwrap();
        assert_eq!(sequence(&json!({ "payload": data })), number);
    }
    // A query has one result, and an address of its own always gives events.
    let by_address = caller.request(Method::GET, "/graphql/stream").query(&[("query", "{ viewer { subject } }")]);
    assert_eq!(events(by_address.send().await.unwrap()).await.len(), 3);
}

#[tokio::test]
async fn a_stop_ends_sockets_and_event_streams() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let mut socket = Socket::ready(&sandbox, caller.token()).await;
    let request = caller.request(Method::POST, "/graphql/stream");
    let stream = request.json(&json!({ "query": "subscription { operationsChanged { event { kind } } }" }));
    let stream = stream.send().await.unwrap();
    let overview = support::fetch(format!("{}/sandbox/events", sandbox.base_url())).await.unwrap();
    let ((), code, text, state) = tokio::join!(sandbox.stop(), socket.close_code(), stream.text(), overview.text());
    // The stream ends without `complete`: its subscriber has missed events and must know it.
    assert_eq!((code, text.unwrap().as_str()), (1001, ":\n\n"));
    assert!(state.unwrap().starts_with("event: state"));
}
