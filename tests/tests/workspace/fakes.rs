//! Generated operations against a service that is not there, as tests of a consumer use it.

use platform_client::testing::Fake;
use serde_json::json;

#[tokio::test]
async fn generated_operations_get_typed_values() {
    let fake = Fake::new();
    fake.answer("list_projects", &json!([{"name": "one"}, {"name": "two"}]));
    fake.fail("get_project", 404, &json!({"title": "Not Found"}));
    let platform = fake.platform().unwrap();
    for _ in 0..2 {
        assert_eq!(platform.projects().list_projects().await.unwrap().len(), 2, "the last answer stays");
    }
    let id = platform_client::Uuid::from_u128(5);
    let error = platform.projects().get_project(&id).await.unwrap_err();
    assert!(error.is_not_found() && error.problem().unwrap().title.as_deref() == Some("Not Found"));
    let calls = fake.calls();
    assert_eq!(calls.len(), 3);
    assert_eq!(
        (calls[2].operation, calls[2].path.as_str()),
        ("get_project", format!("/api/projects/v1/projects/{id}").as_str())
    );
}
