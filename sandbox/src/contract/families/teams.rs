//! `/api/teams/v1`: roles, service-provider credentials, billing accounts, container registries. All assumed.

use super::Family;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, boolean, date_time, list, numbers, object, one_of, string, text, uuid, words};
use crate::directory::Role;

const TEAM: &str = "/api/teams/v1/teams/{teamId}";
const CREDENTIALS: [&str; 3] = ["AccessKeyCredential", "ServicePrincipalCredential", "TokenCredential"];

pub(super) fn family() -> Family {
    let teams = Controller::new("Teams", "/api/teams/v1/teams");
    let mut operations = vec![
        teams.list("", "Lists the teams of the caller.").ok(list("Team")),
        teams.get("/{teamId}", "Gets one team.").ok("Team"),
    ];
    operations.extend(roles());
    operations.extend(credentials());
    operations.extend(billing());
    operations.extend(registries());
    let mut schemas = schemas();
    schemas.extend(credential_schemas());
    Family { operations, schemas }
}

fn roles() -> Vec<Operation> {
    let roles = Controller::new("TeamRoles", format!("{TEAM}/roles")).writers(Role::Admin);
    vec![
        roles.list("", "Lists the roles of a team.").ok(list("TeamRole")),
        roles.create("", "Adds a role to a team.").body("SaveTeamRole").created("TeamRole"),
        roles.replace("/{roleId}", "Replaces a role.").body("SaveTeamRole").ok("TeamRole"),
        roles.remove("/{roleId}", "Removes a role.").no_content(),
    ]
}

fn credentials() -> Vec<Operation> {
    // Only callers who may use a provider's credentials can read them.
    let credentials = Controller::new("ServiceProviderCredentials", format!("{TEAM}/service-provider-credentials"))
        .readers(Role::Member)
        .writers(Role::Admin);
    vec![
        credentials.list("", "Lists the credentials of a team.").ok(list(one_of(&CREDENTIALS))),
        credentials.create("", "Stores a credential.").body(one_of(&CREDENTIALS)).created(one_of(&CREDENTIALS)),
        credentials.get("/{credentialId}", "Gets one credential.").ok(one_of(&CREDENTIALS)),
        credentials.remove("/{credentialId}", "Removes a credential.").no_content(),
    ]
}

fn billing() -> Vec<Operation> {
    let accounts = Controller::new("BillingAccounts", format!("{TEAM}/billing-accounts")).writers(Role::Admin);
    vec![
        accounts.list("", "Lists the billing accounts of a team.").ok(list("BillingAccount")),
        accounts.create("", "Opens a billing account.").body("CreateBillingAccount").created("BillingAccount"),
        accounts.get("/{billingAccountId}", "Gets one billing account.").ok("BillingAccount"),
    ]
}

fn registries() -> Vec<Operation> {
    let registries =
        Controller::new("ContainerRegistries", format!("{TEAM}/container-registries")).writers(Role::Admin);
    vec![
        registries.list("", "Lists the container registries of a team.").ok(list("ContainerRegistry")),
        registries.create("", "Adds a container registry.").body("SaveContainerRegistry").created("ContainerRegistry"),
        registries.get("/{registryId}", "Gets one container registry.").ok("ContainerRegistry"),
        registries.remove("/{registryId}", "Removes a container registry.").no_content(),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("Team", object([("id", uuid().read_only()), ("name", text()), ("slug", text()), ("createdAt", date_time())])),
        (
            "TeamPermission",
            numbers(&[1, 2, 4, 8]).varnames(&["ReadProjects", "WriteProjects", "ManageMembers", "ManageBilling"]),
        ),
        (
            "TeamRole",
            object([
                ("id", uuid().read_only()),
                ("name", text()),
                ("permissions", list("TeamPermission").nullable()),
                ("isBuiltIn", boolean().read_only()),
            ]),
        ),
        ("SaveTeamRole", object([("name", text()), ("permissions", list("TeamPermission").nullable())])),
        (
            "BillingAccount",
            object([
                ("id", uuid().read_only()),
                ("teamId", uuid()),
                ("name", text()),
                ("currency", text()),
                ("status", "BillingAccountStatus".into()),
            ]),
        ),
        ("BillingAccountStatus", words(&["Active", "Suspended", "Closed"])),
        ("CreateBillingAccount", object([("name", text()), ("currency", text())])),
        (
            "ContainerRegistry",
            object([("id", uuid().read_only()), ("name", text()), ("address", text()), ("userName", text())]),
        ),
        (
            "SaveContainerRegistry",
            object([("name", text()), ("address", text()), ("userName", text()), ("password", text())]),
        ),
    ]
}

/// A tagged union in Swashbuckle's inheritance style: a base with the discriminator, subtypes that are `allOf` the base,
/// and `oneOf` where it is used. The objects are open: a closed base would refuse the fields of its own subtypes.
fn credential_schemas() -> Vec<(&'static str, Schema)> {
    let base =
        object([("id", uuid().read_only()), ("kind", string()), ("name", text())]).open().required(&["kind"]).tagged(
            "kind",
            &[
                ("AccessKey", "AccessKeyCredential"),
                ("ServicePrincipal", "ServicePrincipalCredential"),
                ("Token", "TokenCredential"),
            ],
        );
    let [access_key, principal, token] = CREDENTIALS;
    vec![
        ("ServiceProviderCredential", base),
        (
            access_key,
            object([("kind", words(&["AccessKey"])), ("accessKeyId", text()), ("region", text())])
                .open()
                .derives("ServiceProviderCredential"),
        ),
        (
            principal,
            object([("kind", words(&["ServicePrincipal"])), ("tenant", uuid()), ("application", uuid())])
                .open()
                .derives("ServiceProviderCredential"),
        ),
        (
            token,
            object([("kind", words(&["Token"])), ("expiresAt", date_time().nullable())])
                .open()
                .derives("ServiceProviderCredential"),
        ),
    ]
}
