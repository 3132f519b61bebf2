//! The token that a session holds.

use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use super::{Credential, Generation, Token, TokenRequest};
use crate::{
    error::{Error, Kind},
    session::Transport,
};

/// A token is not used in its last part: this long at most, and a fifth of its lifetime at most.
const MARGIN: Duration = Duration::from_secs(60);

/// A token that the session holds.
pub(crate) struct Held {
    pub(crate) header: HeaderValue,
    pub(crate) secret: SecretString,
    pub(crate) generation: Generation,
    usable_until: Option<(Instant, SystemTime)>,
}

impl Held {
    /// How long the token is used from now on; `None` when nothing limits it.
    #[cfg(feature = "graphql")]
    pub(crate) fn usable_for(&self) -> Option<Duration> {
        let (instant, time) = self.usable_until?;
        let wall = time.duration_since(SystemTime::now()).unwrap_or_default();
        Some(instant.saturating_duration_since(Instant::now()).min(wall))
    }

    fn is_usable(&self) -> bool {
        // Both clocks: the monotonic one may stand still while a machine sleeps, the other may be set back.
        self.usable_until.is_none_or(|(instant, time)| Instant::now() < instant && SystemTime::now() < time)
    }
}

/// One credential and its current token. One caller at a time asks for a new one.
pub(crate) struct Cache {
    pub(crate) credential: Box<dyn Credential>,
    held: RwLock<Option<Arc<Held>>>,
    flight: tokio::sync::Mutex<()>,
    generation: AtomicU64,
}

impl Cache {
    pub(crate) fn new(credential: Box<dyn Credential>) -> Self {
        Self { credential, held: RwLock::new(None), flight: tokio::sync::Mutex::new(()), generation: AtomicU64::new(0) }
    }

    /// A usable token that is not the `rejected` one.
    pub(crate) async fn token(
        &self,
        transport: &Transport,
        deadline: Instant,
        rejected: Option<Generation>,
    ) -> Result<Arc<Held>, Error> {
        if let Some(held) = self.usable(rejected) {
            return Ok(held);
        }
        let _flight = self.flight.lock().await;
        // Whoever was first in the queue may have brought one.
        if let Some(held) = self.usable(rejected) {
            return Ok(held);
        }
        let replaces = self.current().map(|held| held.generation);
        let token = self.credential.token(TokenRequest { replaces, deadline, transport }).await?;
        let held = Arc::new(self.hold(&token)?);
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&held));
        Ok(held)
    }

    pub(crate) fn current(&self) -> Option<Arc<Held>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn usable(&self, rejected: Option<Generation>) -> Option<Arc<Held>> {
        self.current().filter(|held| held.is_usable() && Some(held.generation) != rejected)
    }

    fn hold(&self, token: &Token) -> Result<Held, Error> {
        let refuse = || {
            Error::new(Kind::Token, format!("{} gave no token that fits a header", self.credential.describe()))
                .hint("a token is visible ASCII characters on one line")
        };
        let secret = token.secret.expose_secret();
        if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refuse());
        }
        let mut header = HeaderValue::try_from(format!("Bearer {secret}")).map_err(|_| refuse())?;
        header.set_sensitive(true);
        let usable_until = token.lifetime.and_then(|lifetime| {
            let usable = lifetime.saturating_sub(MARGIN.min(lifetime / 5));
            // A lifetime beyond what a clock can say is no limit.
            Some((token.received.0.checked_add(usable)?, token.received.1.checked_add(usable)?))
        });
        let generation = Generation(self.generation.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(Held { header, secret: token.secret.clone(), generation, usable_until })
    }
}
