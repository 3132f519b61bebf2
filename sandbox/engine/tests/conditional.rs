use driftless_sandbox::Sandbox;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::{body, client, pets, send, start};

/// A request with these headers, and a body for a method that has one.
pub(super) async fn ask(sandbox: &Sandbox, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
    let has_body = [Method::PUT, Method::POST, Method::PATCH].contains(&method);
    let mut request = client().request(method, format!("{}{path}", sandbox.base_url())).header("x-key", "any");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if has_body { request.json(&json!({ "name": "Max" })) } else { request }.send().await.unwrap()
}

pub(super) fn tag(response: &Response) -> Option<String> {
    response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned())
}

/// The contract of pets with a mention of conditional requests at one operation.
pub(super) fn mentioned(dialect: &str, template: &str, method: &str, mention: &str) -> Value {
    let mut document = pets(dialect);
    let operation = &mut document["paths"][template][method];
    let text = json!({ "type": "string" });
    let text = if dialect == "2.0" { text } else { json!({ "schema": text }) };
    match mention {
        "304" | "412" => operation["responses"][mention] = json!({ "description": "" }),
        "ETag" => operation["responses"]["200"]["headers"] = json!({ "etag": text }),
        name => {
            let mut parameter = text;
            (parameter["in"], parameter["name"]) = (json!("header"), json!(name));
            operation["parameters"] = json!([parameter]);
        }
    }
    document
}

#[tokio::test]
async fn items_have_a_tag_where_the_contract_mentions_one() {
    let sandbox = start(&pets("3.0.3")).await;
    assert_eq!(tag(&ask(&sandbox, Method::GET, "/pets/1", &[]).await), None);
    for (dialect, method, mention) in [
        ("2.0", "get", "304"),
        ("2.0", "put", "if-match"),
        ("3.0.3", "put", "412"),
        ("3.0.3", "get", "ETag"),
        ("3.1.0", "delete", "If-None-Match"),
    ] {
        let sandbox = start(&mentioned(dialect, "/pets/{petId}", method, mention)).await;
        let read = tag(&ask(&sandbox, Method::GET, "/pets/1", &[]).await).unwrap();
        assert!(read.len() > 20 && read.starts_with('"') && read.ends_with('"'), "{mention}: {read}");
        assert_eq!(tag(&ask(&sandbox, Method::HEAD, "/pets/1", &[]).await).as_ref(), Some(&read), "{mention}");
        let written = tag(&ask(&sandbox, Method::PUT, "/pets/1", &[]).await);
        assert!(written.as_ref().is_some_and(|written| *written != read), "{mention}");
        assert_eq!(tag(&ask(&sandbox, Method::GET, "/pets/1", &[]).await), written, "{mention}");
        let created = ask(&sandbox, Method::POST, "/pets", &[]).await;
        assert!(tag(&created).is_some_and(|created| Some(&created) != written.as_ref()), "{mention}");
        assert_eq!(tag(&ask(&sandbox, Method::GET, "/pets", &[]).await), None, "{mention}: the list has no mention");
        assert_eq!(tag(&ask(&sandbox, Method::GET, "/config", &[]).await), None, "{mention}");
        assert_eq!(tag(&ask(&sandbox, Method::DELETE, "/pets/1", &[]).await), None, "{mention}");
    }
}

#[tokio::test]
async fn a_write_happens_only_in_the_state_that_it_asks_for() {
    // The contract mentions nothing: a client that sends a condition has asked for it.
    for document in [pets("3.0.3"), mentioned("3.0.3", "/pets/{petId}", "get", "ETag")] {
        let sandbox = start(&document).await;
        let status = async |method: Method, path: &str, name: &str, value: &str| {
            ask(&sandbox, method, path, &[(name, value)]).await.status().as_u16()
        };
        let before = body(send(&sandbox, Method::GET, "/pets/1", None).await).await;
        for (method, name, value) in [
            (Method::PUT, "if-match", "\"other\""),
            (Method::PUT, "if-none-match", "*"),
            (Method::DELETE, "if-match", "\"a\", \"b\""),
        ] {
            assert_eq!(status(method, "/pets/1", name, value).await, 412, "{name}: {value}");
            assert_eq!(body(send(&sandbox, Method::GET, "/pets/1", None).await).await, before);
        }
        // A request that is refused without its condition is refused so with it.
        for (method, value) in [(Method::PUT, "*"), (Method::GET, "*"), (Method::DELETE, "*"), (Method::PUT, "\"a\"")] {
            assert_eq!(status(method.clone(), "/pets/99", "if-match", value).await, 404, "{method} {value}");
        }
        assert_eq!(status(Method::PUT, "/pets/1", "if-match", "*").await, 200);
        assert_eq!(status(Method::PUT, "/pets/1", "if-match", " , ").await, 200);
        assert_eq!(status(Method::PUT, "/pets/1", "if-none-match", "\"other\"").await, 200);
        assert_eq!(status(Method::PUT, "/config", "if-match", "\"other\"").await, 412);
        assert_eq!(status(Method::PUT, "/config", "if-match", "*").await, 200);
        assert_eq!(status(Method::PUT, "/config", "if-none-match", "*").await, 412);
    }
}

