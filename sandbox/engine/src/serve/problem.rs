//! Refusals: the declared response for a status, or a problem of RFC 9457.

use serde_json::{Map, Value, json};

use super::media::{concrete, encode};
use super::reply::Reply;
use crate::act::Engine;
use crate::contract::{Operation, Response, Status};
use crate::fit::Missing;
use crate::infer::{is_json, json};
use crate::schema::Violation;
use crate::seed::mix;

/// A refusal.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) detail: String,
    pub(crate) violations: Vec<Violation>,
}

/// The declared response for a status: its own, that of its range, or the default.
pub(crate) fn declared(operation: &Operation, status: u16) -> Option<&Response> {
    let find = |wanted: Status| operation.responses.iter().find(|response| response.status == wanted);
    let range = u8::try_from(status / 100).ok().map(Status::Range);
    find(Status::Exact(status)).or_else(|| range.and_then(find)).or_else(|| find(Status::Default))
}

/// The answer that an operation declares for a problem. Without an operation, or a declaration, it is a problem document.
pub(crate) fn problem(operation: Option<(&Engine, &Operation)>, problem: &Problem) -> Reply {
    let mut reply = Reply { status: problem.status, ..Reply::default() };
    let members = members(problem);
    let content = operation.and_then(|(engine, operation)| {
        let content = json(&declared(operation, problem.status)?.content)?;
        Some((engine, operation, content))
    });
    let (media_type, value) = match content.map(|content| (content, content.2.schema.as_ref())) {
        Some(((engine, operation, content), Some(schema))) => {
            let seed = mix(engine.seed, &[&operation.pointer, &problem.status.to_string()]);
            let fitted = engine.fitter().fit(schema, &more_names(members, problem), Missing::Required, seed);
            (concrete(&content.media_type), fitted.value)
        }
        // Without a schema, the declaration says no more than the media type.
        Some(((_, _, content), None)) if is_json(&content.media_type) => (concrete(&content.media_type), members),
        _ => ("application/problem+json".to_owned(), members),
    };
    reply.body = encode(&media_type, &value, "problem");
    reply.media_type = Some(media_type);
    reply
}

/// The members under further names, of which a declared schema takes those that it has.
fn more_names(members: Value, problem: &Problem) -> Value {
    let Value::Object(mut members) = members else { return members };
    let title = members.get("title").cloned().unwrap_or_default();
    for name in ["message", "msg", "error_description", "errorMessage", "description", "reason", "Message"] {
        members.insert(name.to_owned(), json!(problem.detail));
    }
    for name in ["statusCode", "status_code", "code"] {
        members.insert(name.to_owned(), json!(problem.status));
    }
    members.insert("error".to_owned(), title);
    Value::Object(members)
}

/// The members that problems have, under the names that contracts use for them.
fn members(problem: &Problem) -> Value {
    let title = http::StatusCode::from_u16(problem.status).ok().and_then(|status| status.canonical_reason());
    let title = title.unwrap_or("Refused");
    let mut members = Map::from_iter([
        ("type".to_owned(), json!("about:blank")),
        ("title".to_owned(), json!(title)),
        ("status".to_owned(), json!(problem.status)),
        ("detail".to_owned(), json!(problem.detail)),
    ]);
    if !problem.violations.is_empty() {
        let mut errors = Map::new();
        for violation in &problem.violations {
            let entry = errors.entry(violation.pointer.clone()).or_insert_with(|| json!([]));
            if let Some(messages) = entry.as_array_mut() {
                messages.push(json!(violation.message));
            }
        }
        members.insert("errors".to_owned(), Value::Object(errors));
    }
    Value::Object(members)
}

/// The status for a request that breaks the contract: 422 if it is declared and 400 is not.
pub(crate) fn status_for_violations(operation: &Operation) -> u16 {
    let has = |code: u16| operation.responses.iter().any(|response| response.status == Status::Exact(code));
    if !has(400) && has(422) { 422 } else { 400 }
}
