//! The documented project operations (platform document §4.3 and §7), called as a consumer calls them.

use platform_client::types::CreateProject;
use platform_client::{Error, Maybe, Method, Object, Platform, Uuid, Value};
use platform_sandbox::Team;
use serde_json::json;

use crate::support::{client, secret_files};

const PROJECTS: &str = "/api/projects/v1/projects";

/// A creation as the platform document shows it: null plan, empty help page, empty list.
fn creation(team: &Team) -> CreateProject {
    CreateProject::default()
        .team_id(team.id)
        .team_billing_account_id(team.billing_account_id)
        .store_item_payment_plan_id(Maybe::Null)
        .name("Atlas")
        .description("Maps of \"everything\"")
        .category("research")
        .help_page(String::new())
        .service_providers(Vec::new())
}

async fn created(platform: &Platform, team: &Team) -> (Uuid, Value) {
    let project = platform.projects().create_project(&creation(team)).await.unwrap().expect("the sandbox sends a body");
    (project["id"].to().unwrap(), project)
}

#[tokio::test]
async fn a_project_is_created_listed_and_found() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    assert_eq!(platform.projects().list_projects().await.unwrap(), Vec::<Object>::new());

    let response = platform.projects().create_project(&creation(sandbox.team())).with_response().await.unwrap();
    assert!(response.status().is_success());
    let location = response.header("location").unwrap().to_owned();
    let project = response.into_value().unwrap();
    let sent = json!({
        "teamId": sandbox.team().id,
        "teamBillingAccountId": sandbox.team().billing_account_id,
        "storeItemPaymentPlanId": null,
        "name": "Atlas",
        "description": "Maps of \"everything\"",
        "category": "research",
        "helpPage": "",
        "serviceProviders": [],
    });
    for (name, value) in sent.as_object().unwrap() {
        assert_eq!(project[name.as_str()], *value, "{name}");
    }

    let id: Uuid = project["id"].to().unwrap();
    let stored = platform.projects().get_project(id).await.unwrap();
    assert_eq!(Value::from(stored.clone()), project);
    assert_eq!(stored.get::<String>("name").unwrap().as_deref(), Some("Atlas"));
    assert_eq!(platform.projects().list_projects().await.unwrap(), std::slice::from_ref(&stored));
    let same: Object = platform.request(Method::Get, location).send().await.unwrap().json().unwrap();
    assert_eq!(same, stored);
}

#[tokio::test]
async fn missing_and_not_visible_are_both_not_found() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let (first, second) = (client(&sandbox, secrets.path(), 0), client(&sandbox, secrets.path(), 1));
    let (id, _) = created(&first, sandbox.team()).await;
    let hidden = second.projects().get_project(id).await.unwrap_err();
    let missing = first.projects().get_project(Uuid::from_u128(1)).await.unwrap_err();
    for error in [hidden, missing] {
        assert!(error.is_not_found() && !error.is_bad_request() && !error.is_retryable(), "{error}");
        assert_eq!((error.operation(), error.code()), (Some("get_project"), "status"));
        assert!(error.to_string().contains("not visible to this caller"), "{error}");
    }
    assert_eq!(second.projects().list_projects().await.unwrap(), Vec::<Object>::new());
}

#[tokio::test]
async fn a_malformed_body_is_a_bad_request() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    for body in [json!([]), json!(null), json!({ "teamId": "no GUID" }), json!({ "serviceProviders": "none" })] {
        let error = platform.request(Method::Post, PROJECTS).json(&body).send().await.unwrap_err();
        assert!(error.is_bad_request() && !error.is_not_found(), "{body}: {error}");
    }
    let cut = platform_client::Upload::bytes("{\"name\":").content_type("application/json");
    let error = platform.request(Method::Post, PROJECTS).body(cut).send().await.unwrap_err();
    assert!(error.is_bad_request(), "{error}");
    assert_eq!(platform.projects().list_projects().await.unwrap(), Vec::<Object>::new());
}

#[tokio::test]
async fn identifiers_of_another_team_are_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let (own, other) = (creation(sandbox.team()), sandbox.other_team());
    let foreign = [
        own.clone().team_id(other.id),
        own.clone().team_billing_account_id(other.billing_account_id),
        own.clone().store_item_payment_plan_id(other.payment_plan_id),
    ];
    for body in &foreign {
        // The status is the sandbox's choice: the document shows none.
        let error = platform.projects().create_project(body).await.unwrap_err();
        assert!(error.is_client_error() && !error.is_bad_request(), "{body:?}: {error}");
        assert!(!error.to_string().contains(&other.id.to_string()), "{error}");
    }
    assert_eq!(platform.projects().list_projects().await.unwrap(), Vec::<Object>::new());
    let with_plan = own.store_item_payment_plan_id(sandbox.team().payment_plan_id);
    platform.projects().create_project(&with_plan).await.unwrap();
    assert_eq!(platform.projects().list_projects().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_a_creation_leaves_out_is_not_sent_as_null() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let providers: Vec<Value> = [json!("a"), json!({ "b": [1, null] }), json!(3)].map(Value::from).into();
    let body = CreateProject::default().service_providers(providers.clone());
    let project = platform.projects().create_project(&body).await.unwrap().unwrap();
    assert_eq!(project["serviceProviders"], Value::from(providers));
    let error = platform
        .request(Method::Post, PROJECTS)
        .json(&json!({ "name": null }))
        .send()
        .await
        .expect_err("the sandbox takes no null here, so the creation above sent none");
    assert!(error.is_bad_request());
}

#[tokio::test]
async fn arguments_that_would_leave_the_path_are_refused_before_sending() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let refused: Vec<Error> = [
        platform.projects().get_project_component_environment_variable(Uuid::nil(), Uuid::nil(), "..").await,
        platform.projects().get_project_component_environment_variable(Uuid::nil(), Uuid::nil(), "").await,
        platform.projects().get_project_component_environment_variable(Uuid::nil(), Uuid::nil(), "a/../b").await,
    ]
    .into_iter()
    .map(|outcome| outcome.unwrap_err())
    .collect();
    assert!(refused.iter().all(Error::is_request), "{refused:?}");
}
