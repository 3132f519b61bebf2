//! Steps of a store that continue when their caller is dropped.

use tracing::Instrument as _;

use crate::error::{Error, Kind};

/// Runs a step of the store to its end, even if its caller is dropped: the effect of a step that is dropped half-way
/// would be unknown.
pub(super) async fn detached<T: Send + 'static>(
    step: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    tokio::spawn(step.in_current_span()).await.unwrap_or_else(|_| Err(ended()))
}

/// The error of a step that ended with its task.
pub(super) fn ended() -> Error {
    Error::with(Kind::Store, "the store ended without an answer")
        .hint("check whether its code panics, or the runtime is shut down")
}
