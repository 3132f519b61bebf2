//! SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), which code scanning and editors read.

use driftless_codegen::line;
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::place::{FileLine, uri};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log with one run of a command.
#[must_use]
pub fn log(command: &str, rules: Vec<Value>, notifications: Vec<Value>, results: Vec<Value>) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": command, "rules": rules } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// The physical location of a part of a file of the workspace.
#[must_use]
pub fn location(place: &FileLine) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri(&place.file), "uriBaseId": "%SRCROOT%" } });
    if let (Some(line), Some(column)) = (place.line, place.column) {
        location["region"] = json!({ "startLine": line, "startColumn": column });
    }
    location
}

/// The suppression of a result that somebody accepted, with the reason.
#[must_use]
pub fn accepted(reason: &str) -> Value {
    json!([{ "kind": "external", "justification": line(reason) }])
}

/// A report in JSON as it is printed.
///
/// # Errors
///
/// The value cannot be written as JSON.
pub fn printed(document: &Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(document).map_err(|error| {
        Failure::new(
            Exit::Files,
            "report/json",
            format!("the report cannot be written as JSON: {error}"),
            "report this",
        )
    })?;
    // A command of Azure DevOps (`##vso[`) can stand in a string only, and there this is the same.
    Ok(text.replace("##", "#\\u0023"))
}
