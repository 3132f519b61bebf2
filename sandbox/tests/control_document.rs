//! The document of the control interface, and the lines for the shell: all of their examples work.

use std::path::Path;
use std::process::Command;

use crate::schema::violations;
use crate::support;
use crate::support::{Caller, PROJECTS, deployment, operations};
use platform_sandbox::Sandbox;
use reqwest::Method;
use serde_json::{Value, json};

const DOCUMENT: &str = "/sandbox/openapi.yaml";

async fn document(sandbox: &Sandbox) -> Value {
    let response = support::fetch(format!("{}{DOCUMENT}", sandbox.base_url())).await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/yaml; charset=utf-8");
    serde_yaml::from_str(&response.text().await.unwrap()).unwrap()
}

/// A sandbox in which the examples of the document are valid: fault 1 is pending, request 1 is recorded, and an operation exists.
async fn prepared() -> Sandbox {
    let sandbox = platform_sandbox::start().await.unwrap();
    deployment(&sandbox, &Caller::new(&sandbox, 0).await).await;
    sandbox.requests().clear();
    sandbox.faults().always("/nowhere", "status=503".parse().unwrap()).unwrap();
    support::fetch(format!("{}/api", sandbox.base_url())).await.unwrap();
    sandbox
}

/// The address of an operation with the examples of its parameters.
fn address(path: &str, item: &Value, operation: &Value) -> String {
    let mut path = path.to_owned();
    let mut query = Vec::new();
    let of = |value: &Value| value["parameters"].as_array().cloned().unwrap_or_default();
    for parameter in of(item).into_iter().chain(of(operation)) {
        let name = parameter["name"].as_str().unwrap();
        let example = parameter["example"].to_string().replace('"', "");
        match parameter["in"].as_str() {
            Some("path") => path = path.replace(&format!("{{{name}}}"), &example),
            _ if parameter.get("example").is_some() => query.push(format!("{name}={example}")),
            _ => {}
        }
    }
    format!("{path}?{}", query.join("&"))
}

async fn operation_id(sandbox: &Sandbox) -> String {
    let state = support::fetch(format!("{}/sandbox/state", sandbox.base_url())).await.unwrap();
    state.json::<Value>().await.unwrap()["operations"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_operation_of_the_document_takes_its_example_and_refuses_what_it_does_not_declare() {
    let document = document(&prepared().await).await;
    // A description with a comma that is not quoted ends at the comma: its rest is a member without a value.
    assert!(!serde_json::to_string(&document).unwrap().contains(":null"), "{document}");
    let mut count = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            let sandbox = prepared().await;
            let media = &operation["requestBody"]["content"]["application/json"];
            // The sandbox chooses the identifiers of operations.
            let path_of = path.replace("/operations/{id}", &format!("/operations/{}", operation_id(&sandbox).await));
            let url = format!("{}{}", sandbox.base_url(), address(&path_of, item, operation));
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let send = async |body: &Value| {
                let request = support::http().request(method.clone(), &url);
                let request = if body.is_null() { request } else { request.json(body) };
                request.send().await.unwrap()
            };
            let responses = operation["responses"].as_object().unwrap();
            let expected = responses.keys().min().unwrap();
            let answer = send(&media["example"]).await;
            assert_eq!(answer.status().as_str(), expected, "{method} {path}");
            let declared = &responses[expected]["content"]["application/json"]["schema"];
            if !declared.is_null() {
                let body: Value = answer.json().await.unwrap();
                let wrong = [violations(&document, declared, &body), undeclared(&document, declared, &body)].concat();
                assert!(wrong.is_empty(), "{method} {path}: {wrong:?}");
            }
            count += 1;
            if media.is_null() {
                continue;
            }
            // The example has every member, so a member that the document declares and the sandbox does not know would be
            // refused.
            let schema = match media["schema"]["$ref"].as_str() {
                Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
                None => &media["schema"],
            };
            // An item has the members of its own schema, which is closed as well.
            if schema["additionalProperties"] == true {
                assert_eq!(path, "/sandbox/item");
            } else {
                assert_eq!(schema["additionalProperties"], false, "{method} {path}");
            }
            for name in schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(|properties| properties.keys())
                .filter(|name| *name != "times")
            {
                assert!(media["example"].get(name).is_some(), "{method} {path}: the example has no {name}");
            }
            let mut wrong = media["example"].clone();
            wrong["undeclared"] = json!(1);
            let refused = send(&wrong).await;
            assert_eq!(refused.status(), 400, "{method} {path}");
            assert!(refused.text().await.unwrap().contains("undeclared"), "{method} {path}");
        }
    }
    assert_eq!(count, 32);
    assert!(operations(&document).len() >= count);
}

/// The members of an answer that its schema does not declare, at any depth.
fn undeclared(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    fn parts<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
        let schema =
            schema["$ref"].as_str().map_or(schema, |name| document.pointer(name.trim_start_matches('#')).unwrap());
        let bases = schema["allOf"].as_array().into_iter().flatten();
        bases.flat_map(|base| parts(document, base)).chain([schema]).collect()
    }
    let parts = parts(document, schema);
    match value {
        Value::Array(elements) => {
            elements.iter().flat_map(|element| undeclared(document, &parts[0]["items"], element)).collect()
        }
        Value::Object(members) if parts.iter().all(|part| part.get("additionalProperties").is_none()) => {
            let check = |(name, member): (&String, &Value)| {
                let declared = parts.iter().find_map(|part| part["properties"].get(name));
                declared.map_or(vec![name.clone()], |schema| undeclared(document, schema, member))
            };
            members.iter().flat_map(check).collect()
        }
        _ => Vec::new(),
    }
}

