//! Drift that somebody looked at and accepted.

use std::collections::BTreeMap;

use driftless_codegen::drift::{Drift, Finding};
use serde_json::{Value, json};

use crate::approvals::OF_DRIFT;
use crate::console::{count, progress};
use crate::failure::Failure;
use crate::workspace::{ACCEPTED, Workspace};

/// The accepted findings of a drift.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// Reasons, by fingerprint.
    accepted: BTreeMap<String, String>,
}

impl Verdicts {
    /// Reads the approvals, and names those that are over or match nothing.
    pub(super) fn new(workspace: &Workspace, drift: &Drift, today: &str) -> Result<Self, Failure> {
        let approvals = OF_DRIFT.read(workspace)?;
        let exists = |fingerprint: &str| drift.findings.iter().any(|finding| finding.fingerprint == fingerprint);
        let (accepted, unmatched) = OF_DRIFT.valid(approvals, exists, today);
        for (named, _) in unmatched {
            progress(&format!("{ACCEPTED}: {named} matches nothing: take the entry out"));
        }
        Ok(Self { accepted })
    }

    /// The reason for which a finding is accepted, if it is.
    pub(super) fn reason(&self, finding: &Finding) -> Option<&str> {
        self.accepted.get(&finding.fingerprint).map(String::as_str)
    }

    /// The findings that nobody accepted.
    pub(super) fn open<'d>(&self, drift: &'d Drift) -> impl Iterator<Item = &'d Finding> {
        drift.findings.iter().filter(|finding| self.reason(finding).is_none())
    }

    /// One line, where something is accepted.
    pub(super) fn sentence(&self) -> Option<String> {
        let number = self.accepted.len();
        (number > 0).then(|| format!("{} accepted in {ACCEPTED}.", count(number, "finding is", "findings are")))
    }

    /// Reasons by fingerprint, for programs.
    pub(super) fn as_json(&self) -> Value {
        json!(self.accepted)
    }
}
