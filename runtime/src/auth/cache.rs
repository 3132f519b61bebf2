//! The token of a session: its refresh, and the callers that wait for it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use tokio::sync::watch;

use super::{
    CachedToken, Credential, Generation, Rejected, TokenEvent, TokenEventKind, TokenRequest, event::Audit, pace::Pace,
    refresh_thread,
};
use crate::{
    clock::{self, Backoff, Clock, Moment, Until},
    error::{Error, Kind},
    transport::Transport,
};

/// The pauses after token requests that failed.
const BACKOFF: Backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(20) };

/// The number of accepted tokens that one operation may have refreshed without a pause in between.
const FREE_OF_OPERATION: u32 = 3;

/// The same for all operations of a server together.
const FREE_OF_SERVER: u32 = 8;

/// The time that a token request gets beyond its credential's patience. It ends by itself, unless it blocks its thread.
const GRACE: Duration = Duration::from_secs(5);

type TokenOutcome = Result<Arc<CachedToken>, Arc<Error>>;
type Refresh = watch::Receiver<Option<TokenOutcome>>;

/// One credential and its current token. Reading a valid token takes no lock; of several callers without a token, one
/// asks for it.
#[derive(Clone)]
pub(crate) struct Cache(Arc<Inner>);

struct Inner {
    credential: Box<dyn Credential>,
    audit: Audit,
    clock: Clock,
    started: Instant,
    current: ArcSwapOption<CachedToken>,
    /// Until this time, in milliseconds since the start, a token that is still usable is not refreshed.
    next_attempt: AtomicU64,
    refresh: Mutex<RefreshState>,
    /// Token requests run on their callers' threads, so that tests can drive them step by step.
    #[cfg(test)]
    here: bool,
}

