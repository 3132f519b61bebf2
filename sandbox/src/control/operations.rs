//! Asynchronous work over HTTP: a list, and one operation with its past and planned events.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawQuery, State};
use http::StatusCode;
use http::request::Parts;
use serde_json::{Value, json};
use uuid::Uuid;

use super::send;
use super::taken::{ControlAnswer, ControlRefusal, Count, part};
use crate::clock;
use crate::state::Store;
use crate::workflow::{Phase, Workflow};

/// The default length of a list.
const LIMIT: usize = 100;
const PHASES: [Phase; 5] = [Phase::Queued, Phase::Running, Phase::Succeeded, Phase::Failed, Phase::Cancelled];

/// The query parameters of a list.
#[derive(Debug, Default)]
struct Wanted {
    state: Option<Phase>,
    over: Option<bool>,
    kind: String,
    search: String,
    limit: Option<usize>,
}

impl Wanted {
    fn read(query: &str) -> Result<Self, ControlRefusal> {
        let mut wanted = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "state" => {
                    let named = PHASES.into_iter().find(|phase| format!("{phase:?}").eq_ignore_ascii_case(&value));
                    let all = || PHASES.map(|phase| format!("{phase:?}")).join(", ");
                    wanted.state =
                        Some(named.ok_or_else(|| ControlRefusal::at("state", format!("write one of {}", all())))?);
                }
                "over" => {
                    let over =
                        value.parse().map_err(|_no_boolean| ControlRefusal::at("over", "write true or false"))?;
                    wanted.over = Some(over);
                }
                "kind" => wanted.kind = value.into_owned(),
                "search" => wanted.search = value.to_lowercase(),
                "limit" => wanted.limit = Some(Count::read("limit", &value)?),
                _ => return Err(ControlRefusal::unknown(&name, &["state", "over", "kind", "search", "limit"])),
            }
        }
        Ok(wanted)
    }

    fn takes(&self, workflow: &Workflow) -> bool {
        let text = || format!("{} {} {}", workflow.id, workflow.target, workflow.kind.name()).to_lowercase();
        self.state.is_none_or(|state| state == workflow.phase)
            && self.over.is_none_or(|over| over == workflow.is_over())
            && (self.kind.is_empty() || self.kind == workflow.kind.name())
            && (self.search.is_empty() || text().contains(&self.search))
    }
}

/// The identifier of an operation.
#[derive(Debug)]
pub(super) struct Guid(pub(super) Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Guid {
    type Rejection = ControlRefusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ControlRefusal> {
        let (name, text) = part(parts, state).await?;
        Uuid::try_parse(&text)
            .map(Self)
            .map_err(|_no_guid| ControlRefusal::at(name, "write a GUID, as the list has it"))
    }
}

/// The operations, newest first.
pub(super) async fn list(State(store): State<Arc<Store>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let wanted = Wanted::read(query.as_deref().unwrap_or_default())?;
    Ok(store.read(|state| {
        let workflows: Vec<&Workflow> = state.workflows.all().rev().filter(|workflow| wanted.takes(workflow)).collect();
        let page: Vec<Value> =
            workflows.iter().take(wanted.limit.unwrap_or(LIMIT)).map(|workflow| summary(workflow)).collect();
        send(StatusCode::OK, &json!({ "total": workflows.len(), "operations": page }))
    })?)
}

pub(super) async fn get(State(store): State<Arc<Store>>, Guid(id): Guid) -> ControlAnswer {
    store.read(|state| {
        let stored = state.workflows.get(id);
        stored
            .map(|workflow| send(StatusCode::OK, &whole(workflow)))
            .ok_or_else(|| ControlRefusal::missing("operation"))
    })?
}

/// An operation as an element of a list.
pub(super) fn summary(workflow: &Workflow) -> Value {
    json!({
        "id": workflow.id,
        "kind": workflow.kind.name(),
        "state": format!("{:?}", workflow.phase),
        "isOver": workflow.is_over(),
        "teamId": workflow.team_id,
        "target": workflow.target,
        "message": workflow.message,
        "createdAt": clock::timestamp_of(workflow.created),
        "updatedAt": clock::timestamp_of(workflow.updated),
        "lastEvent": workflow.events.last().map(|event| &event.kind),
        "nextAt": workflow.due().map(clock::timestamp_of),
    })
}

fn whole(workflow: &Workflow) -> Value {
    let mut document = summary(workflow);
    let events = workflow.events.iter().map(|event| {
        json!({
            "sequence": event.sequence,
            "kind": event.kind,
            "state": format!("{:?}", event.phase),
            "at": clock::timestamp_of(event.at),
            "message": event.message,
        })
    });
    let mut phase = workflow.phase;
    let plan = workflow.plan.iter().map(|step| {
        phase = step.phase.unwrap_or(phase);
        json!({
            "kind": step.event,
            "state": format!("{phase:?}"),
            "at": clock::timestamp_of(step.due),
            "message": step.message,
        })
    });
    document["events"] = events.collect();
    document["plan"] = plan.collect();
    document
}
