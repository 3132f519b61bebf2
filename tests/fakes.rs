//! Generated operations against a fake service, as tests of a consumer use it.

use platform_client::Platform;
use platform_client::auth::{ClientCredentials, SecretString};
use platform_client::families::projects::operations::{CreateProject, GetProject, ListProjects};
use platform_client::testing::{Fake, FakeReply};
use serde_json::json;

use crate::support::read;

#[tokio::test]
async fn generated_operations_get_typed_values() {
    let fake = Fake::new();
    let projects = serde_json::from_value(json!([{"name": "one"}, {"name": "two"}])).unwrap();
    fake.on(ListProjects::FAKE).answer(&projects);
    let known = platform_client::Uuid::from_u128(7);
    fake.on(GetProject::FAKE)
        .when(move |call| call.path_parameter("project_id").is_some_and(|id| id == known.to_string()))
        .answer(&projects[0]);
    fake.on(GetProject::FAKE).reply(FakeReply::status(404).json(&json!({"title": "Not Found"})));
    let platform = fake.client().unwrap();
    for _ in 0..2 {
        assert_eq!(platform.projects().list_projects().await.unwrap().len(), 2, "the last answer stays");
    }
    let id = platform_client::Uuid::from_u128(5);
    let error = platform.projects().get_project(id).await.unwrap_err();
    assert!(error.is_not_found() && error.problem().unwrap().title.as_deref() == Some("Not Found"));
    let calls = fake.calls();
    assert_eq!(calls.len(), 3);
    assert_eq!(
        (calls[2].operation, calls[2].path.as_str()),
        ("get_project", format!("/api/projects/v1/projects/{id}").as_str())
    );
    let project = platform.projects().get_project(known).await.unwrap();
    assert_eq!(project.get::<String>("name").unwrap().as_deref(), Some("one"));
    assert_eq!((fake.calls_of(GetProject::FAKE).len(), fake.calls_of(CreateProject::FAKE).len()), (2, 0));
}

/// The fake records changing requests, whatever the outcome was.
#[tokio::test]
async fn a_fake_keeps_bodies_and_breaks_connections() {
    let fake = Fake::new();
    fake.on(CreateProject::FAKE)
        .when(|call| call.json::<serde_json::Value>().is_ok_and(|body| body["name"] == "lost"))
        .reply(FakeReply::broken_connection());
    fake.on(CreateProject::FAKE).answer(&None);
    let platform = fake.client().unwrap();
    let create = |name: &str| platform_client::types::CreateProject::default().name(name);
    assert!(platform.projects().create_project(&create("found")).await.unwrap().is_none());
    let error = platform.projects().create_project(&create("lost")).await.unwrap_err();
    assert!(error.is_submission_unknown(), "{error}");
    let names: Vec<_> =
        fake.calls().iter().map(|call| call.json::<serde_json::Value>().unwrap()["name"].clone()).collect();
    assert_eq!(names, ["found", "lost"]);
}

/// The example of `platform_client::testing` and of docs/testing.md.
#[tokio::test]
async fn a_sandbox_starts_in_one_line() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = platform_sandbox::start().await?;
    let client = &sandbox.clients()[0];
    let secret = SecretString::from(client.secret());
    let credential = ClientCredentials::new(sandbox.auth_url(), &client.client_id, secret);
    let platform = Platform::builder(sandbox.base_url()).credential(credential).build()?;
    assert!(platform.projects().list_projects().await?.is_empty());

    let source = read("tests/fakes.rs");
    let excerpt: Vec<&str> = source
        .lines()
        .skip_while(|line| !line.contains("platform_sandbox::start()"))
        .take_while(|line| !line.contains("assert!"))
        .map(str::trim)
        .collect();
    let text: Vec<String> = read("docs/testing.md").lines().map(|line| line.trim().to_owned()).collect();
    assert!(text.windows(excerpt.len()).any(|lines| lines == excerpt), "docs/testing.md has other lines");
    Ok(())
}
