//! What a store has of a submission.

use super::{Intent, Observation, OperationRef};
use crate::{Error, error::Kind};

/// The outcome of an entry that is given up, and the name of its standing.
pub(super) const DISCARDED: &str = "discarded";

/// What a store has of one submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(super) intent: Intent,
    pub(super) revision: u64,
    pub(super) reference: Option<OperationRef>,
    pub(super) last: Option<Observation>,
    pub(super) outcome: Option<String>,
}

/// Where a submission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// An attempt may have arrived: it is still being sent, or its program ended, or its connection broke. What came back from
    /// another attempt says nothing of it. It is never sent again by itself.
    SubmissionUnknown,
    /// The service has accepted it.
    Accepted,
    /// The service has accepted it, and it is given up: [`Operations::retry`](super::Operations::retry) makes it due again.
    Discarded,
    /// It is done with.
    Finished,
}

impl Entry {
    /// An entry, for stores of other kinds.
    pub fn new(
        intent: Intent,
        revision: u64,
        reference: Option<OperationRef>,
        last: Option<Observation>,
        outcome: Option<String>,
    ) -> Self {
        Self { intent, revision, reference, last, outcome }
    }

    /// A number that each attempt and the acceptance move on: what was decided by a look at this entry holds while it has
    /// this revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the reference is that of the submission. A row of another one may have been written over it.
    pub(super) fn check(&self) -> Result<(), Error> {
        let intent = &self.intent;
        let other = self.reference.as_ref().and_then(|reference| {
            let parts = [
                ("another submission", reference.correlation() == intent.correlation),
                ("another kind", reference.kind() == intent.kind),
                ("another deployment", reference.deployment() == intent.deployment),
            ];
            parts.into_iter().find_map(|(what, same)| (!same).then_some(what))
        });
        match other {
            None => Ok(()),
            Some(what) => Err(Error::of(Kind::Reference, format!("the reference of the entry belongs to {what}"))
                .hint("the store was changed: check on the platform, then restore the entry or remove it")),
        }
    }

    /// The submission.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// The operation that the service accepted.
    pub fn reference(&self) -> Option<&OperationRef> {
        self.reference.as_ref()
    }

    /// What was seen last of the operation.
    pub fn last(&self) -> Option<&Observation> {
        self.last.as_ref()
    }

    /// How it ended, by the name of its [`OperationOutcome`](super::OperationOutcome); `discarded` where it is given up.
    pub fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref()
    }

    /// Where it is.
    pub fn status(&self) -> Status {
        match (&self.reference, self.outcome.as_deref()) {
            (_, Some(DISCARDED)) => Status::Discarded,
            (_, Some(_)) => Status::Finished,
            (Some(_), None) => Status::Accepted,
            (None, None) => Status::SubmissionUnknown,
        }
    }
}

/// What is not done with, as [`Operations::unfinished`](super::Operations::unfinished) gives it.
#[derive(Debug, Default)]
#[must_use = "what cannot be read may be running, too"]
pub struct Unfinished {
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// What of the store cannot be read. It holds up none of the others.
    pub unreadable: Vec<Unreadable>,
}

impl Unfinished {
    /// The entries, where all of them can be read.
    ///
    /// # Errors
    ///
    /// The error of the first one that cannot.
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
    /// For stores of other kinds.
    pub fn new(place: impl Into<String>, label: Option<String>, error: Error) -> Self {
        Self { place: place.into(), label, error }
    }

    /// Where it lies, in the words of the store.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The label of the submission, as far as that can be read.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    pub(super) fn into_error(self) -> Error {
        self.error
    }

    /// What is wrong with it.
    pub fn error(&self) -> &Error {
        &self.error
    }
}
