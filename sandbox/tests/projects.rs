//! The documented project operations (platform document §4.3, §7).

use crate::support;
use crate::support::{Caller, PROJECTS, project};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn the_collection_is_empty_when_no_projects_exist() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    assert_eq!(caller.get_json(PROJECTS).await, json!([]));
}

#[tokio::test]
async fn a_created_project_is_listed_and_found() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let body = project(&sandbox);
    let response = caller.post(PROJECTS, &body).await;
    assert_eq!(response.status(), 201);
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let created: Value = response.json().await.unwrap();
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(&created[name], value, "{name}");
    }
    assert_eq!(location, format!("{PROJECTS}/{}", created["id"].as_str().unwrap()));
    assert_eq!(caller.get_json(&location).await, created);
    assert_eq!(caller.get_json(&location.to_uppercase().replace(&PROJECTS.to_uppercase(), PROJECTS)).await, created);
    assert_eq!(caller.get_json(PROJECTS).await, json!([created]));
}

#[tokio::test]
async fn no_field_is_mandatory_and_nothing_is_dropped() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let providers = json!(["a", { "b": [1, null] }, 3]);
    let created = caller.create(PROJECTS, &json!({ "serviceProviders": providers, "unknown": { "kept": true } })).await;
    assert_eq!(created["serviceProviders"], providers);
    assert_eq!(created["unknown"], json!({ "kept": true }));
}

#[tokio::test]
async fn a_project_of_another_team_looks_like_a_missing_one() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (first, second) = (Caller::new(&sandbox, 0).await, Caller::new(&sandbox, 1).await);
    let created = first.create(PROJECTS, &project(&sandbox)).await;
    let hidden = second.get(&format!("{PROJECTS}/{}", created["id"].as_str().unwrap())).await;
    let missing = second.get(&format!("{PROJECTS}/{}", uuid::Uuid::new_v4())).await;
    assert_eq!(second.get_json(PROJECTS).await, json!([]));
    assert_eq!((hidden.status().as_u16(), missing.status().as_u16()), (404, 404));
    let (mut hidden, mut missing): (Value, Value) = (hidden.json().await.unwrap(), missing.json().await.unwrap());
    hidden["traceId"] = Value::Null;
    missing["traceId"] = Value::Null;
    assert_eq!(hidden, missing);
}

#[tokio::test]
async fn an_identifier_that_is_no_guid_is_not_found() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for id in ["1", "not-a-guid", "a%2Fb", "00000000-0000-0000-0000-00000000000g"] {
        let response = caller.get(&format!("{PROJECTS}/{id}")).await;
        assert_eq!(response.status(), 404, "{id}");
        let media_type = response.headers()["content-type"].to_str().unwrap();
        assert!(media_type.starts_with("application/problem+json"), "{id}: {media_type}");
        // … whatever the body is.
        let components = caller.request(Method::POST, &format!("{PROJECTS}/{id}/components"));
        let response = components.header("content-type", "application/xml").body("<a/>").send().await.unwrap();
        assert_eq!(response.status(), 404, "{id}");
    }
}

#[tokio::test]
async fn a_malformed_body_is_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let bodies = [
        "",
        "{",
        "[]",
        "null",
        "\"text\"",
        "1",
        "{\"teamId\":\"no-guid\"}",
        "{\"teamId\":1}",
        "{\"name\":1}",
        "{\"name\":null}",
        "{\"serviceProviders\":{}}",
        "{\"storeItemPaymentPlanId\":\"\"}",
        "{\"helpPage\":[]}",
        "\u{feff}",
    ];
    for body in bodies {
        let request = caller.request(Method::POST, PROJECTS).header("content-type", "application/json");
        let response = request.body(body).send().await.unwrap();
        assert_eq!(response.status(), 400, "{body}");
        let problem: Value = response.json().await.unwrap();
        assert!(!problem["errors"].as_object().unwrap().is_empty(), "{body}");
    }
    assert_eq!(caller.get_json(PROJECTS).await, json!([]));
}

#[tokio::test]
async fn identifiers_of_another_team_are_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let other = sandbox.other_team();
    let foreign = [
        ("teamId", other.id),
        ("teamBillingAccountId", other.billing_account_id),
        ("storeItemPaymentPlanId", other.payment_plan_id),
    ];
    for (name, id) in foreign {
        let mut body = project(&sandbox);
        body[name] = json!(id);
        let response = caller.post(PROJECTS, &body).await;
        assert_eq!(response.status(), 403, "{name}");
        assert!(response.text().await.unwrap().contains(name));
    }
    assert_eq!(caller.get_json(PROJECTS).await, json!([]));
}

/// .NET's JSON reader accepts one form of a GUID, ASP.NET's router several.
#[tokio::test]
async fn guids_are_read_as_dot_net_reads_them() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let team = sandbox.team().id;
    let mut body = project(&sandbox);
    for (text, expected) in [
        (team.to_string().to_uppercase(), 201),
        (team.simple().to_string(), 400),
        (team.braced().to_string(), 400),
        (team.urn().to_string(), 400),
    ] {
        body["teamId"] = json!(text);
        assert_eq!(caller.post(PROJECTS, &body).await.status(), expected, "{text}");
    }
    let created = caller.create(PROJECTS, &project(&sandbox)).await;
    let id = uuid::Uuid::parse_str(created["id"].as_str().unwrap()).unwrap();
    for (text, expected) in [
        (id.to_string().to_uppercase(), 200),
        (id.simple().to_string(), 200),
        (format!("%7B{id}%7D"), 200),
        (id.urn().to_string(), 404),
    ] {
        assert_eq!(caller.get(&format!("{PROJECTS}/{text}")).await.status(), expected, "{text}");
        let query = format!("/api/devops/v1/repositories?projectId={text}");
        let expected = if expected == 200 { 200 } else { 400 };
        assert_eq!(caller.get(&query).await.status(), expected, "{query}");
    }
}

#[tokio::test]
async fn a_payment_plan_of_the_team_is_taken() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let mut body = project(&sandbox);
    body["storeItemPaymentPlanId"] = json!(sandbox.team().payment_plan_id);
    let created = caller.create(PROJECTS, &body).await;
    assert_eq!(created["storeItemPaymentPlanId"], body["storeItemPaymentPlanId"]);
}

#[tokio::test]
async fn a_token_is_demanded() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let url = format!("{}{PROJECTS}", sandbox.base_url());
    let http = support::http();
    for (authorization, challenge) in [
        (None, "Bearer"),
        (Some("Basic YTpi"), "Bearer"),
        (Some("Bearer"), "Bearer"),
        (Some("Bearer a.b.c"), "Bearer error=\"invalid_token\""),
        (Some("Bearer "), "Bearer"),
    ] {
        for method in [Method::GET, Method::POST] {
            let mut request = http.request(method, &url);
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 401, "{authorization:?}");
            assert_eq!(response.headers()["www-authenticate"], challenge, "{authorization:?}");
            assert_eq!(response.text().await.unwrap(), "", "{authorization:?}");
        }
    }
}
