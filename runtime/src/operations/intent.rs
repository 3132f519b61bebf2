//! A submission, as it is stored before it is sent.

use std::{collections::BTreeMap, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::{contents::Contents, time::from_millis};

/// A submission that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub(super) correlation: String,
    pub(super) label: Option<String>,
    pub(super) kind: String,
    pub(super) deployment: String,
    pub(super) at: u64,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) key: SubmissionKey,
    /// The contents of the submission; `None` without a label, and if an earlier version stored it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) contents: Option<Contents>,
}

/// The header by which the service recognises the attempts of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SubmissionKey {
    /// Stored by an earlier version, which did not record the header, and sent that of the binding.
    #[default]
    Unrecorded,
    /// No header.
    None,
    /// This header, in every attempt.
    Header(String),
}

impl Intent {
    /// Returns the identifier that connects it with its operation. Random, and unique.
    pub fn correlation(&self) -> &str {
        &self.correlation
    }

    /// Returns the caller's name for it.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Returns the name of its binding.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the fingerprint of the deployment.
    pub fn deployment(&self) -> &str {
        &self.deployment
    }

    /// Returns the time at which it was stored, on this machine's clock.
    pub fn at(&self) -> SystemTime {
        from_millis(self.at)
    }

    /// Returns the path parameters of the submission, by their names in the contract.
    pub fn parameters(&self) -> &BTreeMap<String, String> {
        &self.parameters
    }

    /// Returns whether the service recognises another attempt.
    pub(crate) fn is_recognised(&self) -> bool {
        self.key != SubmissionKey::None
    }

    /// Returns whether every attempt has carried this header.
    pub(super) fn is_recognised_by(&self, header: &str) -> bool {
        match &self.key {
            SubmissionKey::Unrecorded => true,
            SubmissionKey::None => false,
            SubmissionKey::Header(known) => known.eq_ignore_ascii_case(header),
        }
    }
}
