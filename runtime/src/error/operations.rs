//! Errors of asynchronous operations.

use super::{Error, Kind};
use crate::operations::{Intent, OperationRef};

impl Error {
    /// A submission of which nobody knows whether it arrived. What the last attempt met stays on it.
    pub(crate) fn submission_unknown(cause: Self, intent: &Intent) -> Self {
        let mut error = Self::new(
            Kind::SubmissionUnknown,
            format!("nobody knows whether the submission {} arrived: {}", intent.correlation(), cause.0.what),
        )
        .hint(match intent.is_recognised() {
            true => "resubmit it under its label, which the service recognises; the store keeps it until then",
            false => {
                "look on the platform before submitting again; the store keeps it until it is adopted or forgotten"
            }
        });
        let (to, from) = (&mut error.0, &cause.0);
        to.operation = from.operation;
        to.status = from.status;
        to.problem = from.problem.clone();
        to.body = from.body.clone();
        to.retry_after = from.retry_after;
        to.request_id = from.request_id.clone();
        to.sent = true;
        error.cause(cause)
    }

    /// An error of a [`Store`](crate::operations::Store) of another kind: what it cannot do, without secrets.
    pub fn store(what: impl Into<String>) -> Self {
        Self::new(Kind::Store, what)
    }

    pub(crate) fn with_accepted(mut self, reference: OperationRef) -> Self {
        self.0.accepted = Some(Box::new(reference));
        self
    }

    /// The operation that the service accepted before this error: it runs, although the store could not keep it.
    pub fn accepted(&self) -> Option<&OperationRef> {
        self.0.accepted.as_deref()
    }

    /// The service does not show the operation, and the time in which it may become visible is over.
    pub fn is_operation_missing(&self) -> bool {
        self.0.kind == Kind::Missing
    }

    /// The reference to an operation is damaged, was changed, or belongs to another deployment.
    pub fn is_reference(&self) -> bool {
        self.0.kind == Kind::Reference
    }

    /// The store of operations failed, or refuses a label that it has already.
    pub fn is_store(&self) -> bool {
        self.0.kind == Kind::Store
    }
}
