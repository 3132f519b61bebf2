use reqwest::Method;
use serde_json::{Value, json};

use super::{body, client, pets, send, start};

const DIALECTS: [&str; 3] = ["2.0", "3.0.3", "3.1.0"];

#[tokio::test]
async fn an_item_is_created_read_listed_changed_and_deleted() {
    for dialect in DIALECTS {
        let sandbox = start(&pets(dialect)).await;
        let first: Vec<Value> =
            serde_json::from_value(body(send(&sandbox, Method::GET, "/pets", None).await).await).unwrap();
        assert_eq!(first.len(), 2, "{dialect}: a list begins with two items");

        let created = send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex", "tag": "dog" }))).await;
        assert_eq!(created.status(), 201, "{dialect}");
        let location = created.headers()["location"].to_str().unwrap().to_owned();
        let created = body(created).await;
        let path = format!("/pets/{}", created["id"]);
        assert_eq!(location, format!("/v1{path}"));
        assert_eq!(
            body(send(&sandbox, Method::GET, &path, None).await).await,
            json!({ "id": created["id"], "name": "Rex", "tag": "dog" })
        );

        let list = body(send(&sandbox, Method::GET, "/pets?tag=dog", None).await).await;
        assert_eq!(list, json!([created]));
        let page = body(send(&sandbox, Method::GET, "/pets?limit=1", None).await).await;
        assert_eq!(page, json!([first[0]]));

        let changed = send(&sandbox, Method::PUT, &path, Some(json!({ "name": "Max" }))).await;
        assert_eq!(
            body(changed).await,
            json!({ "id": created["id"], "name": "Max" }),
            "an optional member that is not sent is gone"
        );

        assert_eq!(send(&sandbox, Method::DELETE, &path, None).await.status(), 204);
        let gone = send(&sandbox, Method::GET, &path, None).await;
        assert_eq!(gone.status(), 404);
        assert!(body(gone).await["message"].as_str().unwrap().contains("/pets"), "the declared problem says why");
        assert_eq!(send(&sandbox, Method::DELETE, &path, None).await.status(), 404);
        sandbox.stop().await;
    }
}

#[tokio::test]
async fn requests_are_checked_before_they_act() {
    for dialect in DIALECTS {
        let sandbox = start(&pets(dialect)).await;
        let refused = send(&sandbox, Method::POST, "/pets", Some(json!({ "tag": "dog" }))).await;
        assert_eq!(refused.status(), 400, "{dialect}: a required member is missing");
        let message = body(refused).await["message"].to_string();
        assert!(message.contains("body/name: is required"), "{message}");
        assert_eq!(send(&sandbox, Method::GET, "/pets?limit=x", None).await.status(), 400);
        assert_eq!(send(&sandbox, Method::GET, "/pets/x", None).await.status(), 400);
        assert_eq!(send(&sandbox, Method::GET, "/pets/99", None).await.status(), 404);
        assert_eq!(send(&sandbox, Method::GET, "/none", None).await.status(), 404);
        let other = send(&sandbox, Method::PATCH, "/pets", None).await;
        assert_eq!((other.status().as_u16(), other.headers()["allow"].to_str().unwrap()), (405, "GET, POST"));

        let url = format!("{}/pets", sandbox.base_url());
        let without = client().get(&url).send().await.unwrap();
        assert_eq!(without.status(), 401);
        let detail = body(without).await["detail"].to_string();
        assert!(detail.contains("the header `x-key`"), "{detail}");
        let text = client().post(&url).header("x-key", "any").header("content-type", "text/csv").body("a,b");
        assert_eq!(text.send().await.unwrap().status(), 415);
        let untyped = client().post(&url).header("x-key", "any").body("{}").send().await.unwrap();
        assert_eq!(untyped.status(), 415);
        assert!(body(untyped).await["detail"].as_str().unwrap().contains("Content-Type is missing"));
        let list = body(send(&sandbox, Method::GET, "/pets", None).await).await;
        assert_eq!(list.as_array().map(Vec::len), Some(2), "nothing was created");
        sandbox.stop().await;
    }
}

#[tokio::test]
async fn a_singleton_always_answers_and_keeps_its_value() {
    let sandbox = start(&pets("3.0.3")).await;
    let read = send(&sandbox, Method::GET, "/config", None).await;
    assert_eq!(read.headers()["x-sandbox-invented"], "true");
    assert_eq!(send(&sandbox, Method::PUT, "/config", Some(json!({ "name": "new" }))).await.status(), 200);
    let read = send(&sandbox, Method::GET, "/config", None).await;
    assert!(!read.headers().contains_key("x-sandbox-invented"));
    assert_eq!(body(read).await["name"], "new");
    sandbox.stop().await;
}

#[tokio::test]
async fn the_same_seed_gives_the_same_answers() {
    let mut texts = Vec::new();
    for _ in 0..2 {
        let sandbox = start(&pets("3.1.0")).await;
        send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex" }))).await;
        texts.push(send(&sandbox, Method::GET, "/pets", None).await.text().await.unwrap());
        sandbox.stop().await;
    }
    assert_eq!(texts[0], texts[1]);
}

