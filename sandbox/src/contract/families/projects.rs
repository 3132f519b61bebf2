//! `/api/projects/v1`: the three documented project operations, and two assumed ones.

use http::Method;

use super::Family;
use crate::contract::Provenance;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::{Answer, Body, Media, Operation};
use crate::contract::schema::{Schema, any, list, object, reference, string, text, uuid};

pub(super) fn family() -> Family {
    let projects = Controller::new("Projects", "/api/projects/v1/projects");
    Family {
        operations: vec![
            list_projects(&projects),
            create_project(&projects),
            get_project(&projects),
            projects.replace("/{project_id}", "Changes the labels of a project.").body("UpdateProject").ok("Project"),
            projects.remove("/{project_id}", "Deletes a project.").no_content(),
        ],
        schemas: vec![
            ("CreateProject", documented(create_body())),
            ("Project", documented(Schema { kind: Some("object"), ..Schema::default() })),
            (
                "UpdateProject",
                object([("name", text()), ("description", text()), ("category", text()), ("helpPage", text())]),
            ),
        ],
    }
}

/// Platform document §4.3, first row. Query parameters, pagination and ordering are not shown, so there are none.
fn list_projects(projects: &Controller) -> Operation {
    projects
        .operation(Method::GET, "", "Lists the projects that are visible to the caller.", Handler::ListProjects)
        .describe("The collection is empty when no projects exist.")
        .ok(list("Project"))
        .authorized_by_handler()
        .documented()
}

/// Platform document §4.3, second row.
fn get_project(projects: &Controller) -> Operation {
    projects
        .operation(Method::GET, "/{project_id}", "Gets one project.", Handler::GetProject)
        .ok("Project")
        .answer(
            "404",
            Answer {
                description: "The project does not exist or is not visible in the caller's authorized context.",
                content: Vec::new(),
            },
        )
        .authorized_by_handler()
        .documented()
}

/// Platform document §4.3, third row. The document does not show the status and body of a success: any 2xx with any body. Nor
/// does it show the status of the refusal that its second rule demands: any 4xx.
fn create_project(projects: &Controller) -> Operation {
    let media = Media::new(reference("CreateProject"));
    let mut operation = projects
        .operation(Method::POST, "", "Creates a project.", Handler::CreateProject)
        .describe(
            "Subject to the team's authorization, billing, provider and feature requirements. Identifiers must belong to \
             the authenticated team.",
        )
        .answer(
            "2XX",
            Answer {
                description: "The project is created. The platform document shows neither the status nor the body.",
                content: vec![("application/json", Media::new(any()))],
            },
        )
        .answer("400", Answer { description: "The request body is malformed.", content: Vec::new() })
        .answer(
            "4XX",
            Answer {
                description: "The requirements are not met. The platform document shows neither the status nor the body.",
                content: Vec::new(),
            },
        )
        .authorized_by_handler()
        .documented();
    operation.request_body = Some(Body { content: vec![("application/json", media)], required: true });
    operation
}

/// The fields of platform document §2. The document does not mark mandatory fields, so none is required.
fn create_body() -> Schema {
    object([
        ("teamId", uuid().describe("The ID of a team of the authenticated caller.")),
        ("teamBillingAccountId", uuid().describe("Billing account of that team.")),
        ("storeItemPaymentPlanId", uuid().nullable().describe("Null is allowed.")),
        ("name", string().describe("Project name.")),
        ("description", string().describe("Free text.")),
        ("category", string().describe("Category label.")),
        ("helpPage", string().describe("An empty string is allowed.")),
        ("serviceProviders", list(any()).describe("An empty array is allowed. The element shape is not shown.")),
    ])
    .open()
}

fn documented(schema: Schema) -> Schema {
    Schema { provenance: Some(Provenance::Documented), ..schema }
}
