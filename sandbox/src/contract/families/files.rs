//! `/api/devops/v1`: files of a repository, as bytes in both directions. All assumed.

use super::Family;
use crate::contract::operation::{Answer, Controller};
use crate::contract::schema::{binary, list, long, object, string, text};

pub(super) fn family() -> Family {
    let files = Controller::new("GitFiles", "/api/devops/v1/repositories/{repositoryId}/files");
    let path = || string().min_length(1);
    Family {
        operations: vec![
            files.get("", "Lists the files of a branch.").query("branch", text()).ok(list("GitFile")),
            files
                .post("", "Uploads files as one commit.")
                .form(
                    "multipart/form-data",
                    object([
                        ("message", string()),
                        ("branch", string()),
                        ("tags", list(string())),
                        ("files", list(binary())),
                    ])
                    .open(),
                )
                .created(list("GitFile")),
            files
                .get("/content", "Downloads one file.")
                .required_query("path", path())
                .query("branch", text())
                .ok_as("application/octet-stream", binary()),
            files
                .put("/content", "Writes one file.")
                .required_query("path", path())
                .query("branch", text())
                .header("X-Commit-Message", false, string())
                .raw_body(&["application/octet-stream"])
                .ok("GitFile")
                .created("GitFile")
                .answer("204", Answer { description: "The file holds these bytes already.", content: Vec::new() }),
            files
                .delete("/content", "Deletes one file.")
                .required_query("path", path())
                .query("branch", text())
                .no_content(),
        ],
        schemas: vec![(
            "GitFile",
            object([("path", text()), ("branch", text()), ("size", long()), ("sha256", text())]),
        )],
    }
}
