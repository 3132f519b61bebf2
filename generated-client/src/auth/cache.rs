//! The token of a session: who has it, who asks for the next one, and who waits.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use tokio::sync::watch;

use super::{Credential, Generation, Held, TokenEvent, TokenEventKind, TokenRequest, event::Audit};
use crate::{
    clock::{self, Backoff, Clock, Moment, Until},
    error::{Error, Kind},
    session::Transport,
};

/// The pauses after token requests that failed.
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(20) };

type Outcome = Result<Arc<Held>, Arc<Error>>;

/// One credential and its current token. Reading a valid token takes no lock; of many callers without one, one asks.
#[derive(Clone)]
pub(crate) struct Cache(Arc<Inner>);

struct Inner {
    credential: Box<dyn Credential>,
    audit: Audit,
    clock: Clock,
    started: Instant,
    current: ArcSwapOption<Held>,
    /// Until then, in milliseconds since the start, nobody renews a token that is still usable.
    quiet_until: AtomicU64,
    desk: Mutex<Desk>,
}

/// What is only looked at where there is no usable token.
#[derive(Default)]
struct Desk {
    flight: Option<watch::Receiver<Option<Outcome>>>,
    generation: u64,
    /// The last failure, how many there were in a row, and when the next attempt is worth it.
    failure: Option<(Arc<Error>, Instant)>,
    failures: u32,
}

impl Cache {
    pub(crate) fn new(credential: Box<dyn Credential>, audit: Audit) -> Self {
        Self::with_clock(credential, audit, Clock::System)
    }

    pub(super) fn with_clock(credential: Box<dyn Credential>, audit: Audit, clock: Clock) -> Self {
        let started = clock.now().instant;
        Self(Arc::new(Inner {
            credential,
            audit,
            clock,
            started,
            current: ArcSwapOption::empty(),
            quiet_until: AtomicU64::new(0),
            desk: Mutex::default(),
        }))
    }

    pub(crate) fn credential(&self) -> &dyn Credential {
        &*self.0.credential
    }

    /// A usable token that is not the `rejected` one.
    pub(crate) async fn token(
        &self,
        transport: &Arc<Transport>,
        deadline: Until,
        rejected: Option<Generation>,
    ) -> Result<Arc<Held>, Error> {
        match self.ready(transport, rejected) {
            Some(held) => Ok(held),
            None => self.wait(transport, deadline, rejected).await,
        }
    }

    /// The token that is there, when it is usable and not the `rejected` one.
    pub(crate) fn ready(&self, transport: &Arc<Transport>, rejected: Option<Generation>) -> Option<Arc<Held>> {
        let now = self.0.clock.now();
        let held = self.valid(now, rejected)?;
        if !held.is_fresh(now) && self.0.quiet_until.load(Ordering::Acquire) <= self.0.millis(now.instant) {
            self.renew(transport, now, held.generation);
        }
        Some(held)
    }

    /// The current token, usable or not.
    pub(crate) fn current(&self) -> Option<Arc<Held>> {
        self.0.current.load_full()
    }

    /// Drops the token of this generation. A later one stays.
    pub(crate) fn invalidate(&self, generation: Generation) {
        let current = self.0.current.load();
        if current.as_ref().is_some_and(|held| held.generation == generation) {
            let before = self.0.current.compare_and_swap(&*current, None);
            if before.as_ref().is_some_and(|held| held.generation == generation) {
                self.0.tell(TokenEventKind::Invalidated, None, None);
            }
        }
    }

    fn valid(&self, now: Moment, rejected: Option<Generation>) -> Option<Arc<Held>> {
        let held = self.0.current.load();
        held.as_ref().filter(|held| Some(held.generation) != rejected && held.is_usable(now)).map(Arc::clone)
    }

    /// Starts to ask for the next token, unless somebody does.
    fn renew(&self, transport: &Arc<Transport>, now: Moment, replaces: Generation) {
        let mut desk = self.0.desk();
        let due = self.0.quiet_until.load(Ordering::Acquire) <= self.0.millis(now.instant);
        if desk.flight.is_none() && due && self.current().is_some_and(|held| held.generation == replaces) {
            self.start(&mut desk, transport);
        }
    }

