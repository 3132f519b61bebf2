use serde_json::json;

use super::{Contract, Location, SchemaRef, Status, Style};

fn read(document: &serde_json::Value) -> Contract {
    Contract::read(document.to_string().as_bytes()).unwrap()
}

#[test]
fn swagger_2_becomes_the_common_form() {
    let contract = read(&json!({
        "swagger": "2.0", "basePath": "/api/", "consumes": ["application/json"],
        "parameters": { "Page": { "in": "query", "name": "page", "type": "integer" } },
        "paths": {
            "/pets/{ID}": {
                "parameters": [{ "in": "path", "name": "id", "type": "string", "required": true }],
                "get": {
                    "parameters": [{ "$ref": "#/parameters/Page" }, { "in": "query", "name": "tags", "type": "array", "items": {}, "collectionFormat": "pipes" }],
                    "produces": ["text/csv"], "responses": { "200": { "schema": { "type": "file" } }, "4xx": {}, "default": {} }
                },
                "post": { "parameters": [{ "in": "formData", "name": "photo", "type": "file", "required": true }, { "in": "formData", "name": "n", "type": "integer" }], "responses": {} }
            }
        }
    }));
    assert_eq!(contract.base_path, "/api");
    let [get, post] = contract.operations.as_slice() else { panic!("{:?}", contract.operations) };
    let names: Vec<_> =
        get.parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.location, parameter.style)).collect();
    assert_eq!(
        names,
        [
            ("page", Location::Query, Style::Form),
            ("tags", Location::Query, Style::Pipe),
            ("id", Location::Path, Style::Simple)
        ]
    );
    assert_eq!(get.segments.iter().flat_map(|segment| segment.parameters()).collect::<Vec<_>>(), ["id"]);
    assert_eq!(
        get.responses.iter().map(|response| response.status).collect::<Vec<_>>(),
        [Status::Exact(200), Status::Range(4), Status::Default]
    );
    let body = post.body.as_ref().unwrap();
    assert_eq!(body.content.first().unwrap().media_type, "multipart/form-data");
    let Some(SchemaRef::Inline(schema)) = &body.content.first().unwrap().schema else { panic!("{body:?}") };
    assert_eq!(
        **schema,
        json!({ "type": "object", "properties": { "photo": { "type": "string", "format": "binary" }, "n": { "type": "integer" } }, "required": ["photo"] })
    );
}

#[test]
fn openapi_3_keeps_pointers_behind_references() {
    let contract = read(&json!({
        "openapi": "3.1.0", "servers": [{ "url": "https://{host}/v1/", "variables": { "host": { "default": "a.example" } } }],
        "paths": { "/pets": { "post": { "requestBody": { "$ref": "#/components/requestBodies/Pet" }, "responses": { "201": { "$ref": "#/components/responses/Pet" } } } } },
        "components": {
            "requestBodies": { "Pet": { "content": { "application/json": { "schema": { "type": "object" }, "examples": { "a": { "value": 1 } } } } } },
            "responses": { "Pet": { "content": { "application/json": {} } } }
        }
    }));
    assert_eq!(contract.base_path, "/v1");
    let operation = contract.operations.first().unwrap();
    let content = operation.body.as_ref().unwrap().content.first().unwrap();
    assert_eq!(
        content.schema,
        Some(SchemaRef::pointer("/components/requestBodies/Pet/content/application~1json/schema"))
    );
    assert_eq!(content.examples, [json!(1)]);
    assert_eq!(operation.responses.first().unwrap().content.first().unwrap().schema, None);
}

#[test]
fn an_example_that_is_a_text_with_an_object_is_the_object() {
    let table = [
        ("application/json", json!({ "properties": {} }), json!("{ \"a\": 1 }"), json!({ "a": 1 })),
        ("application/json", json!({ "type": "array" }), json!("[1]"), json!([1])),
        ("application/json", json!({ "type": "string" }), json!("{}"), json!("{}")),
        ("application/json", json!({ "type": ["string", "null"] }), json!("{}"), json!("{}")),
        ("application/json", json!({}), json!("7"), json!("7")),
        ("application/json", json!({}), json!("{"), json!("{")),
        ("text/plain", json!({}), json!("{}"), json!("{}")),
    ];
    for (media_type, schema, example, expected) in table {
        let content = json!({ media_type: { "schema": schema, "example": example } });
        let contract = read(&json!({
            "openapi": "3.0.3",
            "paths": { "/a": { "get": { "responses": { "200": { "content": content } } } } },
        }));
        let response = contract.operations.first().unwrap().responses.first().unwrap();
        assert_eq!(response.content.first().unwrap().examples, [expected], "{media_type} {schema}");
    }
}

#[test]
fn yaml_is_read_with_statuses_and_versions_as_numbers() {
    let contract =
        Contract::read(b"swagger: 2.0\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: ok}\n")
            .unwrap();
    assert_eq!(contract.operations.first().unwrap().responses.first().unwrap().status, Status::Exact(200));
}

#[test]
fn a_contract_that_cannot_be_read_is_an_error_with_a_code() {
    let deep = format!("{{\"openapi\": \"3.0.0\", \"x\": {}", "[".repeat(100_000));
    let circle = json!({ "openapi": "3.0.0", "paths": { "/a": { "$ref": "#/paths/~1a" } } }).to_string();
    for (text, code) in [
        ("", "contract/empty"),
        ("<html>", "contract/html"),
        ("{\"openapi\": \"3.0.0\",", "contract/truncated"),
        ("a: [", "contract/not-yaml"),
        ("just text", "contract/not-a-contract"),
        ("{}", "contract/not-a-contract"),
        ("{\"openapi\": \"4.0\"}", "contract/unknown-version"),
        ("{\"openapi\": \"3.0.0\", \"paths\": []}", "contract/not-a-contract"),
        ("ab\0c", "contract/encoding"),
        (&deep, "contract/too-deep"),
    ] {
        assert_eq!(Contract::read(text.as_bytes()).unwrap_err().code(), code, "{:.60}", text);
    }
    assert!(Contract::read(circle.as_bytes()).unwrap().operations.is_empty());
}
