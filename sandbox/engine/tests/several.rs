//! Several contracts on one port.

use driftless_sandbox::{Behaviour, Document, Options, explain_all, start_all};
use reqwest::Method;
use serde_json::{Value, json};

use super::{body, client, pets, send};

/// The contract of pets below another base path.
fn below(base: &str) -> String {
    let mut contract = pets("2.0");
    contract["basePath"] = json!(base);
    contract.to_string()
}

#[tokio::test]
async fn each_contract_has_its_own_state_below_its_own_base_path() {
    let (one, two) = (below("/v1"), below("/v2"));
    let documents = [Document::new("one.json", one.as_bytes()), Document::new("two.json", two.as_bytes())];
    let sandbox = start_all(&documents, Options::default()).await.unwrap();
    assert_eq!(sandbox.base_url(), format!("{}/v1", sandbox.origin()));
    let created = body(send(&sandbox, Method::POST, "/pets", Some(json!({ "id": 0, "name": "Rex" }))).await).await;
    let get = async |path: String| {
        let request = client().get(format!("{}{path}", sandbox.origin())).header("x-key", "any");
        request.send().await.unwrap()
    };
    let id = &created["id"];
    assert_eq!(body(get(format!("/v1/pets/{id}")).await).await["name"], "Rex");
    assert_eq!(get(format!("/v2/pets/{id}")).await.status(), 404);
    assert_eq!(body(get("/v2/pets".to_owned()).await).await.as_array().map(Vec::len), Some(2));
    let request = client().delete(format!("{}/v2/pets", sandbox.origin()));
    let refused = request.send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["allow"].to_str().unwrap()), (405, "GET, POST"));
    assert_eq!(get("/none".to_owned()).await.status(), 404);
    sandbox.stop().await;
}

/// Without base paths, a request goes to the more literal template.
#[tokio::test]
async fn a_request_goes_to_the_contract_with_the_more_literal_template() {
    let contract = |path: &str, value: &str| {
        let schema = json!({ "type": "string", "enum": [value] });
        let content = json!({ "application/json": { "schema": schema } });
        json!({ "openapi": "3.0.3", "paths": { path: { "get": { "responses": { "200": { "description": "", "content": content } } } } } })
            .to_string()
    };
    let (general, literal) = (contract("/{any}", "general"), contract("/me", "literal"));
    let documents = [Document::new("general", general.as_bytes()), Document::new("literal", literal.as_bytes())];
    let sandbox = start_all(&documents, Options::default()).await.unwrap();
    for (path, value) in [("/me", "literal"), ("/you", "general")] {
        let answer: Value =
            client().get(format!("{}{path}", sandbox.origin())).send().await.unwrap().json().await.unwrap();
        assert_eq!(answer, value, "{path}");
    }
    sandbox.stop().await;
}

#[tokio::test]
async fn an_operation_of_two_contracts_is_an_error_that_names_both() {
    let (one, two) = (below("/v1"), below("/v2"));
    let mut same = pets("3.0.3");
    same["paths"] = json!({ "/pets/{other}": { "get": {} } });
    let same = same.to_string();
    let documents = [
        Document::new("one.json", one.as_bytes()),
        Document::new("two.json", two.as_bytes()),
        Document::new("same.json", same.as_bytes()),
    ];
    let error = start_all(&documents, Options::default()).await.unwrap_err();
    assert_eq!((error.code(), error.pointer()), ("contract/twice", "/paths/~1pets~1{other}/get"));
    assert!(error.to_string().starts_with("same.json: GET /pets/{other} is an operation of one.json, too"), "{error}");
    let unread = [Document::new("one.json", one.as_bytes()), Document::new("bad.json", b"{}")];
    assert!(explain_all(&unread, &Behaviour::default()).unwrap_err().to_string().starts_with("bad.json: "));
    let table = explain_all(&documents[..2], &Behaviour::default()).unwrap();
    assert!(table.starts_with("one.json\n\noperation") && table.contains("\ntwo.json\n\noperation"), "{table}");
}
