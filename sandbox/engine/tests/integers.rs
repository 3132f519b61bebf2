use reqwest::Method;
use serde_json::{Value, json};

use super::{client, send, start};

const LEAST: i64 = i64::MIN;
const MOST: i64 = i64::MAX;
const HUGE: u64 = u64::MAX;

/// A contract of accounts whose identifiers and members are integers of 64 bits.
fn accounts(dialect: &str, format: &str) -> Value {
    let is_swagger = dialect == "2.0";
    let integer = |limits: Value| {
        let mut schema = json!({ "type": "integer", "format": format });
        schema.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
        schema
    };
    let account = json!({ "type": "object", "required": ["id", "top"], "properties": {
        "id": integer(json!({})), "balance": integer(json!({})), "top": integer(json!({ "minimum": MOST })) } });
    let response = |schema: &Value| match is_swagger {
        true => json!({ "description": "", "schema": schema }),
        false => json!({ "description": "", "content": { "application/json": { "schema": schema } } }),
    };
    let parameter = |place: &str, name: &str, schema: Value| {
        let mut parameter = if is_swagger { schema } else { json!({ "schema": schema }) };
        (parameter["in"], parameter["name"], parameter["required"]) =
            (json!(place), json!(name), json!(place == "path"));
        parameter
    };
    let with_body = |status: &str| match is_swagger {
        true => {
            json!({ "parameters": [{ "in": "body", "name": "body", "schema": account }], "responses": { status: response(&account) } })
        }
        false => json!({
            "requestBody": { "content": { "application/json": { "schema": account } } },
            "responses": { status: response(&account) }
        }),
    };
    let list = json!({ "type": "array", "items": account });
    let query =
        [parameter("query", "balance", integer(json!({}))), parameter("query", "sort", json!({ "type": "string" }))];
    let mut document = json!({ "paths": {
        "/accounts": { "get": { "parameters": query, "responses": { "200": response(&list) } }, "post": with_body("201") },
        "/accounts/{id}": {
            "parameters": [parameter("path", "id", integer(json!({})))],
            "get": { "responses": { "200": response(&account) } },
            "put": with_body("200"),
            "delete": { "responses": { "204": { "description": "" } } }
        }
    } });
    document[if is_swagger { "swagger" } else { "openapi" }] = json!(dialect);
    document
}

/// Each text is compared: a reader of JSON could round on both sides.
#[tokio::test]
async fn integers_of_64_bits_are_kept_digit_by_digit() {
    for (dialect, format, ids) in [
        ("2.0", "int64", [LEAST.to_string(), MOST.to_string()]),
        ("3.0.3", "int64", [(LEAST + 1).to_string(), (MOST - 1).to_string()]),
        ("3.1.0", "uint64", [HUGE.to_string(), (HUGE - 1).to_string()]),
    ] {
        let sandbox = start(&accounts(dialect, format)).await;
        let text = async |path: &str| send(&sandbox, Method::GET, path, None).await.text().await.unwrap();
        for id in &ids {
            let item = format!("{{\"id\":{id},\"balance\":{id},\"top\":{MOST}}}");
            let url = format!("{}/accounts", sandbox.base_url());
            let create = client().post(url).header("content-type", "application/json").body(item.clone());
            let created = create.send().await.unwrap();
            assert_eq!(created.headers()["location"].to_str().unwrap(), format!("/accounts/{id}"));
            assert_eq!(created.text().await.unwrap(), item);
            assert_eq!(text(&format!("/accounts/{id}")).await, item);
            assert_eq!(text(&format!("/accounts?balance={id}")).await, format!("[{item}]"), "{dialect}");
        }
        let id = &ids[0];
        let replaced =
            send(&sandbox, Method::PUT, &format!("/accounts/{id}"), Some(json!({ "id": 1, "top": MOST }))).await;
        assert_eq!(replaced.text().await.unwrap(), format!("{{\"id\":{id},\"top\":{MOST}}}"), "the path wins");
        assert_eq!(send(&sandbox, Method::DELETE, &format!("/accounts/{id}"), None).await.status(), 204);
        let first: Vec<Value> = serde_json::from_str(&text("/accounts").await).unwrap();
        assert!(first.iter().all(|item| item["top"].as_u64() >= u64::try_from(MOST).ok()), "{first:?}");
    }
}

#[tokio::test]
async fn integers_of_64_bits_are_in_their_order_whatever_stands_beside_them() {
    let mut document = accounts("3.1.0", "int64");
    let schemas = document.to_string().replace("\"format\":\"int64\"", "\"format\":\"any\"").replace(
        "\"balance\":{\"type\":\"integer\",\"format\":\"any\"}",
        "\"balance\":{\"type\":[\"number\",\"string\",\"null\",\"boolean\"]}",
    );
    document = serde_json::from_str(&schemas).unwrap();
    let sandbox = start(&document).await;
    for path in ["/accounts/1", "/accounts/2"] {
        assert_eq!(send(&sandbox, Method::DELETE, path, None).await.status(), 204);
    }
    let ascending = [
        "null",
        "false",
        "true",
        "-9223372036854775808",
        "-9223372036854775807",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775806",
        "9223372036854775807",
        "18446744073709551614",
        "18446744073709551615",
        "\"1\"",
    ];
    for at in [7, 2, 11, 4, 9, 0, 5, 10, 3, 8, 1, 6] {
        let item = format!("{{\"id\":{},\"balance\":{},\"top\":{MOST}}}", at + 1, ascending[at]);
        let body = serde_json::from_str(&item).unwrap();
        assert_eq!(send(&sandbox, Method::POST, "/accounts", Some(body)).await.status(), 201);
    }
    for (sort, is_reversed) in [("balance", false), ("-balance", true)] {
        let list = super::body(send(&sandbox, Method::GET, &format!("/accounts?sort={sort}"), None).await).await;
        let mut sorted: Vec<String> = list.as_array().unwrap().iter().map(|item| item["balance"].to_string()).collect();
        if is_reversed {
            sorted.reverse();
        }
        assert_eq!(sorted, ascending, "{sort}");
    }
}

#[tokio::test]
async fn a_filter_finds_a_number_whatever_its_form() {
    let document = accounts("3.1.0", "int64").to_string().replace("\"format\":\"int64\"", "\"format\":\"any\"");
    let number = document.replace("\"balance\":{\"type\":\"integer\"", "\"balance\":{\"type\":\"number\"");
    let mut document: Value = serde_json::from_str(&number).unwrap();
    document["paths"]["/accounts"]["get"]["parameters"][0]["schema"] = json!({ "type": "number" });
    let sandbox = start(&document).await;
    for (stored, others, none) in
        [("5", ["5", "5.0", "5e0"], "5.5"), ("9007199254740993", ["9007199254740993"; 3], "9007199254740992.0")]
    {
        let item = format!("{{\"id\":{stored},\"balance\":{stored},\"top\":{MOST}}}");
        send(&sandbox, Method::POST, "/accounts", Some(serde_json::from_str(&item).unwrap())).await;
        let filtered = async |wanted: &str| {
            super::body(send(&sandbox, Method::GET, &format!("/accounts?balance={wanted}"), None).await).await
        };
        for other in others {
            assert_eq!(filtered(other).await[0]["balance"].to_string(), stored, "{other}");
        }
        assert_eq!(filtered(none).await, json!([]), "{none}");
    }
}