/// The state that is only read without a usable token.
#[derive(Default)]
struct RefreshState {
    /// The refresh in progress, and the time at which it counts as stuck.
    refresh: Option<(Refresh, Until)>,
    generation: u64,
    /// The pace of refreshes after refused tokens: for all operations of the server, and for each of them.
    server: Pace,
    operations: BTreeMap<&'static str, Pace>,
    /// The token that was refused last. It comes back if no other can be obtained, since it may be refused by one
    /// operation only.
    dropped: Option<Arc<CachedToken>>,
    /// The last failure, the number of failures in a row, and the time of the next attempt.
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
            started,
            current: ArcSwapOption::empty(),
            next_attempt: AtomicU64::new(0),
            refresh: Mutex::default(),
            #[cfg(test)]
            here: !matches!(clock, Clock::System),
            clock,
        }))
    }

    pub(crate) fn credential(&self) -> &dyn Credential {
        &*self.0.credential
    }

    /// Returns a usable token that is not the `rejected` one.
    pub(crate) async fn token(
        &self,
        transport: &Arc<Transport>,
        deadline: Until,
        rejected: Option<Rejected>,
    ) -> Result<Arc<CachedToken>, Error> {
        match self.ready(transport, rejected) {
            Some(token) => Ok(token),
            None => self.wait(transport, deadline, rejected).await,
        }
    }

    /// Returns the current token if it is usable and not the `rejected` one.
    pub(crate) fn ready(&self, transport: &Arc<Transport>, rejected: Option<Rejected>) -> Option<Arc<CachedToken>> {
        let now = self.0.clock.now();
        let token = self.valid(now, rejected)?;
        if !token.is_fresh(now) && self.0.next_attempt.load(Ordering::Acquire) <= self.0.millis(now.instant) {
            self.refresh(transport, now, token.generation);
        }
        Some(token)
    }

    /// Returns the current token, usable or not.
    pub(crate) fn current(&self) -> Option<Arc<CachedToken>> {
        self.0.current.load_full()
    }

    /// Drops the token of this generation, which the service refused. A later token stays.
    ///
    /// # Errors
    ///
    /// One operation, or all operations of the server together, had too many tokens refreshed lately, or the issuer has
    /// just failed to give one. The token stays. Thus an operation that refuses every token does not make the client
    /// ask for one with each call, whatever other operations accept.
    pub(super) fn reject(&self, rejected: Rejected) -> Result<(), Error> {
        {
            let mut state = self.0.refresh_lock();
            let Some(token) = self.current().filter(|token| token.generation == rejected.generation) else {
                return Ok(());
            };
            let now = self.0.clock.now().instant;
            if let Some(error) = state.failure_at(now) {
                return Err(error);
            }
            let operation = state.operations.get(rejected.operation).map(|pace| pace.left(now)).unwrap_or_default();
            let left = state.server.left(now).max(operation);
            if !left.is_zero() {
                let message = format!("the service rejects every new token of {}", self.0.credential.describe());
                let hint = "check the token's audience and scope against the service's requirements; another token is requested after a pause";
                return Err(Error::with(Kind::Token, message).hint(hint).with_retry_after(Some(left)));
            }
            // A token that nobody accepted is the first sign of a service that accepts none.
            let free = |most| if token.is_accepted() { most } else { 0 };
            state.server.take(now, free(FREE_OF_SERVER));
            state.operations.entry(rejected.operation).or_default().take(now, free(FREE_OF_OPERATION));
            state.dropped = self.0.current.swap(None);
        }
        self.0.report(TokenEventKind::Invalidated, None, None);
        Ok(())
    }

    fn valid(&self, now: Moment, rejected: Option<Rejected>) -> Option<Arc<CachedToken>> {
        let token = self.0.current.load();
        token.as_ref().filter(|token| !token.is_rejected(rejected) && token.is_usable(now)).map(Arc::clone)
    }

    /// Starts a refresh, unless one is in progress.
    fn refresh(&self, transport: &Arc<Transport>, now: Moment, replaces: Generation) {
        let mut state = self.0.refresh_lock();
        let due = self.0.next_attempt.load(Ordering::Acquire) <= self.0.millis(now.instant);
        if state.refresh.is_none() && due && self.current().is_some_and(|token| token.generation == replaces) {
            self.start(&mut state, transport);
        }
    }

    async fn wait(
        &self,
        transport: &Arc<Transport>,
        deadline: Until,
        rejected: Option<Rejected>,
    ) -> Result<Arc<CachedToken>, Error> {
        if let Some(rejected) = rejected {
            self.reject(rejected)?;
        }
        loop {
            let (mut refresh, stuck) = {
                let mut state = self.0.refresh_lock();
                let now = self.0.clock.now();
                // Another caller may have had the refresh lock first, and obtained a token.
                if let Some(token) = self.valid(now, rejected) {
                    return Ok(token);
                }
                match &state.refresh {
                    Some((refresh, stuck)) if !stuck.is_over(Instant::now()) => (refresh.clone(), *stuck),
                    _ => match state.failure_at(now.instant) {
                        Some(error) if state.refresh.is_none() => return Err(error),
                        _ => self.start(&mut state, transport),
                    },
                }
            };
            let result = async { refresh.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone()) };
            match deadline.min(stuck).limit(result).await {
                // A new request replaces one that is stuck.
                Err(_) if !deadline.is_over(Instant::now()) => {}
                Err(_) => {
                    let message = format!("{} returned no token in time", self.0.credential.describe());
                    return Err(Error::with(Kind::Timeout, message).hint("set a longer deadline, or check the issuer"));
                }
                // The refresh ended without a result: its runtime is gone, or the credential panicked.
                Ok(None) => self.abandon(&refresh)?,
                Ok(Some(Ok(token))) if token.is_rejected(rejected) => {}
                Ok(Some(Ok(token))) => return Ok(token),
                Ok(Some(Err(error))) => return Err(Error::clone(&error)),
            }
        }
    }

    /// Forgets a refresh that ended without a result, so that another can start.
    fn abandon(&self, refresh: &Refresh) -> Result<(), Error> {
        let mut state = self.0.refresh_lock();
        if state.is_current(refresh) {
            state.refresh = None;
            self.0.next_attempt.store(0, Ordering::Release);
            state.failures += 1;
            if state.failures > 2 {
                let message = format!("{} ended without an answer", self.0.credential.describe());
                return Err(Error::with(Kind::Token, message)
                    .hint("check whether the credential panics")
                    .passing(true));
            }
        }
        Ok(())
    }

    /// Starts a token request on its own thread, so that it continues when the caller that began it is dropped or
    /// stalls.
    fn start(&self, state: &mut RefreshState, transport: &Arc<Transport>) -> (Refresh, Until) {
        let (sender, receiver) = watch::channel(None);
        let stuck = Until::after(self.0.credential.patience().saturating_add(GRACE));
        state.refresh = Some((receiver.clone(), stuck));
        self.0.next_attempt.store(u64::MAX, Ordering::Release);
        let (cache, transport) = (self.clone(), Arc::clone(transport));
        let replaces = (state.generation > 0).then_some(Generation(state.generation));
        let (refresh, connections) = (receiver.clone(), Arc::clone(&transport));
        let work = async move {
            let outcome = cache.ask(&transport, replaces, &refresh).await;
            sender.send_replace(Some(outcome));
        };
        #[cfg(test)]
        if self.0.here {
            tokio::spawn(work);
            return (receiver, stuck);
        }
        // Without a thread the sender is dropped, and the callers see that no request runs.
        if let Err(cause) = refresh_thread::spawn(work, move |runtime| connections.forget(runtime)) {
            tracing::warn!(%cause, "a thread for a token request cannot be started");
        }
        (receiver, stuck)
    }

    async fn ask(&self, transport: &Transport, replaces: Option<Generation>, refresh: &Refresh) -> TokenOutcome {
        let inner = &*self.0;
        let patience = inner.credential.patience();
        let deadline = Until::after(patience);
        let request = TokenRequest { replaces, deadline, transport };
        let answer = match deadline.limit(inner.credential.token(request)).await {
            Ok(answer) => answer,
            Err(_) => {
                let message =
                    format!("{} returned no token within {}", inner.credential.describe(), clock::seconds(patience));
                Err(Error::with(Kind::Timeout, message).hint("check the issuer"))
            }
        };
        let mut state = inner.refresh_lock();
        let moment = inner.clock.now();
        let outcome = answer.and_then(|token| {
            let generation = Generation(state.generation + 1);
            CachedToken::new(&token, generation, moment, &inner.credential.describe())
        });
        if state.is_current(refresh) {
            state.refresh = None;
        }
        match outcome {
            Ok(token) => {
                let token = Arc::new(token);
                state.generation = token.generation.0;
                (state.failure, state.failures, state.dropped) = (None, 0, None);
                inner.current.store(Some(Arc::clone(&token)));
                inner.next_attempt.store(0, Ordering::Release);
                drop(state);
                let kind = if token.generation.0 == 1 { TokenEventKind::Obtained } else { TokenEventKind::Refreshed };
                inner.report(kind, Some(&token), None);
                Ok(token)
            }
            Err(error) => {
                state.failures = state.failures.saturating_add(1);
                // An issuer that asks for a longer pause is retried after this one all the same: secrets and
                // registrations get fixed.
                let pause = BACKOFF.pause_asked(state.failures, error.retry_after()).min(BACKOFF.longest);
                let until = moment.instant.checked_add(pause).unwrap_or(moment.instant);
                inner.next_attempt.store(inner.millis(until), Ordering::Release);
                let error = Arc::new(error);
                if let Some(dropped) = state.dropped.take() {
                    inner.current.store(Some(dropped));
                }
                // Local failures are retried at once; the credential itself remembers refusals.
                state.failure = (!error.is_local() && !error.is_refusal()).then(|| (Arc::clone(&error), until));
                drop(state);
                inner.report(TokenEventKind::Refused, None, Some(&error));
                Err(error)
            }
        }
    }
}

impl RefreshState {
    /// Returns the last failure until the next attempt is due.
    fn failure_at(&self, now: Instant) -> Option<Error> {
        let (error, until) = self.failure.as_ref()?;
        let left = until.saturating_duration_since(now);
        (!left.is_zero()).then(|| Error::clone(error).with_retry_after(Some(left)))
    }

    fn is_current(&self, refresh: &Refresh) -> bool {
        self.refresh.as_ref().is_some_and(|(current, _)| current.same_channel(refresh))
    }
}

impl Inner {
    fn refresh_lock(&self) -> MutexGuard<'_, RefreshState> {
        self.refresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn millis(&self, instant: Instant) -> u64 {
        u64::try_from(instant.saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    fn report(&self, kind: TokenEventKind, token: Option<&CachedToken>, error: Option<&Error>) {
        self.audit.report(&TokenEvent {
            kind,
            credential: self.credential.describe(),
            generation: token.map(|token| token.generation),
            usable_for: token.and_then(CachedToken::usable_for),
            error: error.map(ToString::to_string),
        });
    }
}
