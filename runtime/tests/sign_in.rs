//! Refresh tokens, sign-in with a browser, secrets of commands: credentials with state.

use std::{
    collections::BTreeSet,
    os::unix::fs::PermissionsExt,
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::support::{Recorded, Reply, Server, WATCHDOG, limits};
use driftless_runtime::{
    Client, Error, Method,
    auth::{
        AuthorizationCode, ClientCredentials, Credential, ExposeSecret, RefreshFolder, RefreshMemory, RefreshStore,
        RefreshToken, SecretCommand, SecretEnv, SecretSource, SecretString, TokenFuture, TokenRequest,
    },
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn get(platform: &Client) -> Result<(), Error> {
    platform.request(Method::Get, "/x").send().await.map(drop)
}

fn field(request: &Recorded, name: &str) -> Option<String> {
    let text = request.text();
    url::form_urlencoded::parse(text.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// An issuer that rotates refresh tokens, each of which works once, and a service. Access tokens expire at once.
struct Issuer {
    valid: BTreeSet<String>,
    count: u32,
}

async fn rotating(first: &str) -> (Server, Arc<Mutex<Issuer>>) {
    let issuer = Arc::new(Mutex::new(Issuer { valid: [first.to_owned()].into(), count: 0 }));
    let state = Arc::clone(&issuer);
    let server = Server::start(move |request| match request.path() {
        "/x" => Reply::json(200, "{}"),
        "/connect/token" => {
            let mut state = state.lock().unwrap();
            if !state.valid.remove(&field(request, "refresh_token").unwrap()) {
                return Reply::json(400, r#"{"error":"invalid_grant"}"#);
            }
            state.count += 1;
            let next = format!("canary-refresh-{}", state.count);
            state.valid.insert(next.clone());
            let access = format!("canary-access-{}", state.count);
            Reply::json(
                200,
                &format!(
                    r#"{{"access_token":"{access}","expires_in":0,"token_type":"Bearer","refresh_token":"{next}"}}"#
                ),
            )
        }
        _ => Reply::json(404, "{}"),
    })
    .await;
    (server, issuer)
}

/// A credential that starts anew with each use, so that each asks for a token.
struct Renewing {
    url: String,
    credential: Arc<RefreshToken>,
}

struct Shared(Arc<RefreshToken>);

impl Credential for Shared {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        self.0.token(request)
    }
}

impl Renewing {
    async fn get(&self) -> Result<(), Error> {
        let credential = Shared(Arc::clone(&self.credential));
        get(&Client::builder(&self.url).no_retry().credential(credential).build().unwrap()).await
    }
}

fn client(server: &Server, store: impl RefreshStore) -> (Renewing, driftless_runtime::auth::RefreshKey) {
    let credential = RefreshToken::new(&server.url, "app", store);
    let key = credential.key();
    (Renewing { url: server.url.clone(), credential: Arc::new(credential) }, key)
}

#[tokio::test]
async fn a_rotated_refresh_token_is_stored_before_the_access_token_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path().join("tokens"));
    let (server, issuer) = rotating("first").await;
    let (platform, key) = client(&server, store.clone());
    let error = platform.get().await.unwrap_err();
    assert!(error.is_token() && error.to_string().contains("sign in first"), "{error}");
    store.save(&key, &"first".into()).unwrap();
    for round in 1..4 {
        platform.get().await.unwrap();
        assert_eq!(store.load(&key).unwrap().unwrap().expose_secret(), format!("canary-refresh-{round}"));
    }
    let form = server.requests().into_iter().find(|request| request.path() == "/connect/token").unwrap();
    assert_eq!(form.text(), "grant_type=refresh_token&client_id=app&refresh_token=first");
    let path = folder.path().join("tokens").join(format!("{}.token", key.name()));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(folder.path().join("tokens")).unwrap().permissions().mode() & 0o777, 0o700);
    let names: Vec<_> =
        std::fs::read_dir(folder.path().join("tokens")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "no part stays behind: {names:?}");
    drop(platform);
    // Another run continues after this one.
    let (platform, _) = client(&server, store);
    platform.get().await.unwrap();
    assert_eq!(issuer.lock().unwrap().count, 4);
}

/// Fails to save as often as it is set.
#[derive(Clone)]
struct Failing(Arc<Mutex<(u32, Option<SecretString>)>>);

impl RefreshStore for Failing {
    fn lock(
        &self,
        _: &driftless_runtime::auth::RefreshKey,
    ) -> Result<Option<driftless_runtime::auth::RefreshLock>, Error> {
        Ok(Some(Box::new(())))
    }

    fn load(&self, _: &driftless_runtime::auth::RefreshKey) -> Result<Option<SecretString>, Error> {
        Ok(self.0.lock().unwrap().1.clone())
    }

    fn save(&self, _: &driftless_runtime::auth::RefreshKey, token: &SecretString) -> Result<(), Error> {
        let mut state = self.0.lock().unwrap();
        if state.0 > 0 {
            state.0 -= 1;
            return Err(SecretEnv::new("PLATFORM_NO_SUCH_VARIABLE").read().unwrap_err());
        }
        state.1 = Some(token.clone());
        Ok(())
    }
}

#[tokio::test]
async fn a_refresh_token_that_cannot_be_stored_is_used_from_memory_and_stored_later() {
    let (server, issuer) = rotating("first").await;
    // The first two of three saves fail: that after the first answer, and that before the second request.
    let store = Failing(Arc::new(Mutex::new((2, Some("first".into())))));
    let (platform, _) = client(&server, store.clone());
    platform.get().await.unwrap();
    assert_eq!(store.0.lock().unwrap().1.as_ref().unwrap().expose_secret(), "first", "it is not stored");
    platform.get().await.unwrap();
    assert_eq!(
        issuer.lock().unwrap().count,
        2,
        "the token that is in memory was sent, and not the one that is used up"
    );
    assert_eq!(store.0.lock().unwrap().1.as_ref().unwrap().expose_secret(), "canary-refresh-2");
    platform.get().await.unwrap();
    assert_eq!(store.0.lock().unwrap().1.as_ref().unwrap().expose_secret(), "canary-refresh-3");
}

/// A store on disk that can be read, but not written while it is full.
struct Full {
    folder: RefreshFolder,
    full: Arc<Mutex<bool>>,
}

impl RefreshStore for Full {
    fn lock(
        &self,
        key: &driftless_runtime::auth::RefreshKey,
    ) -> Result<Option<driftless_runtime::auth::RefreshLock>, Error> {
        self.folder.lock(key)
    }

    fn load(&self, key: &driftless_runtime::auth::RefreshKey) -> Result<Option<SecretString>, Error> {
        self.folder.load(key)
    }

    fn save(&self, key: &driftless_runtime::auth::RefreshKey, token: &SecretString) -> Result<(), Error> {
        if *self.full.lock().unwrap() {
            return Err(SecretEnv::new("PLATFORM_NO_SUCH_VARIABLE").read().unwrap_err());
        }
        self.folder.save(key, token)
    }
}

/// Waits until the entry is not locked. A child that another test starts has every open file for an instant.
async fn unlocked(store: &RefreshFolder, key: &driftless_runtime::auth::RefreshKey) {
    let free = async {
        while store.lock(key).unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(WATCHDOG, free).await.unwrap();
}

/// While the disk is full, another process must not send the token that is used up: issuers revoke everything then.
#[tokio::test]
async fn a_token_that_waits_to_be_stored_keeps_its_entry_locked() {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = RefreshFolder::new(folder.path());
    let full = Arc::new(Mutex::new(false));
    let (server, issuer) = rotating("first").await;
    let (platform, key) = client(&server, Full { folder: on_disk.clone(), full: Arc::clone(&full) });
    on_disk.save(&key, &"first".into()).unwrap();
    platform.get().await.unwrap();
    unlocked(&on_disk, &key).await;
    *full.lock().unwrap() = true;
    for _ in 0..2 {
        platform.get().await.unwrap();
        assert!(on_disk.lock(&key).unwrap().is_none(), "another process waits");
    }
    *full.lock().unwrap() = false;
    platform.get().await.unwrap();
    unlocked(&on_disk, &key).await;
    assert_eq!(on_disk.load(&key).unwrap().unwrap().expose_secret(), "canary-refresh-4");
    assert_eq!(issuer.lock().unwrap().count, 4, "no token was sent twice");
    // A waiting token that is refused no longer waits: a sign-in elsewhere fixes it.
    *full.lock().unwrap() = true;
    platform.get().await.unwrap();
    issuer.lock().unwrap().valid = ["elsewhere".to_owned()].into();
    assert!(platform.get().await.is_err());
    *full.lock().unwrap() = false;
    on_disk.save(&key, &"elsewhere".into()).unwrap();
    platform.get().await.unwrap();
}

/// A container gives its program the same process id each time.
#[tokio::test]
async fn what_a_killed_program_left_does_not_keep_tokens_from_being_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path());
    let (server, issuer) = rotating("first").await;
    let (platform, key) = client(&server, store.clone());
    store.save(&key, &"first".into()).unwrap();
    for number in 0..1000 {
        let part = format!("{}.{}-{number}.part", key.name(), std::process::id());
        std::fs::write(folder.path().join(&part), "half a tok").unwrap();
        std::fs::write(folder.path().join(part.replace('.', ".token.")), "half a tok").unwrap();
    }
    for round in 1..4 {
        platform.get().await.unwrap();
        assert_eq!(store.load(&key).unwrap().unwrap().expose_secret(), format!("canary-refresh-{round}"));
    }
    assert_eq!(issuer.lock().unwrap().count, 3);
}

