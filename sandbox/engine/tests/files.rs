//! Files of a collection: a PUT makes or replaces one by its name, and a GET answers with its bytes.

use driftless_sandbox::Sandbox;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::{client, start};

/// A collection whose items have bytes of these media types, with these operations of its own path.
fn files(media_type: &str, schema: Value, collection: &Value) -> Value {
    let content = json!({ media_type: { "schema": schema } });
    let content = if schema.is_null() { json!({ media_type: {} }) } else { content };
    json!({ "openapi": "3.1.0", "paths": {
        "/files": collection,
        "/files/{name}": {
            "parameters": [{ "in": "path", "name": "name", "required": true, "schema": { "type": "string" } }],
            "get": { "responses": { "200": { "description": "", "content": content }, "404": { "description": "" } } },
            "put": { "requestBody": { "required": true, "content": content },
                "responses": { "201": { "description": "" }, "204": { "description": "" }, "412": { "description": "" } } },
            "delete": { "responses": { "204": { "description": "" } } } } } })
}

fn listed() -> Value {
    let file = json!({ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "size": { "type": "integer" } } });
    let list = json!({ "type": "array", "items": file });
    json!({ "get": { "responses": { "200": { "description": "", "content": { "application/json": { "schema": list } } } } } })
}

async fn ask(sandbox: &Sandbox, method: Method, name: &str, sent: Option<(&str, &[u8])>) -> Response {
    let request = client().request(method, format!("{}/files{name}", sandbox.base_url()));
    let request = match sent {
        Some((media_type, bytes)) => request.header("content-type", media_type).body(bytes.to_vec()),
        None => request,
    };
    request.send().await.unwrap()
}

/// Catches bytes that are not stored, not replaced, or left behind by a deletion, in all forms of a file in a contract.
#[tokio::test]
async fn a_put_stores_the_bytes_that_a_get_answers_with() {
    let binary = || json!({ "type": "string", "format": "binary" });
    let mut with_create = listed();
    with_create["post"] = json!({ "requestBody": { "content": { "application/json": { "schema": { "type": "object" } } } },
        "responses": { "201": { "description": "" } } });
    let names = json!({ "get": { "responses": { "200": { "description": "", "content": {
        "application/json": { "schema": { "type": "array", "items": { "type": "string" } } } } } } } });
    for (declared, schema, sent, collection) in [
        ("application/octet-stream", binary(), "application/octet-stream", &listed()),
        ("application/octet-stream", Value::Null, "application/octet-stream", &listed()),
        ("application/octet-stream", json!({}), "application/octet-stream", &listed()),
        ("image/*", binary(), "image/png", &listed()),
        ("*/*", binary(), "video/mp4", &listed()),
        ("*/*", binary(), "application/zip", &json!({})),
        ("application/pdf", Value::Null, "application/pdf", &json!({})),
        ("application/octet-stream", binary(), "application/octet-stream", &with_create),
        ("application/octet-stream", binary(), "application/octet-stream", &names),
        ("text/plain", json!({ "type": "string" }), "text/plain; charset=utf-8", &listed()),
        ("text/csv", Value::Null, "text/csv", &json!({})),
        ("text/plain", json!({ "type": ["string", "integer"] }), "text/plain", &listed()),
    ] {
        let case = format!("{declared} {schema} {collection}");
        let sandbox = start(&files(declared, schema, collection)).await;
        let texts = [&b"first"[..], b"2"];
        let bytes = if sent.starts_with("text") { texts } else { [&b"\0\xff{\"a\":1}\r\n"[..], b"second"] };
        for (bytes, status) in [bytes[0], b"", bytes[1]].into_iter().zip([201, 204, 204]) {
            let put = ask(&sandbox, Method::PUT, "/a%20b", Some((sent, bytes))).await;
            assert_eq!(put.status(), status, "{case}");
            let location = put.headers().get("location").map(|location| location.to_str().unwrap());
            assert_eq!(location, (status == 201).then_some("/files/a%20b"), "{case}");
            ask(&sandbox, Method::PUT, "/other", Some((sent, b"other"))).await;
            let read = ask(&sandbox, Method::GET, "/a%20b", None).await;
            assert_eq!(
                (read.status().as_u16(), read.headers()["content-type"].to_str().unwrap()),
                (200, sent),
                "{case}"
            );
            assert_eq!(read.bytes().await.unwrap(), bytes, "{case}");
        }
        if collection.get("get").is_some() {
            let list = ask(&sandbox, Method::GET, "", None).await.text().await.unwrap();
            assert!(list.contains("\"a b\""), "{case}: {list}");
        }
        let snapshot = client().get(format!("{}/sandbox/snapshot", sandbox.origin())).send().await.unwrap();
        let snapshot = snapshot.json::<Value>().await.unwrap();
        assert_eq!(ask(&sandbox, Method::DELETE, "/a%20b", None).await.status(), 204, "{case}");
        let gone = ask(&sandbox, Method::GET, "/a%20b", None).await;
        assert!(gone.status() == 404 || gone.headers().contains_key("x-sandbox-invented"), "{case}: {gone:?}");
        let restored = client().put(format!("{}/sandbox/snapshot", sandbox.origin())).json(&snapshot).send().await;
        assert_eq!(restored.unwrap().status(), 204, "{case}");
        let read = ask(&sandbox, Method::GET, "/a%20b", None).await.bytes().await.unwrap();
        assert_eq!(read, bytes[1], "{case}");
    }
}

