//! `/api/devops/v1`: repositories and branches. All assumed.

use super::Family;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, boolean, date_time, list, object, string, text, uuid, words};

pub(super) fn family() -> Family {
    let mut operations = repositories();
    operations.extend(branches());
    Family { operations, schemas: schemas() }
}

fn repositories() -> Vec<Operation> {
    let repositories = Controller::new("GitRepositories", "/api/devops/v1/repositories");
    vec![
        repositories.list("", "Lists the repositories.").query("projectId", uuid()).ok(list("GitRepository")),
        repositories
            .create("", "Creates a repository.")
            .body("CreateGitRepository")
            .created("GitRepository")
            .conflict(),
        repositories.get("/{repositoryId}", "Gets one repository.").ok("GitRepository"),
        repositories.remove("/{repositoryId}", "Deletes a repository.").no_content(),
    ]
}

fn branches() -> Vec<Operation> {
    let branches = Controller::new("GitBranches", "/api/devops/v1/repositories/{repositoryId}/branches");
    vec![
        branches.list("", "Lists the branches of a repository.").ok(list("GitBranch")),
        branches
            .replace("/{name}", "Creates a branch or moves it to another commit.")
            .path_parameter("name", string().min_length(1))
            .body("MoveGitBranch")
            .ok("GitBranch")
            .created("GitBranch"),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("GitVisibility", words(&["private", "team", "public"])),
        (
            "GitRepository",
            object([
                ("id", uuid().read_only()),
                ("projectId", uuid().nullable()),
                ("name", text()),
                ("defaultBranch", text()),
                ("visibility", "GitVisibility".into()),
                ("isArchived", boolean()),
                ("createdAt", date_time()),
            ]),
        ),
        (
            "CreateGitRepository",
            object([
                ("projectId", uuid().nullable()),
                ("name", string().min_length(1)),
                ("defaultBranch", text()),
                ("visibility", "GitVisibility".into()),
            ])
            .required(&["name"]),
        ),
        ("GitBranch", object([("name", text()), ("commit", text()), ("isProtected", boolean())])),
        ("MoveGitBranch", object([("commit", text()), ("isProtected", boolean())])),
    ]
}
