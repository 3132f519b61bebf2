//! A component to deploy to.

use std::path::Path;

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

/// The variables of `deploy_and_wait`, in addition to the others: the component, the number of deployments, and the store.
pub(crate) fn deploying((project, component): (Uuid, Uuid), store: &Path, count: usize) -> [(&'static str, String); 4] {
    [
        ("PLATFORM_STORE", store.display().to_string()),
        ("PLATFORM_PROJECT", project.to_string()),
        ("PLATFORM_COMPONENT", component.to_string()),
        ("PLATFORM_COUNT", count.to_string()),
    ]
}
