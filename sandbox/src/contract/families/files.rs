//! `/api/devops/v1`: files of a repository, as bytes in both directions. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::Answer;
use crate::contract::schema::{binary, list, long, object, string, text};

pub(super) fn family() -> Family {
    let files = Controller::new("GitFiles", "/api/devops/v1/repositories/{repositoryId}/files");
    let path = || string().min_length(1);
    Family {
        operations: vec![
            files.list("", "Lists the files of a branch.").query("branch", text()).ok(list("GitFile")),
            files
                .operation(Method::POST, "", "Uploads files as one commit.", Handler::UploadFiles)
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
                .operation(Method::GET, "/content", "Downloads one file.", Handler::GetFile)
                .required_query("path", path())
                .query("branch", text())
                .ok_as("application/octet-stream", binary()),
            files
                .operation(Method::PUT, "/content", "Writes one file.", Handler::PutFile)
                .required_query("path", path())
                .query("branch", text())
                .header("X-Commit-Message", false, string())
                .raw_body(&["application/octet-stream"])
                .ok("GitFile")
                .created("GitFile")
                .answer("204", Answer { description: "The file holds these bytes already.", content: Vec::new() }),
            files
                .operation(Method::DELETE, "/content", "Deletes one file.", Handler::RemoveFile)
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
