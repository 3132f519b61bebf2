//! Outcomes of waiting.

use std::sync::Arc;

use super::Observation;
use crate::Error;

/// The outcome of waiting for an operation. Only [`Succeeded`](Self::Succeeded) allows dependent work.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OperationOutcome {
    /// The state is a success, and every required event was observed.
    Succeeded(Observation),
    /// The state is a failure.
    Failed(Observation),
    /// The state is a cancellation.
    Cancelled(Observation),
    /// The state is a success, and required events did not come in time.
    EventsMissing {
        /// The last observation.
        last: Observation,
        /// The names of the events that are missing.
        missing: Vec<String>,
    },
    /// Every required event was observed, and the state was not final when the deadline passed.
    StateMissing(Observation),
    /// The state is one that the configuration does not know, and stayed so.
    UnknownState(Observation),
    /// The deadline passed. The operation goes on, and can be waited for again.
    StillRunning(Option<Observation>),
    /// The deadline passed, and the last query had failed: the current state of the operation is unknown. It can be
    /// waited for again.
    Unreachable {
        /// The last observation.
        last: Option<Observation>,
        /// The reason that the last query failed.
        error: Arc<Error>,
    },
}

impl OperationOutcome {
    /// Returns whether dependent work may go on.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Succeeded(_))
    }

    /// Returns whether the operation has ended: nothing more will be observed.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Succeeded(_) | Self::Failed(_) | Self::Cancelled(_))
    }

    /// Returns the last observation.
    pub fn last(&self) -> Option<&Observation> {
        match self {
            Self::Succeeded(last)
            | Self::Failed(last)
            | Self::Cancelled(last)
            | Self::EventsMissing { last, .. }
            | Self::StateMissing(last)
            | Self::UnknownState(last) => Some(last),
            Self::StillRunning(last) | Self::Unreachable { last, .. } => last.as_ref(),
        }
    }

    /// Returns the reason that the operation could not be queried when the deadline passed.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::Unreachable { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Returns a short, stable name, which a store keeps.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Succeeded(_) => "succeeded",
            Self::Failed(_) => "failed",
            Self::Cancelled(_) => "cancelled",
            Self::EventsMissing { .. } => "events-missing",
            Self::StateMissing(_) => "state-missing",
            Self::UnknownState(_) => "unknown-state",
            Self::StillRunning(_) => "still-running",
            Self::Unreachable { .. } => "unreachable",
        }
    }
}
