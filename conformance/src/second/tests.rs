use serde_json::{Value, json};

use super::contract::Contract;
use super::generate::generate;

fn contract(parameters: &Value, body: &Value) -> Vec<u8> {
    let mut operation = json!({ "parameters": parameters, "responses": { "200": { "description": "" } } });
    if !body.is_null() {
        operation["requestBody"] = body.clone();
    }
    json!({
        "openapi": "3.0.1",
        "info": { "title": "", "version": "" },
        "servers": [{ "url": "https://pets.example/{stage}/", "variables": { "stage": { "default": "v1" } } }],
        "paths": { "/pets/{id}/~": { "get": operation } },
        "components": {
            "schemas": { "Pet": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } } },
            "securitySchemes": { "key": { "type": "apiKey", "in": "query", "name": "key" } },
        },
    })
    .to_string()
    .into_bytes()
}

/// The source of the client, or the reason that it has no operation.
fn outcome(parameters: Value, body: Value) -> Result<String, String> {
    let mut all = parameters.as_array().unwrap().clone();
    all.push(json!({ "in": "path", "name": "id", "required": true, "schema": { "type": "string" } }));
    let generated = generate(&Contract::read(&contract(&Value::Array(all), &body)).unwrap()).unwrap();
    assert_eq!((generated.bases, generated.keys), (vec!["/v1".to_owned()], vec!["key".to_owned()]));
    assert_eq!(generated.operations.len(), 1);
    generated.operations["/paths/~1pets~1{id}~1~0/get"].clone()?;
    // Tokens, without the spaces between them.
    Ok(generated.source.split_whitespace().collect())
}

fn json_body(schema: Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

#[test]
fn each_argument_has_the_value_of_its_name() {
    let query = |name: &str, schema: Value| json!({ "in": "query", "name": name, "schema": schema });
    let source = outcome(
        json!([
            { "in": "header", "name": "X-Trace", "schema": { "type": "string" } },
            { "in": "header", "name": "X-Version", "required": true, "schema": { "type": "string", "pattern": "^v" } },
            query("type", json!({ "type": "string", "maxLength": 9 })),
            { "in": "query", "name": "after", "required": true, "schema": { "type": "integer", "format": "int64" } },
            query("kinds", json!({ "type": "array", "items": { "type": "string" } })),
        ]),
        json_body(json!({ "$ref": "#/components/schemas/Pet" })),
    )
    .unwrap();
    for part in [
        "=line.take::<String>(\"path\",\"id\")?;",
        "=line.take::<i64>(\"query\",\"after\")?;",
        "=line.find::<::std::vec::Vec<::std::string::String>>(\"query\",\"kinds\")?;",
        "=line.find::<types::Op0Type>(\"query\",\"type\")?;",
        "=line.body::<types::Pet>()?;",
        "=line.find::<String>(\"header\",\"X-Trace\")?;",
        "=line.take::<types::Op0XVersion>(\"header\",\"X-Version\")?;",
        "client.op0(&a0,a1,a2.as_ref(),a3.as_ref(),",
    ] {
        assert!(source.contains(part), "{part} in {source}");
    }
}

#[test]
fn an_operation_that_progenitor_cannot_express_has_a_reason() {
    let text = || json!({ "type": "string" });
    let list = || json!({ "type": "array", "items": { "type": "string" } });
    let one = |parameter: Value| (json!([parameter]), Value::Null);
    let body = |content: Value| (json!([]), json!({ "content": content }));
    for ((parameters, body), reason) in [
        (one(json!({ "in": "cookie", "name": "session", "schema": text() })), "no parameters in \"cookie\""),
        (one(json!({ "in": "query", "name": "id", "schema": text() })), "gives two arguments the name id"),
        (one(json!({ "in": "header", "name": "ID", "schema": text() })), "gives two arguments the name id"),
        (one(json!({ "in": "query", "name": "a", "explode": false, "schema": list() })), "`explode: false`"),
        (one(json!({ "in": "query", "name": "a", "style": "pipeDelimited", "schema": list() })), "unsupported style"),
        (one(json!({ "in": "query", "name": "a", "content": { "application/json": {} } })), "unexpected content"),
        (one(json!({ "in": "header", "name": "X-A", "schema": list() })), "cannot write the header X-A"),
        (
            one(json!({ "in": "header", "name": "X-A", "schema": { "type": "string", "nullable": true } })),
            "the header X-A",
        ),
        (one(json!({ "in": "header", "name": "Api-Version", "schema": text() })), "header api-version of its own"),
        (one(json!({ "in": "path", "name": "other", "required": true, "schema": text() })), "missing from path"),
        (one(json!({ "in": "query", "name": "a", "schema": { "$ref": "#/components/schemas/None" } })), "progenitor"),
        (body(json!({ "multipart/form-data": { "schema": text() } })), "unexpected content type"),
        (body(json!({ "text/csv": { "schema": text() }, "text/plain": { "schema": text() } })), "one media type"),
        (body(json!({ "application/json": {} })), "no schema"),
    ] {
        let actual = outcome(parameters, body).unwrap_err();
        assert!(actual.contains(reason), "{reason} in {actual}");
    }
}

#[test]
fn other_contracts_are_refused() {
    let read = |text: &str| Contract::read(text.as_bytes()).map(drop).unwrap_err();
    assert_eq!(read("openapi: 3.1.0"), "progenitor reads OpenAPI 3.0");
    assert_eq!(read("{\"swagger\": \"2.0\"}"), "progenitor reads OpenAPI 3.0");
    assert!(read("\"").contains("cannot be read"));
    assert!(Contract::read(b"openapi: 3.0.0\npaths: {}\n").is_ok());
}
