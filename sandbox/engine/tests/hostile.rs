use driftless_sandbox::{Document, Options, explain, start_with};
use reqwest::Method;
use serde_json::{Value, json};

use super::{send, start};

fn reads(schema: Value, schemas: Value) -> Value {
    json!({
        "openapi": "3.0.3",
        "paths": { "/a": { "get": { "responses": { "200": { "description": "", "content": { "application/json": { "schema": schema } } } } } } },
        "components": { "schemas": schemas }
    })
}

#[tokio::test]
async fn recursion_circles_and_huge_lists_are_answered() {
    let node = json!({ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "next": { "$ref": "#/components/schemas/Node" } } });
    let endless = json!({ "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#/components/schemas/Node" } } });
    let circle = json!({ "$ref": "#/components/schemas/Node" });
    let reference = || json!({ "$ref": "#/components/schemas/Node" });
    for schemas in
        [node, endless, circle, json!({ "type": "array", "minItems": 1_000_000, "items": { "type": "integer" } })]
    {
        let sandbox = start(&reads(reference(), json!({ "Node": schemas }))).await;
        let answer = send(&sandbox, Method::GET, "/a", None).await;
        assert_eq!(answer.status(), 200, "{schemas}");
        assert!(answer.bytes().await.unwrap().len() < 16 << 20);
        sandbox.stop().await;
    }
}

#[tokio::test]
async fn an_unreadable_contract_is_an_error_with_a_code() {
    let error = start_with(b"not: a contract", Options::default()).await.unwrap_err();
    assert_eq!((error.code(), error.pointer()), ("contract/not-a-contract", ""));
    assert!(!error.advice().is_empty());
    let error = explain(br#"{"openapi": "9.0"}"#).unwrap_err();
    assert_eq!((error.code(), error.pointer()), ("contract/unknown-version", "/openapi"));
}

/// An error names its source: a file, an address, or the contract itself, which need not come from a file.
#[tokio::test]
async fn an_error_names_the_source_that_the_contract_has() {
    let broken: [&[u8]; 7] =
        [b"", b"[]", b"{\"openapi\": \"3.0.3\"", b"{} {}", b"a: 1\n---\nb: 2", b"<html>", b"{\"openapi\": \"9\"}"];
    for bytes in broken {
        let unnamed = start_with(bytes, Options::default()).await.unwrap_err();
        let (text, advice) = (unnamed.to_string(), unnamed.advice());
        assert!(!text.contains("file") && !advice.contains("file"), "{text}; {advice}");
        for name in ["openapi.json", "https://pets.example/openapi"] {
            let named =
                driftless_sandbox::start_all(&[Document::new(name, bytes)], Options::default()).await.unwrap_err();
            assert_eq!(named.to_string(), format!("{name}: {text}"));
        }
    }
}

#[tokio::test]
async fn a_port_in_use_is_an_error() {
    let contract = reads(json!({}), json!({})).to_string();
    let first = start_with(contract.as_bytes(), Options::default()).await.unwrap();
    let port = first.origin().rsplit(':').next().unwrap().parse().unwrap();
    let mut options = Options::default();
    options.port = port;
    assert_eq!(start_with(contract.as_bytes(), options).await.unwrap_err().code(), "address");
    first.stop().await;
}

#[tokio::test]
async fn a_contract_of_few_lines_takes_no_more_than_its_share_of_time_and_memory() {
    let variables: Value = (0..40)
        .map(|index| (format!("v{index:02}"), json!({ "default": format!("{{v{0:02}}}{{v{0:02}}}", index + 1) })))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let mut doubling = reads(json!({ "type": "string", "pattern": "^.{1000000}$" }), json!({}));
    doubling["servers"] = json!([{ "url": "https://pets.example/{v00}/{none", "variables": variables }]);
    let sandbox = start(&doubling).await;
    assert_eq!(send(&sandbox, Method::GET, "/a", None).await.status(), 200);
    sandbox.stop().await;

    let node = |index: usize| {
        let next = json!({ "$ref": format!("#/components/schemas/N{}", index + 1) });
        let node = json!({ "type": "object", "required": ["l", "r"], "properties": { "l": next, "r": next } });
        (format!("N{index}"), if index == 30 { json!({ "type": "string" }) } else { node })
    };
    let schemas: serde_json::Map<_, _> = (0..=30).map(node).collect();
    let sandbox = start(&reads(json!({ "$ref": "#/components/schemas/N0" }), schemas.into())).await;
    assert_eq!(send(&sandbox, Method::GET, "/a", None).await.status(), 200);
    sandbox.stop().await;
}

#[tokio::test]
async fn a_body_of_a_million_values_is_refused() {
    let mut document = reads(json!({}), json!({}));
    let schema = json!({ "type": "array", "items": { "type": "string" } });
    document["paths"]["/a"]["post"] =
        json!({ "requestBody": { "content": { "application/json": { "schema": schema } } } });
    let sandbox = start(&document).await;
    let body = |element: &str| format!("[{}\"\"]", format!("{element},").repeat(500_000));
    let send = |body: String| {
        let request = super::client().post(format!("{}/a", sandbox.base_url()));
        request.header("content-type", "application/json").body(body).send()
    };
    let refused = send(body("1")).await.unwrap();
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("500000 values"));
    assert_eq!(send(format!("[\"{}\"]", ",\\\"".repeat(600_000))).await.unwrap().status(), 200);
    sandbox.stop().await;
}

