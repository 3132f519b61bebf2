//! What the tests share: a caller with a token, and the contract as JSON.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use platform_sandbox::{Client, Sandbox};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

pub const PROJECTS: &str = "/api/projects/v1/projects";

/// A sandbox and a bearer token for it.
pub struct Caller<'a> {
    sandbox: &'a Sandbox,
    http: reqwest::Client,
    token: String,
}

impl<'a> Caller<'a> {
    /// The client with this number: 0 for the first team, 1 for the other one.
    pub async fn new(sandbox: &'a Sandbox, number: usize) -> Self {
        Self { sandbox, http: reqwest::Client::new(), token: token(sandbox, &sandbox.clients()[number]).await }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.sandbox.base_url())).bearer_auth(&self.token)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub async fn get_json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    pub async fn post(&self, path: &str, body: &Value) -> Response {
        self.request(Method::POST, path).json(body).send().await.unwrap()
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.request(Method::DELETE, path).send().await.unwrap()
    }

    /// Creates something and gives back its body.
    pub async fn create(&self, path: &str, body: &Value) -> Value {
        let response = self.post(path, body).await;
        let status = response.status();
        let text = response.text().await.unwrap();
        assert_eq!(status, 201, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }
}

pub async fn ask_for_token(sandbox: &Sandbox, fields: &[(&str, &str)]) -> Response {
    let url = format!("{}/connect/token", sandbox.auth_url());
    reqwest::Client::new().post(url).form(fields).send().await.unwrap()
}

pub async fn token(sandbox: &Sandbox, client: &Client) -> String {
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_id", &client.client_id),
        ("client_secret", client.secret()),
        ("scope", "api"),
    ];
    let response = ask_for_token(sandbox, &fields).await;
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.unwrap();
    body["access_token"].as_str().unwrap().to_owned()
}

pub async fn contract(sandbox: &Sandbox) -> Value {
    reqwest::get(sandbox.contract_url()).await.unwrap().json().await.unwrap()
}

/// A body of platform document §2 for the first team.
pub fn project(sandbox: &Sandbox) -> Value {
    json!({
        "teamId": sandbox.team().id,
        "teamBillingAccountId": sandbox.team().billing_account_id,
        "storeItemPaymentPlanId": null,
        "name": "Aurora",
        "description": "A project",
        "category": "research",
        "helpPage": "",
        "serviceProviders": [],
    })
}

/// Every operation of a contract: path, method, operation.
pub fn operations(contract: &Value) -> Vec<(String, String, Value)> {
    let mut found = Vec::new();
    for (path, item) in contract["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            found.push((path.clone(), method.clone(), operation.clone()));
        }
    }
    found
}