fn has(program: &str) -> bool {
    let is_installed = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_installed {
        eprintln!("SKIPPED: there is no `{program}` on this machine");
    }
    is_installed
}

/// The source of a handle, the beginning of its methods, and for each of them its operation in the document.
type Reached = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The public functions of the handles, and their operations in the document.
const REACHED: &[Reached] = &[
    (
        include_str!("../control/src/clock.rs"),
        "impl Clock {",
        &[
            ("hold", "hold:"),
            ("set_pace", "pace:"),
            ("pace", "pace:"),
            ("set", "set:"),
            ("reset", "reset:"),
            ("advance", "advanceMilliseconds:"),
            ("now", "now:"),
        ],
    ),
    (
        include_str!("../control/src/fault/rules.rs"),
        "impl<'a> FaultControl<'a> {",
        &[
            ("add", "operationId: addFault"),
            ("next", "match:"),
            ("always", "operationId: addFault"),
            ("list", "operationId: listFaults"),
            ("remove", "operationId: removeFault"),
            ("clear", "operationId: clearFaults"),
            ("drop_events", "drop:"),
            ("duplicate_events", "duplicate:"),
            ("close_sockets", "operationId: endSockets"),
            ("reset_sockets", "operationId: endSockets"),
        ],
    ),
    (
        include_str!("../control/src/requests/mod.rs"),
        "impl<'a> Requests<'a> {",
        &[
            ("count", "operationId: verifyRequests"),
            ("total", "operationId: getState"),
            ("last", "operationId: listRequests"),
            ("matching", "operationId: listRequests"),
            ("verify", "operationId: verifyRequests"),
            ("clear", "operationId: clearRequests"),
        ],
    ),
    (
        include_str!("../src/issuer/settings.rs"),
        "impl IssuerControl<'_> {",
        &[
            ("set_token_lifetime", "tokenLifetimeSeconds:"),
            ("set_refresh_lifetime", "refreshLifetimeSeconds:"),
            ("set_refresh_policy", "refreshPolicy:"),
            ("set_error_style", "errorStyle:"),
            ("set_api_token_format", "apiTokenFormat:"),
            ("set_clock_skew", "clockSkewSeconds:"),
            ("rotate_key", "rotateKey:"),
            ("retire_old_keys", "retireOldKeys:"),
            ("revoke_refresh_tokens", "revokeRefreshTokens:"),
            ("create_api_token", "operationId: createApiToken"),
            ("reset", "operationId: reset"),
        ],
    ),
];

/// HTTP can do everything that the Rust handles can; `command.rs` checks the same of the command line and the document.
#[test]
fn what_rust_can_do_is_in_the_document() {
    let document = include_str!("../src/control/openapi.yaml");
    for (source, handle, reached) in REACHED {
        let (_, methods) = source.split_once(handle).unwrap();
        let methods = methods.split("\n}\n").next().unwrap().lines().filter(|line| line.contains("&self"));
        let functions = methods.filter_map(|line| line.strip_prefix("    pub fn ")?.split('(').next());
        let functions: Vec<&str> = functions.collect();
        assert!(!functions.is_empty());
        for function in &functions {
            let Some((_, part)) = reached.iter().find(|(name, _)| name == function) else {
                panic!("HTTP does not have `{function}`: add it to openapi.yaml, and a line here");
            };
            assert!(document.contains(part), "{function}: {part}");
        }
        assert_eq!(functions.len(), reached.len(), "{functions:?}");
    }
}

/// The walkthrough of the page, run as one script.
#[tokio::test(flavor = "multi_thread")]
async fn the_walk_of_the_page_ends_with_a_deployment_that_is_ready() {
    if !has("curl") || !has("jq") {
        return;
    }
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, section) = page.split_once("## From any language").unwrap();
    let (_, script) = section.split_once("```sh\n").unwrap();
    let script = script.split("```").next().unwrap().replace("curl ", "curl -sS --fail-with-body --max-time 60 ");
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = sandbox.publish_secrets(None).unwrap();
    let (base, folder) = (sandbox.base_url().to_owned(), secrets.path().to_owned());
    let run = move || {
        Command::new("sh").args(["-euc", &script]).env("SANDBOX", base).env("SECRETS", folder).output().unwrap()
    };
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["workload-ready", "event: complete", r#""state":"SUCCEEDED","isFinal":true"#] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// The shell commands of the page, run against a sandbox. Each must succeed.
#[tokio::test(flavor = "multi_thread")]
async fn every_line_for_the_shell_works() {
    if !has("curl") {
        return;
    }
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, section) = page.split_once("## Control").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let blocks: Vec<&str> = section.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let sandbox = prepared().await;
    let caller = Caller::new(&sandbox, 0).await;
    assert_eq!(caller.get(PROJECTS).await.status(), 200);
    let mut count = 0;
    for line in blocks.concat().replace("\\\n", " ").lines().filter(|line| line.starts_with("curl")) {
        let line = line.replacen("curl", "curl -sS --fail-with-body --max-time 20", 1);
        let base = sandbox.base_url().to_owned();
        let output = tokio::task::spawn_blocking({
            let line = line.clone();
            move || Command::new("sh").args(["-c", &line]).env("SANDBOX", base).output().unwrap()
        })
        .await
        .unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        count += 1;
    }
    assert!(count >= 12, "{count}");
}
