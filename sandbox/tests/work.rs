//! Asynchronous work: it is accepted, advances with the clock, and is followed by an event (platform document §4.4).

use std::time::Duration;

use crate::support;
use crate::support::{Caller, deployment, deployment_with, named};
use platform_sandbox::{Options, RequestFilter};
use reqwest::Method;
use serde_json::{Value, json};

const STEP: Duration = Duration::from_millis(150);

async fn operation(caller: &Caller<'_>, id: &str) -> Value {
    let query =
        format!("{{ operation(id: \"{id}\") {{ state isFinal message kind events {{ sequence kind state }} }} }}");
    caller.query(&query).await["operation"].clone()
}

fn kinds(operation: &Value) -> Vec<&str> {
    operation["events"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_deployment_goes_through_its_states_and_a_follow_up_event_comes_after_the_last() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let (id, address) = deployment(&sandbox, &caller).await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        let current = operation(&caller, &id).await;
        let state = caller.get_json(&address).await["state"].as_i64().unwrap();
        seen.push((state, current["isFinal"].as_bool().unwrap(), current["events"].as_array().unwrap().len()));
        sandbox.clock().advance(STEP);
    }
    assert_eq!(seen, [(0, false, 1), (1, false, 2), (1, false, 2), (2, true, 3), (2, true, 4), (2, true, 4)]);
    let current = operation(&caller, &id).await;
    assert_eq!(current["kind"], "workload-deployment");
    assert_eq!(kinds(&current), ["accepted", "state-changed", "state-changed", "workload-ready"]);
}

#[tokio::test]
async fn work_fails_stalls_or_stays_silent_on_demand() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    for (outcome, state, events) in [("failure", "FAILED", 3), ("stall", "RUNNING", 2), ("silence", "SUCCEEDED", 3)] {
        let (id, address) = deployment_with(&sandbox, &caller, &format!("outcome={outcome}")).await;
        sandbox.clock().advance(Duration::from_secs(3600));
        let current = operation(&caller, &id).await;
        assert_eq!(
            (current["state"].as_str(), current["events"].as_array().unwrap().len()),
            (Some(state), events),
            "{outcome}"
        );
        if outcome == "failure" {
            assert_eq!(caller.get_json(&address).await["state"], 3);
            assert!(current["message"].is_string());
        }
    }
    // The handle has the effect of the header.
    sandbox
        .faults()
        .next(1, RequestFilter::new().method("POST").path("/api/virtual-machines/"), "outcome=failure".parse().unwrap())
        .unwrap();
    let machine = format!("/api/virtual-machines/{}", sandbox.team().virtual_machine_id);
    caller.post(&format!("{machine}/start"), &json!({})).await;
    sandbox.clock().advance(Duration::from_secs(3600));
    assert_eq!(caller.get_json(&machine).await["state"], "Failed");
}

#[tokio::test]
async fn a_deployment_is_cancelled_at_once_or_in_a_step_but_not_after_its_end() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let (id, address) = deployment(&sandbox, &caller).await;
    let cancelled = caller.post(&format!("{address}/cancel"), &json!({})).await;
    assert_eq!(cancelled.status(), 202);
    assert_eq!(cancelled.json::<Value>().await.unwrap()["id"], id.as_str());
    assert_eq!(operation(&caller, &id).await["state"], "QUEUED");
    sandbox.clock().advance(STEP);
    assert_eq!(operation(&caller, &id).await["state"], "CANCELLED");
    assert_eq!(caller.status(Method::POST, &format!("{address}/cancel"), &json!({})).await, 409);

    let (id, address) = deployment(&sandbox, &caller).await;
    assert_eq!(caller.status(Method::POST, &format!("{address}/cancel?immediately=true"), &json!({})).await, 204);
    assert_eq!(operation(&caller, &id).await["state"], "CANCELLED");
    let (_, address) = deployment(&sandbox, &caller).await;
    sandbox.clock().advance(STEP * 3);
    assert_eq!(caller.status(Method::POST, &format!("{address}/cancel"), &json!({})).await, 409);
}

