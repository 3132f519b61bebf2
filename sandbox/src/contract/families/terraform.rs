//! `/api/devops/v1`: Terraform deployment operations. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, boolean, date_time, dictionary, list, numbers, object, string, text, uuid};
use crate::workflow::Kind;

pub(super) fn family() -> Family {
    Family { operations: operations(), schemas: schemas() }
}

fn operations() -> Vec<Operation> {
    let deployments = Controller::new("TerraformDeployments", "/api/devops/v1/terraform-deployments");
    vec![
        deployments
            .list("", "Lists the Terraform deployments.")
            .query("repositoryId", uuid())
            .query("states", list("TerraformState"))
            .ok(list("TerraformDeployment")),
        deployments
            .create("", "Queues a Terraform deployment.")
            .begins(Kind::TerraformPlan)
            .begins_if("autoApprove", Kind::TerraformRun)
            .body("CreateTerraformDeployment")
            .accepted("AcceptedResult"),
        deployments.get("/{deploymentId}", "Gets one Terraform deployment.").ok("TerraformDeployment"),
        deployments
            .action("/{deploymentId}/apply", "Queues an apply.")
            .begins(Kind::TerraformApply)
            .accepted("AcceptedResult")
            .conflict(),
        deployments
            .action("/{deploymentId}/destroy", "Queues a destroy.")
            .begins(Kind::TerraformDestroy)
            .accepted("AcceptedResult"),
        deployments.singleton("/{deploymentId}/outputs", "Gets the outputs.").ok("TerraformOutputs"),
        deployments
            .operation(Method::GET, "/{deploymentId}/log", "Gets the log as text.", Handler::Log)
            .ok_as("text/plain", string()),
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
