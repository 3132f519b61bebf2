use driftless_sandbox::Sandbox;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::{body, client, pets, send, start};

/// A request with these headers, and a body for a method that has one.
async fn ask(sandbox: &Sandbox, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
    let has_body = [Method::PUT, Method::POST].contains(&method);
    let mut request = client().request(method, format!("{}{path}", sandbox.base_url())).header("x-key", "any");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if has_body { request.json(&json!({ "name": "Max" })) } else { request }.send().await.unwrap()
}

fn tag(response: &Response) -> Option<String> {
    response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned())
}

/// The contract of pets with a mention of conditional requests at one operation.
fn mentioned(dialect: &str, template: &str, method: &str, mention: &str) -> Value {
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
        // The condition for any item says more than a 404; other ones are not looked at before it.
        assert_eq!(status(Method::PUT, "/pets/99", "if-match", "*").await, 412);
        assert_eq!(status(Method::GET, "/pets/99", "if-match", "*").await, 412);
        assert_eq!(status(Method::PUT, "/pets/99", "if-match", "\"a\"").await, 404);
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
async fn a_tag_in_a_member_is_renewed_by_each_change_and_is_a_condition() {
    let mut document = mentioned("3.0.3", "/pets/{petId}", "put", "If-Match");
    let pet = &mut document["components"]["schemas"]["Pet"];
    pet["properties"]["e_tag"] = json!({ "type": "string", "readOnly": true });
    pet["required"] = json!(["id", "name", "e_tag"]);
    let sandbox = start(&document).await;
    let member =
        async || body(ask(&sandbox, Method::GET, "/pets/1", &[]).await).await["e_tag"].as_str().unwrap().to_owned();
    let first = member().await;
    assert_eq!(ask(&sandbox, Method::PUT, "/pets/1", &[("if-match", &first)]).await.status(), 200);
    let second = member().await;
    assert_ne!(first, second);
    assert_eq!(ask(&sandbox, Method::PUT, "/pets/1", &[("if-match", &first)]).await.status(), 412);
    // Each change takes the tag of the one before, and leaves another.
    let mut tag = second;
    for _ in 0..2 {
        let quoted = format!("\"{tag}\"");
        assert_eq!(ask(&sandbox, Method::PUT, "/pets/1", &[("if-match", &quoted)]).await.status(), 200);
        assert_eq!(ask(&sandbox, Method::PUT, "/pets/1", &[("if-match", &quoted)]).await.status(), 412);
        tag = member().await;
    }
    // A tag that the request sends stays. The one of before does not, as of a client that changes what it has read.
    document["components"]["schemas"]["Pet"]["properties"]["e_tag"] = json!({ "type": "string" });
    document["components"]["schemas"]["Pet"]["required"] = json!(["id", "name"]);
    let sandbox = start(&document).await;
    for stays in [true, false] {
        let item = json!({ "name": "Max", "e_tag": "own" });
        let answer = body(send(&sandbox, Method::PUT, "/pets/1", Some(item)).await).await;
        assert_eq!(answer["e_tag"] == "own", stays, "{answer}");
    }
}