#[tokio::test]
async fn of_two_writers_with_the_same_tag_one_wins() {
    let sandbox = start(&mentioned("3.1.0", "/pets/{petId}", "put", "412")).await;
    let read = tag(&ask(&sandbox, Method::GET, "/pets/2", &[]).await).unwrap();
    let condition = [("if-match", read.as_str())];
    let both = [(); 2].map(|()| ask(&sandbox, Method::PUT, "/pets/2", &condition));
    let mut statuses: Vec<u16> =
        futures_util::future::join_all(both).await.iter().map(|answer| answer.status().as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    let weak = format!("W/{}", tag(&ask(&sandbox, Method::GET, "/pets/2", &[]).await).unwrap());
    assert_eq!(ask(&sandbox, Method::PUT, "/pets/2", &[("if-match", &weak)]).await.status(), 412);
}

#[tokio::test]
async fn a_client_that_has_the_item_gets_no_body() {
    let sandbox = start(&mentioned("3.0.3", "/pets/{petId}", "get", "304")).await;
    let read = tag(&ask(&sandbox, Method::GET, "/pets/1", &[]).await).unwrap();
    for value in [read.clone(), format!("W/{read}"), format!("\"x\", {read}"), "*".to_owned()] {
        for method in [Method::GET, Method::HEAD] {
            let same = ask(&sandbox, method, "/pets/1", &[("if-none-match", &value)]).await;
            assert_eq!((same.status(), tag(&same)), (StatusCode::NOT_MODIFIED, Some(read.clone())), "{value}");
            assert_eq!(same.bytes().await.unwrap().len(), 0);
        }
    }
    ask(&sandbox, Method::PUT, "/pets/1", &[]).await;
    let changed = ask(&sandbox, Method::GET, "/pets/1", &[("if-none-match", &read)]).await;
    assert_eq!(changed.status(), 200);
    assert_ne!(tag(&changed), Some(read.clone()));
    assert_eq!(ask(&sandbox, Method::GET, "/pets/1", &[("if-match", &read)]).await.status(), 412);
}

#[tokio::test]
async fn a_list_has_a_tag_of_its_page_where_it_mentions_one() {
    let sandbox = start(&mentioned("3.0.3", "/pets", "get", "304")).await;
    let list = async |value: &str| ask(&sandbox, Method::GET, "/pets?limit=1", &[("if-none-match", value)]).await;
    let first = tag(&list("\"none\"").await).unwrap();
    assert_eq!(list(&first).await.status(), 304);
    send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex" }))).await;
    assert_eq!(list(&first).await.status(), 200, "the number of all items has changed");
    assert_eq!(tag(&ask(&sandbox, Method::GET, "/pets/1", &[]).await), None);
}

#[tokio::test]
async fn a_value_that_nobody_has_written_has_the_tag_that_its_answer_has() {
    let sandbox = start(&mentioned("3.1.0", "/config", "get", "ETag")).await;
    let current = tag(&ask(&sandbox, Method::GET, "/config", &[]).await).unwrap();
    let same = ask(&sandbox, Method::GET, "/config", &[("if-none-match", &current)]).await;
    assert_eq!((same.status(), tag(&same)), (StatusCode::NOT_MODIFIED, Some(current.clone())));
    // Another value that nobody has written has another tag.
    let mut document = mentioned("3.1.0", "/config", "get", "ETag");
    document["paths"]["/setup"] = document["paths"]["/config"].clone();
    let both = start(&document).await;
    let tags = [
        tag(&ask(&both, Method::GET, "/config", &[]).await).unwrap(),
        tag(&ask(&both, Method::GET, "/setup", &[]).await).unwrap(),
    ];
    assert_ne!(tags[0], tags[1]);
    for status in [200, 412] {
        assert_eq!(ask(&sandbox, Method::PUT, "/config", &[("if-match", &current)]).await.status(), status);
    }
}

#[tokio::test]
async fn a_condition_that_is_no_text_is_one_that_no_item_meets() {
    let sandbox = start(&pets("3.0.3")).await;
    let put = async |value: &[u8]| {
        let value = reqwest::header::HeaderValue::from_bytes(value).unwrap();
        let request = client().put(format!("{}/pets/1", sandbox.base_url())).header("x-key", "any");
        request.header("if-match", value).json(&json!({ "name": "Max" })).send().await.unwrap().status()
    };
    for value in [&b"\xE9"[..], b"\"\xC3\xA9\"", b"\xFF, \"a\""] {
        assert_eq!(put(value).await, 412, "{value:?}");
    }
    assert_eq!(put(b"").await, 200);
}

#[tokio::test]
async fn files_have_conditions() {
    let content = json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
    let document = json!({ "openapi": "3.0.3", "paths": { "/files/{name}/content": {
        "parameters": [{ "in": "path", "name": "name", "required": true, "schema": { "type": "string" } }],
        "get": { "responses": { "200": { "description": "", "content": content }, "304": { "description": "" } } },
        "put": { "requestBody": { "content": content }, "responses": { "204": { "description": "" } } } } } });
    let sandbox = start(&document).await;
    let address = format!("{}/files/a/content", sandbox.base_url());
    let put = async |bytes: &'static str, name: &str, value: &str| {
        let request = client().put(&address).header("content-type", "application/octet-stream").header(name, value);
        request.body(bytes).send().await.unwrap().status()
    };
    assert_eq!(put("a", "if-match", "*").await, 412, "nobody has stored one");
    assert_eq!(put("a", "if-none-match", "*").await, 204);
    assert_eq!(put("b", "if-none-match", "*").await, 412);
    let read = ask(&sandbox, Method::GET, "/files/a/content", &[]).await;
    let first = tag(&read).unwrap();
    assert_eq!(read.text().await.unwrap(), "a");
    assert_eq!(ask(&sandbox, Method::GET, "/files/a/content", &[("if-none-match", &first)]).await.status(), 304);
    assert_eq!(put("b", "if-match", &first).await, 204);
    assert_eq!(put("c", "if-match", &first).await, 412);
    assert_eq!(
        ask(&sandbox, Method::GET, "/files/a/content", &[("if-none-match", &first)]).await.text().await.unwrap(),
        "b"
    );
}

