//! The reply to a call.

use super::parts::Block;
use super::texts::text;
use crate::Failure;

/// Bytes of a text of the service in a message.
const TEXT: usize = 2000;

/// The reply to a call.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) blocks: Vec<Block>,
    pub(super) is_error: bool,
    /// The outcome in the log.
    pub(super) outcome: String,
}

impl Reply {
    pub(super) fn refused(message: impl Into<String>, next: &str) -> Self {
        let message = message.into();
        let outcome = format!("refused: {message}");
        Self { blocks: vec![Block::Text(format!("{message}\nnext: {next}"))], is_error: true, outcome }
    }

    pub(super) fn failed(failure: &Failure) -> Self {
        let mut message = text(&failure.message, TEXT);
        // The log has the class alone: a message can quote an answer of the service.
        let outcome = format!("failed ({:?})", failure.exit);
        if !failure.hint.is_empty() {
            message = format!("{message}\nnext: {}", text(&failure.hint, TEXT));
        }
        Self { blocks: vec![Block::Text(message)], is_error: true, outcome }
    }

    pub(super) fn blocks(blocks: Vec<Block>, outcome: impl Into<String>) -> Self {
        Self { blocks, is_error: false, outcome: outcome.into() }
    }
}
