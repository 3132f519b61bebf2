//! What errors say of submissions and operations.

use super::{Intent, OperationRef};
use crate::Error;

impl Error {
    /// The operation that the service accepted before this error: it runs, although the store could not keep it.
    pub fn accepted(&self) -> Option<&OperationRef> {
        self.attachment()
    }
}

/// A submission of which nobody knows whether it arrived.
pub(super) fn submission_unknown(cause: Error, intent: &Intent) -> Error {
    let hint = match intent.is_recognised() {
        true => "resubmit it under its label, which the service recognises; the store keeps it until then",
        false => "look on the platform before submitting again; the store keeps it until it is adopted or forgotten",
    };
    Error::submission_unknown(cause, intent.correlation(), hint)
}
