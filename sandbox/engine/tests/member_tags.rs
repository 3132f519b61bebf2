//! The tag in a member of an item: each change renews it, whoever makes the change.

use driftless_sandbox::{Behaviour, Options};
use reqwest::Method;
use serde_json::{Value, json};

use super::conditional::{ask, mentioned, tag};
use super::{body, client, pets, send, start};

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
    // The item does not take a tag that the request sends: an earlier state could have had it.
    document["components"]["schemas"]["Pet"]["properties"]["e_tag"] = json!({ "type": "string" });
    document["components"]["schemas"]["Pet"]["required"] = json!(["id", "name"]);
    let sandbox = start(&document).await;
    let mut tags = std::collections::BTreeSet::from(["own".to_owned()]);
    for _ in 0..3 {
        let item = json!({ "name": "Max", "e_tag": "own" });
        let answer = body(send(&sandbox, Method::PUT, "/pets/1", Some(item)).await).await;
        assert!(tags.insert(answer["e_tag"].as_str().unwrap().to_owned()), "{answer}");
    }
}

/// Catches a program that goes on with the tag of an item which somebody has changed, or made anew, in the console.
#[tokio::test]
async fn the_control_interface_renews_the_tag_in_a_member() {
    let mut document = mentioned("3.0.3", "/pets/{petId}", "put", "If-Match");
    let pet = &mut document["components"]["schemas"]["Pet"];
    pet["properties"]["etag"] = json!({ "type": "string", "readOnly": true });
    pet["required"] = json!(["id", "name", "etag"]);
    for path in ["/pets/1", "/config"] {
        let sandbox = start(&document).await;
        let console = async |method: Method, rest: String, sent: Value| {
            let request = client().request(method, format!("{}/sandbox/{rest}", sandbox.origin())).json(&sent);
            request.send().await.unwrap()
        };
        let item = format!("item?address=/v1{path}");
        assert_eq!(ask(&sandbox, Method::PUT, path, &[]).await.status(), 200, "stores the value");
        let mut fields = body(ask(&sandbox, Method::GET, path, &[]).await).await;
        for name in ["Ada", "Ada", "Rex"] {
            let before = fields["etag"].clone();
            fields["name"] = json!(name);
            let changed = body(console(Method::PUT, item.clone(), fields).await).await;
            fields = changed["fields"].clone();
            assert_ne!(fields["etag"], before, "{path}");
            assert_eq!(body(ask(&sandbox, Method::GET, path, &[]).await).await, fields, "{path}");
            let stale = before.as_str().unwrap();
            assert_eq!(ask(&sandbox, Method::PUT, path, &[("if-match", stale)]).await.status(), 412, "{path}");
        }
    }
    let sandbox = start(&document).await;
    let console = async |method: Method, rest: &str, name: &str| {
        let sent = json!({ "collection": "/v1/pets", "key": "9", "fields": { "id": 9, "name": name } });
        let request = client().request(method, format!("{}/sandbox/{rest}", sandbox.origin())).json(&sent);
        request.send().await.unwrap().status()
    };
    assert_eq!(console(Method::POST, "items", "Ada").await, 201);
    let first = body(ask(&sandbox, Method::GET, "/pets/9", &[]).await).await;
    assert_eq!(console(Method::DELETE, "item?address=/v1/pets/9", "").await, 204);
    assert_eq!(console(Method::POST, "items", "Rex").await, 201);
    let stale = first["etag"].as_str().unwrap();
    assert_eq!(ask(&sandbox, Method::PUT, "/pets/9", &[("if-match", stale)]).await.status(), 412);
}

/// Forms of the member `etag` that do not take the same digits.
fn forms() -> [Value; 5] {
    [
        json!({ "type": "string" }),
        json!({ "type": "string", "maxLength": 8 }),
        json!({ "type": "string", "format": "uuid" }),
        json!({ "type": "string", "pattern": "^v[0-9]{9}$" }),
        json!({ "type": "string", "pattern": "^W/\"[0-9]{9}\"$" }),
    ]
}