/// Catches an overwritten change: the tag of a file of a collection is that of its bytes, in the answers of reads and writes.
#[tokio::test]
async fn a_file_of_a_collection_has_conditions() {
    let sandbox = start(&files("application/octet-stream", Value::Null, &listed())).await;
    let put = async |bytes: &'static str, name: &str, value: &str| {
        let request = client().put(format!("{}/files/a", sandbox.base_url())).header(name, value);
        let put = request.header("content-type", "application/octet-stream").body(bytes).send().await.unwrap();
        (put.status().as_u16(), put.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned()))
    };
    assert_eq!(put("a", "if-match", "*").await.0, 412, "nobody has stored one");
    let (status, first) = put("a", "if-none-match", "*").await;
    assert_eq!((status, put("b", "if-none-match", "*").await.0), (201, 412));
    let first = first.unwrap();
    let read = ask(&sandbox, Method::GET, "/a", None).await;
    assert_eq!(read.headers()["etag"].to_str().unwrap(), first);
    let (status, second) = put("b", "if-match", &first).await;
    assert!(status == 204 && second.as_ref().is_some_and(|second| *second != first), "{second:?}");
    assert_eq!(put("c", "if-match", &first).await.0, 412);
    assert_eq!(ask(&sandbox, Method::GET, "/a", None).await.text().await.unwrap(), "b");
}

/// Catches a file that stays behind its item, also where the path of the item has a suffix.
#[tokio::test]
async fn a_deleted_item_leaves_no_file() {
    let mut plain = files("application/octet-stream", Value::Null, &listed());
    plain["paths"]["/files"]["delete"] = json!({ "responses": { "204": { "description": "" } } });
    let mut suffixed = plain.clone();
    let item = suffixed["paths"].as_object_mut().unwrap().remove("/files/{name}").unwrap();
    suffixed["paths"]["/files/{name}.bin"] = item;
    for (document, place, way) in [
        (&plain, "/a", "item"),
        (&plain, "/a", "all"),
        (&plain, "/a", "console"),
        (&suffixed, "/a.bin", "item"),
        (&suffixed, "/a.bin", "console"),
    ] {
        let sandbox = start(document).await;
        let sent = Some(("application/octet-stream", &b"own"[..]));
        assert_eq!(ask(&sandbox, Method::PUT, place, sent).await.status(), 201);
        assert_eq!(ask(&sandbox, Method::GET, place, None).await.text().await.unwrap(), "own");
        let status = match way {
            "item" => ask(&sandbox, Method::DELETE, place, None).await.status(),
            "all" => ask(&sandbox, Method::DELETE, "", None).await.status(),
            _ => {
                let address = format!("{}/sandbox/item?address=/files/a", sandbox.origin());
                client().delete(address).send().await.unwrap().status()
            }
        };
        assert_eq!(status, 204, "{place} {way}");
        let snapshot = client().get(format!("{}/sandbox/snapshot", sandbox.origin())).send().await.unwrap();
        assert_eq!(snapshot.json::<Value>().await.unwrap()["files"], json!([]), "{place} {way}");
    }
}

