//! The entry of a submission in a store.

use super::{Intent, Observation, OperationRef};
use crate::{Error, error::Kind};

/// The outcome of an entry that is given up, and the name of its standing.
pub(super) const DISCARDED: &str = "discarded";

/// The entry of a submission in a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(super) intent: Intent,
    pub(super) revision: u64,
    pub(super) reference: Option<OperationRef>,
    pub(super) last: Option<Observation>,
    pub(super) outcome: Option<String>,
}

/// The status of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// An attempt may have arrived: it is still being sent, or its program ended, or its connection broke. Responses to
    /// other attempts say nothing about it. It is never sent again automatically.
    SubmissionUnknown,
    /// The service has accepted it.
    Accepted,
    /// The service has accepted it, and it was given up: [`Operations::retry`](super::Operations::retry) makes it due
    /// again.
    Discarded,
    /// It is finished.
    Finished,
}

impl Entry {
    /// Creates an entry, for other implementations of a store.
    pub fn new(
        intent: Intent,
        revision: u64,
        reference: Option<OperationRef>,
        last: Option<Observation>,
        outcome: Option<String>,
    ) -> Self {
        Self { intent, revision, reference, last, outcome }
    }

    /// Returns a number that increases with each attempt and with the acceptance: a decision based on this entry is
    /// valid while the entry has this revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Checks that the reference belongs to the submission. A row of another one may have been written over it.
    pub(super) fn check(&self) -> Result<(), Error> {
        let intent = &self.intent;
        let other = self.reference.as_ref().and_then(|reference| {
            let parts = [
                ("another submission", reference.correlation() == intent.correlation),
                ("another kind", reference.kind() == intent.kind),
                ("another deployment", reference.deployment() == intent.deployment),
            ];
            parts.into_iter().find_map(|(owner, same)| (!same).then_some(owner))
        });
        match other {
            None => Ok(()),
            Some(owner) => Err(Error::with(Kind::Reference, format!("the reference of the entry belongs to {owner}"))
                .hint("the store was changed: check on the service, then restore the entry or remove it")),
        }
    }

    /// Returns the submission.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Returns the operation that the service accepted.
    pub fn reference(&self) -> Option<&OperationRef> {
        self.reference.as_ref()
    }

    /// Returns the last observation of the operation.
    pub fn last(&self) -> Option<&Observation> {
        self.last.as_ref()
    }

    /// Returns the name of its [`OperationOutcome`](super::OperationOutcome); `discarded` if it was given up.
    pub fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref()
    }

    /// Returns its status.
    pub fn status(&self) -> Status {
        match (&self.reference, self.outcome.as_deref()) {
            (_, Some(DISCARDED)) => Status::Discarded,
            (_, Some(_)) => Status::Finished,
            (Some(_), None) => Status::Accepted,
            (None, None) => Status::SubmissionUnknown,
        }
    }
}

/// The unfinished entries, as [`Operations::unfinished`](super::Operations::unfinished) returns them.
#[derive(Debug, Default)]
#[must_use = "unreadable entries may be in progress, too"]
pub struct Unfinished {
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// The entries that cannot be read. They do not prevent reading the others.
    pub unreadable: Vec<Unreadable>,
}

impl Unfinished {
    /// Returns the entries if all of them can be read.
    ///
    /// # Errors
    ///
    /// The error of the first unreadable entry.
    pub fn all(self) -> Result<Vec<Entry>, Error> {
        match self.unreadable.into_iter().next() {
            None => Ok(self.entries),
            Some(Unreadable { error, .. }) => Err(error),
        }
    }
}

/// A part of a store that cannot be read: it was changed or damaged, or a later version wrote it.
#[derive(Debug)]
pub struct Unreadable {
    place: String,
    label: Option<String>,
    error: Error,
}

impl Unreadable {
    /// Creates one, for other implementations of a store.
    pub fn new(place: impl Into<String>, label: Option<String>, error: Error) -> Self {
        Self { place: place.into(), label, error }
    }

    /// Returns its location, in the terms of the store.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the label of the submission, if that can be read.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    pub(super) fn into_error(self) -> Error {
        self.error
    }

    /// Returns the error of reading it.
    pub fn error(&self) -> &Error {
        &self.error
    }
}
