//! The observation of an operation at one time.

use std::{collections::BTreeSet, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::time::{from_millis, millis};
use crate::Value;

/// The meaning of a state, as configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationState {
    /// In progress.
    Pending,
    /// Succeeded. Follow-up events may still be missing.
    Succeeded,
    /// Failed.
    Failed,
    /// Cancelled.
    Cancelled,
    /// A state that the configuration does not know: never a success, and waited for only for a limited time.
    Unknown,
    /// The service does not return the operation, or not yet.
    NotVisible,
}

impl OperationState {
    /// Returns whether it is a state that does not change any more.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// The source of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ObservationSource {
    /// A query: authoritative.
    Query,
    /// A push of the subscription: a hint.
    Push,
}

/// The observation of an operation at one time.
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

    /// Returns its time, on this machine's clock.
    pub fn at(&self) -> SystemTime {
        from_millis(self.at)
    }

    /// Returns the meaning of its state.
    pub fn state(&self) -> OperationState {
        self.state
    }

    /// Returns the service's name of its state; `None` if it was not visible.
    pub fn raw_state(&self) -> Option<&str> {
        self.raw.as_deref()
    }

    /// Returns its source.
    pub fn source(&self) -> ObservationSource {
        self.source
    }

    /// Returns the names of all events that were observed up to then.
    pub fn events(&self) -> &BTreeSet<String> {
        &self.events
    }

    /// Returns whether events since the previous observation may have been missed, because the stream broke or
    /// overflowed.
    pub fn follows_gap(&self) -> bool {
        self.gap
    }

    /// Returns the data of the query or of the push. A store does not keep it.
    pub fn data(&self) -> &Value {
        &self.data
    }
}
