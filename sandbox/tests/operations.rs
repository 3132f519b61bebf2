//! Every operation of the contract is served, and its answers match the contract.

use std::time::Duration;

use crate::schema;
use crate::support;
use crate::support::{Caller, contract, operations};
use platform_sandbox::{Options, Sandbox};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

/// A path with the identifiers of seeded or just created resources, so that every item above it exists.
struct Paths<'a> {
    caller: &'a Caller<'a>,
    sandbox: &'a Sandbox,
    contract: &'a Value,
}

impl Paths<'_> {
    async fn fill(&self, template: &str) -> String {
        let mut path = String::new();
        let mut done = String::new();
        for segment in template.split('/').skip(1) {
            let parameter = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
            let value = match parameter {
                Some(name) => self.value(name, &done, &path).await,
                None => segment.to_owned(),
            };
            path = format!("{path}/{value}");
            done = format!("{done}/{segment}");
        }
        path
    }

    async fn value(&self, parameter: &str, template: &str, collection: &str) -> String {
        let team = self.sandbox.team();
        match parameter {
            "teamId" => return team.id.to_string(),
            "virtualMachineId" => return team.virtual_machine_id.to_string(),
            "connectionId" => return team.connection_id.to_string(),
            "table" => return "customers".to_owned(),
            "name" => {
                let put = &self.contract["paths"][format!("{template}/{{name}}")]["put"];
                let body = schema::sample(self.contract, &put["requestBody"]["content"]["application/json"]["schema"]);
                let put = self.caller.request(Method::PUT, &format!("{collection}/main")).json(&body);
                assert!(put.send().await.unwrap().status().is_success());
                return "main".to_owned();
            }
            _ => {}
        }
        if template.ends_with("/projects") {
            let created = self.caller.create(collection, &support::project(self.sandbox)).await;
            return created["id"].as_str().unwrap().to_owned();
        }
        let operation = &self.contract["paths"][template]["post"];
        let body = schema::sample(self.contract, &operation["requestBody"]["content"]["application/json"]["schema"]);
        let response = self.caller.post(collection, &body).await;
        assert!(response.status().is_success(), "{template}: {}", response.text().await.unwrap());
        response.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned()
    }
}

fn with_parameters(contract: &Value, operation: &Value, mut request: RequestBuilder) -> RequestBuilder {
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        let text = match schema::sample(contract, &parameter["schema"]) {
            Value::String(text) => text,
            Value::Array(elements) => elements[0].as_str().map_or(elements[0].to_string(), str::to_owned),
            value => value.to_string(),
        };
        request = match (parameter["in"].as_str().unwrap(), parameter["style"].as_str()) {
            ("path", _) => request,
            ("query", Some("deepObject")) => request.query(&[(format!("{name}[category]"), "web")]),
            ("query", _) if name == "background" || name == "validateOnly" => request,
            ("query", _) => request.query(&[(name, text)]),
            ("header", _) => request.header(name, text),
            ("cookie", _) => request.header("cookie", format!("other=1; {name}={text}")),
            place => panic!("{place:?}"),
        };
    }
    request
}

fn with_body(contract: &Value, operation: &Value, request: RequestBuilder) -> RequestBuilder {
    let Some(content) = operation["requestBody"]["content"].as_object() else { return request };
    let (media, schema) =
        content.iter().find(|(media, _)| *media == "application/json").or(content.iter().next()).unwrap();
    let body = schema::sample(contract, &schema["schema"]);
    match media.as_str() {
        "application/json" => request.json(&body),
        "application/x-www-form-urlencoded" => request.form(&body),
        "multipart/form-data" => {
            let part = |text: &str| Part::bytes(text.as_bytes().to_vec()).file_name("a/b.txt");
            request.multipart(Form::new().text("branch", "main").part("files", part("x")).part("dump", part("y")))
        }
        _ => request.header("content-type", media).body("bytes"),
    }
}

/// Status, media type and body are among those that the contract lists.
async fn assert_conforms(name: &str, contract: &Value, operation: &Value, mut response: Response) {
    let status = response.status().as_str().to_owned();
    let media_type = response.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
    let body = match media_type.as_deref() {
        // The stream has no end.
        Some("text/event-stream") => response.chunk().await.unwrap().unwrap(),
        _ => response.bytes().await.unwrap(),
    };
    let text = String::from_utf8_lossy(&body).into_owned();
    let responses = operation["responses"].as_object().unwrap();
    let documented =
        responses.get(&status).or_else(|| responses.get("2XX")).unwrap_or_else(|| panic!("{name}: {status} {text}"));
    let Some(content) = documented["content"].as_object() else {
        assert!(body.is_empty() || status.starts_with('4'), "{name}: {status} {text}");
        return;
    };
    let essence = media_type.as_deref().and_then(|media| media.split(';').next()).unwrap_or_default().to_owned();
    let schema = content.get(&essence).unwrap_or_else(|| panic!("{name}: {status} {essence}"));
    if essence.ends_with("json") {
        let value: Value = serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
        assert_eq!(schema::violations(contract, &schema["schema"], &value), [""; 0], "{name}: {status} {text}");
    }
}

#[tokio::test]
async fn every_operation_answers_a_valid_request_as_the_contract_says() {
    for contract_revision in [1, 2] {
        answers_as_the_contract_says(Options { contract_revision, ..Options::default() }).await;
    }
}