#[tokio::test]
async fn a_path_is_the_same_in_each_encoding_and_a_file_is_kept() {
    let mut document = pets("3.0.3");
    document["security"] = json!([]);
    let theme = || json!({ "application/json": { "schema": { "type": "object", "properties": { "theme": { "type": "string" } } } } });
    let id = json!([{ "in": "path", "name": "id", "required": true, "schema": { "type": "string" } }]);
    document["paths"]["/users/{id}/settings"] = json!({
        "parameters": id,
        "get": { "responses": { "200": { "description": "", "content": theme() } } },
        "put": { "requestBody": { "content": theme() }, "responses": { "200": { "description": "", "content": theme() } } }
    });
    let file = || json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
    document["paths"]["/logo"] = json!({
        "get": { "responses": { "200": { "description": "", "content": file() } } },
        "put": { "requestBody": { "content": file() }, "responses": { "204": { "description": "" } } }
    });
    let sandbox = start(&document).await;
    let written = json!({ "theme": "written" });
    send(&sandbox, Method::PUT, "/users/a@b/settings", Some(written.clone())).await;
    for path in ["/users/a@b/settings", "/users/a%40b/settings", "/%75sers/a%40b/settings/"] {
        assert_eq!(body(send(&sandbox, Method::GET, path, None).await).await, written, "{path}");
    }
    assert_ne!(body(send(&sandbox, Method::GET, "/users/a%2540b/settings", None).await).await, written);

    let url = format!("{}/logo", sandbox.base_url());
    let put = client().put(&url).header("content-type", "application/octet-stream").body("bytes").send().await.unwrap();
    assert_eq!(put.status(), 204);
    assert_eq!(client().get(&url).send().await.unwrap().text().await.unwrap(), "bytes");
    sandbox.stop().await;
}

#[tokio::test]
async fn a_file_that_a_create_brings_has_the_name_and_the_life_of_its_item() {
    let mut document = pets("3.0.3");
    document["security"] = json!([]);
    let item = || json!({ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } });
    let form = json!({ "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string" }, "content": { "type": "string", "format": "binary" }
    } });
    let answer = |status: &str, schema| json!({ status: { "description": "", "content": { "application/json": { "schema": schema } } } });
    document["paths"]["/documents"] = json!({
        "get": { "responses": answer("200", json!({ "type": "array", "items": item() })) },
        "post": {
            "requestBody": { "content": { "multipart/form-data": { "schema": form } } },
            "responses": answer("201", item())
        }
    });
    let name = json!([{ "in": "path", "name": "name", "required": true, "schema": { "type": "string" } }]);
    document["paths"]["/documents/{name}"] = json!({
        "parameters": name,
        "get": { "responses": answer("200", item()) },
        "delete": { "responses": { "204": { "description": "" } } }
    });
    let binary = json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
    document["paths"]["/documents/{name}/content"] = json!({
        "parameters": name, "get": { "responses": { "200": { "description": "", "content": binary } } }
    });
    let note = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    document["paths"]["/documents/{name}/note"] = json!({
        "parameters": name,
        "get": { "responses": answer("200", note.clone()) },
        "put": {
            "requestBody": { "content": { "application/json": { "schema": note } } },
            "responses": answer("200", note)
        }
    });
    let key = json!([{ "in": "path", "name": "id", "required": true, "schema": { "type": "string" } }]);
    let page = json!({ "type": "object", "properties": { "id": { "type": "string" }, "text": { "type": "string" } } });
    document["paths"]["/documents/{name}/pages"] = json!({
        "parameters": name,
        "get": { "responses": answer("200", json!({ "type": "array", "items": page })) },
        "post": {
            "requestBody": { "content": { "application/json": { "schema": page } } },
            "responses": answer("201", page.clone())
        }
    });
    document["paths"]["/documents/{name}/pages/{id}"] =
        json!({ "parameters": [name[0], key[0]], "get": { "responses": answer("200", page) } });
    let sandbox = start(&document).await;
    let part = |head: &str, text: &str| format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{text}\r\n");
    let content = part("name=\"content\"; filename=\"f\"", "bytes");
    let create = async |content: &str| {
        let parts = [part("name=\"name\"", "a b%.txt").as_str(), content, "--x--\r\n"].concat();
        let request = client().post(format!("{}/documents", sandbox.base_url()));
        let created = request.header("content-type", "multipart/form-data; boundary=x").body(parts);
        assert_eq!(created.send().await.unwrap().status(), 201);
    };
    let read = async |path: &str| send(&sandbox, Method::GET, path, None).await.text().await.unwrap();
    const PATH: &str = "/documents/a%20b%25.txt";
    let file = format!("{PATH}/content");
    let (note, pages) = (format!("{PATH}/note"), format!("{PATH}/pages"));
    // By its own name, and by one that differs in case: both are names of the item.
    for name in [PATH, "/documents/A%20B%25.TXT"] {
        create(&content).await;
        assert_eq!(read(&file).await, "bytes");
        send(&sandbox, Method::PUT, &note, Some(json!({ "text": "mine" }))).await;
        send(&sandbox, Method::POST, &pages, Some(json!({ "text": "mine" }))).await;
        assert!(read(&note).await.contains("mine") && read(&pages).await.contains("mine"));
        assert_eq!(send(&sandbox, Method::DELETE, name, None).await.status(), 204);
        assert_eq!(send(&sandbox, Method::GET, &file, None).await.status(), 404);
        // A new item of this name has nothing of the deleted one.
        create("").await;
        assert_ne!(read(&file).await, "bytes", "{name}");
        assert!(!read(&note).await.contains("mine") && !read(&pages).await.contains("mine"), "{name}");
        send(&sandbox, Method::DELETE, PATH, None).await;
    }
    sandbox.stop().await;
}

