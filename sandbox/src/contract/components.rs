//! Components that several families share.

use super::schema::{Additional, Schema, any, date_time, dictionary, int, list, numbers, object, string, text, uuid};

/// Name and schema of each shared component.
pub(super) fn shared() -> Vec<(&'static str, Schema)> {
    vec![
        ("ProblemDetails", problem([])),
        ("ValidationProblemDetails", problem([("errors", dictionary(list(string())))])),
        ("AcceptedResult", accepted()),
        ("WorkflowState", numbers(&[0, 1, 2, 3, 4])),
    ]
}

/// ASP.NET's problem body: every field nullable, extensions allowed.
fn problem<const N: usize>(more: [(&'static str, Schema); N]) -> Schema {
    let mut schema = object([
        ("type", text()),
        ("title", text()),
        ("status", int().nullable()),
        ("detail", text()),
        ("instance", text()),
    ]);
    schema.properties.extend(more);
    schema.additional_properties = Some(Additional::Of(Box::new(any())));
    schema
}

fn accepted() -> Schema {
    object([
        ("id", uuid().read_only().describe("The identifier to watch the workflow by.")),
        ("state", "WorkflowState".into()),
        ("acceptedAt", date_time()),
    ])
}
