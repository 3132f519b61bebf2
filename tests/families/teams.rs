//! Teams: roles, billing accounts, container registries and the credentials of providers.

use platform_client::types::{
    AccessKeyCredential, BillingAccountStatus, CreateBillingAccount, CreateTeamServiceProviderCredentialCreated,
    CreateTeamServiceProviderCredentialRequest, GetTeamServiceProviderCredentialResponse,
    ListTeamServiceProviderCredentialsResponseItem, SaveContainerRegistry, SaveTeamRole, TeamPermission,
};

use super::text;
use crate::support::sandbox;

#[tokio::test]
async fn a_team_and_its_roles() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let teams = platform.teams();
    let id = sandbox.team().id;
    let team = teams.get_team(id).await.unwrap();
    assert_eq!((team.id, team.name.as_deref()), (Some(id), Some(sandbox.team().name.as_str())));
    let listed: Vec<_> = teams.list_teams().await.unwrap().into_iter().map(|team| team.id).collect();
    assert_eq!(listed, [Some(id)]);
    assert!(teams.get_team(sandbox.other_team().id).await.unwrap_err().is_not_found());

    let save = |name: &str, permission| SaveTeamRole::default().name(text(name)).permissions(vec![permission]);
    let role = teams.create_team_role(id, &save("Reader", TeamPermission::ReadProjects)).await.unwrap();
    assert_eq!(role.permissions, Some(vec![TeamPermission::ReadProjects]));
    assert!(teams.list_team_roles(id).await.unwrap().contains(&role));
    let role = role.id.unwrap();
    let changed = teams.update_team_role(id, role, &save("Banker", TeamPermission::ManageBilling)).await.unwrap();
    assert_eq!((changed.id, changed.name.as_deref()), (Some(role), Some("Banker")));
    assert_eq!(changed.permissions, Some(vec![TeamPermission::ManageBilling]));
    assert!(teams.list_team_roles(id).await.unwrap().contains(&changed));
    teams.delete_team_role(id, role).await.unwrap();
    assert!(!teams.list_team_roles(id).await.unwrap().contains(&changed));
    assert!(teams.delete_team_role(id, role).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn billing_accounts_and_registries() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let teams = platform.teams();
    let id = sandbox.team().id;
    let body = CreateBillingAccount::default().name(text("Second")).currency(text("CHF"));
    let account = teams.create_team_billing_account(id, &body).await.unwrap();
    assert_eq!((account.team_id, account.currency.as_deref()), (Some(id), Some("CHF")));
    assert_eq!(account.status, Some(BillingAccountStatus::Active));
    assert_eq!(teams.get_team_billing_account(id, account.id.unwrap()).await.unwrap(), account);
    let seeded = teams.get_team_billing_account(id, sandbox.team().billing_account_id).await.unwrap();
    let accounts = teams.list_team_billing_accounts(id).await.unwrap();
    assert!(accounts.len() == 2 && accounts.contains(&account) && accounts.contains(&seeded), "{accounts:?}");

    let body = SaveContainerRegistry::default()
        .name(text("images"))
        .address(text("registry.example"))
        .user_name(text("puller"))
        .password(text("not shown"));
    let registry = teams.create_team_container_registry(id, &body).await.unwrap();
    assert_eq!(registry.address.as_deref(), Some("registry.example"));
    let key = registry.id.unwrap();
    assert_eq!(teams.get_team_container_registry(id, key).await.unwrap(), registry);
    assert_eq!(teams.list_team_container_registries(id).await.unwrap(), [registry]);
    teams.delete_team_container_registry(id, key).await.unwrap();
    assert_eq!(teams.list_team_container_registries(id).await.unwrap(), []);
    assert!(teams.get_team_container_registry(id, key).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn credentials_of_providers() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let teams = platform.teams();
    let id = sandbox.team().id;
    let body = AccessKeyCredential::default().access_key_id(text("AK")).name(text("a")).region(text("north"));
    let body = CreateTeamServiceProviderCredentialRequest::AccessKeyCredential(Box::new(body));
    let created = teams.create_team_service_provider_credential(id, &body).await.unwrap();
    let CreateTeamServiceProviderCredentialCreated::AccessKeyCredential(stored) = created else {
        panic!("{created:?}")
    };
    assert_eq!((&stored.access_key_id, &stored.region), (&text("AK"), &text("north")));
    let key = stored.id.unwrap();
    let current = teams.get_team_service_provider_credential(id, key).await.unwrap();
    assert_eq!(current, GetTeamServiceProviderCredentialResponse::AccessKeyCredential(stored.clone()));
    let listed = teams.list_team_service_provider_credentials(id).await.unwrap();
    assert_eq!(listed, [ListTeamServiceProviderCredentialsResponseItem::AccessKeyCredential(stored)]);
    teams.delete_team_service_provider_credential(id, key).await.unwrap();
    assert_eq!(teams.list_team_service_provider_credentials(id).await.unwrap(), []);
    assert!(teams.get_team_service_provider_credential(id, key).await.unwrap_err().is_not_found());
}
