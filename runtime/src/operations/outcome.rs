//! How waiting ended.

use std::sync::Arc;

use super::Observation;
use crate::Error;

/// How waiting for an operation ended. Only [`Succeeded`](Self::Succeeded) lets dependent work go on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OperationOutcome {
    /// The state is a success, and every event that is required was seen.
    Succeeded(Observation),
    /// The state is a failure.
    Failed(Observation),
    /// The state is a cancellation.
    Cancelled(Observation),
    /// The state is a success, and required events did not come in time.
    EventsMissing {
        /// What was seen last.
        last: Observation,
        /// The names of the events that are missing.
        missing: Vec<String>,
    },
    /// Every required event was seen, and the state was not final when the deadline passed.
    StateMissing(Observation),
    /// The state is one that the configuration does not know, and stayed so.
    UnknownState(Observation),
    /// The deadline passed. The operation goes on, and can be waited for again.
    StillRunning(Option<Observation>),
    /// The deadline passed, and the last look had failed: what has become of the operation since is not known. It can be
    /// waited for again.
    Unreachable {
        /// What was seen last.
        last: Option<Observation>,
        /// Why the last look failed.
        error: Arc<Error>,
    },
}

impl OperationOutcome {
    /// Whether dependent work may go on.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Succeeded(_))
    }

    /// Whether the operation has come to an end: nothing more is to be seen.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Succeeded(_) | Self::Failed(_) | Self::Cancelled(_))
    }

    /// What was seen last.
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

    /// Why the operation could not be looked at when the deadline passed.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Self::Unreachable { error, .. } => Some(error),
            _ => None,
        }
    }

    /// A short, stable name: what a store keeps.
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