/// Catches a media type that takes as much memory as a body.
#[tokio::test]
async fn the_media_type_of_a_file_is_short() {
    let sandbox = start(&files("*/*", Value::Null, &listed())).await;
    for (length, status) in [(1_000, 201), (2_000, 400)] {
        let media_type = format!("a/{}", "b".repeat(length));
        let put = ask(&sandbox, Method::PUT, "/a", Some((&media_type, b"own"))).await;
        assert_eq!(put.status(), status, "{length}");
    }
}

/// Catches tags that no condition meets: of an action on a file, of the member in the list, and of a file that nobody has stored.
#[tokio::test]
async fn a_file_has_the_tags_that_a_client_sees() {
    let mut list = listed();
    let item = "/get/responses/200/content/application~1json/schema/items/properties";
    list.pointer_mut(item).unwrap()["etag"] = json!({ "type": "string" });
    let mut document = files("application/octet-stream", Value::Null, &list);
    let tag = json!({ "ETag": { "schema": { "type": "string" } } });
    document["paths"]["/files/{name}"]["get"]["responses"]["200"]["headers"] = tag;
    let name = document["paths"]["/files/{name}"]["parameters"].clone();
    document["paths"]["/files/{name}/lock"] = json!({ "parameters": name, "post": { "responses": {
        "204": { "description": "" }, "412": { "description": "" } } } });
    let sandbox = start(&document).await;
    let conditional = async |method, place: &str, tag: &str| {
        let request = client().request(method, format!("{}/files{place}", sandbox.base_url())).header("if-match", tag);
        let request = request.header("content-type", "application/octet-stream").body("own");
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask(&sandbox, Method::PUT, "/a", Some(("application/octet-stream", b"own"))).await.status(), 201);
    let read = ask(&sandbox, Method::GET, "/a", None).await;
    let tag = read.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(conditional(Method::POST, "/a/lock", &tag).await, 204);
    assert_eq!(conditional(Method::POST, "/a/lock", "\"other\"").await, 412);
    let listed: Value = ask(&sandbox, Method::GET, "", None).await.json().await.unwrap();
    let entries = listed.as_array().unwrap();
    let own = entries.iter().find(|entry| entry["name"] == "a").unwrap();
    let member = own["etag"].as_str().unwrap();
    assert_eq!(conditional(Method::PUT, "/a", &format!("\"{member}\"")).await, 204, "{own}");
    let invented = entries.iter().find(|entry| entry["name"] != "a").unwrap()["name"].as_str().unwrap();
    let read = ask(&sandbox, Method::GET, &format!("/{invented}"), None).await;
    assert!(read.status() == 200 && !read.headers().contains_key("etag"), "{read:?}");
}

/// Catches a tag of another request's file, and an item whose bytes have not arrived yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_answer_has_the_tag_of_its_own_file() {
    let sandbox = start(&files("application/octet-stream", Value::Null, &listed())).await;
    let (sandbox, known) = (&sandbox, &std::sync::Mutex::new(std::collections::HashMap::new()));
    let write = async |own: &'static [u8]| {
        for _ in 0..150 {
            let put = ask(sandbox, Method::PUT, "/a", Some(("application/octet-stream", own))).await;
            if let Some(tag) = put.headers().get("etag") {
                let before = known.lock().unwrap().insert(tag.clone(), own);
                assert!(before.is_none_or(|before| before == own), "{tag:?} is of both");
            }
        }
    };
    tokio::join!(write(b"first"), write(b"second"), write(b"third"));
}
