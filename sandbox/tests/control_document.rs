//! The document of the control interface, and the lines for the shell: all of their examples work.

use std::path::Path;
use std::process::Command;

use crate::document;
use crate::schema::violations;
use crate::support;
use crate::support::{Caller, PROJECTS, deployment, operations};
use platform_sandbox::Sandbox;
use serde_json::{Value, json};

/// A sandbox in which the examples of the document are valid: fault 1 is pending, request 1 is recorded, and an operation exists.
async fn prepared() -> Sandbox {
    let sandbox = platform_sandbox::start().await.unwrap();
    deployment(&sandbox, &Caller::new(&sandbox, 0).await).await;
    sandbox.requests().clear();
    sandbox.faults().always("/nowhere", "status=503".parse().unwrap()).unwrap();
    support::fetch(format!("{}/api", sandbox.base_url())).await.unwrap();
    sandbox
}

async fn operation_id(sandbox: &Sandbox) -> String {
    let state = support::fetch(format!("{}/sandbox/state", sandbox.base_url())).await.unwrap();
    state.json::<Value>().await.unwrap()["operations"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_operation_of_the_document_takes_its_example_and_refuses_what_it_does_not_declare() {
    let sandbox = prepared().await;
    let document = document::read(sandbox.base_url()).await;
    let start = async |path: &str| {
        let sandbox = prepared().await;
        // The sandbox chooses the identifiers of operations.
        let path = path.replace("/operations/{id}", &format!("/operations/{}", operation_id(&sandbox).await));
        let base = sandbox.base_url().to_owned();
        (sandbox, base, path)
    };
    let count = document::examples_work(&document, violations, start).await;
    assert_eq!(count, 33);
    assert!(operations(&document).len() >= count);
    // A criterion that depends on the contract has no place in the example that all sandboxes share.
    let project = json!({ "match": { "template": PROJECTS, "operation": format!("POST {PROJECTS}") }, "times": 0 });
    let verify = format!("{}/sandbox/requests/verify", sandbox.base_url());
    assert_eq!(support::http().post(verify).json(&project).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_document_has_the_paths_and_the_methods_that_are_served() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let document = document::read(sandbox.base_url()).await;
    document::declared_methods_are_served(sandbox.base_url(), &document).await;
    let sources = [
        include_str!("../control/src/interface/mod.rs"),
        include_str!("../control/src/interface/resources.rs"),
        include_str!("../src/control/mod.rs"),
    ];
    let declared = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(document::routed(&sources), declared);
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
    let document =
        [include_str!("../src/control/openapi.yaml"), include_str!("../control/src/interface/openapi.yaml")].concat();
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