#[tokio::test]
async fn all_items_are_deleted_only_if_their_list_has_the_tag() {
    let mut document = mentioned("3.0.3", "/pets", "get", "304");
    document["paths"]["/pets"]["delete"] = json!({ "responses": { "204": { "description": "" } } });
    let sandbox = start(&document).await;
    let clear = async |name: &str, value: &str| ask(&sandbox, Method::DELETE, "/pets", &[(name, value)]).await.status();
    let stale = tag(&ask(&sandbox, Method::GET, "/pets", &[]).await).unwrap();
    send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex" }))).await;
    assert_eq!(clear("if-match", &stale).await, 412);
    assert_eq!(clear("if-none-match", "*").await, 412);
    let list = ask(&sandbox, Method::GET, "/pets", &[]).await;
    let fresh = tag(&list).unwrap();
    assert_eq!(body(list).await.as_array().unwrap().len(), 3);
    assert_eq!(clear("if-match", &fresh).await, 204);
    assert_eq!(body(send(&sandbox, Method::GET, "/pets", None).await).await, json!([]));
}

#[tokio::test]
async fn a_put_that_would_make_the_item_asks_for_none_that_exists() {
    let mut document = pets("3.0.3");
    document["paths"]["/pets"].as_object_mut().unwrap().remove("post");
    let sandbox = start(&document).await;
    for value in ["*", "\"a\""] {
        assert_eq!(ask(&sandbox, Method::PUT, "/pets/99", &[("if-match", value)]).await.status(), 412, "{value}");
    }
    for status in [201, 412] {
        let made = ask(&sandbox, Method::PUT, "/pets/99", &[("if-none-match", "*")]).await;
        assert!(made.status() == status || status == 201 && made.status() == 200, "{}", made.status());
    }
}

#[tokio::test]
async fn an_answer_without_a_body_keeps_the_headers_of_caches() {
    let mut document = pets("3.0.3");
    let text = |value: &str| json!({ "schema": { "type": "string", "enum": [value] } });
    document["paths"]["/pets/{petId}"]["get"]["responses"]["200"]["headers"] = json!({ "cache-control": text("max-age=60"), "Vary": text("accept"), "X-Other": text("any"), "ETag": text("\"any\"") });
    let sandbox = start(&document).await;
    let full = ask(&sandbox, Method::GET, "/pets/1", &[]).await;
    let read = tag(&full).unwrap();
    let same = ask(&sandbox, Method::GET, "/pets/1", &[("if-none-match", &read)]).await;
    assert_eq!((same.status(), tag(&same)), (StatusCode::NOT_MODIFIED, Some(read)));
    for name in ["cache-control", "vary"] {
        assert!(same.headers().get(name).is_some_and(|value| full.headers().get(name) == Some(value)), "{name}");
    }
    assert_eq!((full.headers().contains_key("x-other"), same.headers().contains_key("x-other")), (true, false));
}
