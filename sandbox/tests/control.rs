//! The sandbox's handles over HTTP, below `/sandbox`.

use std::collections::BTreeMap;

use crate::scripts;
use crate::support;
use crate::support::{Caller, PROJECTS, ask_for_token, deployment, project};
use futures_util::StreamExt;
use platform_sandbox::Sandbox;
use reqwest::Method;
use serde_json::{Value, json};

async fn post(sandbox: &Sandbox, path: &str, body: &Value) -> u16 {
    let url = format!("{}/sandbox/{path}", sandbox.base_url());
    support::http().post(url).json(body).send().await.unwrap().status().as_u16()
}

async fn state(sandbox: &Sandbox) -> Value {
    support::fetch(format!("{}/sandbox/state", sandbox.base_url())).await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn clock_faults_and_reset_are_within_reach() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    assert_eq!(post(&sandbox, "clock", &json!({ "hold": true })).await, 204);
    let (id, address) = deployment(&sandbox, &caller).await;
    assert_eq!(post(&sandbox, "clock", &json!({ "advanceMilliseconds": 60000 })).await, 204);
    assert_eq!(caller.get_json(&address).await["state"], 2);
    let seen = state(&sandbox).await;
    assert_eq!(
        (seen["operations"][0]["id"].as_str(), seen["operations"][0]["state"].as_str()),
        (Some(id.as_str()), Some("Succeeded"))
    );
    assert_eq!(seen["resources"]["deployments"], 1);
    assert_eq!(seen["requests"][0]["path"], address.as_str());

    let fault = json!({ "match": { "method": "GET", "path": PROJECTS }, "times": 1, "fault": "status=503" });
    assert_eq!(post(&sandbox, "faults", &fault).await, 201);
    assert_eq!(caller.get(PROJECTS).await.status(), 503);
    assert_eq!(post(&sandbox, "faults", &json!({ "fault": "status=500" })).await, 201);
    assert_eq!(caller.get(PROJECTS).await.status(), 500);
    let cleared = support::http().delete(format!("{}/sandbox/faults", sandbox.base_url())).send().await.unwrap();
    assert_eq!(cleared.status(), 204);
    assert_eq!(caller.get(PROJECTS).await.status(), 200);
    assert_eq!(post(&sandbox, "reset", &json!({})).await, 204);
    assert_eq!(caller.get_json(PROJECTS).await, json!([]));
    assert_eq!(post(&sandbox, "event-faults", &json!({ "drop": 1, "duplicate": 1 })).await, 204);
    assert_eq!(post(&sandbox, "sockets", &json!({ "code": 1012 })).await, 204);
}

#[tokio::test]
async fn the_issuer_is_set() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let client = &sandbox.clients()[0];
    let wrong = [("grant_type", "client_credentials"), ("client_id", "x"), ("client_secret", "y")];
    let right =
        [("grant_type", "client_credentials"), ("client_id", &client.client_id), ("client_secret", client.secret())];
    let settings = json!({
        "tokenLifetimeSeconds": 7, "errorStyle": "openiddict", "refreshPolicy": "rolling", "refreshLeewaySeconds": 1,
        "apiTokenFormat": "jwt", "clockSkewSeconds": 5, "refreshLifetimeSeconds": 9, "rotateKey": true, "retireOldKeys": true,
    });
    assert_eq!(post(&sandbox, "issuer", &settings).await, 204);
    let answer = support::fetch(format!("{}/sandbox/issuer", sandbox.base_url())).await.unwrap();
    let actual: Value = answer.json().await.unwrap();
    let is_setting = |(name, _): &(&String, &Value)| !["rotateKey", "retireOldKeys"].contains(&name.as_str());
    let expected: serde_json::Map<String, Value> = settings
        .as_object()
        .unwrap()
        .iter()
        .filter(is_setting)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    assert_eq!(actual, Value::Object(expected));
    assert_eq!(ask_for_token(&sandbox, &wrong).await.status(), 401);
    assert_eq!(support::grant(&sandbox, &right).await["expires_in"], 7);
    assert_eq!(sandbox.issuer().create_api_token("ada", "x").unwrap().unwrap().matches('.').count(), 2);
}

#[tokio::test]
async fn the_overview_hears_of_changes() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let response = support::fetch(format!("{}/sandbox/events", sandbox.base_url())).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut events = response.bytes_stream();
    let mut text = String::new();
    let mut wait_for = async |part: &str| {
        while !text.contains(part) {
            text.push_str(std::str::from_utf8(&events.next().await.unwrap().unwrap()).unwrap());
        }
    };
    wait_for("event: state").await;
    caller.create(PROJECTS, &project(&sandbox)).await;
    wait_for("\"projects\":3").await;
    // Other changes are sent as well, without a request in between.
    sandbox.clock().set(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_893_456_000));
    wait_for("\"clock\":\"2030-01-01T").await;
    sandbox.faults().always("/api", "status=503".parse().unwrap()).unwrap();
    wait_for("\"fault\":\"status=503\"").await;
    sandbox.reset().unwrap();
    wait_for("\"faults\":[]").await;
    wait_for("\"requests\":[]").await;
}

#[tokio::test]
async fn the_pages_are_whole_and_run_no_foreign_script() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let http = support::http();
    let mut scripts = BTreeMap::new();
    for path in ["/", "/swagger", "/graphiql", "/sandbox", "/sandbox/control", "/sandbox/callback"] {
        let page = http.request(Method::GET, format!("{}{path}", sandbox.base_url())).send().await.unwrap();
        assert_eq!(page.status(), 200, "{path}");
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let text = page.text().await.unwrap();
        assert!(!text.contains("https://") && !text.contains("http://"), "{path}");
        let mut assets: Vec<String> =
            text.split("/sandbox/ui/").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect();
        assert!(assets.len() >= 2, "{path}");
        while let Some(asset) = assets.pop() {
            let response = http.get(format!("{}/sandbox/ui/{asset}", sandbox.base_url())).send().await.unwrap();
            assert_eq!(response.status(), 200, "{asset}");
            let text = response.text().await.unwrap();
            // Imported scripts are checked, too. They create elements, and never markup.
            if !asset.contains('/') && !scripts.contains_key(&asset) {
                let imported = text.split("from \"./").skip(1).filter_map(|rest| rest.split('"').next());
                assets.extend(imported.map(str::to_owned));
                for risky in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "://"] {
                    let local = risky == "://" && text.matches("://").count() == text.matches("http://").count();
                    assert!(local || !text.contains(risky), "{asset} has {risky}");
                }
                scripts.insert(asset, text);
            }
        }
    }
    let names: Vec<&String> = scripts.keys().collect();
    assert!(
        ["console.js", "resources.js"].iter().all(|name| scripts.contains_key(*name)) && names.len() > 15,
        "{names:?}"
    );
    scripts::assert_imports(&scripts);
}
