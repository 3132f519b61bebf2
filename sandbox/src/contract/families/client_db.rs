//! `/api/client-db/v1`: connection metadata, schema inspection, database operations. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::{Answer, Operation};
use crate::contract::schema::{
    Schema, any, binary, boolean, date_time, dictionary, int, list, long, numbers, object, string, text, uuid,
};
use crate::workflow::Kind;

pub(super) fn family() -> Family {
    Family { operations: operations(), schemas: schemas() }
}

fn operations() -> Vec<Operation> {
    let connections = Controller::new("DatabaseConnections", "/api/client-db/v1/connections");
    let schema = Controller::new("DatabaseSchema", "/api/client-db/v1/connections/{connectionId}/schema");
    let work = Controller::new("DatabaseOperations", "/api/client-db/v1/connections/{connectionId}");
    vec![
        connections.list("", "Lists the database connections.").ok(list("DatabaseConnection")),
        connections.get("/{connectionId}", "Gets one database connection.").ok("DatabaseConnection"),
        schema.singleton("", "Describes the database.").ok("DatabaseSchema"),
        schema
            .get("/tables/{table}", "Describes one table.")
            .path_parameter("table", string().min_length(1))
            .ok("DatabaseTable"),
        work.action("/query", "Runs a statement.")
            .begins(Kind::DatabaseQuery)
            .describe(
                "Answers with rows, with nothing when the statement is only checked, or at once when it is queued.",
            )
            .query("background", boolean())
            .query("validateOnly", boolean())
            .body("DatabaseQuery")
            .ok("DatabaseRows")
            .accepted("AcceptedResult")
            .answer("204", Answer { description: "The statement is valid.", content: Vec::new() })
            .when("background", "202")
            .when("validateOnly", "204"),
        work.action("/backups", "Queues a backup.")
            .begins(Kind::DatabaseBackup)
            .body("CreateBackup")
            .accepted("AcceptedResult"),
        work.operation(Method::GET, "/export", "Downloads the database.", Handler::Export)
            .ok_as("application/octet-stream", binary()),
        work.action("/import", "Queues the import of a dump.")
            .begins(Kind::DatabaseImport)
            .form("multipart/form-data", object([("dump", binary()), ("truncate", boolean())]).required(&["dump"]))
            .accepted("AcceptedResult"),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("DatabaseEngine", numbers(&[0, 1, 2]).varnames(&["PostgreSql", "MySql", "SqlServer"])),
        (
            "DatabaseConnection",
            object([
                ("id", uuid().read_only()),
                ("name", text()),
                ("engine", "DatabaseEngine".into()),
                ("host", text()),
                ("port", int()),
                ("database", text()),
            ]),
        ),
        (
            "DatabaseSchema",
            object([("id", uuid()), ("tables", list("DatabaseTable").nullable()), ("readAt", date_time())]),
        ),
        (
            "DatabaseTable",
            object([("name", text()), ("columns", list("DatabaseColumn").nullable()), ("rowEstimate", long())]),
        ),
        ("DatabaseColumn", object([("name", text()), ("type", text()), ("isNullable", boolean())])),
        (
            "DatabaseQuery",
            object([
                ("statement", string().min_length(1)),
                ("parameters", dictionary(any()).nullable()),
                ("limit", int().nullable()),
            ])
            .required(&["statement"]),
        ),
        (
            "DatabaseRows",
            object([
                ("columns", list(string()).nullable()),
                ("rows", list(list(any())).nullable()),
                ("isTruncated", boolean()),
            ]),
        ),
        ("CreateBackup", object([("label", text()), ("retainDays", int())])),
    ]
}
