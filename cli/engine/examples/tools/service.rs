//! A service without a network: friendly and hostile operations. The tests of the module include this file, too.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use super::mcp::{
    Effect, OperationDetails, OperationEntry, OperationState, Operations, Pending, Report, ServedService, ToolAnswer,
    ToolBody,
};
use super::{Exit, Failure};

/// A secret that the service knows, and no client may see.
pub(crate) const SECRET: &str = "hunter2-of-the-profile";

/// The service.
pub(crate) struct ExampleService {
    service: ServedService,
    entries: Vec<OperationEntry>,
    /// The calls that were sent.
    pub(crate) sent: Mutex<Vec<(String, Value)>>,
    /// `slow` has begun.
    pub(crate) begun: Arc<Notify>,
    /// `slow` was dropped.
    pub(crate) dropped: Arc<Notify>,
}

/// Reports that a future was dropped.
struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl ExampleService {
    /// A service with the fixed operations, and `many` more.
    pub(crate) fn new(many: usize) -> Self {
        let entry = |family: &str, name: &str, summary: &str, method: &str, path: &str, effect| OperationEntry {
            family: family.to_owned(),
            name: name.to_owned(),
            summary: summary.to_owned(),
            method: method.to_owned(),
            path: path.to_owned(),
            effect,
            is_idempotent: matches!(method, "PUT" | "DELETE"),
            is_assumed: name == "fail",
            is_deprecated: name == "log",
            is_asynchronous: name == "start_export",
        };
        let mut entries = vec![
            entry("projects", "list_projects", "Lists projects", "GET", "/projects", Effect::Read),
            entry(
                "projects",
                "get_project",
                "Returns one project\u{1b}[31m\u{202e}",
                "GET",
                "/projects/{id}",
                Effect::Read,
            ),
            entry("projects", "create_project", "Creates a project", "POST", "/projects", Effect::Create),
            entry("projects", "replace_project", "Replaces a project", "PUT", "/projects/{id}", Effect::Change),
            entry("projects", "delete_project", "Deletes a project", "DELETE", "/projects/{id}", Effect::Destroy),
            entry("exports", "start_export", "Starts an export of all projects", "POST", "/exports", Effect::Create),
            entry("exports", "download", "Downloads an export", "GET", "/exports/{id}", Effect::Read),
            entry("exports", "log", "Returns the log of an export", "GET", "/exports/{id}/log", Effect::Read),
            entry("faults", "slow", "Never answers", "GET", "/slow", Effect::Read),
            entry("faults", "fail", "Fails", "GET", "/fail", Effect::Read),
        ];
        for number in 0..many {
            let mut name = format!("report_{number:03}");
            // One of them is as the names of tools are not allowed to be.
            if number == 1 {
                name = "réport 1\n".repeat(20);
            }
            entries.push(entry("reports", &name, "Makes a report", "GET", "/reports/{id}", Effect::Read));
        }
        let service = ServedService {
            name: "example".to_owned(),
            title: "Example".to_owned(),
            version: "1.2.3".to_owned(),
            instructions: "The example has projects and exports.".to_owned(),
        };
        Self { service, entries, sent: Mutex::default(), begun: Arc::default(), dropped: Arc::default() }
    }

    fn answer(body: ToolBody) -> Result<ToolAnswer, Failure> {
        Ok(ToolAnswer { status: 200, body, reference: None })
    }

    fn project(number: u64) -> Value {
        json!({"id": format!("00000000-0000-0000-0000-{number:012}"), "name": format!("project {number}"), "notes": "x".repeat(1000)})
    }

    async fn respond(&self, name: String, arguments: Value) -> Result<ToolAnswer, Failure> {
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64).unwrap_or(3);
        match name.as_str() {
            "list_projects" => {
                let projects: Vec<Value> = (0..number("count")).map(Self::project).collect();
                Self::answer(ToolBody::Json(json!({"projects": projects, "total": number("count")})))
            }
            "get_project" if arguments.get("id").and_then(Value::as_str).is_some_and(|id| id.ends_with('f')) => {
                Err(Failure::new(Exit::NotFound, "404: the project does not exist \u{1b}[31m", "call list_projects"))
            }
            "get_project" => {
                Self::answer(ToolBody::Json(json!({"name": "\u{1b}]0;title\u{7} \u{202e}evil", "notes": "a\nb"})))
            }
            "create_project" | "replace_project" => {
                Ok(ToolAnswer { status: 201, body: ToolBody::Json(arguments), reference: None })
            }
            "delete_project" => Ok(ToolAnswer { status: 204, body: ToolBody::Empty, reference: None }),
            "start_export" => {
                Ok(ToolAnswer { status: 202, body: ToolBody::Empty, reference: Some("export-1".to_owned()) })
            }
            "download" => {
                let bytes = vec![0x1b; usize::try_from(number("size")).unwrap_or(0)];
                Self::answer(ToolBody::Bytes { media_type: "application/zip".to_owned(), bytes })
            }
            "log" => {
                Self::answer(ToolBody::Text { media_type: "text/plain".to_owned(), text: "zeile ä\n".repeat(10_000) })
            }
            "slow" => {
                let _dropped = OnDrop(self.dropped.clone());
                self.begun.notify_one();
                std::future::pending().await
            }
            "fail" => Err(Failure::new(Exit::Unreachable, "503: the service is busy", "try again later")),
            _ => Self::answer(ToolBody::Json(json!([]))),
        }
    }

    fn state_of(reference: &str, state: &str, share: Option<f64>) -> Result<OperationState, Failure> {
        if !reference.starts_with("export-") {
            return Err(Failure::new(
                Exit::NotFound,
                "no operation has this reference",
                "use the reference in an answer",
            ));
        }
        let is_final = matches!(state, "done" | "failed" | "cancelled");
        Ok(OperationState {
            state: state.to_owned(),
            message: String::new(),
            share,
            is_final,
            is_success: state == "done",
            result: (state == "done").then(|| json!({"id": "e1"})),
        })
    }
}

