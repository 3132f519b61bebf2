//! Calls of tools: rules, arguments, the operation, and the answer in parts. It knows nothing of the transport.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::allow::{Allowed, flag, full_name};
use super::arguments::{checked, masked_arguments, sentences};
use super::catalog::{ToolCatalog, remarks};
use super::credentials::details;
use super::log::{CallLog, LogLine};
use super::names::ToolNames;
use super::operations::{Effect, OperationEntry, OperationState, Operations, Report, ToolBody};
use super::own::{OwnTool, USUAL_RESULTS, USUAL_WAIT};
use super::parts::{Block, Parts};
use super::reply::Reply;
use super::search::SearchIndex;
use super::texts::{one_line, text};
use crate::Failure;

/// Bytes of the arguments of a call.
const ARGUMENTS: usize = 1 << 20;
/// Bytes of an answer that are read.
const ANSWER: usize = 16 << 20;

/// The tools of one service.
pub(super) struct Calls {
    operations: Arc<dyn Operations>,
    allowed: Allowed,
    names: ToolNames,
    catalog: ToolCatalog,
    index: SearchIndex,
    parts: Parts,
    log: CallLog,
    /// Bytes of a part of an answer.
    part: usize,
}

impl Calls {
    pub(super) fn new(
        operations: Arc<dyn Operations>,
        allowed: Allowed,
        catalog: ToolCatalog,
        log: CallLog,
        part: usize,
    ) -> Self {
        let names = ToolNames::new(operations.entries(), &OwnTool::NAMES);
        let index = SearchIndex::new(operations.entries());
        Self { operations, allowed, names, catalog, index, parts: Parts::default(), log, part }
    }

    pub(super) fn operations(&self) -> &dyn Operations {
        &*self.operations
    }

    pub(super) fn catalog(&self) -> &ToolCatalog {
        &self.catalog
    }

    pub(super) fn names(&self) -> &ToolNames {
        &self.names
    }

    /// Returns whether a tool or an operation has the name.
    pub(super) fn knows(&self, name: &str) -> bool {
        OwnTool::from_name(name).is_some() || self.names.index(name).is_some()
    }

