//! Errors of asynchronous operations.

use super::{Error, Kind};
use crate::operations::OperationRef;

impl Error {
    /// A submission of which nobody knows whether it arrived.
    pub(crate) fn submission_unknown(cause: Self, correlation: &str) -> Self {
        let mut error = Self::new(
            Kind::SubmissionUnknown,
            format!("nobody knows whether the submission {correlation} arrived: {}", cause.0.what),
        )
        .hint("look on the platform before submitting again; the store keeps it until it is adopted or forgotten");
        error.0.operation = cause.0.operation;
        error.0.status = cause.0.status;
        error.0.body = cause.0.body.clone();
        error.0.sent = true;
        error.0.request_id = cause.0.request_id.clone();
        error.cause(cause)
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
