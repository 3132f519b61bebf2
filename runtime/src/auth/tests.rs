//! The life of a token, on a clock that the tests set.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use http::HeaderValue;
use secrecy::ExposeSecret;
use tokio::sync::Notify;

use super::{
    Audit, Cache, CachedToken, Credential, Rejected, Token, TokenEvent, TokenEventKind, TokenFuture, TokenRequest,
};
use crate::{
    clock::{Clock, Moment, Until},
    error::{Error, Kind},
    transport::{Connections, Transport},
};

/// Gives the results of a script, then `token-N` for ten minutes.
#[derive(Default)]
struct Script {
    asked: AtomicU32,
    gated: AtomicBool,
    gate: Notify,
    answers: Mutex<VecDeque<Result<Token, Error>>>,
}

impl Credential for Arc<Script> {
    fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
            if self.gated.load(Ordering::SeqCst) {
                self.gate.notified().await;
            }
            let next = self.answers.lock().unwrap().pop_front();
            next.unwrap_or_else(|| Ok(Token::new(format!("token-{number}")).expires_in(Duration::from_secs(600))))
        })
    }
}

struct Bench {
    script: Arc<Script>,
    clock: Arc<Mutex<Moment>>,
    cache: Cache,
    transport: Arc<Transport>,
    events: Arc<Mutex<Vec<TokenEvent>>>,
}

impl Bench {
    fn new(answers: impl IntoIterator<Item = Result<Token, Error>>) -> Self {
        let script = Arc::new(Script { answers: Mutex::new(answers.into_iter().collect()), ..Script::default() });
        let clock = Arc::new(Mutex::new(Moment::now()));
        let events = Arc::<Mutex<Vec<TokenEvent>>>::default();
        let log = Arc::clone(&events);
        let audit = Audit(Some(Arc::new(move |event: &TokenEvent| log.lock().unwrap().push(event.clone()))));
        let cache = Cache::with_clock(Box::new(Arc::clone(&script)), audit, Clock::Manual(Arc::clone(&clock)));
        let transport = Arc::new(Transport::new(
            HeaderValue::from_static("test"),
            Duration::from_secs(120),
            Connections::default(),
        ));
        Self { script, clock, cache, transport, events }
    }

    async fn token(&self) -> Result<String, Error> {
        self.cached_token(None).await.map(|cached| cached.secret.expose_secret().to_owned())
    }

    async fn cached_token(&self, rejected: Option<super::Generation>) -> Result<Arc<CachedToken>, Error> {
        let rejected = rejected.map(|generation| Rejected { generation, operation: "test" });
        self.cache.token(&self.transport, Until::after(Duration::from_secs(120)), rejected).await
    }

    /// A call of an operation as a client makes it: a 401 leads to one refresh and one replay. Returns whether it was
    /// accepted.
    async fn call(&self, operation: &'static str, mut accepts: impl FnMut(u64) -> bool) -> bool {
        let cached = self.cached_token(None).await.unwrap();
        if accepts(cached.generation.0) {
            cached.accept();
            return true;
        }
        let rejected = Some(Rejected { generation: cached.generation, operation });
        match self.cache.token(&self.transport, Until::after(Duration::from_secs(120)), rejected).await {
            Ok(fresh) if accepts(fresh.generation.0) => {
                fresh.accept();
                true
            }
            Ok(_) => false,
            Err(error) => {
                let left = error.retry_after().unwrap();
                assert!(error.is_token() && !left.is_zero() && left <= Duration::from_secs(60), "{error}");
                false
            }
        }
    }

    fn pass(&self, seconds: u64) {
        let mut moment = self.clock.lock().unwrap();
        *moment = moment.after(Duration::from_secs(seconds)).unwrap();
    }

    fn asked(&self) -> u32 {
        self.script.asked.load(Ordering::SeqCst)
    }