#[tokio::test]
async fn an_idempotency_key_begins_one_deployment() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let (_, address) = deployment(&sandbox, &caller).await;
    let (deployments, _) = address.rsplit_once('/').unwrap();
    let key = uuid::Uuid::new_v4().to_string();
    let mut ids = Vec::new();
    for key in [&key, &key, &uuid::Uuid::new_v4().to_string()] {
        let request = caller.request(Method::POST, deployments).header("idempotency-key", key).json(&json!({}));
        ids.push(request.send().await.unwrap().json::<Value>().await.unwrap()["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[1], ids[2]);
    assert_eq!(caller.get_json(deployments).await.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn terraform_plans_apply_and_destroy() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let repository = caller.create("/api/devops/v1/repositories", &json!({ "name": "infrastructure" })).await;
    let base = "/api/devops/v1/terraform-deployments";
    let mut begin = Vec::new();
    for auto_approve in [false, true] {
        let body = json!({ "repositoryId": repository["id"], "autoApprove": auto_approve });
        let accepted: Value = caller.post(base, &body).await.json().await.unwrap();
        begin.push(format!("{base}/{}", accepted["id"].as_str().unwrap()));
    }
    sandbox.clock().advance(STEP * 4);
    let state = async |address: &str| caller.get_json(address).await["state"].as_i64().unwrap();
    assert_eq!((state(&begin[0]).await, state(&begin[1]).await), (1, 3));
    let plan = &begin[0];
    assert_eq!(caller.status(Method::POST, &format!("{plan}/apply"), &json!({})).await, 202);
    assert_eq!(state(plan).await, 2);
    assert_eq!(caller.status(Method::POST, &format!("{plan}/apply"), &json!({})).await, 409);
    sandbox.clock().advance(STEP * 4);
    assert_eq!(state(plan).await, 3);
    assert_eq!(caller.status(Method::POST, &format!("{plan}/destroy"), &json!({})).await, 202);
    assert_eq!(state(plan).await, 4);
}

#[tokio::test]
async fn operations_are_listed_for_those_who_may_see_them() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let (caller, stranger) = (Caller::new(&sandbox, 0).await, Caller::new(&sandbox, 1).await);
    let (first, _) = deployment(&sandbox, &caller).await;
    sandbox.clock().advance(STEP * 3);
    let (second, _) = deployment(&sandbox, &caller).await;
    let list = async |caller: &Caller<'_>, arguments: &str| {
        let data = caller.query(&format!("{{ operations{arguments} {{ id }} }}")).await;
        data["operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&caller, "").await, [second.clone(), first.clone()]);
    assert_eq!(list(&caller, "(states: [SUCCEEDED])").await, std::slice::from_ref(&first));
    assert_eq!(list(&caller, "(kind: \"terraform-plan\")").await, [""; 0]);
    assert_eq!(list(&caller, "(first: 1)").await, [second]);
    assert_eq!(list(&stranger, "").await, [""; 0]);
    assert_eq!(operation(&stranger, &first).await, Value::Null);
    assert_eq!(list(&named(&sandbox, "ada").await, "").await.len(), 2);
}

#[tokio::test]
async fn work_goes_on_with_real_time_by_default() {
    let options = Options { step: Some(Duration::from_millis(1)), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let (id, _) = deployment(&sandbox, &caller).await;
    while operation(&caller, &id).await["events"].as_array().unwrap().len() < 4 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// A clock that is moved to its end still has a valid time, its work is answered, and a reset returns it to real time.
#[tokio::test]
async fn a_clock_at_its_end_shows_a_moment_and_can_be_reset() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let url = format!("{}/sandbox/clock", sandbox.base_url());
    let set = async |body: Value| support::http().post(&url).json(&body).send().await.unwrap().status().as_u16();
    let now = async || -> Value { support::fetch(&url).await.unwrap().json().await.unwrap() };
    for far in [10_000_000_000_000_000, i64::MAX] {
        assert_eq!(set(json!({ "advanceMilliseconds": far })).await, 204);
        assert_eq!(now().await["now"], "9999-12-31T23:59:59.999Z");
    }
    let (id, address) = deployment(&sandbox, &caller).await;
    assert_eq!(caller.get_json(&address).await["state"], 0);
    let state = support::fetch(format!("{}/sandbox/state", sandbox.base_url())).await.unwrap();
    assert!(state.text().await.unwrap().contains(&id));
    assert_eq!(set(json!({ "reset": true })).await, 204);
    assert!(now().await["now"].as_str().unwrap() < "9999");
    let (_, address) = deployment(&sandbox, &caller).await;
    sandbox.clock().advance(Duration::from_secs(60));
    assert_eq!(caller.get_json(&address).await["state"], 2);
}
