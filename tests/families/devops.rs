//! Repositories with their branches and files, and Terraform deployments.

use std::collections::BTreeMap;
use std::time::Duration;

use platform_client::types::{
    CreateGitRepository, CreateRepositoryFileRequest, CreateTerraformDeployment, GitRepository, GitVisibility,
    MoveGitBranch, TerraformState,
};
use platform_client::{Maybe, Platform, Upload, Uuid};

use super::text;
use crate::support::{client, sandbox};

const LONG: Duration = Duration::from_secs(600);

async fn repository(platform: &Platform) -> GitRepository {
    let body = CreateGitRepository::new("infrastructure")
        .default_branch(text("main"))
        .project_id(Maybe::Null)
        .visibility(GitVisibility::Team);
    platform.devops().create_repository(&body).await.unwrap()
}

#[tokio::test]
async fn repositories_and_branches() {
    let (sandbox, secrets, platform) = sandbox().await;
    let devops = platform.devops();
    let created = repository(&platform).await;
    assert_eq!(
        (created.name.as_deref(), created.visibility.clone()),
        (Some("infrastructure"), Some(GitVisibility::Team))
    );
    let id = created.id.unwrap();
    assert_eq!(devops.get_repository(id).await.unwrap(), created);
    assert_eq!(devops.list_repositories().await.unwrap(), [created]);
    assert_eq!(devops.list_repositories().project_id(Uuid::from_u128(1)).await.unwrap(), []);

    let moved = |commit: &str| MoveGitBranch::default().commit(text(commit)).is_protected(true);
    let first = devops.update_repository_branch(id, "topic", &moved("abc")).with_response().await.unwrap();
    assert_eq!((first.status().as_u16(), first.value().commit.as_deref()), (201, Some("abc")));
    let second = devops.update_repository_branch(id, "topic", &moved("def")).with_response().await.unwrap();
    assert_eq!((second.status().as_u16(), second.value().name.as_deref()), (200, Some("topic")));
    let branches = devops.list_repository_branches(id).await.unwrap();
    let commits: Vec<_> = branches.iter().map(|branch| (branch.commit.as_deref(), branch.is_protected)).collect();
    assert_eq!(commits, [(Some("def"), Some(true))]);

    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.devops().list_repository_branches(id).await.unwrap_err().is_not_found());
    assert!(stranger.devops().delete_repository(id).await.unwrap_err().is_not_found());
    devops.delete_repository(id).await.unwrap();
    assert!(devops.get_repository(id).await.unwrap_err().is_not_found());
    assert!(devops.update_repository_branch(id, "topic", &moved("x")).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn files_are_uploaded_listed_written_and_deleted() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let devops = platform.devops();
    let id = repository(&platform).await.id.unwrap();
    let form = CreateRepositoryFileRequest::default()
        .branch("topic")
        .files(vec![Upload::bytes("one").file_name("one.tf")])
        .message("One");
    let stored = devops.create_repository_file(id, form).await.unwrap();
    assert_eq!((stored.len(), stored[0].path.as_deref(), stored[0].size), (1, Some("one.tf"), Some(3)));
    assert_eq!(devops.list_repository_files(id).branch("topic").await.unwrap(), stored);
    assert_eq!(devops.list_repository_files(id).branch("main").await.unwrap(), []);

    let branch = "topic";
    let bytes = Upload::bytes("longer");
    let call = devops.update_repository_files_content(id, "one.tf", bytes).branch(branch).x_commit_message("Longer");
    assert_eq!(call.await.unwrap().unwrap().size, Some(6));
    let read = devops.get_repository_files_content(id, "one.tf").branch(branch).await.unwrap();
    assert_eq!(read.bytes().await.unwrap().as_ref(), b"longer");
    devops.delete_repository_files_content(id, "one.tf").branch(branch).await.unwrap();
    assert!(devops.get_repository_files_content(id, "one.tf").branch(branch).await.unwrap_err().is_not_found());
    assert!(devops.delete_repository_files_content(id, "one.tf").branch(branch).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn terraform_plans_applies_and_destroys() {
    let (sandbox, secrets, platform) = sandbox().await;
    sandbox.clock().hold();
    let devops = platform.devops();
    let repository = repository(&platform).await.id.unwrap();
    let body = CreateTerraformDeployment::new(repository)
        .auto_approve(false)
        .branch(text("main"))
        .variables(BTreeMap::from([("region".to_owned(), "north".to_owned())]));
    let id = devops.create_terraform_deployment(&body).await.unwrap().id.unwrap();
    let state = async || devops.get_terraform_deployment(id).await.unwrap().state.unwrap();
    assert_eq!(state().await, TerraformState::Queued);
    sandbox.clock().advance(LONG);
    assert_eq!(state().await, TerraformState::Planning);
    let in_state =
        async |state| devops.list_terraform_deployments().repository_id(repository).states(&[state]).await.unwrap();
    let planned = in_state(TerraformState::Planning).await;
    assert_eq!((planned.len(), planned[0].id, planned[0].variables.as_ref()), (1, Some(id), body.variables.as_ref()));
    assert_eq!(in_state(TerraformState::Failed).await, []);

    devops.apply_terraform_deployment(id).await.unwrap();
    assert_eq!(state().await, TerraformState::Applying);
    assert!(devops.apply_terraform_deployment(id).await.unwrap_err().is_conflict());
    sandbox.clock().advance(LONG);
    assert_eq!(state().await, TerraformState::Applied);
    let log = devops.get_terraform_deployment_log(id).await.unwrap();
    assert!(log.contains("terraform-apply infrastructure-ready"), "{log}");
    assert_eq!(devops.list_terraform_deployment_outputs(id).await.unwrap().id, Some(id));
    devops.destroy_terraform_deployment(id).await.unwrap();
    assert_eq!(state().await, TerraformState::Destroying);

    let stranger = client(&sandbox, secrets.path(), 1);
    let devops = stranger.devops();
    assert!(devops.get_terraform_deployment(id).await.unwrap_err().is_not_found());
    assert!(devops.get_terraform_deployment_log(id).await.unwrap_err().is_not_found());
    assert!(devops.list_terraform_deployment_outputs(id).await.unwrap_err().is_not_found());
    assert!(devops.destroy_terraform_deployment(id).await.unwrap_err().is_not_found());
}
