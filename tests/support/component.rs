//! A component to deploy to.

use platform_client::types::{CreateComponent, CreateProject};
use platform_client::{Platform, Uuid};

/// A new project, and a component of it to deploy to.
pub(crate) async fn component(platform: &Platform) -> (Uuid, Uuid) {
    let body = CreateProject::default().name("Atlas");
    let project = platform.projects().create_project(&body).await.unwrap().unwrap();
    let project: Uuid = project["id"].as_str().unwrap().parse().unwrap();
    let body = CreateComponent::new("web");
    let component = platform.projects().create_project_component(project, &body).await.unwrap();
    (project, serde_json::to_value(&component).unwrap()["id"].as_str().unwrap().parse().unwrap())
}
