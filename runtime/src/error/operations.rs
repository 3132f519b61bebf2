//! Errors of asynchronous operations.

use std::{any::Any, sync::Arc};

use super::{Error, Kind};

impl Error {
    /// Creates the error of a submission that may or may not have arrived, with the cause of its last attempt.
    pub(crate) fn submission_unknown(cause: Self, correlation: &str, hint: &str) -> Self {
        let what = format!("it is unknown whether the submission {correlation} arrived: {}", cause.0.what);
        let mut error = Self::with(Kind::SubmissionUnknown, what).hint(hint);
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

    /// Creates an error of a custom [`Store`](crate::operations::Store), with its message, without secrets.
    pub fn store(what: impl Into<String>) -> Self {
        Self::with(Kind::Store, what)
    }

    /// Attaches a value for the caller to the error.
    pub(crate) fn with_attachment(mut self, attachment: impl Any + Send + Sync) -> Self {
        self.0.attachment = Some(Arc::new(attachment));
        self
    }

    pub(crate) fn attachment<T: Any>(&self) -> Option<&T> {
        self.0.attachment.as_deref()?.downcast_ref()
    }

    /// Returns whether the service does not return the operation, and the time in which it may become visible is over.
    pub fn is_operation_missing(&self) -> bool {
        self.0.kind == Kind::Missing
    }

    /// Returns whether the reference to an operation is damaged, was changed, or belongs to another deployment.
    pub fn is_reference(&self) -> bool {
        self.0.kind == Kind::Reference
    }

    /// Returns whether the store of operations failed, or refuses a label that it has already.
    pub fn is_store(&self) -> bool {
        self.0.kind == Kind::Store
    }

    /// Returns whether the label identifies a submission with other contents: another kind, method, path, query or
    /// body, or other headers. Nothing was sent, and the submission of the label is unchanged.
    pub fn is_label_mismatch(&self) -> bool {
        self.0.kind == Kind::LabelMismatch
    }

    /// Returns whether the lease on an operation is over: this instance was away for longer than the lease, and nothing
    /// was written.
    pub fn is_lease_lost(&self) -> bool {
        self.0.kind == Kind::LeaseLost
    }
}
