//! Asynchronous work: it is accepted, moves through its states as the clock advances, and is followed by an event when the result
//! is available (platform document §4.4). Kinds, states, events and times are the sandbox's own.

mod hub;
mod kind;
mod table;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::fault::Outcome;
pub(crate) use hub::{Hub, Notice};
pub(crate) use kind::{Kind, Phase};
pub(crate) use table::Table;

/// A workflow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Workflow {
    pub(crate) id: Uuid,
    pub(crate) team_id: Uuid,
    pub(crate) kind: Kind,
    /// The address of the target resource.
    pub(crate) target: String,
    pub(crate) phase: Phase,
    pub(crate) message: Option<String>,
    /// Milliseconds since the epoch.
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) events: Vec<Event>,
    /// The planned events, earliest first.
    pub(crate) plan: VecDeque<ScheduledEvent>,
}

/// A past event of a workflow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    /// Counts from 1 for each workflow.
    pub(crate) sequence: u32,
    pub(crate) kind: String,
    pub(crate) at: i64,
    pub(crate) phase: Phase,
    pub(crate) message: Option<String>,
}

/// A planned event of a workflow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ScheduledEvent {
    pub(crate) due: i64,
    /// The phase that begins with it; without one, the step is only an event.
    pub(crate) phase: Option<Phase>,
    pub(crate) event: String,
    pub(crate) message: Option<String>,
}

impl Workflow {
    pub(crate) fn new(
        id: Uuid,
        team_id: Uuid,
        kind: Kind,
        target: String,
        outcome: Outcome,
        now: i64,
        step: i64,
    ) -> Self {
        let at = |steps: i64| now.saturating_add(steps.saturating_mul(step));
        let enter = |steps, phase, message: Option<&str>| ScheduledEvent {
            due: at(steps),
            phase: Some(phase),
            event: "state-changed".to_owned(),
            message: message.map(str::to_owned),
        };
        let ready = || ScheduledEvent { due: at(4), phase: None, event: kind.ready_event().to_owned(), message: None };
        let running = enter(1, Phase::Running, None);
        let plan = match outcome {
            Outcome::Success => vec![running, enter(3, Phase::Succeeded, None), ready()],
            Outcome::Failure => vec![running, enter(3, Phase::Failed, Some("The sandbox was asked to fail."))],
            Outcome::Stall => vec![running],
            Outcome::Silence => vec![running, enter(3, Phase::Succeeded, None)],
        };
        let mut workflow = Self {
            id,
            team_id,
            kind,
            target,
            phase: Phase::Queued,
            message: None,
            created: now,
            updated: now,
            events: Vec::new(),
            plan: plan.into(),
        };
        workflow.record("accepted", now);
        workflow
    }

    /// Work that does nothing until a moment, and then everything at once.
    pub(crate) fn planned(id: Uuid, team_id: Uuid, kind: Kind, target: String, now: i64, due: i64) -> Self {
        let mut workflow = Self::new(id, team_id, kind, target, Outcome::Success, now, 0);
        for step in &mut workflow.plan {
            step.due = due;
        }
        workflow
    }

    /// Replaces the planned events by a cancellation.
    pub(crate) fn cancel(&mut self, due: i64) {
        let step = ScheduledEvent {
            due,
            phase: Some(Phase::Cancelled),
            event: "state-changed".to_owned(),
            message: Some("Cancelled.".to_owned()),
        };
        self.plan = VecDeque::from([step]);
    }

    pub(crate) fn due(&self) -> Option<i64> {
        self.plan.front().map(|step| step.due)
    }

    /// Returns whether no more events follow: the phase is final, and all planned events have occurred.
    pub(crate) fn is_over(&self) -> bool {
        self.phase.is_final() && self.plan.is_empty()
    }

    /// Takes the next step if it is due. Returns whether it did.
    fn advance(&mut self, now: i64) -> bool {
        if self.due().is_none_or(|due| due > now) {
            return false;
        }
        let Some(step) = self.plan.pop_front() else { return false };
        self.phase = step.phase.unwrap_or(self.phase);
        self.message = step.message.or(self.message.take());
        self.record(&step.event, step.due);
        true
    }

    fn record(&mut self, kind: &str, at: i64) {
        self.updated = at;
        self.events.push(Event {
            sequence: u32::try_from(self.events.len()).unwrap_or(u32::MAX).saturating_add(1),
            kind: kind.to_owned(),
            at,
            phase: self.phase,
            message: self.message.clone(),
        });
    }
}
