//! Tests with a running server: create, read, list, change and delete in all dialects, refusals, and hostile contracts.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod additions;
mod behaviour;
#[allow(dead_code, reason = "the tests of the other sandbox use all of it")]
mod browser;
mod conditional;
mod console;
mod control;
#[cfg(feature = "data")]
mod data;
mod document;
mod files;
#[cfg(feature = "graphql")]
mod graphql;
mod hostile;
mod integers;
#[cfg(feature = "issuer")]
mod issuer;
#[cfg(feature = "issuer")]
mod issuer_refusals;
mod member_tags;
mod program;
mod schedule;
mod scripts;
mod several;
mod walk;

use std::sync::LazyLock;

use driftless_sandbox::{Options, Sandbox};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

/// The contract of pets in a dialect: a list, items, a singleton, and a key in a header.
fn pets(dialect: &str) -> Value {
    let schemas = json!({
        "Pet": { "type": "object", "required": ["id", "name"], "properties": {
            "id": { "type": "integer", "readOnly": true }, "name": { "type": "string", "minLength": 1 }, "tag": { "type": "string" } } },
        "Problem": { "type": "object", "required": ["message"], "properties": { "message": { "type": "string" } } }
    });
    let is_swagger = dialect == "2.0";
    let reference = |name: &str| json!({ "$ref": if is_swagger { format!("#/definitions/{name}") } else { format!("#/components/schemas/{name}") } });
    let response = |schema: Value| match is_swagger {
        true => json!({ "description": "", "schema": schema }),
        false => json!({ "description": "", "content": { "application/json": { "schema": schema } } }),
    };
    let with_body = |mut operation: Value| {
        match is_swagger {
            true => {
                operation["parameters"] =
                    json!([{ "in": "body", "name": "body", "required": true, "schema": reference("Pet") }])
            }
            false => {
                operation["requestBody"] =
                    json!({ "required": true, "content": { "application/json": { "schema": reference("Pet") } } });
            }
        }
        operation
    };
    let text = |kind: &str| if is_swagger { json!({ "type": kind }) } else { json!({ "schema": { "type": kind } }) };
    let parameter = |location: &str, name: &str, kind: &str| {
        let mut parameter = text(kind);
        parameter["in"] = json!(location);
        parameter["name"] = json!(name);
        parameter["required"] = json!(location == "path");
        parameter
    };
    let list = json!({ "type": "array", "items": reference("Pet") });
    let mut document = json!({
        "info": { "title": "Pets", "version": "1" },
        "security": [{ "key": [] }],
        "paths": {
            "/pets": {
                "get": { "parameters": [parameter("query", "limit", "integer"), parameter("query", "tag", "string")], "responses": { "200": response(list) } },
                "post": with_body(json!({ "responses": { "201": response(reference("Pet")), "400": response(reference("Problem")) } }))
            },
            "/pets/{petId}": {
                "parameters": [parameter("path", "petId", "integer")],
                "get": { "responses": { "200": response(reference("Pet")), "404": response(reference("Problem")) } },
                "put": with_body(json!({ "parameters": [], "responses": { "200": response(reference("Pet")) } })),
                "delete": { "responses": { "204": { "description": "" } } }
            },
            "/config": {
                "get": { "responses": { "200": response(reference("Pet")) } },
                "put": with_body(json!({ "responses": { "200": response(reference("Pet")) } }))
            }
        }
    });
    let key = json!({ "key": { "type": "apiKey", "in": "header", "name": "x-key" } });
    match is_swagger {
        true => {
            document["swagger"] = json!("2.0");
            document["basePath"] = json!("/v1");
            document["definitions"] = schemas;
            document["securityDefinitions"] = key;
        }
        false => {
            document["openapi"] = json!(dialect);
            document["servers"] = json!([{ "url": "https://pets.example/v1" }]);
            document["components"] = json!({ "schemas": schemas, "securitySchemes": key });
        }
    }
    document
}

async fn start(document: &Value) -> Sandbox {
    driftless_sandbox::start_with(document.to_string().as_bytes(), Options::default()).await.unwrap()
}

/// The parts that the modules need which test both sandboxes.
mod support {
    pub(crate) fn http() -> reqwest::Client {
        super::client()
    }

    pub(crate) async fn fetch(address: String) -> reqwest::Result<reqwest::Response> {
        super::client().get(address).send().await
    }
}

/// A client: the library for TLS wants a provider, although nothing here is encrypted.
fn client() -> Client {
    // Made once, because it reads the certificates of the system. Each test has a runtime of its own, so no connection is kept.
    static CLIENT: LazyLock<Client> = LazyLock::new(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder().pool_max_idle_per_host(0).build().unwrap()
    });
    CLIENT.clone()
}

/// Sends a request with credentials.
async fn send(sandbox: &Sandbox, method: Method, path: &str, body: Option<Value>) -> Response {
    let request = client().request(method, format!("{}{path}", sandbox.base_url())).header("x-key", "any");
    let request = match body {
        Some(body) => request.json(&body),
        None => request,
    };
    request.send().await.unwrap()
}

async fn body(response: Response) -> Value {
    response.json().await.unwrap()
}