#[test]
fn the_table_and_errors_have_no_control_characters() {
    let mut document = reads(json!({}), json!({}));
    document["paths"]["/\u{1b}[31m\u{202e}"] = json!({ "get": {} });
    let is_printable = |text: &str| !text.contains(['\u{1b}', '\u{202e}']);
    assert!(is_printable(&explain(document.to_string().as_bytes()).unwrap()));
    let error = explain(format!("openapi: {}\"\u{202e}\u{85}\"", "9".repeat(100_000)).as_bytes()).unwrap_err();
    assert!(is_printable(&error.to_string()) && error.to_string().len() < 2_000, "{error}");
}

#[tokio::test]
async fn an_unreadable_body_is_a_400_and_a_long_one_a_413() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let sandbox = start(&reads(json!({}), json!({}))).await;
    let address = sandbox.origin().strip_prefix("http://").unwrap().to_owned();
    for (head, status) in [
        ("Transfer-Encoding: chunked\r\n\r\nZZ\r\n", "HTTP/1.1 400"),
        ("Content-Length: 70000000\r\n\r\n{", "HTTP/1.1 413"),
    ] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        stream.write_all(format!("GET /a HTTP/1.1\r\nHost: a\r\n{head}").as_bytes()).await.unwrap();
        let mut answer = vec![0; 4_096];
        let mut length = 0;
        while !String::from_utf8_lossy(&answer[..length]).contains("detail") {
            let read = stream.read(&mut answer[length..]).await.unwrap();
            assert_ne!(read, 0, "the answer says why");
            length += read;
        }
        assert!(answer.starts_with(status.as_bytes()), "{}", String::from_utf8_lossy(&answer));
    }
    sandbox.stop().await;
}

#[tokio::test]
async fn a_wrong_path_is_refused_before_its_long_body_and_the_journal_has_the_beginning() {
    let mut options = Options::default();
    options.graphql = Some("type Query { a: Int }".to_owned());
    let sandbox = start_with(reads(json!({}), json!({})).to_string().as_bytes(), options).await.unwrap();
    let beginning = "a".repeat(5_000);
    for (number, (request, status)) in (1..).zip([
        ("POST /none", 404),
        ("POST /a", 405),
        ("GET /a", 413),
        ("HEAD /a", 413),
        ("POST /graphql", 413),
        ("OPTIONS /a", 204),
    ]) {
        let head = format!("{request} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 70000000\r\n\r\n");
        let answer = rest(begun(&sandbox, &format!("{head}{beginning}")).await).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        let record = sandbox.requests().last().into_iter().find(|record| record.number == number).unwrap();
        assert_eq!((record.status, record.request().length), (status, 70_000_000), "{request}");
    }
    // Without a length, the body is read to its limit.
    let chunk = format!("100000\r\n{}\r\n", "a".repeat(1 << 20));
    for (path, status) in [("/none", 404), ("/a", 413)] {
        let address = sandbox.origin().strip_prefix("http://").unwrap();
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
        tokio::io::AsyncWriteExt::write_all(&mut stream, head.as_bytes()).await.unwrap();
        for _ in 0..64 {
            tokio::io::AsyncWriteExt::write_all(&mut stream, chunk.as_bytes()).await.unwrap();
        }
        // One byte beyond: a server that closes with more of it unread resets the connection, and its answer is lost.
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"1\r\na\r\n").await.unwrap();
        let answer = rest(stream).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
    }
    sandbox.stop().await;
}

