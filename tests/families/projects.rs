//! Projects and their components, environment variables, access grants and deployments.

use std::time::Duration;

use platform_client::types::{
    AccessLevel, ComponentKind, CreateAccessGrant, CreateComponent, CreateProject, DeployWorkload,
    SetEnvironmentVariable, UpdateComponent, UpdateProject, WorkflowState,
};
use platform_client::{Maybe, Platform, Uuid};
use platform_sandbox::Sandbox;

use super::text;
use crate::support::sandbox;

async fn project(platform: &Platform, sandbox: &Sandbox) -> Uuid {
    let body = CreateProject::default().team_id(sandbox.team().id).name("Atlas");
    let created = platform.projects().create_project(&body).await.unwrap().unwrap();
    created["id"].to().unwrap()
}

async fn component(platform: &Platform, project: &Uuid) -> Uuid {
    let body =
        CreateComponent::new("web").kind(ComponentKind::Value1).image(text("web:1")).labels(Maybe::Null).replicas(1);
    let created = platform.projects().create_project_component(*project, &body).await.unwrap();
    assert_eq!((created.project_id, created.name.as_deref(), created.replicas), (Some(*project), Some("web"), Some(1)));
    created.id.unwrap()
}

#[tokio::test]
async fn a_project_is_changed_and_deleted() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let projects = platform.projects();
    let id = project(&platform, &sandbox).await;
    let change = UpdateProject::default().description(text("Maps"));
    let changed = projects.update_project(id, &change).await.unwrap();
    let field = |name: &str| changed.get::<String>(name).unwrap();
    assert_eq!((field("name").as_deref(), field("description").as_deref()), (Some("Atlas"), Some("Maps")));
    assert_eq!(projects.get_project(id).await.unwrap(), changed);
    assert_eq!(projects.list_projects().await.unwrap(), [changed]);
    projects.delete_project(id).await.unwrap();
    assert!(projects.list_projects().await.unwrap().is_empty());
    assert!(projects.update_project(id, &change).await.unwrap_err().is_not_found());
    assert!(projects.delete_project(id).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn components_are_replaced_and_removed() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let projects = platform.projects();
    let project = project(&platform, &sandbox).await;
    let id = component(&platform, &project).await;
    let change = UpdateComponent::default().replicas(3).image(text("web:2"));
    let changed = projects.update_project_component(project, id, &change).await.unwrap();
    assert_eq!(
        (changed.replicas, changed.image.as_deref(), changed.name.as_deref()),
        (Some(3), Some("web:2"), Some("web"))
    );
    assert_eq!(projects.get_project_component(project, id).await.unwrap(), changed);
    let of_kind = async |kind| projects.list_project_components(project).kind(kind).await.unwrap();
    assert_eq!((of_kind(ComponentKind::Value1).await, of_kind(ComponentKind::Value2).await), (vec![changed], vec![]));
    projects.delete_project_component(project, id).await.unwrap();
    assert!(projects.get_project_component(project, id).await.unwrap_err().is_not_found());
    assert!(projects.update_project_component(project, id, &change).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn environment_variables_are_set_and_removed() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let projects = platform.projects();
    let project = project(&platform, &sandbox).await;
    let id = component(&platform, &project).await;
    let set = async |value: &str| {
        let body = SetEnvironmentVariable::default().is_secret(false).value(text(value));
        let call = projects.update_project_component_environment_variable(project, id, "LEVEL", &body);
        call.with_response().await.unwrap().status().as_u16()
    };
    assert_eq!((set("1").await, set("2").await), (201, 200));
    let variable = projects.get_project_component_environment_variable(project, id, "LEVEL").await.unwrap();
    assert_eq!((variable.name.as_deref(), variable.value.as_deref()), (Some("LEVEL"), Some("2")));
    assert_eq!(projects.list_project_component_environment_variables(project, id).await.unwrap(), [variable]);
    projects.delete_project_component_environment_variable(project, id, "LEVEL").await.unwrap();
    assert_eq!(projects.list_project_component_environment_variables(project, id).await.unwrap(), []);
    let gone = projects.get_project_component_environment_variable(project, id, "LEVEL").await.unwrap_err();
    assert!(gone.is_not_found(), "{gone}");
}

#[tokio::test]
async fn access_is_granted_and_revoked() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let projects = platform.projects();
    let project = project(&platform, &sandbox).await;
    let id = component(&platform, &project).await;
    let user = Uuid::from_u128(7);
    let body = CreateAccessGrant::default().expires_at(Maybe::Null).level(AccessLevel::Write).user_id(user);
    let grant = projects.create_project_component_access_grant(project, id, &body).await.unwrap();
    assert_eq!((grant.user_id, grant.level.clone()), (Some(user), Some(AccessLevel::Write)));
    let key = grant.id.unwrap();
    assert_eq!(projects.list_project_component_access_grants(project, id).await.unwrap(), [grant]);
    projects.delete_project_component_access_grant(project, id, key).await.unwrap();
    assert_eq!(projects.list_project_component_access_grants(project, id).await.unwrap(), []);
    let gone = projects.delete_project_component_access_grant(project, id, key).await.unwrap_err();
    assert!(gone.is_not_found(), "{gone}");
}

#[tokio::test]
async fn a_workload_is_deployed_once_for_a_key_and_cancelled() {
    let (sandbox, _secrets, platform) = sandbox().await;
    sandbox.clock().hold();
    let projects = platform.projects();
    let project = project(&platform, &sandbox).await;
    let component = component(&platform, &project).await;
    let body = DeployWorkload::default().tag(text("v1"));
    let begin = async |key: u128| {
        let key = Uuid::from_u128(key);
        let call = projects.create_project_component_deployment(project, component, &body).idempotency_key(key);
        call.await.unwrap().id.unwrap()
    };
    let (first, again, second) = (begin(1).await, begin(1).await, begin(2).await);
    assert!(first == again && first != second);
    let listed = projects.list_project_component_deployments(project, component).await.unwrap();
    assert_eq!(listed.len(), 2);
    let state = async |id: Uuid| {
        let current = projects.get_project_component_deployment(project, component, id).await.unwrap();
        assert_eq!((current.component_id, current.tag.as_deref()), (Some(component), Some("v1")));
        current.state.unwrap()
    };
    assert_eq!(state(first).await, WorkflowState::Value0);

    let at_once = projects.cancel_project_component_deployment(project, component, first).immediately(true);
    assert_eq!(at_once.await.unwrap(), None);
    assert_eq!(state(first).await, WorkflowState::Value4);
    let in_a_step = projects.cancel_project_component_deployment(project, component, second);
    assert_eq!(in_a_step.await.unwrap().and_then(|accepted| accepted.id), Some(second));
    sandbox.clock().advance(Duration::from_secs(1));
    assert_eq!(state(second).await, WorkflowState::Value4);
    let ended = projects.cancel_project_component_deployment(project, component, first).await.unwrap_err();
    assert!(ended.is_conflict(), "{ended}");
}