#[tokio::test]
async fn a_crash_between_receipt_and_storage_ends_in_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path().join("tokens"));
    let (server, issuer) = rotating("first").await;
    let (platform, key) = client(&server, store.clone());
    store.save(&key, &"first".into()).unwrap();
    // The issuer gave the next token to a program that was killed before it stored it.
    *issuer.lock().unwrap() = Issuer { valid: ["lost".to_owned()].into(), count: 1 };
    let error = platform.get().await.unwrap_err();
    assert!(error.to_string().contains("sign in again"), "{error}");
    let asked = server.requests().len();
    assert!(platform.get().await.is_err());
    assert_eq!(server.requests().len(), asked, "what was refused is not sent over and over");
    // Signing in again fixes it at once.
    store.save(&key, &"lost".into()).unwrap();
    platform.get().await.unwrap();
}

/// One of the two processes of the test below: this test itself, run as a program.
#[tokio::test]
async fn renews_in_a_process_of_its_own() {
    let (Ok(url), Ok(folder)) = (std::env::var("RENEW_URL"), std::env::var("RENEW_FOLDER")) else { return };
    let credential = RefreshToken::new(&url, "app", RefreshFolder::new(folder));
    let platform = Renewing { url, credential: Arc::new(credential) };
    for _ in 0..20 {
        platform.get().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path());
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
    let (server, issuer) = rotating("first").await;
    let (_, key) = client(&server, store.clone());
    store.save(&key, &"first".into()).unwrap();
    let start = || {
        tokio::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sign_in::renews_in_a_process_of_its_own"])
            .env("RENEW_URL", &server.url)
            .env("RENEW_FOLDER", folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let (mut one, mut two) = (start(), start());
    assert!(one.wait().await.unwrap().success() && two.wait().await.unwrap().success());
    assert_eq!(issuer.lock().unwrap().count, 40, "each of forty tokens was used once");
    assert_eq!(store.load(&key).unwrap().unwrap().expose_secret(), "canary-refresh-40");
}

#[test]
fn entries_of_two_tenants_never_mix_and_the_folder_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path().join("tokens"));
    let key = |issuer: &str, client: &str, scope: &str, audience: &str| {
        RefreshToken::new(issuer, client, RefreshMemory::new()).scope(scope).audience(audience).key()
    };
    let keys = [
        key("https://a.example", "c", "s", ""),
        key("https://a.examplec", "", "s", ""),
        key("https://a.example", "c2", "s", ""),
        key("https://a.example", "c", "s2", ""),
        key("https://a.example", "c", "", "s"),
        key("https://b.example", "c", "s", ""),
    ];
    let names: BTreeSet<_> = keys.iter().map(driftless_runtime::auth::RefreshKey::name).collect();
    assert_eq!(names.len(), keys.len());
    for key in &keys {
        store.save(key, &key.name().into()).unwrap();
    }
    for key in &keys {
        assert_eq!(store.load(key).unwrap().unwrap().expose_secret(), key.name());
    }
    let first = store.lock(&keys[0]).unwrap();
    assert!(first.is_some() && store.lock(&keys[0]).unwrap().is_none() && store.lock(&keys[1]).unwrap().is_some());
    drop(first);
    assert!(store.lock(&keys[0]).unwrap().is_some());

    let path = folder.path().join("tokens").join(format!("{}.token", keys[0].name()));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    assert!(store.load(&keys[0]).unwrap_err().to_string().contains("chmod 600"));
    std::fs::set_permissions(folder.path().join("tokens"), PermissionsExt::from_mode(0o777)).unwrap();
    assert!(store.save(&keys[0], &"x".into()).unwrap_err().to_string().contains("chmod 700"));
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(RefreshFolder::new(folder.path().join("file")).save(&keys[0], &"canary".into()).is_err());
}