/// A connection with the beginning of a request.
async fn begun(sandbox: &driftless_sandbox::Sandbox, text: &str) -> tokio::net::TcpStream {
    use tokio::io::AsyncWriteExt as _;
    let address = sandbox.origin().strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

async fn rest(mut stream: tokio::net::TcpStream) -> String {
    use tokio::io::AsyncReadExt as _;
    let mut text = Vec::new();
    // A connection that is closed with unread bytes is reset.
    let _ = stream.read_to_end(&mut text).await;
    String::from_utf8_lossy(&text).into_owned()
}

const UNFINISHED: &str = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{";

/// The clock is paused: it steps to the next timer while nothing else happens.
#[tokio::test]
async fn slow_heads_and_bodies_end() {
    let sandbox = start(&reads(json!({}), json!({}))).await;
    let (head, body) = (begun(&sandbox, "GET /a HTTP/1.1\r\nHost").await, begun(&sandbox, UNFINISHED).await);
    assert_eq!(send(&sandbox, Method::GET, "/a", None).await.status(), 200, "both were accepted before");
    tokio::time::pause();
    assert_eq!(rest(head).await, "");
    let answer = rest(body).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("The body is too slow"), "{answer}");
}

#[tokio::test]
async fn an_unfinished_body_does_not_delay_the_end() {
    let sandbox = start(&reads(json!({}), json!({}))).await;
    let body = begun(&sandbox, UNFINISHED).await;
    assert_eq!(send(&sandbox, Method::GET, "/a", None).await.status(), 200, "the body was accepted before");
    sandbox.stop().await;
    let answer = rest(body).await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("the sandbox ends"), "{answer}");
}

#[tokio::test]
async fn further_connections_wait() {
    let sandbox = start(&reads(json!({}), json!({}))).await;
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        streams.push(begun(&sandbox, "").await);
    }
    let waiting = begun(&sandbox, "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
    let mut answer = std::pin::pin!(rest(waiting));
    for _ in 0..100 {
        tokio::select! {
            biased;
            answer = &mut answer => panic!("{answer}"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(streams);
    assert!(answer.await.starts_with("HTTP/1.1 200"));
    sandbox.stop().await;
}

#[tokio::test]
async fn answers_without_a_schema_or_a_success_are_of_their_type() {
    let mut document = reads(json!({}), json!({}));
    let answers = |responses: Value| json!({ "get": { "responses": responses } });
    let content = |media_type: &str| answers(json!({ "200": { "description": "", "content": { media_type: {} } } }));
    let binary = json!({ "image/png": { "schema": { "type": "string", "format": "binary" } } });
    document["paths"]["/pdf"] = content("application/pdf");
    document["paths"]["/jpeg"] = content("image/jpeg");
    document["paths"]["/png"] = answers(json!({ "200": { "description": "", "content": binary } }));
    let refusal = json!({ "description": "", "content": { "application/vnd.refused+json": {} } });
    document["paths"]["/refused"] = answers(json!({ "200": { "description": "" }, "400": refusal }));
    document["paths"]["/refused"]["get"]["parameters"] =
        json!([{ "in": "query", "name": "q", "required": true, "schema": { "type": "string" } }]);
    document["paths"]["/moved"] = answers(json!({ "302": { "description": "" } }));
    let item = json!({ "type": "object", "properties": { "id": { "type": "string" }, "name": { "type": "string" } } });
    document["paths"]["/things"] = json!({ "post": {
        "requestBody": { "content": { "application/json": { "schema": item } } },
        "responses": { "201": { "description": "", "content": { "application/json": { "schema": item } } } }
    } });
    document["paths"]["/things/{id}"] = answers(json!({ "404": { "description": "" } }));
    document["paths"]["/things/{id}"]["parameters"] =
        json!([{ "in": "path", "name": "id", "required": true, "schema": { "type": "string" } }]);
    let sandbox = start(&document).await;
    for (path, begin) in [("/pdf", &b"%PDF-1.4"[..]), ("/jpeg", b"\xff\xd8\xff"), ("/png", b"\x89PNG")] {
        let answer = send(&sandbox, Method::GET, path, None).await;
        assert!(answer.bytes().await.unwrap().starts_with(begin), "{path}");
    }
    let refused = send(&sandbox, Method::GET, "/refused", None).await;
    assert_eq!(refused.status(), 400);
    assert_eq!(refused.headers()["content-type"], "application/vnd.refused+json");
    assert!(super::body(refused).await["detail"].as_str().unwrap().contains("query.q"));
    let moved = send(&sandbox, Method::GET, "/moved", None).await;
    assert_eq!((moved.status().as_u16(), moved.headers().get("location")), (302, None));
    let created = super::body(send(&sandbox, Method::POST, "/things", Some(json!({ "name": "a" }))).await).await;
    let path = format!("/things/{}", created["id"].as_str().unwrap());
    assert_eq!(super::body(send(&sandbox, Method::GET, &path, None).await).await, created);
    sandbox.stop().await;
}
