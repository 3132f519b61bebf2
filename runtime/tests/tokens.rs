//! Tokens: their sources, their refresh, and the places where they must not appear.

use std::{
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::support::{Recorded, Reply, Server};
use driftless_runtime::{
    Client, Error, Method,
    auth::{
        ClientAuthentication, ClientCredentials, Credential, SecretEnv, SecretFile, SecretSource, SecretString,
        StaticToken, Token, TokenFuture, TokenRequest,
    },
};

const SECRET: &str = "canary-s3cret&=%";
const TOKEN: &str = "canary-token";

fn secret_file(folder: &Path) -> SecretFile {
    let path = folder.join("secret");
    std::fs::write(&path, format!("{SECRET}\n")).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    SecretFile::new(path)
}

async fn get(platform: &Client) -> Result<(), Error> {
    platform.request(Method::Get, "/x").send().await.map(drop)
}

fn token_reply(lifetime: &str) -> Reply {
    Reply::json(200, &format!(r#"{{"access_token":"{TOKEN}","expires_in":{lifetime},"token_type":"Bearer"}}"#))
}

/// An issuer and a service in one, by path.
async fn both(issuer: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |request| if request.path() == "/x" { Reply::json(200, "{}") } else { issuer(request) }).await
}

fn client(server: &Server, secret: impl SecretSource) -> Client {
    let credential = ClientCredentials::new(&server.url, "my client", secret);
    Client::builder(&server.url).credential(credential).build().unwrap()
}

#[tokio::test]
async fn client_credentials_as_the_document_says() {
    let folder = tempfile::tempdir().unwrap();
    let server = both(|request| match request.path() {
        "/connect/token" => token_reply("3600"),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let platform = client(&server, secret_file(folder.path()));
    get(&platform).await.unwrap();
    get(&platform).await.unwrap();
    let requests = server.requests();
    let paths: Vec<_> = requests.iter().map(Recorded::path).collect();
    assert_eq!(paths, ["/.well-known/openid-configuration", "/connect/token", "/x", "/x"]);
    assert_eq!(requests[1].method, "POST");
    assert_eq!(requests[1].header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(
        requests[1].text(),
        "grant_type=client_credentials&client_id=my+client&client_secret=canary-s3cret%26%3D%25&scope=api"
    );
    assert_eq!(requests[1].header("authorization"), None);
    assert_eq!(requests[2].header("authorization"), Some("Bearer canary-token"));
}

#[tokio::test]
async fn discovery_names_the_endpoint() {
    let base = Arc::new(Mutex::new(String::new()));
    let known = Arc::clone(&base);
    let server = both(move |request| match request.path() {
        "/.well-known/openid-configuration" => {
            let base = known.lock().unwrap();
            Reply::json(200, &format!(r#"{{"issuer":"{base}","token_endpoint":"{base}/oauth/token"}}"#))
        }
        "/oauth/token" => token_reply("\"3600\""),
        _ => Reply::json(500, "{}"),
    })
    .await;
    base.lock().unwrap().push_str(&server.url);
    get(&client(&server, SecretEnv::new("PATH"))).await.unwrap();
    assert_eq!(server.requests()[1].path(), "/oauth/token");
}

/// Only a discovery document settles the endpoints: responses of an issuer, or a proxy before it, during a deployment
/// do not.
#[tokio::test]
async fn what_is_no_discovery_document_settles_nothing() {
    let cases = [
        (Reply::json(404, "{}"), true),
        (Reply::json(410, "{}"), true),
        (Reply::json(403, "{}"), false),
        (Reply::json(401, "{}"), false),
        (Reply::new(302, &[("location", "https://sign-in.example")], ""), false),
        (Reply::new(200, &[("content-type", "text/html")], "<html>sign in</html>"), false),
        (Reply::json(200, "[]"), false),
        (Reply::json(204, ""), false),
    ];
    let cases = cases.map(async |(first, asks)| {
        let (base, count) = (Arc::new(Mutex::new(String::new())), AtomicU32::new(0));
        let known = Arc::clone(&base);
        let printed = format!("{first:?}");
        let server = both(move |request| match request.path() {
            "/.well-known/openid-configuration" if count.fetch_add(1, Ordering::SeqCst) == 0 => first.clone(),
            "/.well-known/openid-configuration" => {
                let base = known.lock().unwrap();
                Reply::json(200, &format!(r#"{{"issuer":"{base}","token_endpoint":"{base}/oauth/token"}}"#))
            }
            "/oauth/token" => token_reply("3600"),
            _ => Reply::json(404, "{}"),
        })
        .await;
        base.lock().unwrap().push_str(&server.url);
        let platform = client(&server, SecretEnv::new("PATH"));
        let error = get(&platform).await.unwrap_err();
        assert!(error.is_token() && !error.is_retryable(), "{printed}: {error}");
        let paths = || -> Vec<String> { server.requests().iter().map(|request| request.path().to_owned()).collect() };
        assert_eq!(paths().contains(&"/connect/token".to_owned()), asks, "{printed}: {:?}", paths());
        // The pause after the failure is over soon.
        while get(&platform).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(paths().contains(&"/oauth/token".to_owned()), "{printed}: {:?}", paths());
    });
    futures_util::future::join_all(cases).await;
}

#[tokio::test]
async fn discovery_with_a_foreign_issuer_or_endpoint_is_refused() {
    for document in [
        r#"{"issuer":"https://other.example","token_endpoint":"BASE/token"}"#,
        r#"{"token_endpoint":"BASE/token"}"#,
        r#"{"issuer":"BASE","token_endpoint":"https://other.example/token"}"#,
        r#"{"issuer":"BASE","token_endpoint":"http://127.0.0.1:1/token"}"#,
        r#"{"issuer":"BASE","token_endpoint":"http://other.example/token"}"#,
        r#"{"issuer":"BASE","token_endpoint":"nonsense"}"#,
    ] {
        let base = Arc::new(Mutex::new(String::new()));
        let known = Arc::clone(&base);
        let server = both(move |_| Reply::json(200, &document.replace("BASE", &known.lock().unwrap()))).await;
        base.lock().unwrap().push_str(&server.url);
        let error = get(&client(&server, SecretEnv::new("PATH"))).await.unwrap_err();
        assert!(error.is_token() || error.is_request(), "{document}: {error}");
        assert_eq!(server.requests().len(), 1, "{document}: nothing but discovery was sent");
    }
}

#[tokio::test]
async fn refusals_of_the_issuer_say_what_to_do_and_never_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    for (code, hint) in [
        ("invalid_client", "secret in the file"),
        ("unauthorized_client", "enable the client-credentials grant"),
        ("invalid_scope", "`api`"),
        ("server_error", "issuer"),
    ] {
        let server = both(move |request| match request.path() {
            "/connect/token" => Reply::json(
                400,
                &format!(r#"{{"error":"{code}","error_description":"bad {SECRET}\u0007","access_token":"{TOKEN}"}}"#),
            ),
            _ => Reply::json(404, "{}"),
        })
        .await;
        let error = get(&client(&server, secret_file(folder.path()))).await.unwrap_err();
        assert!(error.is_token() && !error.is_bad_request() && error.status().is_none());
        let printed = format!("{error} {error:?}");
        assert!(printed.contains(code) && printed.contains(hint), "{printed}");
        assert!(!printed.contains("canary") && !printed.contains('\u{7}'), "{printed}");
    }
}

/// A client with a secret that each encoding changes, whose issuer repeats its requests.
#[tokio::test]
async fn what_an_issuer_repeats_of_a_request_shows_no_secret_in_any_form() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "canary/se+cr et%\"é";
    let path = folder.path().join("secret");
    std::fs::write(&path, secret).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    for authentication in [ClientAuthentication::Form, ClientAuthentication::Basic] {
        let server = both(move |request| match request.path() {
            "/connect/token" => {
                let form = String::from_utf8_lossy(&request.body).into_owned();
                let header = request.header("authorization").unwrap_or_default().to_owned();
                let echo = format!("{form} {header} {}", serde_json::to_string(secret).unwrap());
                Reply::json(
                    400,
                    &serde_json::json!({ "error": "invalid_client", "error_description": echo }).to_string(),
                )
            }
            _ => Reply::json(404, "{}"),
        })
        .await;
        let credential = ClientCredentials::new(&server.url, "my-service", SecretFile::new(&path));
        let credential = credential.client_authentication(authentication);
        let platform = Client::builder(&server.url).credential(credential).build().unwrap();
        let printed = format!("{:?}", get(&platform).await.unwrap_err());
        let header = server.requests().iter().find_map(|request| request.header("authorization").map(str::to_owned));
        assert!(printed.contains("invalid_client") && !printed.contains("canary"), "{printed}");
        let repeated = header.filter(|_| authentication == ClientAuthentication::Basic);
        assert!(repeated.is_none_or(|header| !printed.contains(header.trim_start_matches("Basic "))), "{printed}");
    }
}

#[tokio::test]
async fn a_status_of_the_issuer_is_not_one_of_the_service() {
    for (status, retryable) in [(404, false), (401, false), (429, true), (503, true)] {
        let server = both(move |_| Reply::json(status, "{}")).await;
        let error = get(&client(&server, SecretEnv::new("PATH"))).await.unwrap_err();
        assert!(error.is_token() && !error.is_not_found() && !error.is_unauthorized(), "{error}");
        assert_eq!(error.is_retryable(), retryable, "{status}");
    }
}

#[tokio::test]
async fn answers_of_the_issuer_that_are_no_token() {
    for body in [
        "<html>",
        "[]",
        "{}",
        r#"{"access_token":5}"#,
        r#"{"access_token":""}"#,
        r#"{"access_token":"a b"}"#,
        r#"{"access_token":"a\r\nX: y"}"#,
        r#"{"access_token":"canary-token","token_type":"DPoP"}"#,
    ] {
        let server = both(move |request| match request.path() {
            "/connect/token" => Reply::json(200, body),
            _ => Reply::json(404, "{}"),
        })
        .await;
        let error = get(&client(&server, SecretEnv::new("PATH"))).await.unwrap_err();
        assert!(error.is_token(), "{body}: {error}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        assert!(server.requests().iter().all(|request| request.path() != "/x"));
    }
}

#[tokio::test]
async fn any_lifetime_is_safe() {
    for lifetime in ["3600", "null", "1e300", "18446744073709551615", "\"7200\"", "0", "-1", "\"soon\"", "[]"] {
        let server = both(move |request| match request.path() {
            "/connect/token" => token_reply(lifetime),
            _ => Reply::json(404, "{}"),
        })
        .await;
        let platform = client(&server, SecretEnv::new("PATH"));
        get(&platform).await.unwrap();
        get(&platform).await.unwrap();
        let asked = server.requests().iter().filter(|request| request.path() == "/connect/token").count();
        assert_eq!(asked, 1, "{lifetime}: a lifetime that is no time does not lead to a request per call");
    }
}

#[tokio::test]
async fn the_token_endpoint_is_not_redirected() {
    for status in [302, 307, 308] {
        let elsewhere = Server::always(token_reply("3600")).await;
        let target = format!("{}/token", elsewhere.url);
        let server = both(move |request| match request.path() {
            "/connect/token" => Reply::new(status, &[("location", &target)], ""),
            _ => Reply::json(404, "{}"),
        })
        .await;
        assert!(get(&client(&server, SecretEnv::new("PATH"))).await.unwrap_err().is_token());
        assert!(elsewhere.requests().is_empty());
    }
}

/// Gives a new token each time, after a while.
struct Counting {
    count: Arc<AtomicU32>,
    replaced: Arc<AtomicU32>,
    lifetime: Duration,
}

impl Credential for Counting {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async move {
            let number = self.count.fetch_add(1, Ordering::SeqCst) + 1;
            self.replaced.fetch_add(u32::from(request.replaces().is_some()), Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(Token::new(format!("token-{number}")).expires_in(self.lifetime))
        })
    }
}

fn counting(server: &Server) -> (Client, Arc<AtomicU32>) {
    let (platform, count, _) = replacing(&server.url);
    (platform, count)
}

fn replacing(address: &str) -> (Client, Arc<AtomicU32>, Arc<AtomicU32>) {
    let (count, replaced) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let lifetime = Duration::from_secs(600);
    let credential = Counting { count: Arc::clone(&count), replaced: Arc::clone(&replaced), lifetime };
    (Client::builder(address).credential(credential).build().unwrap(), count, replaced)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_ask_once() {
    // Without a listener: a thousand open connections are more than many machines allow one process.
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (platform, count, _) = replacing(&address);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..1000 {
        let platform = platform.clone();
        calls.spawn(async move { platform.request(Method::Get, "/x").no_retry().send().await.map(drop) });
    }
    while let Some(outcome) = calls.join_next().await {
        assert!(outcome.unwrap().unwrap_err().is_connect());
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_hold_up_the_others() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let (platform, _) = counting(&server);
    let leader = tokio::spawn({
        let platform = platform.clone();
        async move { get(&platform).await }
    });
    tokio::time::sleep(Duration::from_millis(5)).await;
    let follower = tokio::spawn({
        let platform = platform.clone();
        async move { get(&platform).await }
    });
    leader.abort();
    follower.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_401_leads_to_one_new_token_and_one_replay() {
    let server = Server::start(|request| match request.header("authorization") {
        Some("Bearer token-1") => Reply::json(401, "{}"),
        _ => Reply::json(200, "{}"),
    })
    .await;
    let (platform, count, replaced) = replacing(&server.url);
    platform.request(Method::Post, "/x").json(&1).send().await.unwrap();
    assert_eq!((count.load(Ordering::SeqCst), server.requests().len()), (2, 2));
    assert_eq!(replaced.load(Ordering::SeqCst), 1, "the credential is told what the new token replaces");
    assert_eq!(server.requests()[1].text(), "1", "the body is replayed");
    get(&platform).await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2, "the new token stays");

    let server = Server::always(Reply::new(401, &[("www-authenticate", "Bearer error=\"invalid_token\"")], "")).await;
    let (platform, count) = counting(&server);
    let error = get(&platform).await.unwrap_err();
    assert!(error.is_unauthorized() && error.to_string().contains("invalid_token"), "{error}");
    assert_eq!((count.load(Ordering::SeqCst), server.requests().len()), (2, 2), "a second 401 surfaces");
}

/// Gives one token, and then none.
struct Once(AtomicU32);

impl Credential for Once {
    fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => Ok(Token::new("token-1")),
                _ => Err(SecretEnv::new("PLATFORM_NO_SUCH_VARIABLE").read().unwrap_err()),
            }
        })
    }
}

#[tokio::test]
async fn a_401_whose_token_cannot_be_replaced_says_both() {
    let server = Server::always(Reply::new(401, &[("www-authenticate", "Bearer error=\"invalid_token\"")], "")).await;
    let platform = Client::builder(&server.url).credential(Once(AtomicU32::new(0))).build().unwrap();
    let error = get(&platform).await.unwrap_err();
    assert!(error.is_unauthorized() && server.requests().len() == 1, "{error}");
    for part in ["invalid_token", "was not accepted", "no other token could be obtained", "PLATFORM_NO_SUCH_VARIABLE"] {
        assert!(error.to_string().contains(part), "{part} is not in: {error}");
    }
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn a_late_401_of_an_old_token_drops_no_new_one() {
    let server = Server::start(|request| match request.header("authorization") {
        Some("Bearer token-1") => Reply::json(401, "{}"),
        _ => Reply::json(200, "{}"),
    })
    .await;
    let (platform, count) = counting(&server);
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let platform = platform.clone();
            tokio::spawn(async move { get(&platform).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn other_refusals_ask_for_no_token() {
    for status in [403, 404, 500] {
        let server = Server::always(Reply::json(status, "{}")).await;
        let (platform, count) = counting(&server);
        assert!(get(&platform).await.is_err());
        assert_eq!(count.load(Ordering::SeqCst), 1, "{status}");
    }
}

#[tokio::test]
async fn a_service_that_refuses_every_token_asks_the_issuer_rarely() {
    let server = Server::always(Reply::new(401, &[("www-authenticate", "Bearer error=\"invalid_token\"")], "")).await;
    let (platform, count) = counting(&server);
    for _ in 0..20 {
        assert!(get(&platform).await.unwrap_err().is_unauthorized());
    }
    let error = get(&platform).await.unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
    // Twenty calls may take longer than a pause or two.
    assert!(count.load(Ordering::SeqCst) < 8, "{}", count.load(Ordering::SeqCst));
}

/// A secret that is a part of many words.
#[tokio::test]
async fn a_short_secret_mangles_no_error() {
    for (secret, code) in [("a", "invalid_client"), ("client", "invalid_client"), ("invalid_client", "invalid_client")]
    {
        let server = both(move |request| match request.path() {
            "/connect/token" => Reply::json(
                400,
                &format!(r#"{{"error":"{code}","error_description":"the secret '{secret}' is not that of a caller"}}"#),
            ),
            _ => Reply::json(404, "{}"),
        })
        .await;
        let error = get(&client(&server, driftless_runtime::auth::SecretString::from(secret))).await.unwrap_err();
        let printed = error.to_string();
        assert!(
            printed.contains(": invalid_client: ") && printed.contains("check the client's name"),
            "{secret}: {printed}"
        );
        assert!(printed.contains("'[redacted]' is not that of"), "{secret}: {printed}");
    }
}

#[tokio::test]
async fn a_scope_that_is_refused_is_named() {
    let server = both(|request| match request.path() {
        "/connect/token" => {
            let text = r#"{"error":"invalid_scope","error_description":"no scope platform.everything"}"#;
            Reply::json(400, text)
        }
        _ => Reply::json(404, "{}"),
    })
    .await;
    let credential = ClientCredentials::new(&server.url, "c", SecretEnv::new("PATH")).scope("platform.everything");
    let platform = Client::builder(&server.url).credential(credential).build().unwrap();
    let printed = get(&platform).await.unwrap_err().to_string();
    assert!(printed.contains("no scope platform.everything"), "{printed}");
}

#[tokio::test]
async fn a_fixed_token_that_is_refused_is_not_sent_twice() {
    let server = Server::always(Reply::json(401, &format!(r#"{{"detail":"no {TOKEN} here"}}"#))).await;
    let platform = Client::builder(&server.url).credential(StaticToken::new(TOKEN)).build().unwrap();
    let error = get(&platform).await.unwrap_err();
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.last().header("authorization"), Some("Bearer canary-token"));
    let printed = format!("{error} {error:?} {:?} {}", error.problem(), String::from_utf8_lossy(error.raw_body()));
    assert!(
        printed.contains("the token from memory") && printed.contains("[redacted]") && !printed.contains("canary"),
        "{printed}"
    );
    let nameless = Client::builder(&server.url).build().unwrap();
    assert!(get(&nameless).await.unwrap_err().to_string().contains("has no credential"));
}

#[tokio::test]
async fn a_secret_that_is_rotated_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    let file = secret_file(folder.path());
    std::fs::write(&path, "old").unwrap();
    let server = both(|request| match request.path() {
        "/connect/token" if request.text().contains("client_secret=new&") => token_reply("3600"),
        "/connect/token" => Reply::json(400, r#"{"error":"invalid_client"}"#),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let platform = client(&server, file);
    assert!(get(&platform).await.unwrap_err().is_token());
    std::fs::write(&path, "new").unwrap();
    get(&platform).await.unwrap();
}

#[test]
fn credentials_are_checked_when_the_client_is_built() {
    for issuer in ["http://issuer.example", "nonsense", "https://user:canary@issuer.example"] {
        let credential = ClientCredentials::new(issuer, "c", SecretEnv::new("X"));
        let error = Client::builder("https://platform.example").credential(credential).build().unwrap_err();
        assert!(error.is_request() && !format!("{error:?}").contains("canary"), "{error}");
    }
    let credential =
        ClientCredentials::new("https://issuer.example", "c", SecretEnv::new("X")).token_endpoint("http://x.example/t");
    assert!(Client::builder("https://platform.example").credential(credential).build().is_err());
}

#[test]
fn secrets_do_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let printed = format!(
        "{:?} {:?} {:?} {:?}",
        StaticToken::new(TOKEN),
        Token::new(TOKEN).expires_in(Duration::from_secs(1)),
        ClientCredentials::new("https://issuer.example", "c", secret_file(folder.path())),
        Client::builder("https://platform.example").credential(StaticToken::new(TOKEN)),
    );
    assert!(!printed.contains("canary"), "{printed}");
}

#[test]
fn the_rules_of_secret_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8], mode: u32| {
        std::fs::File::create(path(name)).unwrap().write_all(bytes).unwrap();
        std::fs::set_permissions(path(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    for (name, bytes) in [("plain", "s"), ("lf", "s\n"), ("crlf", "s\r\n")] {
        write(name, bytes.as_bytes(), 0o600);
        assert_eq!(secret(&SecretFile::new(path(name))).unwrap(), "s", "{name}");
    }
    write("two", b"s\n\n", 0o400);
    assert_eq!(secret(&SecretFile::new(path("two"))).unwrap(), "s\n", "one line break only");
    write("full", &[b'x'; 64 * 1024], 0o600);
    assert_eq!(secret(&SecretFile::new(path("full"))).unwrap().len(), 64 * 1024);

    write("open", b"canary", 0o644);
    write("group", b"canary", 0o640);
    write("large", &[b'x'; 64 * 1024 + 1], 0o600);
    write("empty", b"", 0o600);
    write("line", b"\n", 0o600);
    write("binary", &[0xff, 0xfe], 0o600);
    symlink(path("plain"), path("link")).unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for (name, rule, fix) in [
        ("open", "open to group or others", "chmod 600"),
        ("open", "open to group or others", "…SECRET_FILE_MOUNTED=1"),
        ("group", "open to group or others", "`SecretFile::mounted`"),
        ("large", "larger than 64 KiB", ""),
        ("empty", "is empty", ""),
        ("line", "is empty", ""),
        ("binary", "not UTF-8", ""),
        ("link", "is a symbolic link", "follow_links"),
        ("link", "is a symbolic link", "…SECRET_FILE_MOUNTED=1"),
        ("folder", "not a regular file", ""),
        ("fifo", "not a regular file", ""),
        ("absent", "does not exist", "umask 077"),
    ] {
        let error = secret(&SecretFile::new(path(name))).unwrap_err();
        let printed = error.to_string();
        assert_eq!(error.code(), "secret");
        assert!(printed.contains(rule) && printed.contains(fix) && printed.contains(name), "{name}: {printed}");
        assert!(!printed.contains("canary"));
    }
    assert_eq!(secret(&SecretFile::new(path("link")).follow_links()).unwrap(), "s");
    symlink(path("open"), path("link-to-open")).unwrap();
    assert!(secret(&SecretFile::new(path("link-to-open")).follow_links()).is_err());
    if rustix::process::geteuid().is_root() {
        write("foreign", b"canary", 0o600);
        std::os::unix::fs::chown(path("foreign"), Some(4_321), None).unwrap();
        assert!(secret(&SecretFile::new(path("foreign"))).unwrap_err().to_string().contains("another user"));
    }
}

/// Secrets as Kubernetes (links to links) and Docker mount them.
#[test]
fn what_a_container_mounts_is_read_by_choice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, mode: u32| {
        std::fs::write(path(name), "mounted\n").unwrap();
        std::fs::set_permissions(path(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    for mode in [0o400, 0o440, 0o444, 0o600, 0o640, 0o644] {
        let name = format!("{mode:o}");
        write(&name, mode);
        assert_eq!(secret(&SecretFile::new(path(&name)).mounted()).unwrap(), "mounted", "{name}");
        let strict = secret(&SecretFile::new(path(&name)));
        assert_eq!(strict.is_ok(), mode & 0o077 == 0, "{name}: without the choice, nothing is easier");
    }
    std::fs::create_dir(path("..2026")).unwrap();
    write("..2026/secret", 0o644);
    symlink("..2026", path("..data")).unwrap();
    symlink("..data/secret", path("secret")).unwrap();
    assert_eq!(secret(&SecretFile::new(path("secret")).mounted()).unwrap(), "mounted");
    if rustix::process::geteuid().is_root() {
        write("foreign", 0o444);
        std::os::unix::fs::chown(path("foreign"), Some(4_321), None).unwrap();
        assert_eq!(secret(&SecretFile::new(path("foreign")).mounted()).unwrap(), "mounted");
    }
    for mode in [0o620, 0o602, 0o666, 0o664] {
        write("written", mode);
        let error = secret(&SecretFile::new(path("written")).mounted()).unwrap_err();
        assert!(error.to_string().contains("can be written") && error.to_string().contains("defaultMode"), "{error}");
    }
    write("large", 0o444);
    assert!(secret(&SecretFile::new(folder.path()).mounted()).unwrap_err().to_string().contains("not a regular file"));
}

#[test]
fn the_rules_of_secret_variables() {
    assert!(secret(&SecretEnv::new("PLATFORM_NO_SUCH_VARIABLE")).unwrap_err().to_string().contains("is not set"));
    assert!(secret(&SecretEnv::new("PATH")).is_ok());
}

fn secret(source: &dyn SecretSource) -> Result<String, Error> {
    use driftless_runtime::auth::ExposeSecret;
    source.read().map(|secret| secret.expose_secret().to_owned())
}

#[tokio::test]
async fn a_client_says_who_it_is_as_the_issuer_wants_it() {
    use driftless_runtime::auth::ClientAuthentication::{self, Basic, Form};
    const POST: &str = r#"["client_secret_basic","client_secret_post"]"#;
    const ONLY_BASIC: &str = r#"["private_key_jwt","client_secret_basic"]"#;
    let cases: [(&str, Option<ClientAuthentication>, bool); 6] = [
        ("null", None, false),
        (POST, None, false),
        (ONLY_BASIC, None, true),
        (r#"["private_key_jwt"]"#, None, false),
        (ONLY_BASIC, Some(Form), false),
        (POST, Some(Basic), true),
    ];
    for (methods, chosen, basic) in cases {
        let url = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
        let known = std::sync::Arc::clone(&url);
        let server = Server::start(move |request| match request.path() {
            "/.well-known/openid-configuration" => {
                let issuer = known.get().unwrap();
                Reply::json(200, &format!(r#"{{"issuer":"{issuer}","token_endpoint_auth_methods_supported":{methods}}}"#))
            }
            _ => Reply::json(401, r#"{"error":"invalid_client","error_description":"canary s:ecret c2VydmljZSUyRjE6Y2FuYXJ5K3MlM0FlY3JldA=="}"#),
        })
        .await;
        url.set(server.url.clone()).unwrap();
        let mut credential = ClientCredentials::new(&server.url, "service/1", SecretString::from("canary s:ecret"));
        if let Some(chosen) = chosen {
            credential = credential.client_authentication(chosen);
        }
        let client = Client::builder(&server.url).credential(credential).build().unwrap();
        let error = client.request(Method::Get, "/x").send().await.unwrap_err();
        let request = server.last();
        assert_eq!(request.path(), "/connect/token");
        let (header, form) = (request.header("authorization").map(str::to_owned), request.text());
        if basic {
            assert_eq!(header.as_deref(), Some("Basic c2VydmljZSUyRjE6Y2FuYXJ5K3MlM0FlY3JldA=="), "{methods}");
            assert_eq!(form, "grant_type=client_credentials&scope=api", "{methods}");
            assert!(!error.to_string().contains("c2VydmljZ"), "{error}");
        } else {
            let expected =
                "grant_type=client_credentials&client_id=service%2F1&client_secret=canary+s%3Aecret&scope=api";
            assert_eq!((header, form.as_str()), (None, expected), "{methods}");
        }
        assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
    }
}

/// The issuer answered: the network is not at fault, and retrying changes nothing.
#[tokio::test]
async fn an_answer_of_the_issuer_that_is_too_large_is_no_failure_of_the_network() {
    let large = format!("{{\"access_token\":\"{}\"}}", "a".repeat(70 * 1024));
    let head = format!("HTTP/1.1 200 OK\r\n{}content-length: 0\r\n\r\n", "x-a: b\r\n".repeat(200));
    for (path, reply) in [
        ("/connect/token", Reply::json(200, &large)),
        ("/connect/token", Reply::raw(&[&head])),
        ("/.well-known/openid-configuration", Reply::json(200, &large)),
    ] {
        let server =
            both(move |request| if request.path() == path { reply.clone() } else { Reply::json(404, "{}") }).await;
        let error = get(&client(&server, SecretEnv::new("PATH"))).await.unwrap_err();
        let text = error.to_string();
        assert!(error.is_token() && !error.is_retryable(), "{error:?}");
        assert!(text.contains("too large") && text.contains("issuer"), "{text}");
        assert!(!text.contains("did not answer") && !text.contains("network"), "{text}");
    }
}
