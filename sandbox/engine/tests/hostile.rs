use driftless_sandbox::{Options, explain, start_with};
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
    assert_eq!((error.code(), error.pointer()), ("contract/version", "/openapi"));
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