#[tokio::test]
async fn a_tag_in_a_member_has_the_form_of_its_schema() {
    for path in ["/pets/1", "/config"] {
        for (form, is_required) in forms().into_iter().flat_map(|form| [(form.clone(), true), (form, false)]) {
            // A PUT of an item leaves out what it does not send.
            if !is_required && path == "/pets/1" {
                continue;
            }
            let mut document = mentioned("3.0.3", "/pets/{petId}", "put", "If-Match");
            let pet = &mut document["components"]["schemas"]["Pet"];
            pet["properties"]["etag"] = form.clone();
            pet["properties"]["etag"]["readOnly"] = json!(true);
            if is_required {
                pet["required"] = json!(["id", "name", "etag"]);
            }
            let sandbox = start(&document).await;
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..3 {
                let current = body(ask(&sandbox, Method::GET, path, &[]).await).await["etag"].clone();
                let current = current.as_str().unwrap();
                assert!(seen.insert(current.to_owned()), "{path} {form}: {seen:?}");
                let other = ask(&sandbox, Method::PUT, path, &[("if-match", "\"other\"")]).await;
                assert_eq!(other.status(), 412, "{path} {form}");
                for status in [200, 412] {
                    let answer = ask(&sandbox, Method::PUT, path, &[("if-match", current)]).await;
                    assert_eq!(answer.status(), status, "{path} {form}: {current}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_member_with_few_texts_is_no_tag() {
    let mut document = mentioned("3.0.3", "/pets/{petId}", "put", "If-Match");
    document["components"]["schemas"]["Pet"]["properties"]["etag"] = json!({ "type": "string", "enum": ["a", "b"] });
    document["components"]["schemas"]["Pet"]["required"] = json!(["id", "name", "etag"]);
    let sandbox = start(&document).await;
    let put = async |etag: &str, tag: &str| {
        let request = client().put(format!("{}/pets/1", sandbox.base_url())).header("x-key", "any");
        let request = request.header("if-match", tag).json(&json!({ "name": "Max", "etag": etag }));
        request.send().await.unwrap().status()
    };
    let strong = tag(&ask(&sandbox, Method::GET, "/pets/1", &[]).await).unwrap();
    assert_eq!(put("a", &strong).await, 200);
    for text in ["a", "b", &strong] {
        assert_eq!(put("a", text).await, 412, "{text}");
    }
}

#[tokio::test]
async fn work_that_goes_on_renews_the_tag_in_a_member() {
    let mut document = pets("3.0.3");
    let pet = &mut document["components"]["schemas"]["Pet"];
    pet["properties"]["etag"] = json!({ "type": "string" });
    pet["properties"]["tag"] = json!({ "type": "string", "enum": ["wet", "dry"] });
    pet["required"] = json!(["id", "name", "etag", "tag"]);
    let wash = json!({ "post": { "responses": document["paths"]["/pets/{petId}"]["get"]["responses"] } });
    document["paths"]["/pets/{petId}/wash"] = wash;
    document["paths"]["/pets/{petId}/wash"]["parameters"] = document["paths"]["/pets/{petId}"]["parameters"].clone();
    let text = "[[work]]\noperation = \"POST /pets/{petId}/wash\"\nmember = \"tag\"\nstates = [\"wet\", \"dry\"]\n";
    let mut options = Options::default();
    options.behaviour = Behaviour::read("sandbox.toml", text).unwrap();
    let sandbox = driftless_sandbox::start_with(document.to_string().as_bytes(), options).await.unwrap();
    let written = body(ask(&sandbox, Method::GET, "/pets/1", &[]).await).await;
    let condition = [("if-match", written["etag"].as_str().unwrap())];
    for status in [200, 412] {
        let washed = ask(&sandbox, Method::POST, "/pets/1/wash", &condition).await;
        assert_eq!(washed.status(), status, "{written}");
    }
}