impl Operations for ExampleService {
    fn service(&self) -> &ServedService {
        &self.service
    }

    fn entries(&self) -> &[OperationEntry] {
        &self.entries
    }

    fn details(&self, index: usize) -> Option<OperationDetails> {
        let entry = self.entries.get(index)?;
        let id = json!({"type": "string", "format": "uuid"});
        let body = json!({"$ref": "#/$defs/Project"});
        let (properties, required) = match entry.name.as_str() {
            "list_projects" => (
                json!({"count": {"type": "integer", "minimum": 0, "maximum": 10_000}, "status": {"enum": ["open", "closed"]}}),
                json!([]),
            ),
            "get_project" | "delete_project" => (json!({"id": id}), json!(["id"])),
            "create_project" => (json!({"body": body}), json!(["body"])),
            "replace_project" => (json!({"id": id, "body": body}), json!(["id", "body"])),
            // A schema that is too long for a list of tools.
            "report_002" => (json!({"kind": {"type": "string", "description": "x".repeat(100_000)}}), json!(["kind"])),
            // A table with a credential as an argument, by mistake.
            "fail" => (json!({"Authorization": {"type": "string"}}), json!(["Authorization"])),
            "download" => (json!({"size": {"type": "integer"}}), json!([])),
            _ => (json!({}), json!([])),
        };
        let project = json!({
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "password": {"type": "string", "format": "password"},
                "size": {"type": "string", "enum": ["small", "large"]},
                "parent": {"anyOf": [{"$ref": "#/$defs/Project"}, {"type": "null"}]},
            },
        });
        Some(OperationDetails {
            description: format!("About `{}`.\u{1b}[2J\u{200b}", entry.name.trim()),
            arguments: json!({"type": "object", "properties": properties, "required": required, "$defs": {"Project": project}}),
            result: None,
        })
    }

    fn call(&self, index: usize, arguments: Map<String, Value>, _limit: usize) -> Pending<'_, ToolAnswer> {
        let name = self.entries.get(index).map(|entry| entry.name.clone()).unwrap_or_default();
        let arguments = Value::Object(arguments);
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), arguments.clone()));
        // A real service would send it with this.
        let _credential = SECRET;
        Box::pin(self.respond(name, arguments))
    }

    fn state<'a>(&'a self, reference: &'a str) -> Pending<'a, OperationState> {
        Box::pin(async move { Self::state_of(reference, "running", Some(0.5)) })
    }

    fn wait<'a>(&'a self, reference: &'a str, report: &'a Report<'a>) -> Pending<'a, OperationState> {
        Box::pin(async move {
            report(&Self::state_of(reference, "queued", None)?);
            tokio::task::yield_now().await;
            report(&Self::state_of(reference, "running", Some(0.5))?);
            tokio::task::yield_now().await;
            match reference {
                "export-endless" => std::future::pending().await,
                "export-failing" => Self::state_of(reference, "failed", None),
                _ => Self::state_of(reference, "done", Some(1.0)),
            }
        })
    }

    fn cancel<'a>(&'a self, reference: &'a str) -> Pending<'a, OperationState> {
        Box::pin(async move { Self::state_of(reference, "cancelled", None) })
    }
}