    /// Waits for the end of the refreshes in progress.
    async fn settle(&self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    fn kinds(&self) -> Vec<TokenEventKind> {
        self.events.lock().unwrap().iter().map(|event| event.kind).collect()
    }
}

fn passing() -> Error {
    Error::with(Kind::Token, "the issuer is away").passing(true)
}

#[tokio::test]
async fn in_the_advisory_window_one_caller_renews_and_nobody_waits() {
    let bench = Bench::new([]);
    assert_eq!(bench.token().await.unwrap(), "token-1");
    bench.pass(470);
    assert_eq!(bench.token().await.unwrap(), "token-1");
    bench.settle().await;
    assert_eq!(bench.asked(), 1, "it is not due yet");
    bench.script.gated.store(true, Ordering::SeqCst);
    bench.pass(60);
    for _ in 0..100 {
        assert_eq!(bench.token().await.unwrap(), "token-1", "nobody waits for the renewal");
        bench.settle().await;
    }
    assert_eq!(bench.asked(), 2, "one asks");
    bench.script.gate.notify_one();
    bench.settle().await;
    assert_eq!(bench.token().await.unwrap(), "token-2");
    assert_eq!(bench.kinds(), [TokenEventKind::Obtained, TokenEventKind::Refreshed]);
}

#[tokio::test]
async fn in_the_mandatory_window_all_wait_for_one_refresh() {
    let bench = Bench::new([]);
    bench.token().await.unwrap();
    bench.pass(575);
    let waiting: Vec<_> = (0..1000)
        .map(|_| {
            let (cache, transport) = (bench.cache.clone(), Arc::clone(&bench.transport));
            tokio::spawn(async move { cache.token(&transport, Until::after(Duration::from_secs(120)), None).await })
        })
        .collect();
    for waiter in waiting {
        assert_eq!(waiter.await.unwrap().unwrap().secret.expose_secret(), "token-2");
    }
    assert_eq!(bench.asked(), 2);
}

#[tokio::test]
async fn a_refresh_outlives_its_first_caller_and_each_waits_under_its_own_deadline() {
    let bench = Bench::new([]);
    bench.script.gated.store(true, Ordering::SeqCst);
    let (cache, transport) = (bench.cache.clone(), Arc::clone(&bench.transport));
    let leader =
        tokio::spawn(
            async move { cache.token(&transport, Until::after(Duration::from_secs(120)), None).await.map(drop) },
        );
    bench.settle().await;
    leader.abort();
    let soon = Until::after(Duration::from_millis(20));
    assert!(bench.cache.token(&bench.transport, soon, None).await.err().unwrap().is_timeout());
    let (cache, transport) = (bench.cache.clone(), Arc::clone(&bench.transport));
    let patient =
        tokio::spawn(async move { cache.token(&transport, Until::after(Duration::from_secs(120)), None).await });
    bench.settle().await;
    bench.script.gate.notify_one();
    assert_eq!(patient.await.unwrap().unwrap().secret.expose_secret(), "token-1");
    assert_eq!(bench.asked(), 1, "the refresh of the dropped caller is the one that succeeded");
}

#[tokio::test]
async fn a_failed_renewal_keeps_the_token_and_backs_off() {
    let bench =
        Bench::new([Ok(Token::new("old").expires_in(Duration::from_secs(600))), Err(passing()), Err(passing())]);
    bench.token().await.unwrap();
    bench.pass(530);
    for _ in 0..50 {
        assert_eq!(bench.token().await.unwrap(), "old");
        bench.settle().await;
    }
    assert_eq!(bench.asked(), 2, "within the pause nobody asks");
    bench.pass(1);
    assert_eq!(bench.token().await.unwrap(), "old");
    bench.settle().await;
    bench.pass(5);
    assert_eq!(bench.token().await.unwrap(), "old");
    bench.settle().await;
    assert_eq!(bench.token().await.unwrap(), "token-4");
    use TokenEventKind::{Obtained, Refreshed, Refused};
    assert_eq!(bench.kinds(), [Obtained, Refused, Refused, Refreshed]);
}

#[tokio::test]
async fn a_failure_without_a_token_is_shared_and_bounded() {
    let bench = Bench::new((0..100).map(|_| Err(passing())));
    for _ in 0..1000 {
        let error = bench.token().await.unwrap_err();
        assert!(error.is_token() && error.is_retryable() && error.to_string().contains("away"));
    }
    assert_eq!(bench.asked(), 1, "the failure is remembered until the pause is over");
    assert!(bench.token().await.unwrap_err().retry_after().unwrap() <= Duration::from_millis(200));
    for _ in 0..60 {
        bench.pass(1);
        assert!(bench.token().await.is_err());
    }
    assert!(bench.asked() < 20, "the pauses grow: {}", bench.asked());
    let before = bench.asked();
    bench.pass(21);
    assert!(bench.token().await.is_err());
    assert_eq!(bench.asked(), before + 1, "and are never longer than 20 s");
}

#[tokio::test]
async fn what_is_wrong_on_this_machine_is_looked_at_again_at_once() {
    let bench = Bench::new([Err(Error::with(Kind::Secret, "no file"))]);
    assert!(bench.token().await.is_err());
    assert_eq!(bench.token().await.unwrap(), "token-2");
}

#[tokio::test]
async fn a_late_refusal_of_an_old_generation_drops_nothing() {
    let bench = Bench::new([]);
    let first = bench.cached_token(None).await.unwrap();
    let second = bench.cached_token(Some(first.generation)).await.unwrap();
    assert!(second.generation > first.generation);
    let late = bench.cached_token(Some(first.generation)).await.unwrap();
    assert_eq!(late.generation, second.generation);
    bench.cache.reject(Rejected { generation: first.generation, operation: "test" }).unwrap();
    assert_eq!(bench.token().await.unwrap(), "token-2");
    assert_eq!(bench.asked(), 2);
    assert_eq!(bench.kinds(), [TokenEventKind::Obtained, TokenEventKind::Invalidated, TokenEventKind::Refreshed]);
}

#[tokio::test]
async fn a_service_that_refuses_every_token_gets_few() {
    let bench = Bench::new([]);
    let mut current = bench.cached_token(None).await.unwrap();
    for _ in 0..100 {
        match bench.cached_token(Some(current.generation)).await {
            Ok(cached) => current = cached,
            Err(error) => {
                assert!(error.is_token() && !error.is_retryable() && error.retry_after().is_some(), "{error}");
                assert!(error.to_string().contains("rejects every new token"), "{error}");
            }
        }
    }
    assert_eq!(bench.asked(), 2, "a hundred calls at once lead to one other token");
    assert_eq!(bench.token().await.unwrap(), "token-2", "which stays");
    for _ in 0..300 {
        bench.pass(1);
        let cached = bench.cached_token(None).await.unwrap();
        let _ = bench.cached_token(Some(cached.generation)).await;
    }
    assert!((4..20).contains(&bench.asked()), "the pauses grow, and end: {}", bench.asked());
}

#[tokio::test]
async fn a_token_that_was_accepted_is_replaced_at_once_and_not_without_end() {
    let bench = Bench::new([]);
    for round in 2..5 {
        let cached = bench.cached_token(None).await.unwrap();
        cached.accept();
        let next = bench.cached_token(Some(cached.generation)).await.unwrap();
        assert!(next.generation > cached.generation && bench.asked() == round);
    }
    let cached = bench.cached_token(None).await.unwrap();
    cached.accept();
    bench.cached_token(Some(cached.generation)).await.map(drop).unwrap();
    let cached = bench.cached_token(None).await.unwrap();
    cached.accept();
    assert!(
        bench.cached_token(Some(cached.generation)).await.err().unwrap().retry_after().unwrap()
            <= Duration::from_secs(2)
    );
    bench.pass(2);
    assert!(bench.cached_token(Some(cached.generation)).await.unwrap().generation > cached.generation);
}

/// One operation that refuses every token beside one that accepts them all; one of three replicas that refuses them.
#[tokio::test]
async fn a_token_that_others_accept_is_replaced_rarely() {
    let bench = Bench::new([]);
    for _ in 0..100 {
        assert!(bench.call("good", |_| true).await);
        assert!(!bench.call("bad", |_| false).await);
    }
    assert!(bench.asked() <= 6, "beside 100 good calls: {}", bench.asked());
    let bench = Bench::new([]);
    let mut turn = 0;
    for _ in 0..200 {
        bench
            .call("replicas", |_| {
                turn += 1;
                turn % 3 != 0
            })
            .await;
    }
    assert!(bench.asked() <= 6, "in 200 calls: {}", bench.asked());
}

/// Histories of calls, pauses and revocations: the number of token requests is bounded, and after a revocation an
/// operation that accepts valid tokens is accepted again within a minute.
#[tokio::test]
async fn any_mix_of_operations_and_replicas_asks_the_issuer_within_a_bound() {
    const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    for seed in 0..60 {
        let mut state = seed;
        let mut random = move |below: u64| {
            state = u64::wrapping_add(u64::wrapping_mul(state, 6_364_136_223_846_793_005), 1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let bench = Bench::new([]);
        // Out of ten calls, how many an operation refuses, whatever the token. The first refuses only revoked tokens.
        let refuses: Vec<u64> =
            (0..NAMES.len()).map(|place| if place == 0 { 0 } else { [0, 3, 10][random(3) as usize] }).collect();
        let longest = [1, 3, 30, 400][random(4) as usize];
        let (mut valid_from, mut seconds, mut revoked) = (0, 0, None);
        for _ in 0..300 {
            let place = random(NAMES.len() as u64) as usize;
            let good = bench.call(NAMES[place], |token| token >= valid_from && random(10) >= refuses[place]).await;
            if refuses[place] == 0 && good {
                revoked = None;
            }
            if place == 0
                && let Some(since) = revoked
            {
                assert!(good || seconds - since <= 60, "seed {seed}: no recovery since {since}, now {seconds}");
            }
            let pause = random(longest + 1);
            bench.pass(pause);
            seconds += pause;
            if random(100) == 0 {
                valid_from = bench.cached_token(None).await.unwrap().generation.0 + 1;
                revoked = Some(seconds);
            }
        }
        // Tokens live for ten minutes: the requests that are due anyway, plus those that refusals may add.
        let expired = seconds / 450 + 1;
        let most = expired + 8 + 6 + seconds / 30;
        assert!(u64::from(bench.asked()) <= most, "seed {seed}: {} requests in {seconds} s", bench.asked());
    }
}

#[tokio::test]
async fn a_lifetime_that_is_no_time_leads_to_few_requests() {
    let ends_at_once = |time| (0..1000).map(move |_| Ok(Token::new("t").expires_in(time)));
    for (lifetime, most) in
        [(Duration::ZERO, 100 / 30 + 1), (Duration::from_nanos(1), 101), (Duration::from_millis(900), 101)]
    {
        let bench = Bench::new(ends_at_once(lifetime));
        for _ in 0..1000 {
            bench.token().await.unwrap();
            bench.settle().await;
            let mut moment = bench.clock.lock().unwrap();
            *moment = moment.after(Duration::from_millis(100)).unwrap();
        }
        assert!(bench.asked() <= most, "{lifetime:?}: {} requests in 100 s", bench.asked());
    }
}

#[tokio::test]
async fn clock_steps_of_an_hour_are_safe() {
    let hour = Duration::from_secs(3600);
    // Forward: by the wall clock, the token has expired. One request, and the next token counts from the new time.
    let bench = Bench::new([]);
    bench.token().await.unwrap();
    bench.clock.lock().unwrap().wall += hour;
    assert_eq!(bench.token().await.unwrap(), "token-2");
    for _ in 0..10 {
        assert_eq!(bench.token().await.unwrap(), "token-2");
    }
    // Back: the monotonic clock ends it in time.
    bench.clock.lock().unwrap().wall -= hour;
    assert_eq!(bench.token().await.unwrap(), "token-2");
    bench.clock.lock().unwrap().instant += Duration::from_secs(600);
    assert_eq!(bench.token().await.unwrap(), "token-3");
    // A machine that slept: the monotonic clock stood still.
    bench.clock.lock().unwrap().wall += hour;
    assert_eq!(bench.token().await.unwrap(), "token-4");
    assert_eq!(bench.asked(), 4);
}

#[tokio::test]
async fn exp_is_an_upper_bound_and_never_needed() {
    let jwt = |seconds: i64| {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(format!(r#"{{"exp":{}}}"#, now + seconds)))
    };
    let lived = |exp: i64, expires_in: Option<u64>| {
        let token = Token::new(jwt(exp));
        let token = expires_in.map_or(token.clone(), |seconds| token.expires_in(Duration::from_secs(seconds)));
        let cached = CachedToken::new(&token, super::Generation(1), Moment::now(), "test").unwrap();
        cached.usable_for().map(|left| left.as_secs())
    };
    let near = |seconds: Option<u64>, expected: u64| assert!(seconds.unwrap().abs_diff(expected) <= 5, "{seconds:?}");
    near(lived(100, Some(1000)), 95);
    near(lived(1000, Some(100)), 95);
    near(lived(-3600, Some(100)), 95);
    near(lived(100, None), 95);
    assert_eq!(lived(-3600, None), None, "a token that is over is the service's to refuse");
}

#[tokio::test]
async fn a_credential_that_panics_is_an_error() {
    struct Panics;
    impl Credential for Panics {
        fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
            panic!("canary")
        }
    }
    let cache = Cache::new(Box::new(Panics), Audit::default());
    let transport =
        Arc::new(Transport::new(HeaderValue::from_static("test"), Duration::from_secs(120), Connections::default()));
    let error = cache.token(&transport, Until::after(Duration::from_secs(120)), None).await.err().unwrap();
    assert!(error.is_token() && !error.to_string().contains("canary"), "{error}");
}
