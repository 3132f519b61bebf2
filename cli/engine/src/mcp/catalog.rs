//! The tools that a client sees.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::ToolForm;
use super::allow::Allowed;
use super::credentials::details;
use super::names::ToolNames;
use super::operations::{Effect, OperationDetails, OperationEntry, Operations};
use super::own::OwnTool;
use super::parts::length;
use super::texts::text;

/// Operations that are listed one by one, if no form is chosen.
const LISTED: usize = 60;
/// Tools in one answer of `tools/list`.
const PAGE: usize = 100;
/// Bytes of a description.
const DESCRIPTION: usize = 2048;
/// Bytes of a schema in the list; `describe_operation` has a longer one.
const SCHEMA: usize = 32 << 10;

/// The tools that a client sees.
pub(super) struct ToolCatalog {
    operations: Arc<dyn Operations>,
    listed: Vec<ListedTool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListedTool {
    Own(OwnTool, Effect),
    Operation(usize),
}

impl ToolCatalog {
    pub(super) fn new(operations: Arc<dyn Operations>, allowed: &Allowed, form: ToolForm) -> Self {
        let entries = operations.entries();
        let searched = match form {
            ToolForm::All => false,
            ToolForm::Search => true,
            ToolForm::Auto => allowed.indices().count() > LISTED,
        };
        let mut listed = Vec::new();
        let mut own = |tool, effect| listed.push(ListedTool::Own(tool, effect));
        if searched {
            own(OwnTool::Search, Effect::Read);
        }
        own(OwnTool::Describe, Effect::Read);
        if searched {
            own(OwnTool::Read, Effect::Read);
            let changes: Vec<Effect> =
                allowed.indices().filter_map(|index| entries.get(index)).map(|entry| entry.effect).collect();
            let worst =
                [Effect::Destroy, Effect::Change, Effect::Create].into_iter().find(|effect| changes.contains(effect));
            if let Some(effect) = worst {
                own(OwnTool::Change, effect);
            }
        }
        own(OwnTool::Part, Effect::Read);
        if entries.iter().any(|entry| entry.is_asynchronous) {
            own(OwnTool::State, Effect::Read);
            own(OwnTool::Wait, Effect::Read);
            if allowed.permits_cancel() {
                own(OwnTool::Cancel, Effect::Destroy);
            }
        }
        if !searched {
            listed.extend(allowed.indices().map(ListedTool::Operation));
        }
        Self { operations, listed }
    }

    /// `true` if clients search for operations.
    pub(super) fn is_searched(&self) -> bool {
        self.lists(OwnTool::Search)
    }

    /// `true` if a tool of the server is listed.
    pub(super) fn lists(&self, tool: OwnTool) -> bool {
        self.listed.iter().any(|listed| matches!(listed, ListedTool::Own(own, _) if *own == tool))
    }

    /// A page of tools, and the cursor of the next one. `None`: the cursor names no page.
    pub(super) fn page(&self, cursor: Option<&str>, names: &ToolNames) -> Option<(Vec<Tool>, Option<String>)> {
        let begin: usize = match cursor {
            None => 0,
            Some(cursor) => cursor.parse().ok().filter(|begin| *begin > 0 && *begin < self.listed.len())?,
        };
        let end = self.listed.len().min(begin + PAGE);
        let tools = self.listed.get(begin..end)?.iter().map(|listed| self.tool(*listed, names)).collect();
        Some((tools, (end < self.listed.len()).then(|| end.to_string())))
    }

    fn tool(&self, listed: ListedTool, names: &ToolNames) -> Tool {
        match listed {
            ListedTool::Own(tool, effect) => {
                // Only the search and the parts of an answer stay in this process.
                let is_local = matches!(tool, OwnTool::Search | OwnTool::Describe | OwnTool::Part);
                let annotations = annotations(effect, effect == Effect::Read, !is_local);
                Tool::new(tool.name(), tool.description(), object(tool.arguments()))
                    .with_title(tool.title())
                    .with_annotations(annotations)
            }
            ListedTool::Operation(index) => {
                let name = names.name(index).to_owned();
                let entry = self.operations.entries().get(index);
                let (Some(entry), Some(details)) = (entry, details(&*self.operations, index)) else {
                    return Tool::new(name, "The table has no description of it.", object(json!({"type": "object"})));
                };
                let annotations = annotations(entry.effect, entry.is_idempotent, true);
                let tool = Tool::new(name, description(entry, &details), object(bounded(details.arguments)));
                let title = text(&entry.summary, 100);
                let tool = if title.is_empty() { tool } else { tool.with_title(title) };
                tool.with_annotations(annotations)
            }
        }
    }
}

/// The hints about an effect. A client asks a person before a tool that changes something.
fn annotations(effect: Effect, is_idempotent: bool, is_open_world: bool) -> ToolAnnotations {
    let is_read = effect == Effect::Read;
    // A change of an existing resource overwrites its former values.
    let is_destructive = matches!(effect, Effect::Change | Effect::Destroy);
    ToolAnnotations::new()
        .read_only(is_read)
        .destructive(is_destructive)
        .idempotent(is_read || is_idempotent)
        .open_world(is_open_world)
}

/// Summary, description, and the facts about an operation.
fn description(entry: &OperationEntry, details: &OperationDetails) -> String {
    let mut out = text(&entry.summary, DESCRIPTION);
    let long = text(&details.description, DESCRIPTION);
    if !long.is_empty() && long != out {
        out = if out.is_empty() { long } else { format!("{out}\n\n{long}") };
    }
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(&text(&format!("{} {}", entry.method, entry.path), 300));
    for remark in remarks(entry) {
        out.push('\n');
        out.push_str(remark);
    }
    out
}

/// Remarks about an operation, for its description.
pub(super) fn remarks(entry: &OperationEntry) -> impl Iterator<Item = &'static str> {
    let remarks = [
        (entry.is_deprecated, "Deprecated."),
        (entry.is_assumed, "Assumed: the contract of the service does not document it."),
        (entry.is_asynchronous, "Asynchronous: the answer has a reference; operation_wait waits for the end."),
        (entry.effect == Effect::Destroy, "It removes something, or cannot be undone."),
    ];
    remarks.into_iter().filter(|(is_true, _)| *is_true).map(|(_, remark)| remark)
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => [("type".to_owned(), json!("object"))].into_iter().collect(),
    }
}

/// The schema, or the names of the arguments if it is too long for a list.
fn bounded(schema: Value) -> Value {
    if length(&schema) <= SCHEMA {
        return schema;
    }
    let names = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|properties| properties.keys())
        .take(100);
    let properties: serde_json::Map<_, _> = names.map(|name| (name.clone(), json!({}))).collect();
    let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
    json!({"type": "object", "description": "describe_operation has the complete schema.", "properties": properties, "required": required})
}
