//! Shared parts of the tests: a caller with a token, and the contract as JSON.

#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod cookies;

use std::sync::LazyLock;

use platform_sandbox::{Client, Sandbox};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

pub const PROJECTS: &str = "/api/projects/v1/projects";

/// Prefix and name of each route family: those of the platform document (§4.2), the longer one first if two begin alike.
pub const FAMILIES: &[(&str, &str)] = &[
    ("/api/projects/v1", "Projects and components"),
    ("/api/teams/v1", "Teams and access"),
    ("/api/marketplace/v1", "Marketplace"),
    ("/api/devops/v1", "Git and Terraform"),
    ("/api/virtual-machines", "Virtual machines"),
    ("/api/virtual-machine-agent", "VM agent"),
    ("/api/forum/v1", "Forum"),
    ("/api/client-db/v1", "Client database"),
    ("/api/compliance/v1", "Compliance management"),
    ("/api/compliance", "Compliance management"),
];

/// The family of a path, as an index of [`FAMILIES`].
pub fn family(path: &str) -> usize {
    let is_below = |prefix: &str| path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
    let family = FAMILIES.iter().position(|(prefix, _)| is_below(prefix));
    family.unwrap_or_else(|| {
        panic!("{path} lies in no family: add its prefix to FAMILIES of sandbox/tests/support/mod.rs")
    })
}

/// A sandbox and a bearer token for it.
pub struct Caller<'a> {
    sandbox: &'a Sandbox,
    http: reqwest::Client,
    token: String,
}

impl<'a> Caller<'a> {
    /// Creates a caller for the client with this number: 0 for the first team, 1 for the other one.
    pub async fn new(sandbox: &'a Sandbox, number: usize) -> Self {
        Self { sandbox, http: http(), token: token(sandbox, &sandbox.clients()[number]).await }
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

    /// Creates a resource and returns its body.
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
    http().post(url).form(fields).send().await.unwrap()
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
    let mut contract: Value = fetch(sandbox.contract_url()).await.unwrap().json().await.unwrap();
    // In the same order, with any features of serde_json.
    contract.sort_all_objects();
    contract
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
    let mut all = Vec::new();
    for (path, item) in contract["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push((path.clone(), method.clone(), operation.clone()));
        }
    }
    all
}

/// The body of a token response.
pub async fn grant(sandbox: &Sandbox, fields: &[(&str, &str)]) -> Value {
    let response = ask_for_token(sandbox, fields).await;
    let status = response.status();
    let body: Value = response.json().await.unwrap();
    assert_eq!(status, 200, "{body}");
    body
}

/// A caller with the token of a client or user by name.
pub async fn named<'a>(sandbox: &'a Sandbox, name: &str) -> Caller<'a> {
    let token = match sandbox.client(name) {
        Some(client) => token(sandbox, client).await,
        None => sandbox.issuer().create_api_token(name, "test").unwrap().unwrap(),
    };
    Caller::with_token(sandbox, token)
}

impl<'a> Caller<'a> {
    pub fn with_token(sandbox: &'a Sandbox, token: String) -> Self {
        Self { sandbox, http: http(), token }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    pub async fn status(&self, method: Method, path: &str, body: &Value) -> u16 {
        self.request(method, path).json(body).send().await.unwrap().status().as_u16()
    }

    /// The data of a GraphQL query.
    pub async fn query(&self, query: &str) -> Value {
        let response = self.post("/graphql", &json!({ "query": query })).await;
        assert_eq!(response.status(), 200);
        let body: Value = response.json().await.unwrap();
        assert!(body.get("errors").is_none(), "{body}");
        body["data"].clone()
    }
}

/// A deployment that was just accepted: its identifier and its address.
pub async fn deployment(sandbox: &Sandbox, caller: &Caller<'_>) -> (String, String) {
    deployment_with(sandbox, caller, "").await
}

/// A deployment whose request carries a fault.
pub async fn deployment_with(sandbox: &Sandbox, caller: &Caller<'_>, fault: &str) -> (String, String) {
    let created = caller.create(PROJECTS, &project(sandbox)).await;
    let components = format!("{PROJECTS}/{}/components", created["id"].as_str().unwrap());
    let component = caller.create(&components, &json!({ "name": "web" })).await;
    let deployments = format!("{components}/{}/deployments", component["id"].as_str().unwrap());
    let request = caller.request(Method::POST, &deployments).header("x-sandbox-fault", fault);
    let response = request.json(&json!({ "tag": "v1" })).send().await.unwrap();
    assert_eq!(response.status(), 202);
    let id = response.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    let address = format!("{deployments}/{id}");
    (id, address)
}

/// The client for requests of all tests: to make one reads the system's certificates. It keeps no connection, which would end with
/// the runtime of the test that opened it.
pub fn http() -> reqwest::Client {
    static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| builder().pool_max_idle_per_host(0).build().unwrap());
    CLIENT.clone()
}

/// A builder of clients. In a build of the whole workspace, reqwest supports TLS and needs a provider.
pub fn builder() -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

/// A request without a token.
pub async fn fetch(url: impl reqwest::IntoUrl) -> reqwest::Result<reqwest::Response> {
    http().get(url).send().await
}