#[test]
fn the_rules_of_secret_commands() {
    let run = |script: &str| SecretCommand::new("sh").arg("-c").arg(script).time_limit(WATCHDOG).read();
    let text = |script: &str| run(script).unwrap().expose_secret().to_owned();
    assert_eq!(text("printf 's3cret\\n'"), "s3cret");
    assert_eq!(text("printf 'a\\nb\\n\\n'"), "a\nb\n", "one line break only");
    assert_eq!(text("head -c 65536 /dev/zero | tr '\\0' x").len(), 64 * 1024);
    for (script, rule) in [
        ("true", "printed nothing"),
        ("echo", "printed nothing"),
        ("echo canary; echo canary >&2; exit 3", "ended with status 3"),
        ("kill -9 $$", "ended by a signal"),
        ("head -c 65537 /dev/zero", "more than 64 KiB"),
        ("cat /dev/zero", "more than 64 KiB"),
        ("printf '\\377'", "not UTF-8"),
    ] {
        let error = run(script).unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(
            error.code() == "secret" && printed.contains(rule) && !printed.contains("canary"),
            "{script}: {printed}"
        );
    }
    let absent = SecretCommand::new("/no/such/program").read().unwrap_err();
    assert!(absent.to_string().contains("cannot be started"), "{absent}");
    for script in ["sleep 100", "sleep 100 & echo canary; exec sleep 100"] {
        let slow = SecretCommand::new("sh").arg("-c").arg(script).time_limit(Duration::from_millis(100));
        assert!(slow.read().unwrap_err().to_string().contains("did not end"), "{script}");
    }
    assert!(!format!("{:?}", SecretCommand::new("pass").arg("canary")).contains("canary"));
    assert!(SecretCommand::new("cat").read().unwrap_err().to_string().contains("printed nothing"), "it has no input");
}

