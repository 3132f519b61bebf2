//! Where submissions and operations are kept.

use std::{pin::Pin, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::{Observation, OperationRef, time::from_millis};
use crate::Error;

/// What the functions of a [`Store`] return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Keeps submissions and operations: the intent before a submission is sent, its acceptance, and every observation.
///
/// When a function returns, what it was given survives whatever the store promises to survive.
pub trait Store: Send + Sync + 'static {
    /// Keeps an intent. A label that the deployment has already is an error, and nothing is kept.
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()>;

    /// Keeps the acceptance of an intent.
    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()>;

    /// Forgets an intent that did not arrive, or an operation.
    fn forget<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, ()>;

    /// Keeps an observation of an operation. One of an operation that the store does not have is dropped.
    fn observe<'a>(&'a self, correlation: &'a str, observation: &'a Observation) -> StoreFuture<'a, ()>;

    /// Keeps that an operation is done with. `true` for one caller only, of however many in however many processes.
    fn finish<'a>(&'a self, correlation: &'a str, outcome: &'a str) -> StoreFuture<'a, bool>;

    /// One entry.
    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>>;

    /// The entry of a label.
    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>>;

    /// All entries of a deployment that are not done with, oldest first.
    fn unfinished<'a>(&'a self, deployment: &'a str) -> StoreFuture<'a, Vec<Entry>>;
}

/// A submission that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub(super) correlation: String,
    pub(super) label: Option<String>,
    pub(super) kind: String,
    pub(super) deployment: String,
    pub(super) at: u64,
}

impl Intent {
    /// What ties it to its operation. Random, and unique.
    pub fn correlation(&self) -> &str {
        &self.correlation
    }

    /// The caller's name for it.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The name of its binding.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The fingerprint of the deployment.
    pub fn deployment(&self) -> &str {
        &self.deployment
    }

    /// When it was kept, on this side's clock.
    pub fn at(&self) -> SystemTime {
        from_millis(self.at)
    }
}

/// What a store has of one submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(super) intent: Intent,
    pub(super) reference: Option<OperationRef>,
    pub(super) last: Option<Observation>,
    pub(super) outcome: Option<String>,
}

/// Where a submission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It was about to be sent, and nothing is known of what came of it: it is still being sent, or its program ended, or
    /// its connection broke. It is never sent again by itself.
    SubmissionUnknown,
    /// The service has accepted it.
    Accepted,
    /// It is done with.
    Finished,
}

impl Entry {
    /// An entry, for stores of other kinds.
    pub fn new(
        intent: Intent,
        reference: Option<OperationRef>,
        last: Option<Observation>,
        outcome: Option<String>,
    ) -> Self {
        Self { intent, reference, last, outcome }
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

    /// How it ended, by the name of its [`Outcome`](super::Outcome).
    pub fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref()
    }

    /// Where it is.
    pub fn status(&self) -> Status {
        match (&self.reference, &self.outcome) {
            (_, Some(_)) => Status::Finished,
            (Some(_), None) => Status::Accepted,
            (None, None) => Status::SubmissionUnknown,
        }
    }
}
