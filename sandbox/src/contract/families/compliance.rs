//! `/api/compliance` and `/api/compliance/v1`: frameworks, versions, controls, under both prefixes. All assumed.

use super::Family;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, boolean, date_time, list, object, string, text, uuid, words};

pub(super) fn family() -> Family {
    let operations = ["/api/compliance", "/api/compliance/v1"].into_iter().flat_map(operations).collect();
    Family { operations, schemas: schemas() }
}

fn operations(prefix: &str) -> Vec<Operation> {
    let frameworks = Controller::new("Frameworks", format!("{prefix}/frameworks"));
    let versions = Controller::new("FrameworkVersions", format!("{prefix}/frameworks/{{frameworkId}}/versions"));
    let controls =
        Controller::new("Controls", format!("{prefix}/frameworks/{{frameworkId}}/versions/{{versionId}}/controls"));
    vec![
        frameworks.list("", "Lists the frameworks.").ok(list("Framework")),
        frameworks.create("", "Adds a framework.").body("SaveFramework").created("Framework"),
        frameworks.get("/{frameworkId}", "Gets one framework.").ok("Framework"),
        versions.list("", "Lists the versions of a framework.").ok(list("FrameworkVersion")),
        versions.create("", "Adds a version to a framework.").body("SaveFrameworkVersion").created("FrameworkVersion"),
        versions.get("/{versionId}", "Gets one version.").ok("FrameworkVersion"),
        controls
            .list("", "Lists the controls of a version.")
            .query("severity", "ControlSeverity".into())
            .ok(list("Control")),
        controls.create("", "Adds a control to a version.").body("SaveControl").created("Control"),
        controls.replace("/{controlId}", "Replaces a control.").body("SaveControl").ok("Control"),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        (
            "Framework",
            object([("id", uuid().read_only()), ("name", text()), ("authority", text()), ("createdAt", date_time())]),
        ),
        ("SaveFramework", object([("name", string().min_length(1)), ("authority", text())]).required(&["name"])),
        (
            "FrameworkVersion",
            object([
                ("id", uuid().read_only()),
                ("frameworkId", uuid()),
                ("label", text()),
                ("isPublished", boolean()),
                ("effectiveFrom", date_time().nullable()),
            ]),
        ),
        (
            "SaveFrameworkVersion",
            object([
                ("label", string().min_length(1)),
                ("isPublished", boolean()),
                ("effectiveFrom", date_time().nullable()),
            ])
            .required(&["label"]),
        ),
        ("ControlSeverity", words(&["low", "medium", "high", "critical"])),
        (
            "Control",
            object([
                ("id", uuid().read_only()),
                ("code", text()),
                ("title", text()),
                ("guidance", text()),
                ("severity", "ControlSeverity".into()),
            ]),
        ),
        (
            "SaveControl",
            object([
                ("code", string().min_length(1)),
                ("title", text()),
                ("guidance", text()),
                ("severity", "ControlSeverity".into()),
            ])
            .required(&["code"]),
        ),
    ]
}