#[test]
fn a_child_inherits_no_secret_and_no_argument_holds_one() {
    let variables = std::fs::read("/proc/self/environ").unwrap();
    let name = String::from_utf8_lossy(&variables).split('=').next().unwrap().to_owned();
    let print = || SecretCommand::new("env").read().unwrap().expose_secret().to_owned();
    let has = |text: &str| text.lines().any(|line| line.starts_with(&format!("{name}=")));
    if name != "PATH" {
        assert!(has(&print()));
    }
    let _source = SecretEnv::new(name.clone());
    let _odd = (SecretEnv::new(""), SecretEnv::new("a=b"), SecretEnv::new("a\0b"));
    assert!(name == "PATH" || !has(&print()), "{name}");
}

#[tokio::test]
async fn a_secret_of_a_command_is_read_for_each_token() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vault");
    std::fs::write(&path, "old").unwrap();
    let server = Server::start(|request| match request.path() {
        "/x" => Reply::json(200, "{}"),
        "/connect/token" if field(request, "client_secret").as_deref() == Some("new") => {
            Reply::json(200, r#"{"access_token":"t","token_type":"Bearer"}"#)
        }
        "/connect/token" => Reply::json(401, r#"{"error":"invalid_client"}"#),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let credential = ClientCredentials::new(&server.url, "c", SecretCommand::new("cat").arg(&path));
    let platform = Client::builder(&server.url).credential(credential).build().unwrap();
    let tokens = || server.requests().iter().filter(|request| request.path() == "/connect/token").count();
    for _ in 0..50 {
        assert!(get(&platform).await.unwrap_err().to_string().contains("the output of `cat`"));
    }
    assert_eq!(tokens(), 1, "a secret that was refused is remembered");
    std::fs::write(&path, "new").unwrap();
    get(&platform).await.unwrap();
    assert_eq!(tokens(), 2, "another one is tried at once");
}

/// The response that a browser gets at an address.
async fn browse(address: &str) -> String {
    let url = url::Url::parse(address).unwrap();
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", url.port().unwrap())).await.unwrap();
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).await.unwrap();
    page
}

struct Login {
    platform: Client,
    /// The addresses that are presented to the user.
    addresses: tokio::sync::mpsc::UnboundedReceiver<String>,
    server: Server,
}

impl Login {
    async fn start(port: u16) -> Self {
        let base = Arc::new(Mutex::new(String::new()));
        let known = Arc::clone(&base);
        let server = Server::start(move |request| match request.path() {
            "/x" => Reply::json(200, "{}"),
            "/refused" => Reply::json(401, "{}"),
            "/.well-known/openid-configuration" => {
                let base = known.lock().unwrap();
                Reply::json(
                    200,
                    &format!(
                        r#"{{"issuer":"{base}","token_endpoint":"{base}/connect/token","authorization_endpoint":"{base}/connect/authorize"}}"#
                    ),
                )
            }
            "/connect/token" => Reply::json(200, r#"{"access_token":"canary-t","expires_in":600,"token_type":"Bearer"}"#),
            _ => Reply::json(404, "{}"),
        })
        .await;
        base.lock().unwrap().push_str(&server.url);
        let (sender, addresses) = tokio::sync::mpsc::unbounded_channel();
        let credential = AuthorizationCode::new(&server.url, "app")
            .redirect(port, "/callback")
            .open_with(move |address| drop(sender.send(address.to_owned())));
        let platform = Client::builder(&server.url).credential(credential).build().unwrap();
        Self { platform, addresses, server }
    }

    fn begin(&self) -> tokio::task::JoinHandle<Result<(), Error>> {
        let platform = self.platform.clone();
        tokio::spawn(async move { platform.authenticate(WATCHDOG).await.map(drop) })
    }

    /// Returns the redirect address and the state in the presented address.
    async fn asked(&mut self) -> (String, String, url::Url) {
        let address = url::Url::parse(&self.addresses.recv().await.unwrap()).unwrap();
        let get = |name: &str| address.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        (get("redirect_uri"), get("state"), address.clone())
    }
}

#[tokio::test]
async fn a_sign_in_with_pkce() {
    let mut login = Login::start(0).await;
    let signing = login.begin();
    let (redirect, state, address) = login.asked().await;
    let asked: std::collections::BTreeMap<_, _> = address.query_pairs().into_owned().collect();
    assert_eq!((asked["response_type"].as_str(), asked["client_id"].as_str()), ("code", "app"));
    assert_eq!((asked["code_challenge_method"].as_str(), asked["scope"].as_str()), ("S256", "api"));
    assert!(redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback") && state.len() == 43);

    // A request without the state is refused, and the wait goes on.
    for query in ["", "?code=c", "?state=wrong&code=c", "?state=wrong&error=access_denied"] {
        assert!(browse(&format!("{redirect}{query}")).await.starts_with("HTTP/1.1 400"), "{query}");
    }
    assert!(browse(&redirect.replace("/callback", "/favicon.ico")).await.starts_with("HTTP/1.1 404"));
    // A connection without a request, as browsers open in advance, does not delay the response.
    let _silent =
        tokio::net::TcpStream::connect(redirect.trim_start_matches("http://").trim_end_matches("/callback")).await;
    let page = browse(&format!("{redirect}?code=the%20code&state={state}")).await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("signed in"), "{page}");
    signing.await.unwrap().unwrap();
    let exchange = login.server.last();
    assert_eq!(exchange.path(), "/connect/token");
    assert_eq!(field(&exchange, "grant_type").as_deref(), Some("authorization_code"));
    assert_eq!(field(&exchange, "code").as_deref(), Some("the code"));
    assert_eq!(field(&exchange, "redirect_uri").as_deref(), Some(redirect.as_str()));
    let verifier = field(&exchange, "code_verifier").unwrap();
    let digest = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    use base64::Engine as _;
    assert_eq!(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest), asked["code_challenge"]);
    // The token is used without another sign-in. That the port is closed cannot be tested: another program may use it
    // by now.
    get(&login.platform).await.unwrap();
    assert!(login.addresses.try_recv().is_err());
}

#[tokio::test]
async fn a_sign_in_that_is_refused_or_of_another_issuer() {
    for (query, says, page_says) in [
        ("error=access_denied&error_description=%3Cscript%3E", "access_denied: <script>", "&lt;script&gt;"),
        ("code=c&iss=https://evil.example", "another issuer", "another issuer"),
        ("", "no code", "no code"),
    ] {
        let mut login = Login::start(0).await;
        let signing = login.begin();
        let (redirect, state, _) = login.asked().await;
        let page = browse(&format!("{redirect}?state={state}&{query}")).await;
        assert!(page.starts_with("HTTP/1.1 400") && page.contains(page_says) && !page.contains("<script>"), "{page}");
        let error = signing.await.unwrap().unwrap_err();
        assert!(error.is_token() && error.to_string().contains(says), "{error}");
        assert_ne!(login.server.last().path(), "/connect/token");
    }
}

/// The user does not see one window after the other, whatever the service or the user refuses.
#[tokio::test]
async fn a_service_that_refuses_every_token_opens_one_window() {
    let mut login = Login::start(0).await;
    let signing = login.begin();
    let (redirect, state, _) = login.asked().await;
    browse(&format!("{redirect}?state={state}&code=c")).await;
    signing.await.unwrap().unwrap();
    for _ in 0..10 {
        let error = login.platform.request(Method::Get, "/refused").send().await.unwrap_err();
        assert!(error.is_unauthorized() && error.to_string().contains("no other token could be obtained"), "{error}");
    }
    assert!(login.addresses.try_recv().is_err(), "no second window");
    get(&login.platform).await.unwrap();
}

#[tokio::test]
async fn a_user_who_refuses_is_not_asked_again_at_once() {
    let mut login = Login::start(0).await;
    let signing = login.begin();
    let (redirect, state, _) = login.asked().await;
    browse(&format!("{redirect}?state={state}&error=access_denied")).await;
    assert!(signing.await.unwrap().unwrap_err().to_string().contains("access_denied"));
    for _ in 0..10 {
        let error = login.platform.request(Method::Get, "/x").no_retry().send().await.unwrap_err();
        assert!(error.to_string().contains("access_denied") && error.retry_after().is_some(), "{error}");
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    assert!(login.addresses.try_recv().is_err(), "no second window");
}

/// Runs as a program of its own, with the environment that `a_user_is_shown_where_to_sign_in` gives it.
#[tokio::test]
#[ignore = "a part of another test"]
async fn a_program_that_asks_for_a_sign_in() {
    let server = Server::always(Reply::json(404, "{}")).await;
    let credential =
        AuthorizationCode::new(&server.url, "app").authorization_endpoint(format!("{}/authorize", server.url));
    let credential = match std::env::var_os("TEST_PRINT") {
        Some(_) => credential.print_address(),
        None => credential,
    };
    let platform = Client::builder(&server.url).credential(credential).build().unwrap();
    let limit = std::env::var("TEST_LIMIT").unwrap().parse().unwrap();
    assert!(platform.authenticate(Duration::from_millis(limit)).await.unwrap_err().is_timeout());
}

#[test]
fn a_user_is_shown_where_to_sign_in() {
    // A screen, and an opener; a screen without one; no screen; a program that wants no browser.
    let cases = [
        (true, true, false, true),
        (true, false, false, false),
        (false, true, false, false),
        (true, true, true, false),
    ];
    let show = |(screen, openers, print, opens): (bool, bool, bool, bool)| {
        let folder = tempfile::tempdir().unwrap();
        let (opener, opened) = (folder.path().join("xdg-open"), folder.path().join("shown"));
        std::fs::write(&opener, "#!/bin/sh\nprintf %s \"$1\" > \"${0%/*}/shown\"\n").unwrap();
        std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut program = std::process::Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "sign_in::a_program_that_asks_for_a_sign_in", "--ignored", "--nocapture"]);
        program.env_remove("WAYLAND_DISPLAY").env_remove("DISPLAY").env_remove("TEST_PRINT");
        program.env("PATH", if openers { folder.path() } else { std::path::Path::new("/nonexistent") });
        if screen {
            program.env("DISPLAY", ":99");
        }
        if print {
            program.env("TEST_PRINT", "1");
        }
        // A short limit ends the program before it has presented the address.
        for limit in limits().skip(3) {
            let output = program.env("TEST_LIMIT", limit.as_millis().to_string()).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let written = String::from_utf8_lossy(&output.stderr).contains("/authorize?response_type=code");
            let opened =
                std::fs::read_to_string(&opened).is_ok_and(|address| address.contains("/authorize?response_type=code"));
            if opened || written || limit > WATCHDOG / 2 {
                let place = format!("screen {screen}, opener {openers}, print {print}: {output:?}");
                assert_eq!((opened, written), (opens, !opens), "{place}");
                break;
            }
        }
    };
    std::thread::scope(|scope| cases.map(|case| scope.spawn(move || show(case))).map(|case| case.join().unwrap()));
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let login = Login::start(port).await;
    let error = login.begin().await.unwrap().unwrap_err();
    assert!(error.to_string().contains(&port.to_string()) && error.to_string().contains("another port"), "{error}");
}

#[tokio::test]
async fn a_call_ends_by_its_deadline_and_the_sign_in_goes_on() {
    let mut login = Login::start(0).await;
    let error =
        login.platform.request(Method::Get, "/x").deadline(Duration::from_millis(200)).send().await.unwrap_err();
    assert!(error.is_timeout() && !error.was_sent(), "{error}");
    let (redirect, state, _) = login.asked().await;
    assert!(browse(&format!("{redirect}?state={state}&code=c")).await.contains("signed in"));
    get(&login.platform).await.unwrap();
    assert!(login.addresses.try_recv().is_err(), "the user is asked once");
}

#[test]
fn sign_ins_are_checked_when_the_client_is_built() {
    let build = |credential| Client::builder("https://platform.example").credential(credential).build();
    let code = || AuthorizationCode::new("https://issuer.example", "app");
    assert!(build(code()).is_ok());
    assert!(build(code().redirect(0, "callback")).is_err());
    assert!(build(code().redirect(0, "/a?b")).is_err());
    assert!(build(code().authorization_endpoint("http://issuer.example/authorize")).is_err());
    assert!(build(AuthorizationCode::new("http://issuer.example", "app")).is_err());
    let printed = format!("{:?} {:?}", code().secret(SecretEnv::new("X")), RefreshMemory::starting_with(Fixed));
    assert!(!printed.contains("canary"), "{printed}");
}

struct Fixed;

impl SecretSource for Fixed {
    fn read(&self) -> Result<SecretString, Error> {
        Ok("canary".into())
    }
}

/// An issuer with the device authorization grant. The sign-in succeeds at the third request for the token.
async fn device_issuer(pages: &'static str) -> Server {
    let polls = Arc::new(Mutex::new(0));
    let address = Arc::new(Mutex::new(String::new()));
    let own = Arc::clone(&address);
    let server = Server::start(move |request| {
        let url = own.lock().unwrap().clone();
        match request.path() {
            "/.well-known/openid-configuration" => Reply::json(
                200,
                &format!(r#"{{"issuer":"{url}","token_endpoint":"{url}/token","device_authorization_endpoint":"{url}/device"}}"#),
            ),
            "/device" => Reply::json(200, &pages.replace("{url}", &url)),
            "/token" => {
                let mut polls = polls.lock().unwrap();
                *polls += 1;
                match *polls {
                    1 => Reply::json(400, r#"{"error":"authorization_pending"}"#),
                    2 => Reply::json(503, "{}"),
                    _ => Reply::json(200, r#"{"access_token":"canary-access","expires_in":600,"refresh_token":"canary-refresh"}"#),
                }
            }
            _ => Reply::json(200, "{}"),
        }
    })
    .await;
    address.lock().unwrap().clone_from(&server.url);
    server
}

#[tokio::test]
async fn a_sign_in_on_another_device() {
    use driftless_runtime::auth::DeviceCode;

    let server = device_issuer(
        r#"{"device_code":"canary-device","user_code":"AB-12","verification_uri":"{url}/d","verification_uri_complete":"{url}/d?c=AB-12","expires_in":600,"interval":0}"#,
    )
    .await;
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&prompts);
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path().join("tokens"));
    let credential = DeviceCode::new(&server.url, "app")
        .scope("api offline")
        .store(store.clone())
        .present_with(move |prompt| seen.lock().unwrap().push(prompt.clone()));
    assert!(!format!("{credential:?}").contains("canary"));
    let key = RefreshToken::new(&server.url, "app", store.clone()).scope("api offline").key();
    get(&Client::builder(&server.url).no_retry().credential(credential).build().unwrap()).await.unwrap();
    let prompts = prompts.lock().unwrap();
    assert_eq!(prompts.len(), 1);
    assert_eq!((prompts[0].code.as_str(), &prompts[0].address), ("AB-12", &format!("{}/d", server.url)));
    assert_eq!(prompts[0].address_with_code.as_ref(), Some(&format!("{}/d?c=AB-12", server.url)));
    let requests = server.requests();
    let forms = |path: &str| requests.iter().filter(|one| one.path() == path).map(Recorded::text).collect::<Vec<_>>();
    assert_eq!(forms("/device"), ["client_id=app&scope=api+offline"]);
    let polls = forms("/token");
    assert_eq!(polls.len(), 3, "a pending sign-in and an issuer that is away are asked again");
    assert_eq!(
        polls[2],
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=app&device_code=canary-device"
    );
    assert_eq!(store.load(&key).unwrap().unwrap().expose_secret(), "canary-refresh");
}

#[tokio::test]
async fn answers_of_a_device_endpoint_that_nobody_can_use_are_errors() {
    use driftless_runtime::auth::DeviceCode;

    for (body, says) in [
        ("[]", "not JSON"),
        (r#"{"user_code":"A","verification_uri":"{url}","expires_in":9}"#, "no `device_code`"),
        (r#"{"device_code":"d","user_code":"A\u001b[2J","verification_uri":"{url}","expires_in":9}"#, "no `user_code`"),
        (
            r#"{"device_code":"d","user_code":"A","verification_uri":"javascript:x","expires_in":9}"#,
            "no `verification_uri`",
        ),
        (
            r#"{"device_code":"d","user_code":"A","verification_uri":"http://evil.test","expires_in":9}"#,
            "no `verification_uri`",
        ),
        (r#"{"device_code":"d","user_code":"A","verification_uri":"{url}"}"#, "no `expires_in`"),
        (r#"{"device_code":"d","user_code":"A","verification_uri":"{url}","expires_in":0}"#, "before it expired"),
    ] {
        let server = device_issuer(body).await;
        let credential = DeviceCode::new(&server.url, "app").present_with(|_| {});
        let error = get(&Client::builder(&server.url).no_retry().credential(credential).build().unwrap()).await;
        let error = error.unwrap_err();
        assert!(error.is_token() && error.to_string().contains(says), "{body}: {error}");
    }
    let server = Server::start(|_| Reply::json(404, "{}")).await;
    let credential = DeviceCode::new(&server.url, "app");
    let error = get(&Client::builder(&server.url).credential(credential).build().unwrap()).await.unwrap_err();
    assert!(error.to_string().contains("no device authorization endpoint"), "{error}");
}