async fn answers_as_the_contract_says(options: Options) {
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let contract = contract(&sandbox).await;
    let paths = Paths { caller: &caller, sandbox: &sandbox, contract: &contract };
    sandbox.clock().hold();
    let mut missing = Vec::new();
    for (template, method, operation) in &operations(&contract) {
        let name = format!("{method} {template}");
        // The work of earlier operations is done.
        sandbox.clock().advance(Duration::from_secs(1));
        let path = paths.fill(template).await;
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        let mut request = with_parameters(&contract, operation, caller.request(method.clone(), &path));
        request = match template.as_str() {
            "/api/projects/v1/projects" if method == Method::POST => request.json(&support::project(&sandbox)),
            _ => with_body(&contract, operation, request),
        };
        let response = request.send().await.unwrap();
        if !response.status().is_success() {
            missing.push(format!("{} {name}", response.status().as_u16()));
        }
        assert_conforms(&name, &contract, operation, response).await;
    }
    // A download before any upload is missing, and so is a session that was never opened.
    missing.sort();
    assert_eq!(
        missing,
        [
            "404 delete /api/devops/v1/repositories/{repositoryId}/files/content",
            "404 get /api/devops/v1/repositories/{repositoryId}/files/content",
            "404 get /api/marketplace/v1/store-items/{storeItemId}/image",
            "404 get /api/virtual-machines/sessions/current",
        ]
    );
}

#[tokio::test]
async fn no_operation_answers_without_a_token() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let http = support::http();
    for (path, method, _) in operations(&contract(&sandbox).await) {
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        let path = path.replace(['{', '}'], "x");
        let response = http.request(method, format!("{}{path}", sandbox.base_url())).send().await.unwrap();
        assert_eq!(response.status(), 401, "{path}");
    }
}

#[tokio::test]
async fn every_json_body_that_is_malformed_is_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let contract = contract(&sandbox).await;
    let paths = Paths { caller: &caller, sandbox: &sandbox, contract: &contract };
    let mut tried = 0;
    for (template, method, operation) in operations(&contract) {
        if operation["requestBody"]["content"].get("application/json").is_none() {
            continue;
        }
        tried += 1;
        let path = paths.fill(&template).await;
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        for body in ["", "{", "[]", "7", "{\"a\":1"] {
            let request = caller.request(method.clone(), &path).header("content-type", "application/json");
            let response = request.body(body).send().await.unwrap();
            assert_eq!(response.status(), 400, "{method} {template} {body}");
            assert_conforms(&template, &contract, &operation, response).await;
        }
        let other = caller.request(method.clone(), &path).header("content-type", "application/xml").body("<a/>");
        assert_eq!(other.send().await.unwrap().status(), 415, "{method} {template}");
    }
    assert!(tried > 30, "{tried}");
}

#[tokio::test]
async fn a_closed_object_refuses_what_it_does_not_declare() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let response = caller.post("/api/compliance/frameworks", &json!({ "name": "F", "unknown": 1 })).await;
    assert_eq!(response.status(), 400);
    let problem: Value = response.json().await.unwrap();
    assert!(problem["errors"].get("$.unknown").is_some(), "{problem}");
    caller.create("/api/compliance/frameworks", &json!({ "name": "F" })).await;
}

/// A place in a body, and the bare names of parameters and of fields of a form.
#[tokio::test]
async fn a_refusal_names_each_place() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let store = "/api/marketplace/v1/store-items";
    let item = json!({ "name": "a", "tags": ["x", 2], "unknown": { "a/b": 1 } });
    let thread = caller.create("/api/forum/v1/threads", &json!({ "title": "Hello" })).await;
    let vote = format!("/api/forum/v1/threads/{}/vote", thread["id"].as_str().unwrap());
    let session = "/api/virtual-machines/sessions/current";
    for (request, places) in [
        (caller.request(Method::POST, store).json(&item), vec!["$.tags[1]", "$.unknown"]),
        (caller.request(Method::POST, store).json(&json!([])), vec!["$"]),
        (caller.request(Method::POST, store), vec!["$"]),
        (
            caller.request(Method::GET, &format!("{store}?skip=a&take=1.5&ids=,x&filter[name]=b")),
            vec!["ids", "skip", "take"],
        ),
        (caller.request(Method::GET, &format!("{store}?filter[other]=b")), vec!["filter"]),
        (caller.request(Method::PUT, &vote).form(&[("value", "up")]), vec!["value"]),
        (caller.request(Method::GET, session), vec!["vm-session"]),
    ] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 400, "{places:?}");
        let problem: Value = response.json().await.unwrap();
        let mut errors: Vec<&String> = problem["errors"].as_object().unwrap().keys().collect();
        errors.sort();
        assert_eq!(errors, places, "{problem}");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told_apart() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for path in
        ["/api/nothing", "/api/projects/v2/projects", "/api/projects/v1/projects/", "/api//projects", "/api/%ff"]
    {
        let response = caller.get(path).await;
        assert_eq!((response.status().as_u16(), response.text().await.unwrap().as_str()), (404, ""), "{path}");
    }
    let response = caller.request(Method::PATCH, support::PROJECTS).send().await.unwrap();
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "GET, POST");
}