    async fn wait(
        &self,
        transport: &Arc<Transport>,
        deadline: Until,
        rejected: Option<Generation>,
    ) -> Result<Arc<Held>, Error> {
        if let Some(rejected) = rejected {
            self.invalidate(rejected);
        }
        loop {
            let mut flight = {
                let mut desk = self.0.desk();
                let now = self.0.clock.now();
                // Whoever was first at the desk may have brought one.
                if let Some(held) = self.valid(now, rejected) {
                    return Ok(held);
                }
                match (&desk.flight, &desk.failure) {
                    (Some(flight), _) => flight.clone(),
                    (None, Some((error, until))) if now.instant < *until => {
                        let left = until.saturating_duration_since(now.instant);
                        return Err(error.share().with_retry_after(Some(left)));
                    }
                    _ => self.start(&mut desk, transport),
                }
            };
            let landing = async { flight.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone()) };
            match deadline.limit(landing).await {
                Err(_) => {
                    let what = format!("{} gave no token in time", self.0.credential.describe());
                    return Err(Error::new(Kind::Timeout, what).hint("set a longer deadline, or check the issuer"));
                }
                // The flight ended without an answer: its runtime is gone, or the credential panicked.
                Ok(None) => self.abandon(&flight)?,
                Ok(Some(Ok(held))) if Some(held.generation) == rejected => {}
                Ok(Some(Ok(held))) => return Ok(held),
                Ok(Some(Err(error))) => return Err(error.share()),
            }
        }
    }

    /// Forgets a flight that ended without an answer, so that another can start.
    fn abandon(&self, flight: &watch::Receiver<Option<Outcome>>) -> Result<(), Error> {
        let mut desk = self.0.desk();
        if desk.flight.as_ref().is_some_and(|current| current.same_channel(flight)) {
            desk.flight = None;
            self.0.quiet_until.store(0, Ordering::Release);
            desk.failures += 1;
            if desk.failures > 2 {
                let what = format!("{} ended without an answer", self.0.credential.describe());
                return Err(Error::new(Kind::Token, what).hint("see whether the credential panics").passing(true));
            }
        }
        Ok(())
    }

    /// Asks for a token in a task of its own: it goes on when the caller that began it goes away.
    fn start(&self, desk: &mut Desk, transport: &Arc<Transport>) -> watch::Receiver<Option<Outcome>> {
        let (sender, receiver) = watch::channel(None);
        desk.flight = Some(receiver.clone());
        self.0.quiet_until.store(u64::MAX, Ordering::Release);
        let (cache, transport) = (self.clone(), Arc::clone(transport));
        let replaces = (desk.generation > 0).then_some(Generation(desk.generation));
        tokio::spawn(async move {
            let outcome = cache.ask(&transport, replaces).await;
            sender.send_replace(Some(outcome));
        });
        receiver
    }

    async fn ask(&self, transport: &Transport, replaces: Option<Generation>) -> Outcome {
        let inner = &*self.0;
        let patience = inner.credential.patience();
        let deadline = Until::after(patience);
        let request = TokenRequest { replaces, deadline, transport };
        let answer = match deadline.limit(inner.credential.token(request)).await {
            Ok(answer) => answer,
            Err(_) => {
                let what = format!("{} gave no token within {}", inner.credential.describe(), clock::seconds(patience));
                Err(Error::new(Kind::Timeout, what).hint("check the issuer"))
            }
        };
        let mut desk = inner.desk();
        let moment = inner.clock.now();
        let outcome = answer.and_then(|token| {
            let generation = Generation(desk.generation + 1);
            Held::new(&token, generation, moment, &inner.credential.describe())
        });
        desk.flight = None;
        match outcome {
            Ok(held) => {
                let held = Arc::new(held);
                desk.generation = held.generation.0;
                (desk.failure, desk.failures) = (None, 0);
                inner.current.store(Some(Arc::clone(&held)));
                inner.quiet_until.store(0, Ordering::Release);
                drop(desk);
                let kind = if held.generation.0 == 1 { TokenEventKind::Obtained } else { TokenEventKind::Refreshed };
                inner.tell(kind, Some(&held), None);
                Ok(held)
            }
            Err(error) => {
                desk.failures = desk.failures.saturating_add(1);
                // An issuer that asks for more is asked again all the same: secrets and registrations are mended.
                let pause = BACKOFF.pause_asked(desk.failures, error.retry_after()).min(BACKOFF.longest);
                let until = moment.instant.checked_add(pause).unwrap_or(moment.instant);
                inner.quiet_until.store(inner.millis(until), Ordering::Release);
                let error = Arc::new(error);
                // What is wrong on this machine is looked at again at once; a refusal is remembered by the credential.
                desk.failure = (!error.is_local() && !error.is_refusal()).then(|| (Arc::clone(&error), until));
                drop(desk);
                inner.tell(TokenEventKind::Refused, None, Some(&error));
                Err(error)
            }
        }
    }
}

impl Inner {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn millis(&self, instant: Instant) -> u64 {
        u64::try_from(instant.saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    fn tell(&self, kind: TokenEventKind, held: Option<&Held>, error: Option<&Error>) {
        self.audit.tell(&TokenEvent {
            kind,
            credential: self.credential.describe(),
            generation: held.map(|held| held.generation),
            usable_for: held.and_then(Held::usable_for),
            error: error.map(ToString::to_string),
        });
    }
}
