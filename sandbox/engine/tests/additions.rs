//! The additions of OpenAPI 3.2: the method QUERY, operations of other methods, the whole query as one value, and streams of items. The judge in
//! Python reads the same contract.

use driftless_sandbox::Sandbox;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::{body, client, start};

const CONTRACT: &str = include_str!("../judge/openapi-3.2.json");

async fn ask(sandbox: &Sandbox, method: &str, path: &str, sent: (&str, &str)) -> Response {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let request = client().request(method, format!("{}{path}", sandbox.base_url())).header("x-key", "any");
    request.header("content-type", sent.0).body(sent.1.to_owned()).send().await.unwrap()
}

#[tokio::test]
async fn a_contract_of_openapi_3_2_is_served() {
    let sandbox = start(&serde_json::from_str(CONTRACT).unwrap()).await;
    let status =
        async |method: &str, path: &str, sent: (&str, &str)| ask(&sandbox, method, path, sent).await.status().as_u16();
    let json = |text| ("application/json", text);
    let made = body(ask(&sandbox, "POST", "/widgets", json(r#"{"name":"a"}"#)).await).await;
    let widget = format!("/widgets/{}", made["id"].as_str().unwrap());
    assert_eq!(status("COPY", &widget, json("")).await, 201);
    assert_eq!(status("COPY", "/widgets/none", json("")).await, 400);
    assert_eq!(status("MOVE", &widget, json("")).await, 405);
    let answer = body(ask(&sandbox, "QUERY", "/search", json(r#"{"name":"a"}"#)).await).await;
    assert!(answer["items"].is_array(), "{answer}");
    for (sent, expected) in [(json("{}"), 400), (json(""), 400), (("text/plain", "a"), 415)] {
        assert_eq!(status("QUERY", "/search", sent).await, expected, "{sent:?}");
    }
    for (query, expected) in [("?name=a", 200), ("?name=", 400), ("?other=a", 400), ("", 400)] {
        assert_eq!(status("GET", &format!("/find{query}"), json("")).await, expected, "{query}");
    }
}

/// Catches a stream that is one value, and lines of a request that nobody checks.
#[tokio::test]
async fn the_items_of_a_stream_are_lines_and_events() {
    let sandbox = start(&serde_json::from_str(CONTRACT).unwrap()).await;
    let changes = ask(&sandbox, "GET", "/changes", ("", "")).await;
    assert_eq!(changes.headers()["content-type"], "application/jsonl");
    let text = changes.text().await.unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["id"].is_i64() && line["name"].is_string()), "{text}");
    for (sent, expected) in [
        ("{\"id\":1,\"name\":\"a\"}\n\n{\"id\":2,\"name\":\"b\"}", 204),
        ("{\"id\":1,\"name\":\"a\"}\n{\"id\":\"x\",\"name\":\"b\"}\n", 400),
        ("{\"id\":1,\"name\":\"a\"}\n{\"id\":2", 400),
    ] {
        let answer = ask(&sandbox, "POST", "/changes", ("application/jsonl", sent)).await;
        assert_eq!(answer.status(), expected, "{sent}: {}", answer.text().await.unwrap());
    }
    let events = ask(&sandbox, "GET", "/events", ("", "")).await;
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let text = events.text().await.unwrap();
    let first = text.split("\n\n").next().unwrap();
    assert!(first.starts_with("event: made\n") || first.starts_with("event: gone\n"), "{text}");
    assert!(first.contains("\ndata: ") && text.ends_with("\n\n"), "{text}");
}

/// Catches a stream that is taken for a file: an item that was sent is a line of it.
#[tokio::test]
async fn a_stream_has_the_items_that_were_sent() {
    let item =
        json!({ "type": "object", "properties": { "message": { "type": "string" }, "level": { "type": "integer" } } });
    for (path, media_type) in [
        ("/log", "application/jsonl"),
        ("/log", "application/x-ndjson"),
        ("/log", "application/json-seq"),
        ("/log", "text/event-stream"),
        ("/users/{user}/log", "application/jsonl"),
        ("/log/{entry}", "application/jsonl"),
    ] {
        let stream = json!({ media_type: { "itemSchema": item } });
        let sandbox = start(&json!({ "openapi": "3.2.0", "paths": { path: {
            "get": { "responses": { "200": { "description": "", "content": stream } } },
            "post": { "requestBody": { "content": { "application/json": { "schema": item } } },
                "responses": { "201": { "description": "" } } } } } }))
        .await;
        let path = path.replace("{user}", "a").replace("{entry}", "b");
        let made = ask(&sandbox, "POST", &path, ("application/json", r#"{"message":"an item","level":7}"#)).await;
        assert_eq!(made.status(), 201, "{path} {media_type}");
        let text = ask(&sandbox, "GET", &path, ("", "")).await.text().await.unwrap();
        assert!(text.contains(r#"{"message":"an item","level":7}"#), "{path} {media_type}: {text}");
    }
}
