//! The types of the schema. The platform document shows no field of GraphQL, so each description begins with `Assumed:`, which
//! both the schema definition language and introspection carry.

use async_graphql::{Enum, ID, Json, SimpleObject};
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::clock;
use crate::workflow::{Event, Notice, Phase, Workflow};

/// Assumed: where an operation is. QUEUED and RUNNING come before one of the three ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(super) enum OperationState {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

/// Assumed: a piece of asynchronous work.
#[derive(Clone, Debug, SimpleObject)]
#[graphql(name = "Operation")]
pub(super) struct AsyncOperation {
    /// The identifier that the accepted result had.
    pub(super) id: ID,
    /// The kind of the work, such as `workload-deployment`.
    pub(super) kind: String,
    pub(super) state: OperationState,
    /// True if the state is an end. The follow-up event of a success comes after it.
    pub(super) is_final: bool,
    /// The reason that the work failed or was cancelled.
    pub(super) message: Option<String>,
    /// The address of the resource that the work is about.
    pub(super) target: String,
    pub(super) team_id: ID,
    /// RFC 3339.
    pub(super) created_at: String,
    /// RFC 3339.
    pub(super) updated_at: String,
    /// The events so far, oldest first.
    pub(super) events: Vec<OperationEvent>,
}

/// Assumed: something that happened to an operation.
#[derive(Clone, Debug, SimpleObject)]
pub(super) struct OperationEvent {
    /// Counts from 1 for each operation.
    pub(super) sequence: u32,
    /// `accepted`, `state-changed`, or the follow-up event of a success, such as `workload-ready`.
    pub(super) kind: String,
    /// The state that the operation was in afterwards.
    pub(super) state: OperationState,
    pub(super) message: Option<String>,
    /// RFC 3339.
    pub(super) at: String,
}

/// Assumed: an event, and the operation as it was then.
#[derive(Clone, Debug, SimpleObject)]
pub(super) struct OperationChange {
    pub(super) event: OperationEvent,
    pub(super) operation: AsyncOperation,
}

/// Assumed: a project.
#[derive(Clone, Debug, SimpleObject)]
pub(super) struct Project {
    pub(super) id: ID,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) category: Option<String>,
    pub(super) team_id: Option<ID>,
    /// The whole project as REST returns it.
    pub(super) payload: Json<Value>,
}

/// Assumed: a virtual machine.
#[derive(Clone, Debug, SimpleObject)]
pub(super) struct VirtualMachine {
    pub(super) id: ID,
    pub(super) name: Option<String>,
    pub(super) state: Option<String>,
}

/// Assumed: who asks.
#[derive(Clone, Debug, SimpleObject)]
pub(super) struct Viewer {
    /// The `sub` of the token.
    pub(super) subject: String,
    pub(super) teams: Vec<ViewerTeam>,
}

/// Assumed: a team of the one who asks.
#[derive(Clone, Debug, SimpleObject)]
pub(super) struct ViewerTeam {
    pub(super) id: ID,
    pub(super) role: String,
}

impl From<Phase> for OperationState {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Queued => Self::Queued,
            Phase::Running => Self::Running,
            Phase::Succeeded => Self::Succeeded,
            Phase::Failed => Self::Failed,
            Phase::Cancelled => Self::Cancelled,
        }
    }
}

impl From<&Event> for OperationEvent {
    fn from(event: &Event) -> Self {
        Self {
            sequence: event.sequence,
            kind: event.kind.clone(),
            state: event.phase.into(),
            message: event.message.clone(),
            at: clock::timestamp_of(event.at),
        }
    }
}

impl From<&Workflow> for AsyncOperation {
    fn from(workflow: &Workflow) -> Self {
        Self {
            id: workflow.id.into(),
            kind: workflow.kind.name().to_owned(),
            state: workflow.phase.into(),
            is_final: workflow.phase.is_final(),
            message: workflow.message.clone(),
            target: workflow.target.clone(),
            team_id: workflow.team_id.into(),
            created_at: clock::timestamp_of(workflow.created),
            updated_at: clock::timestamp_of(workflow.updated),
            events: workflow.events.iter().map(OperationEvent::from).collect(),
        }
    }
}

impl From<&Notice> for OperationChange {
    fn from(notice: &Notice) -> Self {
        Self { event: (&notice.event).into(), operation: notice.workflow.as_ref().into() }
    }
}

impl From<&Map<String, Value>> for Project {
    fn from(fields: &Map<String, Value>) -> Self {
        Self {
            id: text(fields, "id").unwrap_or_default().into(),
            name: text(fields, "name"),
            description: text(fields, "description"),
            category: text(fields, "category"),
            team_id: text(fields, "teamId").map(ID::from),
            payload: Json(Value::Object(fields.clone())),
        }
    }
}

impl From<&Map<String, Value>> for VirtualMachine {
    fn from(fields: &Map<String, Value>) -> Self {
        Self {
            id: text(fields, "id").unwrap_or_default().into(),
            name: text(fields, "name"),
            state: text(fields, "state"),
        }
    }
}

impl From<&Caller> for Viewer {
    fn from(caller: &Caller) -> Self {
        let team = |member: &crate::directory::Membership| ViewerTeam {
            id: member.team_id.into(),
            role: member.role.name().to_owned(),
        };
        Self { subject: caller.sub.clone(), teams: caller.memberships().iter().map(team).collect() }
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}
