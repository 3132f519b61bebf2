//! One client, several runtimes: work that began on one that stalls, or has ended, delays no caller on another.

use std::{
    io::{Read as _, Write as _},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    time::Duration,
};

use crate::support::{Reply, Server};
use driftless_runtime::{
    Client, Error, Method,
    auth::{
        ClientCredentials, Credential, RefreshKey, RefreshLock, RefreshStore, RefreshToken, SecretSource, SecretString,
        StaticToken, Token, TokenFuture, TokenRequest,
    },
};
use tokio::runtime::{Builder, Runtime};

/// Longer than any call here takes.
const WATCHDOG: Duration = Duration::from_secs(60);

/// A runtime that is only driven while a test waits on it.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

async fn get(platform: &Client) -> Result<(), Error> {
    platform.request(Method::Get, "/x").no_retry().deadline(WATCHDOG).idle_timeout(WATCHDOG).send().await.map(drop)
}

/// A server on a runtime that is always driven.
fn serving() -> (Runtime, Server) {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(Server::always(Reply::json(200, "{}")));
    (runtime, server)
}

#[test]
fn a_connection_of_a_runtime_that_stands_still_holds_up_no_other() {
    let (_serving, server) = serving();
    let platform = Client::builder(&server.url).credential(StaticToken::new("t")).build().unwrap();
    let (still, other) = (runtime(), runtime());
    still.block_on(get(&platform)).unwrap();
    // The connection is kept for the next call, and not driven.
    for _ in 0..3 {
        other.block_on(get(&platform)).unwrap();
    }
    still.block_on(get(&platform)).unwrap();
    drop(still);
    other.block_on(get(&platform)).unwrap();
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn more_runtimes_than_are_kept_are_served() {
    let (_serving, server) = serving();
    let platform = Client::builder(&server.url).build().unwrap();
    let runtimes: Vec<_> = (0..20).map(|_| runtime()).collect();
    for runtime in runtimes.iter().chain(&runtimes) {
        runtime.block_on(get(&platform)).unwrap();
    }
    assert_eq!(server.requests().len(), 40);
}

/// Needs a timer before it gives its token.
struct Slow(Arc<AtomicU32>);

impl Credential for Slow {
    fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            let number = self.0.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(Token::new(format!("token-{number}")))
        })
    }
}

#[test]
fn a_token_request_of_a_runtime_that_stands_still_holds_up_no_other() {
    let (_serving, server) = serving();
    for ends in [false, true] {
        let asked = Arc::new(AtomicU32::new(0));
        let platform = Client::builder(&server.url).credential(Slow(Arc::clone(&asked))).build().unwrap();
        let still = runtime();
        // It begins the request, and is not driven again.
        still.block_on(async {
            let call = get(&platform);
            tokio::select! {
                biased;
                _ = call => {}
                () = tokio::task::yield_now() => {}
            }
        });
        let still = (!ends).then_some(still);
        runtime().block_on(get(&platform)).unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), 1, "one request serves both");
        drop(still);
    }
}

/// Blocks the thread that it runs on.
struct Blocks(AtomicU32);

impl Credential for Blocks {
    fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
                std::thread::park_timeout(WATCHDOG * 10);
            }
            Ok(Token::new("token"))
        })
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(1)
    }
}

#[test]
#[ignore = "5 s: .ci/run runs it"]
fn a_credential_that_blocks_its_thread_is_asked_again() {
    let (_serving, server) = serving();
    let platform = Client::builder(&server.url).credential(Blocks(AtomicU32::new(0))).build().unwrap();
    runtime().block_on(get(&platform)).unwrap();
}

/// A source of secrets that blocks at each step until the test lets it continue.
#[derive(Clone)]
struct Gate {
    entered: tokio::sync::mpsc::UnboundedSender<&'static str>,
    opened: Arc<std::sync::Mutex<std::sync::mpsc::Receiver<()>>>,
}

impl Gate {
    fn pass(&self, step: &'static str) {
        self.entered.send(step).unwrap();
        // If the waiting thread is the one that has to open the gate, it never opens.
        self.opened.lock().unwrap().recv_timeout(WATCHDOG).unwrap();
    }
}

impl SecretSource for Gate {
    fn read(&self) -> Result<SecretString, Error> {
        self.pass("secret");
        Ok("secret".into())
    }
}

