//! Errors of submissions and operations.

use super::{Intent, OperationRef};
use crate::{Error, error::Kind};

impl Error {
    /// Returns the operation that the service accepted before this error: it is in progress, although the store could
    /// not keep it.
    pub fn accepted(&self) -> Option<&OperationRef> {
        self.attachment()
    }
}

/// The error of a submission that may or may not have arrived.
pub(super) fn submission_unknown(cause: Error, intent: &Intent) -> Error {
    let hint = match intent.is_recognised() {
        true => "resubmit it under its label, which the service recognises; the store keeps it until then",
        false => "check on the service before you submit it again; the store keeps it until it is adopted or forgotten",
    };
    Error::submission_unknown(cause, intent.correlation(), hint)
}

/// The reason of the error of a label that is taken: the store has kept nothing.
pub(super) const LABEL_TAKEN: &str = "store/label-taken";

/// The error of a label that is taken.
pub(super) fn taken() -> Error {
    Error::with(Kind::Store, "the store already has a submission with this label")
        .because(LABEL_TAKEN)
        .hint("resume it; if it is unknown whether it arrived, check on the service, then adopt or forget it")
}

/// The error of a label that was submitted with other contents.
pub(super) fn mismatch(label: Option<&str>, difference: &str) -> Error {
    let label = label.unwrap_or_default().escape_debug();
    Error::with(Kind::LabelMismatch, format!("the label \"{label}\" was submitted with {difference}; nothing was sent"))
        .hint("give each submission a label of its own, or submit the same contents again")
}

/// The error of a submission that was accepted or is finished.
pub(super) fn known() -> Error {
    Error::with(Kind::Store, "the submission was accepted, or has been dealt with").hint("resume it")
}

/// The error of a submission that was accepted as two operations.
pub(super) fn another() -> Error {
    Error::with(Kind::Store, "the store has another operation for this submission")
        .hint("check on the service whether both of them run")
}

/// The error of an entry that does not exist.
pub(super) fn absent() -> Error {
    Error::with(Kind::Store, "the store has no such submission").hint("it was forgotten, or is in another store")
}
