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

use super::{Audit, Cache, Credential, Held, Token, TokenEvent, TokenEventKind, TokenFuture, TokenRequest};
use crate::{
    clock::{Clock, Moment, Until},
    error::{Error, Kind},
    transport::{Connections, Transport},
};

/// Gives the answers of a script, then `token-N` for ten minutes.
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
        self.held(None).await.map(|held| held.secret.expose_secret().to_owned())
    }

    async fn held(&self, rejected: Option<super::Generation>) -> Result<Arc<Held>, Error> {
        self.cache.token(&self.transport, Until::after(Duration::from_secs(120)), rejected).await
    }

    fn pass(&self, seconds: u64) {
        let mut moment = self.clock.lock().unwrap();
        *moment = moment.after(Duration::from_secs(seconds)).unwrap();
    }

    fn asked(&self) -> u32 {
        self.script.asked.load(Ordering::SeqCst)
    }

    /// Lets the flights that run end.
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
    Error::of(Kind::Token, "the issuer is away").passing(true)
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
async fn in_the_mandatory_window_all_wait_for_one_flight() {
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
async fn a_flight_outlives_its_leader_and_each_waits_under_its_own_deadline() {
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
    assert_eq!(bench.asked(), 1, "the flight of the caller that went away is the one that landed");
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
    let bench = Bench::new([Err(Error::of(Kind::Secret, "no file"))]);
    assert!(bench.token().await.is_err());
    assert_eq!(bench.token().await.unwrap(), "token-2");
}

#[tokio::test]
async fn a_late_refusal_of_an_old_generation_drops_nothing() {
    let bench = Bench::new([]);
    let first = bench.held(None).await.unwrap();
    let second = bench.held(Some(first.generation)).await.unwrap();
    assert!(second.generation > first.generation);
    let late = bench.held(Some(first.generation)).await.unwrap();
    assert_eq!(late.generation, second.generation);
    bench.cache.reject(first.generation).unwrap();
    assert_eq!(bench.token().await.unwrap(), "token-2");
    assert_eq!(bench.asked(), 2);
    assert_eq!(bench.kinds(), [TokenEventKind::Obtained, TokenEventKind::Invalidated, TokenEventKind::Refreshed]);
}

#[tokio::test]
async fn a_service_that_refuses_every_token_gets_few() {
    let bench = Bench::new([]);
    let mut current = bench.held(None).await.unwrap();
    for _ in 0..100 {
        match bench.held(Some(current.generation)).await {
            Ok(held) => current = held,
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
        let held = bench.held(None).await.unwrap();
        let _ = bench.held(Some(held.generation)).await;
    }
    assert!((4..20).contains(&bench.asked()), "the pauses grow, and end: {}", bench.asked());
    // A token that the service took is replaced at once when it refuses it.
    for _ in 0..5 {
        let held = bench.held(None).await.unwrap();
        held.accept();
        let before = bench.asked();
        let next = bench.held(Some(held.generation)).await.unwrap();
        assert!(next.generation > held.generation && bench.asked() == before + 1);
    }
}

#[tokio::test]
async fn clock_steps_of_an_hour_are_safe() {
    let hour = Duration::from_secs(3600);
    // Forward: the wall clock says that the token is over. One request, and the next token counts from the new time.
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
        let held = Held::new(&token, super::Generation(1), Moment::now(), "test").unwrap();
        held.usable_for().map(|left| left.as_secs())
    };
    let near = |found: Option<u64>, expected: u64| assert!(found.unwrap().abs_diff(expected) <= 5, "{found:?}");
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