    /// Calls a tool, and writes the line of the log. `cancelled` ends the call: its future is dropped.
    pub(super) async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        report: &Report<'_>,
        cancelled: impl Future<Output = ()>,
    ) -> Reply {
        let mut line = self.log.begin(name);
        let reply = tokio::select! {
            biased;
            () = cancelled => Reply { blocks: Vec::new(), is_error: true, outcome: "cancelled".to_owned() },
            reply = self.dispatch(name, arguments, report, &mut line) => reply,
        };
        line.end(&reply.outcome);
        reply
    }

    async fn dispatch(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        report: &Report<'_>,
        line: &mut LogLine<'_>,
    ) -> Reply {
        let value = Value::Object(arguments);
        let size = super::parts::length(&value);
        if size > ARGUMENTS {
            let message = format!("Nothing was sent: the arguments have {size} bytes, more than {ARGUMENTS}.");
            return Reply::refused(message, "send less, or use the command line for large bodies");
        }
        let Some(tool) = OwnTool::from_name(name) else {
            return match self.names.index(name) {
                Some(index) if self.catalog.is_searched() => {
                    let tool = if self.effect(index) == Effect::Read { OwnTool::Read } else { OwnTool::Change };
                    let message = format!("Nothing was sent: {} is not a tool of its own here.", one_line(name, 100));
                    match self.allowed.permits(index) {
                        true => Reply::refused(message, &format!("call {} with this name as `operation`", tool.name())),
                        false => self.not_allowed(index),
                    }
                }
                Some(index) => self.operation(index, value, line).await,
                None => self.unknown(name),
            };
        };
        // `read_operation` and `change_operation` contain arguments of an operation, which its own schema masks.
        if !matches!(tool, OwnTool::Read | OwnTool::Change) {
            line.arguments(&masked_arguments(&value, &tool.arguments()));
        }
        if !self.catalog.lists(tool) {
            return match tool {
                OwnTool::Cancel => Reply::refused(
                    "Nothing was sent: this server does not allow to cancel operations.",
                    "the person who starts the server can add: --allow cancel",
                ),
                OwnTool::Change => Reply::refused(
                    "Nothing was sent: this server only reads.",
                    "the person who starts the server can add: --allow FAMILY:write",
                ),
                _ => Reply::refused("This server lists every operation as a tool.", "call the tool of the operation"),
            };
        }
        if let Err(reply) = checked(&value, &tool.arguments(), "") {
            return reply;
        }
        self.own(tool, value, report, line).await
    }

    async fn own(&self, tool: OwnTool, mut arguments: Value, report: &Report<'_>, line: &mut LogLine<'_>) -> Reply {
        let text_of = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str, usual: u64| arguments.get(name).and_then(Value::as_u64).unwrap_or(usual);
        match tool {
            OwnTool::Search => self.search(&text_of("words"), &text_of("family"), number("limit", USUAL_RESULTS)),
            OwnTool::Describe => self.describe(&text_of("operation")),
            OwnTool::Part => match self.parts.next(&text_of("cursor"), self.part) {
                Some(blocks) => Reply::blocks(blocks, "ok"),
                None => Reply::refused(
                    "/cursor names no part: the answer is not kept any more, or has no more parts.",
                    "call the operation again if it only reads",
                ),
            },
            OwnTool::State => self.state(self.operations.state(&text_of("reference")).await),
            OwnTool::Cancel => self.state(self.operations.cancel(&text_of("reference")).await),
            OwnTool::Wait => {
                let reference = text_of("reference");
                let limit = Duration::from_secs(number("seconds", USUAL_WAIT));
                match tokio::time::timeout(limit, self.operations.wait(&reference, report)).await {
                    Ok(state) => self.state(state),
                    Err(_) => self.state(self.operations.state(&reference).await),
                }
            }
            OwnTool::Read | OwnTool::Change => {
                let name = text_of("operation");
                let arguments = arguments.get_mut("arguments").map_or_else(|| json!({}), Value::take);
                let Some(index) = self.names.index(&name) else {
                    line.arguments(&json!({"operation": one_line(&name, 100)}));
                    return self.unknown(&name);
                };
                let is_read = self.effect(index) == Effect::Read;
                if self.allowed.permits(index) && is_read != (tool == OwnTool::Read) {
                    line.arguments(&json!({"operation": name}));
                    let (verb, other) =
                        if is_read { ("reads", OwnTool::Read) } else { ("changes something", OwnTool::Change) };
                    let message = format!("Nothing was sent: {} {verb}.", one_line(&name, 100));
                    return Reply::refused(message, &format!("call {}", other.name()));
                }
                self.operation(index, arguments, line).await
            }
        }
    }

    async fn operation(&self, index: usize, arguments: Value, line: &mut LogLine<'_>) -> Reply {
        let (Some(entry), Some(details)) = (self.operations.entries().get(index), details(&*self.operations, index))
        else {
            return Reply::refused(
                "Nothing was sent: the table has no description of the operation.",
                "choose another operation",
            );
        };
        let masked = masked_arguments(&arguments, &details.arguments);
        line.arguments(&match self.catalog.is_searched() {
            true => json!({"operation": full_name(entry), "arguments": masked}),
            false => masked,
        });
        if !self.allowed.permits(index) {
            return self.not_allowed(index);
        }
        let place = if self.catalog.is_searched() { "/arguments" } else { "" };
        let warnings = match checked(&arguments, &details.arguments, place) {
            Ok(warnings) => warnings,
            Err(reply) => return reply,
        };
        let Value::Object(arguments) = arguments else {
            return Reply::refused("Nothing was sent: the arguments are no object.", "write an object");
        };
        let answer = match self.operations.call(index, arguments, ANSWER).await {
            Ok(answer) => answer,
            Err(failure) => return Reply::failed(&failure),
        };
        let mut blocks = self.parts.first(answer.body, self.part);
        if let Some(reference) = &answer.reference {
            let reference = Value::from(reference.as_str());
            blocks.push(Block::Text(format!(
                "The work goes on. Its reference for operation_status and operation_wait is {reference}."
            )));
        }
        if !warnings.is_empty() {
            blocks.push(Block::Text(format!("The arguments were sent, but: {}.", sentences(&warnings, place))));
        }
        Reply::blocks(blocks, answer.status.to_string())
    }

    fn search(&self, words: &str, family: &str, limit: u64) -> Reply {
        let entries = self.operations.entries();
        let ranked: Vec<usize> = match words.trim().is_empty() {
            true if family.is_empty() => return self.families(),
            true => (0..entries.len()).collect(),
            false => self.index.rank(words),
        };
        let matches = ranked.into_iter().filter_map(|index| Some((index, entries.get(index)?)));
        let matches: Vec<_> = matches.filter(|(_, entry)| family.is_empty() || entry.family == family).collect();
        let allowed: Vec<_> = matches.iter().filter(|(index, _)| self.allowed.permits(*index)).collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let results: Vec<Value> = allowed.iter().take(limit).map(|(_, entry)| summary(entry)).collect();
        let mut answer = json!({"operations": results, "matches": allowed.len()});
        if matches.len() > allowed.len()
            && let Value::Object(members) = &mut answer
        {
            members.insert("not_allowed_matches".to_owned(), json!(matches.len() - allowed.len()));
        }
        Reply::blocks(self.parts.first(ToolBody::Json(answer), self.part), format!("{} results", results.len()))
    }

    fn families(&self) -> Reply {
        let mut families: Vec<(&str, usize)> = Vec::new();
        for entry in self.allowed.indices().filter_map(|index| self.operations.entries().get(index)) {
            match families.iter_mut().find(|(family, _)| *family == entry.family) {
                Some((_, count)) => *count += 1,
                None => families.push((&entry.family, 1)),
            }
        }
        let families: Vec<Value> =
            families.iter().map(|(family, count)| json!({"family": family, "operations": count})).collect();
        Reply::blocks(self.parts.first(ToolBody::Json(json!({"families": families})), self.part), "ok")
    }

    fn describe(&self, name: &str) -> Reply {
        let index = self.names.index(name).filter(|index| self.allowed.permits(*index));
        let Some((index, entry)) = index.and_then(|index| Some((index, self.operations.entries().get(index)?))) else {
            return match self.names.index(name) {
                Some(index) => self.not_allowed(index),
                None => self.unknown(name),
            };
        };
        let Some(details) = details(&*self.operations, index) else { return self.unknown(name) };
        let mut description = summary(entry);
        if let Value::Object(members) = &mut description {
            if !self.catalog.is_searched() {
                members.insert("tool".to_owned(), json!(self.names.name(index)));
            }
            members.insert("remarks".to_owned(), remarks(entry).collect());
            members.insert("description".to_owned(), json!(text(&details.description, self.part / 2)));
            members.insert("arguments".to_owned(), details.arguments);
            if let Some(result) = details.result {
                members.insert("result".to_owned(), result);
            }
        }
        Reply::blocks(self.parts.first(ToolBody::Json(description), self.part), "ok")
    }

    fn state(&self, state: Result<OperationState, Failure>) -> Reply {
        let state = match state {
            Ok(state) => state,
            Err(failure) => return Reply::failed(&failure),
        };
        let mut answer = Map::new();
        answer.insert("state".to_owned(), json!(state.state));
        answer.insert("is_final".to_owned(), json!(state.is_final));
        if state.is_final {
            answer.insert("is_success".to_owned(), json!(state.is_success));
        }
        if !state.message.is_empty() {
            answer.insert("message".to_owned(), json!(state.message));
        }
        if let Some(share) = state.share {
            answer.insert("share".to_owned(), json!(share));
        }
        if let Some(result) = state.result {
            answer.insert("result".to_owned(), result);
        }
        let mut reply =
            Reply::blocks(self.parts.first(ToolBody::Json(answer.into()), self.part), one_line(&state.state, 100));
        reply.is_error = state.is_final && !state.is_success;
        reply
    }

    fn effect(&self, index: usize) -> Effect {
        self.operations.entries().get(index).map_or(Effect::Destroy, |entry| entry.effect)
    }

    fn not_allowed(&self, index: usize) -> Reply {
        let Some(entry) = self.operations.entries().get(index) else { return self.unknown("") };
        let message = format!(
            "Nothing was sent: this server does not allow {}, which may {} something.",
            full_name(entry),
            entry.effect.word()
        );
        Reply::refused(message, &format!("the person who starts the server can add: {}", flag(entry)))
    }

    fn unknown(&self, name: &str) -> Reply {
        let message = format!("Nothing was sent: no operation has the name {:?}.", one_line(name, 100));
        let nearest = self.index.rank(name).into_iter().filter(|index| self.allowed.permits(*index)).take(3);
        let nearest: Vec<String> = match self.catalog.is_searched() {
            true => nearest.filter_map(|index| self.operations.entries().get(index)).map(full_name).collect(),
            false => nearest.map(|index| self.names.name(index).to_owned()).collect(),
        };
        let next = match (nearest.is_empty(), self.catalog.is_searched()) {
            (false, _) => format!("similar names: {}", nearest.join(", ")),
            (true, true) => "call search_operations".to_owned(),
            (true, false) => "read tools/list".to_owned(),
        };
        Reply::refused(message, &next)
    }

    /// The message about an unknown tool.
    pub(super) fn unknown_tool(&self, name: &str) -> String {
        self.log.begin(name).end("refused: unknown tool");
        match self.unknown(name).blocks.into_iter().next() {
            Some(Block::Text(text)) => text,
            _ => String::new(),
        }
    }
}

fn summary(entry: &OperationEntry) -> Value {
    json!({
        "name": full_name(entry),
        "summary": text(&entry.summary, 300),
        "effect": entry.effect.word(),
        "method": text(&entry.method, 20),
        "path": text(&entry.path, 300),
    })
}
