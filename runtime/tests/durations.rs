//! Every option that takes a time, with every time that a caller can set: `Duration::MAX` is "never", and no time makes
//! a call panic or hang.

use std::{
    io::{Read as _, Write as _},
    pin::Pin,
    time::Duration,
};

use crate::support::{Reply, Server};
use driftless_runtime::{
    Client, ClientBuilder, Error, Method, MinThroughput, RetryPolicy,
    auth::{
        AuthorizationCode, ClientCredentials, Credential, SecretCommand, StaticToken, Token, TokenFuture, TokenRequest,
    },
};

/// A longer wait hangs.
const WATCHDOG: Duration = Duration::from_secs(60);

const NEVER: [Duration; 4] = [
    Duration::MAX,
    Duration::from_secs(u64::MAX),
    Duration::from_secs(i64::MAX as u64),
    Duration::from_secs(100 * 365 * 24 * 60 * 60),
];

const NOW: [Duration; 2] = [Duration::ZERO, Duration::from_nanos(1)];

/// A credential with a patience, and a token with a lifetime.
struct Odd {
    patience: Duration,
    lifetime: Duration,
}

impl Credential for Odd {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async move {
            // An implementation passes it to its own timers.
            let _ = tokio::time::timeout_at(request.deadline().into(), tokio::task::yield_now()).await;
            Ok(Token::new("token").expires_in(self.lifetime))
        })
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

const MINUTE: Duration = Duration::from_secs(60);

type Outcome = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;
type Case = (&'static str, fn(String, Duration) -> Outcome);

fn call(builder: ClientBuilder) -> Outcome {
    Box::pin(async move { builder.no_retry().build()?.request(Method::Get, "/x").send().await.map(drop) })
}

/// Follows the redirect of a sign-in, as a browser does, in another task.
fn open(address: &str) {
    let address = address.to_owned();
    std::thread::spawn(move || browse(&address));
}

fn browse(address: &str) {
    let address = url::Url::parse(address).unwrap();
    let pair = |name: &str| address.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let redirect = url::Url::parse(&pair("redirect_uri")).unwrap();
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", redirect.port().unwrap())).unwrap();
    write!(stream, "GET {}?code=c&state={} HTTP/1.1\r\n\r\n", redirect.path(), pair("state")).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
}

const OPTIONS: &[Case] = &[
    ("ClientBuilder::deadline", |url, time| call(Client::builder(url).deadline(time))),
    ("ClientBuilder::connect_timeout", |url, time| call(Client::builder(url).connect_timeout(time))),
    ("ClientBuilder::idle_timeout", |url, time| call(Client::builder(url).idle_timeout(time))),
    ("RetryPolicy::attempt_timeout", |url, time| {
        call(Client::builder(url).retries(RetryPolicy::never().attempt_timeout(time)))
    }),
    ("RetryPolicy::initial_backoff and max_backoff", |url, time| {
        call(Client::builder(url).retries(RetryPolicy::default().initial_backoff(time).max_backoff(time)))
    }),
    ("MinThroughput::grace", |url, time| {
        call(Client::builder(url).min_throughput(MinThroughput::default().grace(time)))
    }),
    ("Credential::patience", |url, time| {
        call(Client::builder(url).credential(Odd { patience: time, lifetime: MINUTE }))
    }),
    ("Token::expires_in", |url, time| call(Client::builder(url).credential(Odd { patience: MINUTE, lifetime: time }))),
    ("Request::deadline", |url, time| {
        Box::pin(async move {
            Client::builder(url).build()?.request(Method::Get, "/x").deadline(time).send().await.map(drop)
        })
    }),
    ("Request::idle_timeout", |url, time| {
        Box::pin(async move {
            let request = Client::builder(url).no_retry().build()?;
            request.request(Method::Get, "/x").idle_timeout(time).send().await.map(drop)
        })
    }),
    ("Request::idle_timeout of a stream", |url, time| {
        Box::pin(async move {
            let platform = Client::builder(url).no_retry().build()?;
            let stream = platform.request(Method::Get, "/x").idle_timeout(time).stream().await?;
            stream.bytes().await.map(drop)
        })
    }),
    ("Client::authenticate", |url, time| {
        Box::pin(async move {
            let platform = Client::builder(url).credential(StaticToken::new("token")).build()?;
            platform.authenticate(time).await.map(drop)
        })
    }),
    ("SecretCommand::time_limit", |url, time| {
        let secret = SecretCommand::new("echo").arg("secret").time_limit(time);
        call(Client::builder(&url).credential(ClientCredentials::new(&url, "me", secret)))
    }),
    ("AuthorizationCode::time_limit", |url, time| {
        let credential = AuthorizationCode::new(&url, "me")
            .authorization_endpoint(format!("{url}/authorize"))
            .open_with(open)
            .time_limit(time);
        call(Client::builder(&url).credential(credential))
    }),
];

/// An issuer and a service. It is slow, so that limits take effect.
async fn server() -> Server {
    Server::start(|request| match request.path() {
        "/.well-known/openid-configuration" => Reply::json(404, "{}"),
        "/connect/token" => Reply::json(200, r#"{"access_token":"t","token_type":"Bearer"}"#),
        _ => Reply::raw(&["HTTP/1.1 200 X\r\n", "content-length: 2\r\n\r\n", "{", "}"]),
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_without_end_ends_nothing() {
    for (name, time, outcome) in outcomes(NEVER).await {
        assert!(matches!(outcome, Ok(Ok(()))), "{name} with {time:?}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_of_nothing_neither_panics_nor_hangs() {
    for (name, time, outcome) in outcomes(NOW).await {
        assert!(outcome.is_ok(), "{name} with {time:?}: {outcome:?}");
    }
}

type Joined = Result<Result<(), Error>, tokio::task::JoinError>;

/// Sets each option to each of the times, all at once.
async fn outcomes<const N: usize>(times: [Duration; N]) -> Vec<(&'static str, Duration, Joined)> {
    let server = server().await;
    let pairs = OPTIONS.iter().flat_map(|(name, run)| times.map(|time| (*name, run, time)));
    let run = pairs.map(|(name, run, time)| {
        let task = tokio::spawn(run(server.url.clone(), time));
        async move {
            let outcome = tokio::time::timeout(WATCHDOG, task).await;
            (name, time, outcome.unwrap_or_else(|_| panic!("{name} with {time:?} hangs")))
        }
    });
    futures_util::future::join_all(run).await
}

/// A service whose headers and fields have times.
#[tokio::test]
async fn times_that_a_service_says_neither_panic_nor_hang() {
    for text in ["18446744073709551615", "9223372036854775807", "999999999"] {
        let reply = Reply::new(503, &[("retry-after", text)], "");
        let server = Server::always(reply).await;
        let platform = Client::builder(&server.url).deadline(Duration::MAX).build().unwrap();
        let call = platform.request(Method::Get, "/x").retry_when_asked().send();
        let error = tokio::time::timeout(WATCHDOG, call).await.unwrap().unwrap_err();
        assert!(error.retry_after().unwrap() > MINUTE, "{error}");
    }
}