impl RefreshStore for Gate {
    fn lock(&self, _: &RefreshKey) -> Result<Option<RefreshLock>, Error> {
        self.pass("lock");
        Ok(Some(Box::new(())))
    }

    fn load(&self, _: &RefreshKey) -> Result<Option<SecretString>, Error> {
        self.pass("load");
        Ok(Some("first".into()))
    }

    fn save(&self, _: &RefreshKey, _: &SecretString) -> Result<(), Error> {
        self.pass("save");
        Ok(())
    }
}

/// The only thread of the caller's runtime opens the gate at which a file, a command or a lock would wait.
#[test]
fn what_blocks_keeps_no_thread_of_the_runtime() {
    let (_serving, server) = serving();
    let (entered, mut steps) = tokio::sync::mpsc::unbounded_channel();
    let (open, opened) = std::sync::mpsc::channel();
    let gate = Gate { entered, opened: Arc::new(std::sync::Mutex::new(opened)) };
    let answer = r#"{"access_token":"t","token_type":"Bearer","expires_in":3600,"refresh_token":"next"}"#;
    let issuer = {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let reply = |path: &str| if path.contains("token") { Reply::json(200, answer) } else { Reply::json(404, "{}") };
        let issuer = runtime.block_on(Server::start(move |request| reply(request.path())));
        (runtime, issuer)
    };
    let platform =
        |credential: Box<dyn Credential>| Client::builder(&server.url).credential(credential).build().unwrap();
    let url = issuer.1.url.as_str();
    for (platform, expected) in [
        (platform(Box::new(StaticToken::from_source(gate.clone()))), &["secret"][..]),
        (platform(Box::new(ClientCredentials::new(url, "c", gate.clone()))), &["secret"]),
        (
            platform(Box::new(RefreshToken::new(url, "c", gate.clone()).secret(gate.clone()))),
            &["lock", "load", "secret", "save"],
        ),
    ] {
        let passed = runtime().block_on(async {
            let call = get(&platform);
            let opening = async {
                let mut passed = Vec::new();
                for _ in expected {
                    passed.extend(steps.recv().await);
                    open.send(()).unwrap();
                }
                passed
            };
            let (called, passed) = tokio::join!(call, opening);
            called.unwrap();
            passed
        });
        assert_eq!(passed, expected);
    }
}

/// Answers one request per connection. It sends the beginning of the request, waits for a command, closes the
/// connection without `Connection: close` in the response, and reports that it did.
struct Closing {
    url: String,
    requests: mpsc::Receiver<String>,
    close: mpsc::Sender<()>,
}

impl Closing {
    fn start() -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let ((sender, requests), (close, may_close)) = (mpsc::channel(), mpsc::channel());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
                while !bytes.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer).unwrap() {
                        0 => break,
                        length => bytes.extend_from_slice(&buffer[..length]),
                    }
                }
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
                let line = String::from_utf8_lossy(&bytes).split(" HTTP").next().unwrap_or_default().to_owned();
                if sender.send(line).is_err() || may_close.recv().is_err() {
                    return;
                }
                drop(stream);
                if sender.send("closed".to_owned()).is_err() {
                    return;
                }
            }
        });
        Self { url, requests, close }
    }

    /// The request that was sent on the connection, which is closed.
    fn close(&self) -> String {
        let line = self.requests.recv_timeout(WATCHDOG).unwrap();
        self.close.send(()).unwrap();
        assert_eq!(self.requests.recv_timeout(WATCHDOG).unwrap(), "closed");
        line
    }
}

/// A program that waits for one call after the other, and drives its runtime at no other time.
#[test]
fn a_connection_that_was_closed_while_nobody_drove_it_loses_no_post() {
    let server = Closing::start();
    let platform = Client::builder(&server.url).build().unwrap();
    let runtime = runtime();
    for round in 0..10 {
        let path = format!("/{round}");
        runtime.block_on(platform.request(Method::Get, &path).send()).unwrap();
        assert_eq!(server.close(), format!("GET {path}"));
        let outcome = runtime.block_on(platform.request(Method::Post, &path).no_retry().send());
        assert!(outcome.is_ok(), "round {round}: {}", outcome.unwrap_err());
        assert_eq!(server.close(), format!("POST {path}"));
    }
    // In a task of such a runtime, too.
    let task = runtime.spawn(async move { platform.request(Method::Post, "/y").no_retry().send().await.map(drop) });
    runtime.block_on(task).unwrap().unwrap();
    assert_eq!(server.close(), "POST /y");
}
