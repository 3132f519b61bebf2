//! `/api/devops/v1`: Terraform deployment operations. All assumed.

use super::Family;
use crate::contract::operation::{Controller, Operation};
use crate::contract::schema::{Schema, boolean, date_time, dictionary, list, numbers, object, string, text, uuid};

pub(super) fn family() -> Family {
    Family { operations: operations(), schemas: schemas() }
}

fn operations() -> Vec<Operation> {
    let deployments = Controller::new("TerraformDeployments", "/api/devops/v1/terraform-deployments");
    vec![
        deployments
            .get("", "Lists the Terraform deployments.")
            .query("repositoryId", uuid())
            .query("states", list("TerraformState"))
            .ok(list("TerraformDeployment")),
        deployments
            .post("", "Queues a Terraform deployment.")
            .body("CreateTerraformDeployment")
            .accepted("AcceptedResult"),
        deployments.get("/{deploymentId}", "Gets one Terraform deployment.").ok("TerraformDeployment"),
        deployments.post("/{deploymentId}/apply", "Queues an apply.").accepted("AcceptedResult").conflict(),
        deployments.post("/{deploymentId}/destroy", "Queues a destroy.").accepted("AcceptedResult"),
        deployments.get("/{deploymentId}/outputs", "Gets the outputs.").ok("TerraformOutputs"),
        deployments.get("/{deploymentId}/log", "Gets the log as text.").ok_as("text/plain", string()),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        (
            "TerraformState",
            numbers(&[0, 1, 2, 3, 4, 9]).varnames(&[
                "Queued",
                "Planning",
                "Applying",
                "Applied",
                "Destroying",
                "Failed",
            ]),
        ),
        (
            "TerraformDeployment",
            object([
                ("id", uuid().read_only()),
                ("repositoryId", uuid()),
                ("branch", text()),
                ("workingDirectory", text()),
                ("variables", dictionary(string()).nullable()),
                ("state", "TerraformState".into()),
                ("createdAt", date_time()),
            ]),
        ),
        (
            "CreateTerraformDeployment",
            object([
                ("repositoryId", uuid()),
                ("branch", text()),
                ("workingDirectory", text()),
                ("variables", dictionary(string()).nullable()),
                ("autoApprove", boolean()),
            ])
            .required(&["repositoryId"]),
        ),
        ("TerraformOutputs", object([("id", uuid()), ("values", dictionary(Schema::default()).nullable())])),
    ]
}
