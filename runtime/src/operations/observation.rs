//! What was seen of an operation at one time.

use std::{collections::BTreeSet, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::time::{from_millis, millis};
use crate::Value;

/// What a state means, as the configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationState {
    /// On the way.
    Pending,
    /// Done. Follow-up events may still be missing.
    Succeeded,
    /// Failed.
    Failed,
    /// Cancelled.
    Cancelled,
    /// A state that the configuration does not know: never a success, and never waited for without end.
    Unknown,
    /// The service does not show the operation, or not yet.
    NotVisible,
}

impl OperationState {
    /// Whether it is one that does not change any more.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// How something was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ObservationSource {
    /// By asking: this is what counts.
    Query,
    /// By being told: a hint.
    Push,
}

/// What was seen of an operation at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub(super) at: u64,
    pub(super) state: OperationState,
    pub(super) raw: Option<String>,
    pub(super) source: ObservationSource,
    pub(super) events: BTreeSet<String>,
    pub(super) gap: bool,
    #[serde(skip)]
    pub(super) data: Value,
}

impl Observation {
    pub(super) fn new(state: OperationState, raw: Option<String>, source: ObservationSource, data: Value) -> Self {
        Self { at: millis(SystemTime::now()), state, raw, source, events: BTreeSet::new(), gap: false, data }
    }

    /// When, on this side's clock.
    pub fn at(&self) -> SystemTime {
        from_millis(self.at)
    }

    /// What its state means.
    pub fn state(&self) -> OperationState {
        self.state
    }

    /// Its state in the words of the service; `None` when it was not visible.
    pub fn raw_state(&self) -> Option<&str> {
        self.raw.as_deref()
    }

    /// How it was seen.
    pub fn source(&self) -> ObservationSource {
        self.source
    }

    /// The names of all events that were seen up to then.
    pub fn events(&self) -> &BTreeSet<String> {
        &self.events
    }

    /// Whether something may have happened since the observation before that nobody saw: the stream broke, or was
    /// overrun.
    pub fn follows_gap(&self) -> bool {
        self.gap
    }

    /// The data of the query or of the push. A store does not keep it.
    pub fn data(&self) -> &Value {
        &self.data
    }
}