#[tokio::test]
async fn a_member_that_a_merge_patch_removes_stays_away() {
    let mut document = pets("3.0.3");
    let content = json!({ "application/merge-patch+json": { "schema": { "type": "object" } } });
    let mut patch = document["paths"]["/pets/{petId}"]["put"].clone();
    patch["requestBody"] = json!({ "content": content });
    document["paths"]["/pets/{petId}"]["patch"] = patch;
    let sandbox = start(&document).await;
    let created = body(send(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Rex", "tag": "dog" }))).await).await;
    let url = format!("{}/pets/{}", sandbox.base_url(), created["id"]);
    let request = client().patch(url).header("x-key", "any").header("content-type", "application/merge-patch+json");
    let patched = body(request.body(r#"{"tag":null}"#).send().await.unwrap()).await;
    assert_eq!(patched, json!({ "id": created["id"], "name": "Rex" }));
    sandbox.stop().await;
}

/// Catches a value that a write in another form, or a change of some members, leaves invalid in the state.
#[tokio::test]
async fn a_value_that_exists_once_is_stored_as_its_schema_says() {
    let mut document = pets("3.0.3");
    let anything =
        json!({ "content": { "application/json": { "schema": {} }, "application/json-patch+json": { "schema": {} } } });
    let changed = json!({ "requestBody": anything, "responses": { "200": { "description": "" } } });
    for method in ["post", "patch"] {
        document["paths"]["/config"][method] = changed.clone();
    }
    let sandbox = start(&document).await;
    let stored = async || {
        let address = format!("{}/sandbox/item?address=/v1/config", sandbox.origin());
        body(client().get(address).send().await.unwrap()).await["fields"].clone()
    };
    let valid = json!({ "id": 1, "name": "Rex", "tag": "dog" });
    assert_eq!(send(&sandbox, Method::PUT, "/config", Some(valid.clone())).await.status(), 200);
    assert_eq!(stored().await, valid);
    for wrong in [json!({ "name": 5 }), json!({ "name": "" }), json!({ "id": "one" }), json!("text"), json!([1])] {
        assert_eq!(send(&sandbox, Method::POST, "/config", Some(wrong.clone())).await.status(), 200);
        let fields = stored().await;
        let is_valid = fields["id"].is_i64() && fields["name"].as_str().is_some_and(|name| !name.is_empty());
        assert!(is_valid, "{wrong}: {fields}");
    }
    assert_eq!(send(&sandbox, Method::PUT, "/config", Some(valid.clone())).await.status(), 200);
    let steps = json!([{ "op": "remove", "path": "/tag" }, { "op": "replace", "path": "/name", "value": "Max" }]);
    assert_eq!(send(&sandbox, Method::PATCH, "/config", Some(steps)).await.status(), 200);
    assert_eq!(stored().await, json!({ "id": 1, "name": "Max" }));

    let put = async |fields: Value| {
        let address = format!("{}/sandbox/item?address=/v1/config", sandbox.origin());
        client().put(address).json(&fields).send().await.unwrap()
    };
    let refused = put(json!({ "id": 1, "name": 5 })).await;
    assert_eq!(refused.status(), 400);
    assert!(body(refused).await["errors"]["$.name"].is_array());
    assert_eq!(put(valid.clone()).await.status(), 200);
    assert_eq!(stored().await, valid);
}

/// Catches a replacement that is taken for a JSON patch, because its elements have members of that name.
#[tokio::test]
async fn a_value_whose_elements_look_like_steps_is_replaced() {
    let mut document = pets("3.0.3");
    let value = json!({ "description": "", "content": { "application/json": { "schema": {} } } });
    document["paths"]["/rules"] = json!({
        "get": { "responses": { "200": value } },
        "put": { "requestBody": value, "responses": { "200": value } }
    });
    let sandbox = start(&document).await;
    for rules in [json!([{ "op": "eq", "path": "/a" }]), json!([{ "op": "remove", "path": "/0" }])] {
        assert_eq!(send(&sandbox, Method::PUT, "/rules", Some(rules.clone())).await.status(), 200);
        assert_eq!(body(send(&sandbox, Method::GET, "/rules", None).await).await, rules);
    }
}
