//! What happens to tokens, for audit.

use std::{fmt, sync::Arc, time::Duration};

use super::Generation;
use crate::telemetry;

/// What happened to the token of a credential. It holds no part of a token or secret.
///
/// ```
/// use driftless_runtime::{Client, auth::{StaticToken, TokenEventKind}};
///
/// let builder = Client::builder("https://platform.example")
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
    /// What happened.
    pub kind: TokenEventKind,
    /// The credential, as it describes itself.
    pub credential: String,
    /// The generation of the token that was obtained.
    pub generation: Option<Generation>,
    /// How long the token will be used; `None` when nothing limits it, or when there is none.
    pub usable_for: Option<Duration>,
    /// Why there is no token, in one line.
    pub error: Option<String>,
}

/// What happened to a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenEventKind {
    /// The first token was obtained.
    Obtained,
    /// A token was obtained in the place of another.
    Refreshed,
    /// No token was obtained.
    Refused,
    /// The service did not accept the token, which is dropped.
    Invalidated,
}

type Hook = Arc<dyn Fn(&TokenEvent) + Send + Sync>;

/// Who is told.
#[derive(Clone, Default)]
pub(crate) struct Audit(pub(crate) Option<Hook>);

impl Audit {
    pub(crate) fn tell(&self, event: &TokenEvent) {
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
