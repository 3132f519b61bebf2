//! A token that a session holds.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime},
};

use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::{Claims, Generation, Rejected, Token};
use crate::{
    clock::{Clock, Moment, random},
    error::{Error, Kind},
};

/// The longest time before its end in which a token is renewed while it is still used; a fifth of its lifetime at most.
const ADVISORY: Duration = Duration::from_secs(5 * 60);

/// The longest last part of its lifetime in which a token is not used any more; a twentieth of it at most. A request is on
/// its way for a while, and clocks differ.
const MARGIN: Duration = Duration::from_secs(30);

/// The shortest time that a token is used: an issuer whose tokens end at once is asked once in it. That the service takes the
/// token no more is known by its 401.
const SHORTEST: Duration = Duration::from_millis(1_500);

/// How long a token is used whose lifetime is no time: `expires_in` of 0, -1 or `"abc"`, or one that was over when the token
/// arrived. It is replaced after four fifths of this.
const UNKNOWN: Duration = Duration::from_secs(40);

/// A token that a session holds.
pub(crate) struct Held {
    pub(crate) header: HeaderValue,
    pub(crate) secret: SecretString,
    pub(crate) generation: Generation,
    pub(crate) received: Moment,
    /// The team that the token is for; the text where it is not a GUID.
    pub(crate) team: Option<Result<Uuid, String>>,
    /// When it is no longer used. `None`: nothing limits it.
    usable_until: Option<Moment>,
    /// When it is worth asking for the next one.
    refresh_at: Option<Moment>,
    /// Whether the service has taken it.
    accepted: AtomicBool,
}

impl Held {
    pub(crate) fn new(token: &Token, generation: Generation, now: Moment, credential: &str) -> Result<Self, Error> {
        let refuse = || {
            Error::of(Kind::Token, format!("{credential} returned a token that no header can carry"))
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
        // A lifetime beyond what a clock can say is not a limit.
        let usable_until = lifetime.and_then(|lifetime| after(lifetime.saturating_sub(MARGIN.min(lifetime / 20))));
        let refresh_at = lifetime.and_then(|lifetime| {
            // Many clients that started together must not ask together.
            let early = ADVISORY.min(lifetime / 5).mul_f64(0.75 + 0.25 * random());
            after(lifetime.saturating_sub(early))
        });
        let team = claims.and_then(|claims| claims.team());
        Ok(Self {
            header,
            secret: token.secret.clone(),
            generation,
            received: now,
            team,
            usable_until,
            refresh_at,
            accepted: AtomicBool::new(false),
        })
    }

    /// The service has taken it, whatever it said of the call.
    pub(crate) fn accept(&self) {
        if !self.is_accepted() {
            self.accepted.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_accepted(&self) -> bool {
        self.accepted.load(Ordering::Relaxed)
    }

    /// How long the token is used from now on; `None` when nothing limits it.
    pub(crate) fn usable_for(&self) -> Option<Duration> {
        self.usable_until.map(|end| end.left(Clock::System.now()))
    }

    pub(super) fn is_rejected(&self, rejected: Option<Rejected>) -> bool {
        rejected.is_some_and(|rejected| rejected.generation == self.generation)
    }

    pub(super) fn is_usable(&self, now: Moment) -> bool {
        self.usable_until.is_none_or(|end| !end.is_over(now))
    }

    /// Usable, and not yet due for the next one.
    pub(super) fn is_fresh(&self, now: Moment) -> bool {
        self.refresh_at.is_none_or(|end| !end.is_over(now))
    }
}

/// How long the token lives from `now` on. `exp` is an upper bound where it lies ahead; behind, the clocks differ, and what
/// the answer said counts.
fn lifetime(token: &Token, claims: Option<&Claims>, now: Moment) -> Option<Duration> {
    let said = token.lifetime.map(|lifetime| lifetime.saturating_sub(elapsed(token, now)));
    let bound = claims
        .and_then(|claims| claims.expires_at)
        .and_then(|end: SystemTime| end.duration_since(now.wall).ok())
        .filter(|left| !left.is_zero());
    match (said, bound) {
        (Some(said), Some(bound)) => Some(said.min(bound)),
        (said, bound) => said.or(bound),
    }
}

fn elapsed(token: &Token, now: Moment) -> Duration {
    now.instant.saturating_duration_since(token.received.0)
}
