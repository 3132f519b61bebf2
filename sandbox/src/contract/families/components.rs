//! `/api/projects/v1`: components, their environment variables, access grants and workload deployments. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::{Answer, Operation};
use crate::contract::schema::{
    Schema, boolean, date_time, dictionary, int, list, numbers, object, string, text, uuid, words,
};
use crate::directory::Role;
use crate::workflow::Kind;

const COMPONENTS: &str = "/api/projects/v1/projects/{project_id}/components";
const COMPONENT: &str = "/api/projects/v1/projects/{project_id}/components/{componentId}";

pub(super) fn family() -> Family {
    let mut operations = components();
    operations.extend(variables());
    operations.extend(grants());
    operations.extend(deployments());
    Family { operations, schemas: schemas() }
}

fn components() -> Vec<Operation> {
    let components = Controller::new("ProjectComponents", COMPONENTS);
    vec![
        components
            .list("", "Lists the components of a project.")
            .query("kind", "ComponentKind".into())
            .ok(list("Component")),
        components.create("", "Adds a component to a project.").body("CreateComponent").created("Component"),
        components.get("/{componentId}", "Gets one component.").ok("Component"),
        components
            .replace("/{componentId}", "Replaces a component.")
            .body("UpdateComponent")
            .ok("Component")
            .conflict(),
        components.remove("/{componentId}", "Removes a component.").no_content(),
    ]
}

fn variables() -> Vec<Operation> {
    let variables = Controller::new("EnvironmentVariables", format!("{COMPONENT}/environment-variables"));
    let name = || string().min_length(1);
    vec![
        variables.list("", "Lists the environment variables of a component.").ok(list("EnvironmentVariable")),
        variables
            .get("/{name}", "Gets one environment variable.")
            .path_parameter("name", name())
            .ok("EnvironmentVariable"),
        variables
            .replace("/{name}", "Sets an environment variable.")
            .path_parameter("name", name())
            .body("SetEnvironmentVariable")
            .ok("EnvironmentVariable")
            .created("EnvironmentVariable"),
        variables.remove("/{name}", "Removes an environment variable.").path_parameter("name", name()).no_content(),
    ]
}

fn grants() -> Vec<Operation> {
    let grants = Controller::new("ComponentAccessGrants", format!("{COMPONENT}/access-grants")).writers(Role::Admin);
    vec![
        grants.list("", "Lists who may use a component.").ok(list("AccessGrant")),
        grants.create("", "Grants access to a component.").body("CreateAccessGrant").created("AccessGrant").conflict(),
        grants.remove("/{grantId}", "Revokes an access grant.").no_content(),
    ]
}

/// Platform document §4.4: a hosted workload's deployment answers before the work is done. The rest is assumed.
fn deployments() -> Vec<Operation> {
    let deployments = Controller::new("WorkloadDeployments", format!("{COMPONENT}/deployments"));
    vec![
        deployments.list("", "Lists the deployments of a component.").ok(list("WorkloadDeployment")),
        deployments
            .create("", "Deploys the component's workload.")
            .begins(Kind::WorkloadDeployment)
            .describe("Answers when the work is queued. Watch the returned identifier until it reaches a final state.")
            .header("Idempotency-Key", false, uuid())
            .body("DeployWorkload")
            .accepted("AcceptedResult"),
        deployments.get("/{deploymentId}", "Gets one deployment.").ok("WorkloadDeployment"),
        deployments
            .operation(Method::POST, "/{deploymentId}/cancel", "Cancels a deployment.", Handler::Cancel)
            .accepted("AcceptedResult")
            .answer("204", Answer::empty("204"))
            .query("immediately", boolean())
            .when("immediately", "204")
            .conflict(),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("ComponentKind", numbers(&[0, 1, 2, 3])),
        ("AccessLevel", words(&["Read", "Write", "Admin"])),
        (
            "Component",
            object([
                ("id", uuid().read_only()),
                ("projectId", uuid()),
                ("name", text()),
                ("kind", "ComponentKind".into()),
                ("image", text()),
                ("replicas", int()),
                ("labels", dictionary(string()).nullable()),
                ("createdAt", date_time()),
                ("updatedAt", date_time().nullable()),
            ]),
        ),
        (
            "CreateComponent",
            object([
                ("name", string().min_length(1)),
                ("kind", "ComponentKind".into()),
                ("image", text()),
                ("replicas", int().nullable()),
                ("labels", dictionary(string()).nullable()),
            ])
            .required(&["name"]),
        ),
        (
            "UpdateComponent",
            object([
                ("name", text()),
                ("image", text()),
                ("replicas", int()),
                ("labels", dictionary(string()).nullable()),
            ]),
        ),
        ("EnvironmentVariable", object([("name", text()), ("value", text()), ("isSecret", boolean())])),
        ("SetEnvironmentVariable", object([("value", text()), ("isSecret", boolean())])),
        (
            "AccessGrant",
            object([
                ("id", uuid().read_only()),
                ("userId", uuid()),
                ("level", "AccessLevel".into()),
                ("expiresAt", date_time().nullable()),
            ]),
        ),
        (
            "CreateAccessGrant",
            object([("userId", uuid()), ("level", "AccessLevel".into()), ("expiresAt", date_time().nullable())]),
        ),
        (
            "WorkloadDeployment",
            object([
                ("id", uuid().read_only()),
                ("componentId", uuid()),
                ("tag", text()),
                ("state", "WorkflowState".into()),
                ("message", text()),
                ("createdAt", date_time()),
            ]),
        ),
        (
            "DeployWorkload",
            object([
                ("tag", text()),
                ("virtualMachineId", uuid().nullable()),
                ("arguments", list(string()).nullable()),
            ]),
        ),
    ]
}
