//! Events in the life of tokens, for audit.

use std::{fmt, sync::Arc, time::Duration};

use super::Generation;
use crate::telemetry;

/// An event in the life of a credential's token. It holds no part of a token or secret.
///
/// ```
/// use driftless_runtime::{Client, auth::{StaticToken, TokenEventKind}};
///
/// let builder = Client::builder("https://service.example")
///     .credential(StaticToken::new("…"))
///     .on_token_event(|event| {
///         if event.kind == TokenEventKind::Refused {
///             eprintln!("{}: {}", event.credential, event.error.as_deref().unwrap_or_default());
///         }
///     });
/// # let _ = builder;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TokenEvent {
    /// The kind of the event.
    pub kind: TokenEventKind,
    /// The credential's description.
    pub credential: String,
    /// The generation of the token.
    pub generation: Option<Generation>,
    /// The time for which the token will be used; `None` if nothing limits it, or if there is no token.
    pub usable_for: Option<Duration>,
    /// The reason that there is no token, in one line.
    pub error: Option<String>,
}

/// The kind of a [`TokenEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenEventKind {
    /// The first token was obtained.
    Obtained,
    /// A token was obtained that replaces another.
    Refreshed,
    /// No token was obtained.
    Refused,
    /// The service did not accept the token, which was dropped.
    Invalidated,
}

type Hook = Arc<dyn Fn(&TokenEvent) + Send + Sync>;

/// The audit callbacks.
#[derive(Clone, Default)]
pub(crate) struct Audit(pub(crate) Option<Hook>);

impl Audit {
    pub(crate) fn report(&self, event: &TokenEvent) {
        tracing::debug!(kind = ?event.kind, credential = event.credential, "token");
        telemetry::token(match event.kind {
            TokenEventKind::Obtained => "obtained",
            TokenEventKind::Refreshed => "refreshed",
            TokenEventKind::Refused => "refused",
            TokenEventKind::Invalidated => "invalidated",
        });
        if let Some(hook) = &self.0 {
            hook(event);
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Audit").field(&self.0.is_some()).finish()
    }
}
