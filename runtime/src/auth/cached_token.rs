//! The token of a session, with its lifetime.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime},
};

use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use super::{Claims, Generation, Rejected, Token};
use crate::{
    clock::{Clock, Moment, random},
    error::{Error, Kind},
};

/// The longest time before its end in which a token is refreshed while it is still used; at most a fifth of its
/// lifetime.
const ADVISORY: Duration = Duration::from_secs(5 * 60);

/// The longest last part of its lifetime in which a token is no longer used; at most a twentieth of it. A request takes
/// time to arrive, and clocks differ.
const MARGIN: Duration = Duration::from_secs(30);

/// The shortest time for which a token is used: an issuer whose tokens expire at once is asked once in that time. The
/// service's 401 tells that it no longer accepts the token.
const SHORTEST: Duration = Duration::from_millis(1_500);

/// The time for which a token is used if its lifetime is unusable: `expires_in` of 0, -1 or `"abc"`, or one that was
/// over when the token arrived. It is refreshed after four fifths of this.
const UNKNOWN: Duration = Duration::from_secs(40);

/// A token that a session keeps.
pub(crate) struct CachedToken {
    pub(crate) header: HeaderValue,
    pub(crate) secret: SecretString,
    pub(crate) generation: Generation,
    pub(crate) received: Moment,
    pub(crate) claims: Option<Claims>,
    /// The time at which it is no longer used. `None`: nothing limits it.
    usable_until: Option<Moment>,
    /// The time from which it is refreshed.
    refresh_at: Option<Moment>,
    /// The service has accepted it.
    accepted: AtomicBool,
}

impl CachedToken {
    pub(crate) fn new(token: &Token, generation: Generation, now: Moment, credential: &str) -> Result<Self, Error> {
        let refuse = || {
            Error::with(Kind::Token, format!("{credential} returned a token that no header can carry"))
                .because("token/malformed")
                .hint("a token has to be visible ASCII characters on one line")
        };
        let secret = token.secret.expose_secret();
        if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refuse());
        }
        let mut header = HeaderValue::try_from(format!("Bearer {secret}")).map_err(|_| refuse())?;
        header.set_sensitive(true);
        let claims = Claims::read(secret);
        let lifetime = lifetime(token, claims.as_ref(), now);
        let lifetime = lifetime.map(|time| if time.is_zero() { UNKNOWN } else { time.max(SHORTEST) });
        let after = |time: Duration| now.after(time);
        // A lifetime beyond the clock's range is not a limit.
        let usable_until = lifetime.and_then(|lifetime| after(lifetime.saturating_sub(MARGIN.min(lifetime / 20))));
        let refresh_at = lifetime.and_then(|lifetime| {
            // Clients that started together must not refresh together.
            let early = ADVISORY.min(lifetime / 5).mul_f64(0.75 + 0.25 * random());
            after(lifetime.saturating_sub(early))
        });
        Ok(Self {
            header,
            secret: token.secret.clone(),
            generation,
            received: now,
            claims,
            usable_until,
            refresh_at,
            accepted: AtomicBool::new(false),
        })
    }

    /// Records that the service accepted the token, whatever it answered to the call.
    pub(crate) fn accept(&self) {
        if !self.is_accepted() {
            self.accepted.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_accepted(&self) -> bool {
        self.accepted.load(Ordering::Relaxed)
    }

    /// The time for which the token is used from now on; `None` if nothing limits it.
    pub(crate) fn usable_for(&self) -> Option<Duration> {
        self.usable_until.map(|end| end.left(Clock::System.now()))
    }

    pub(super) fn is_rejected(&self, rejected: Option<Rejected>) -> bool {
        rejected.is_some_and(|rejected| rejected.generation == self.generation)
    }

    pub(super) fn is_usable(&self, now: Moment) -> bool {
        self.usable_until.is_none_or(|end| !end.is_over(now))
    }

    /// Returns whether it is usable and not yet due for a refresh.
    pub(super) fn is_fresh(&self, now: Moment) -> bool {
        self.refresh_at.is_none_or(|end| !end.is_over(now))
    }
}

/// The lifetime of the token from `now` on. `exp` is an upper bound if it lies ahead; if it has passed, the clocks
/// differ, and the response's value counts.
fn lifetime(token: &Token, claims: Option<&Claims>, now: Moment) -> Option<Duration> {
    let stated = token.lifetime.map(|lifetime| lifetime.saturating_sub(elapsed(token, now)));
    let bound = claims
        .and_then(|claims| claims.expires_at)
        .and_then(|end: SystemTime| end.duration_since(now.wall).ok())
        .filter(|left| !left.is_zero());
    match (stated, bound) {
        (Some(stated), Some(bound)) => Some(stated.min(bound)),
        (stated, bound) => stated.or(bound),
    }
}

fn elapsed(token: &Token, now: Moment) -> Duration {
    now.instant.saturating_duration_since(token.received.0)
}
