//! The network of a client: certificates, proxy, connections, headers, `http` by permission.

use std::{os::unix::fs::PermissionsExt, path::Path, time::Duration};

use crate::certificates;
use crate::certificates::Root;
use crate::support::{Reply, Server, WATCHDOG};
use driftless_runtime::{
    Certificates, Client, ClientBuilder, Error, Method, ServerSettings,
    auth::{ClientCredentials, SecretFile, SecretString, StaticToken},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

async fn call(builder: ClientBuilder) -> Result<(), Error> {
    let client = builder.deadline(WATCHDOG).no_retry().build()?;
    client.request(Method::Post, "/x").send().await.map(drop)
}

fn to(port: u16) -> ClientBuilder {
    Client::builder(format!("https://localhost:{port}")).no_proxy()
}

fn secret(text: &str) -> SecretString {
    SecretString::from(text.to_owned())
}

#[tokio::test]
async fn roots_are_trusted_beside_the_systems_or_in_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let (root, other) = (Root::new(), Root::new());
    let file = folder.path().join("roots.pem");
    std::fs::write(&file, format!("# a comment\n{}\n{}", other.1, root.1)).unwrap();
    let port = root.serve("localhost", 2900, false).await;
    call(to(port).root_certificates(Certificates::file(&file))).await.unwrap();
    call(to(port).only_root_certificates(Certificates::pem(root.1.clone()))).await.unwrap();
    for builder in [to(port), to(port).only_root_certificates(Certificates::pem(other.1.clone()))] {
        let error = call(builder).await.unwrap_err();
        assert!(error.is_connect() && error.to_string().contains("root_certificates"), "{error}");
    }
    // A certificate is trusted only for its host and its time.
    for port in [root.serve("evil.example", 2900, false).await, root.serve("localhost", 2001, false).await] {
        assert!(call(to(port).root_certificates(Certificates::file(&file))).await.unwrap_err().is_connect());
    }
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_servers_that_ask_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let (root, clients, others) = (Root::new(), Root::new(), Root::new());
    let port = root.serve_clients_of(&clients).await;
    let roots = || to(port).root_certificates(Certificates::pem(root.1.clone()));
    let (certificate, key) = clients.client(2900);
    let path = folder.path().join("client.key");
    std::fs::write(&path, &key).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    let chain = || Certificates::pem(certificate.clone());
    call(roots().client_certificate(chain(), SecretFile::new(&path))).await.unwrap();
    // Certificate and key in one text.
    let both = format!("{key}{certificate}");
    call(roots().client_certificate(Certificates::pem(both.clone()), secret(&both))).await.unwrap();
    let (foreign, expired) = (others.client(2900), clients.client(2001));
    let wrong = [
        roots(),
        roots().client_certificate(Certificates::pem(foreign.0), secret(&foreign.1)),
        roots().client_certificate(Certificates::pem(expired.0), secret(&expired.1)),
    ];
    for builder in wrong {
        let error = call(builder).await.unwrap_err();
        let taken = error.is_connect() && !error.was_sent() && !error.is_submission_unknown();
        assert!(taken && error.to_string().contains("client_certificate"), "{error}");
    }
    // The key file is protected like a secret.
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let error = call(roots().client_certificate(chain(), SecretFile::new(&path))).await.unwrap_err();
    assert!(error.code() == "secret" && error.to_string().contains("chmod"), "{error}");
}

#[test]
fn files_that_do_not_fit_are_errors_of_the_builder_that_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let root = Root::new();
    let (certificate, key) = root.client(2900);
    let damaged = root.1.replacen("\nM", "\n*", 1);
    let other = root.1.replacen("MII", "AAA", 1);
    let roots: [(std::path::PathBuf, &str); 7] = [
        (folder.path().join("missing.pem"), "cannot be read"),
        (folder.path().to_owned(), "not a regular file"),
        (file("empty.pem", b""), "no certificate"),
        (file("der.pem", &[0x30, 0x82, 1, 2, 0xff]), "-inform der"),
        (file("key.pem", key.as_bytes()), "no certificate"),
        (file("damaged.pem", format!("{}{damaged}", root.1).as_bytes()), "certificate 2"),
        (file("other.pem", other.as_bytes()), "certificate 1"),
    ];
    for (path, says) in &roots {
        let error = Client::builder("https://x.example").root_certificates(Certificates::file(path)).build();
        let error = error.unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(printed.contains(says) && printed.contains(&path.display().to_string()), "{says}: {printed}");
        assert_eq!(error.code(), "configuration");
    }
    let canary = key.replacen("MI", "Canary", 1);
    let body = key.lines().nth(1).unwrap();
    for (text, says) in [
        ("", "not a private key in PEM"),
        (canary.as_str(), "key"),
        (root.1.as_str(), "not a private key in PEM"),
        (root.client(2900).1.as_str(), "does not fit the certificate"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "openssl pkey"),
    ] {
        let builder = Client::builder("https://x.example");
        let error = builder.client_certificate(Certificates::pem(certificate.clone()), secret(text)).build();
        let error = error.unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(printed.contains(says) && !printed.contains("Canary") && !printed.contains(body), "{says}: {printed}");
    }
}

/// A proxy that connects `CONNECT` to a port, whatever the name is, and records its requests.
async fn tunnel(target: u16) -> (String, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let (listener, port) = certificates::listen().await;
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let sender = sender.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(near.read_u8().await.unwrap());
                }
                sender.send(String::from_utf8(head).unwrap()).unwrap();
                near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let mut far = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    (format!("127.0.0.1:{port}"), receiver)
}

#[tokio::test]
async fn a_proxy_is_told_its_user_and_never_the_token() {
    let root = Root::new();
    let port = root.serve("platform.example", 2900, false).await;
    let (proxy, mut seen) = tunnel(port).await;
    let base = |url: &str| {
        Client::builder(url)
            .root_certificates(Certificates::pem(root.1.clone()))
            .credential(StaticToken::new("canary-token"))
    };
    let address = format!("http://user:p%40ss@{proxy}");
    call(base("https://platform.example").proxy(address.clone())).await.unwrap();
    let head = seen.recv().await.unwrap().to_lowercase();
    assert!(head.starts_with("connect platform.example:443 http/1.1\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: basic dxnlcjpwqhnz\r\n") && !head.contains("canary"), "{head}");
    // Excepted hosts are reached without it, and so is this machine.
    let direct = base("https://platform.invalid").proxy(address.clone()).proxy_except(["platform.invalid"]);
    assert!(call(direct).await.unwrap_err().is_connect());
    let local = root.serve("localhost", 2900, false).await;
    call(base(&format!("https://localhost:{local}")).proxy(address)).await.unwrap();
    assert!(seen.try_recv().is_err());
}

#[tokio::test]
async fn an_error_names_the_proxy_and_not_its_user() {
    let refuses = Server::always(Reply::json(407, "{}")).await;
    let forbids = Server::always(Reply::json(403, "{}")).await;
    let gone = format!("http://127.0.0.1:{}", certificates::listen().await.1);
    for url in [&refuses.url, &forbids.url, &gone] {
        let address = url.replace("http://", "http://canary:canary@");
        let error = call(Client::builder("https://platform.example").proxy(address)).await.unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(error.is_connect() && !error.was_sent(), "{printed}");
        assert!(
            printed.contains(&format!("the proxy {url} of the builder")) && !printed.contains("canary"),
            "{printed}"
        );
    }
    assert_eq!(refuses.last().method, "CONNECT");
    let error = Client::builder("https://platform.example").proxy("http://canary:a/b@proxy").build().unwrap_err();
    assert!(error.to_string().contains("%2F") && !format!("{error} {error:?}").contains("canary"), "{error}");
    let printed = format!("{:?}", Client::builder("https://platform.example").proxy("http://canary:canary@proxy"));
    assert!(!printed.contains("canary"), "{printed}");
}

#[tokio::test]
async fn every_request_to_a_server_has_its_default_headers() {
    let (service, other) = (Server::always(Reply::json(200, "{}")).await, Server::always(Reply::json(200, "{}")).await);
    let builder = || Client::builder(&service.url).credential(StaticToken::new("token"));
    let client = builder()
        .default_header("x-gateway", "canary-key")
        .default_header("x-tenant", "blue")
        .server("other", ServerSettings::new(&other.url).default_header("x-other", "1"))
        .build()
        .unwrap();
    client.request(Method::Get, "/x").header("x-tenant", "red").send().await.unwrap();
    client.server("other").unwrap().request(Method::Get, "/x").send().await.unwrap();
    let seen = service.last();
    assert_eq!((seen.header("x-gateway"), seen.header("x-tenant")), (Some("canary-key"), Some("red")));
    assert_eq!(seen.headers.iter().filter(|(name, _)| name == "x-tenant").count(), 1);
    let seen = other.last();
    assert_eq!((seen.header("x-gateway"), seen.header("x-other")), (None, Some("1")));
    for name in ["Authorization", "Proxy-Authorization", "Host", "content-length", "Transfer-Encoding", "connection"] {
        let error = builder().default_header(name, "canary").build().unwrap_err();
        assert!(error.code() == "configuration" && !format!("{error:?}").contains("canary"), "{name}: {error}");
        let server = ServerSettings::new(&other.url).default_header(name, "canary");
        assert!(builder().server("other", server).build().is_err(), "{name}");
    }
    assert!(builder().default_header("x y", "1").build().is_err());
    assert!(builder().default_header("x", "a\r\nb").build().is_err());
}

/// Resolves a name that no name server knows.
fn resolve(builder: ClientBuilder, name: &'static str, url: &str) -> ClientBuilder {
    let address: std::net::SocketAddr = url.strip_prefix("http://").unwrap().parse().unwrap();
    builder.with_reqwest(move |reqwest| reqwest.resolve(name, address))
}

#[tokio::test]
async fn http_goes_to_hosts_that_are_named_and_the_token_with_it() {
    let server = Server::start(|request| match request.path() {
        "/connect/token" => Reply::json(200, r#"{"access_token":"token","expires_in":60,"token_type":"Bearer"}"#),
        "/x" => Reply::json(200, "{}"),
        _ => Reply::json(404, "{}"),
    })
    .await;
    let port = server.url.rsplit(':').next().unwrap();
    let url = format!("http://platform.svc:{port}");
    assert!(Client::builder(&url).build().unwrap_err().to_string().contains("danger_allow_http_to"));
    assert!(Client::builder(&url).danger_allow_http_to(["svc"]).build().is_err());
    assert!(Client::builder(&url).danger_allow_http_to([url.clone()]).build().is_err());
    let issuer = || ClientCredentials::new(&url, "me", secret("canary-secret"));
    let builder = || resolve(Client::builder(&url).danger_allow_http_to(["platform.svc"]), "platform.svc", &server.url);
    let error = builder().credential(issuer()).build().unwrap_err();
    assert!(error.to_string().contains("danger_allow_http_to"), "{error}");
    call(builder().credential(issuer().danger_allow_http_to(["PLATFORM.svc"]))).await.unwrap();
    assert_eq!(server.last().header("authorization"), Some("Bearer token"));
    let beside = builder().server("other", ServerSettings::new("http://other.svc")).build();
    assert!(beside.unwrap_err().to_string().contains("`other`"));
}

#[tokio::test]
async fn connections_are_pooled_as_the_builder_says() {
    for (most, idle, expected) in
        [(None, None, 1), (Some(0), None, 3), (Some(1), Some(Duration::MAX), 1), (None, Some(Duration::ZERO), 3)]
    {
        let (listener, port) = certificates::listen().await;
        let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = std::sync::Arc::clone(&count);
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                tokio::spawn(async move {
                    let mut buffer = [0; 4096];
                    while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
                    }
                });
            }
        });
        let mut builder = Client::builder(format!("http://127.0.0.1:{port}"));
        if let Some(most) = most {
            builder = builder.pool_max_idle_per_host(most);
        }
        if let Some(idle) = idle {
            builder = builder.pool_idle_timeout(idle);
        }
        let client = builder.build().unwrap();
        for _ in 0..3 {
            client.request(Method::Get, "/x").send().await.unwrap();
            // The connection goes back to the pool in a task of its own.
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), expected, "{most:?} {idle:?}");
        task.abort();
    }
}

#[tokio::test]
async fn a_reqwest_builder_of_ones_own_decides_on_redirects_and_not_on_limits() {
    let server = Server::start(|request| match request.path() {
        "/x" => Reply::new(307, &[("location", "/long")], ""),
        _ => Reply::json(200, &"1".repeat(100)),
    })
    .await;
    assert_eq!(call(Client::builder(&server.url)).await.unwrap_err().status().unwrap().as_u16(), 307);
    let follows = |builder: ClientBuilder| {
        builder.with_reqwest(|reqwest| reqwest.redirect(driftless_runtime::reqwest::redirect::Policy::limited(2)))
    };
    call(follows(Client::builder(&server.url))).await.unwrap();
    let error = call(follows(Client::builder(&server.url)).body_limit(10)).await.unwrap_err();
    assert_eq!(error.code(), "too-large");
    // A new builder works, too.
    let anew = Client::builder(&server.url).with_reqwest(|_| driftless_runtime::reqwest::Client::builder());
    call(anew).await.unwrap();
}

/// Variables and profiles have the same effect.
#[cfg(feature = "profiles")]
#[tokio::test]
async fn a_profile_names_certificates_and_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (root, clients) = (Root::new(), Root::new());
    let port = root.serve_clients_of(&clients).await;
    let (certificate, key) = clients.client(2900);
    for (name, text) in [("ca.pem", &root.1), ("tls.crt", &certificate), ("tls.key", &key)] {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), PermissionsExt::from_mode(0o600)).unwrap();
    }
    let profile = |lines: &str| {
        let text = format!("[profile.x]\nbase_url = \"https://localhost:{port}\"\n{lines}\n");
        std::fs::write(path("profiles.toml"), text).unwrap();
        ClientBuilder::<Client>::from_profile(path("profiles.toml"), "x")
    };
    let line = |key: &str, name: &str| format!("{key} = {:?}\n", Path::new(&path(name)).display().to_string());
    let (ca, crt) = (line("ca_file", "ca.pem"), line("client_certificate_file", "tls.crt"));
    let whole = format!("{ca}{crt}{}", line("client_key_file", "tls.key"));
    call(profile(&whole).unwrap().no_proxy()).await.unwrap();
    assert!(call(profile(&ca).unwrap().no_proxy()).await.unwrap_err().is_connect());
    let error = profile(&format!("{ca}{crt}")).map(drop).unwrap_err();
    assert!(error.to_string().contains("…CLIENT_KEY_FILE"), "{error}");
    let beside = format!("[profile.x.server.other]\nbase_url = \"https://x.example\"\n{ca}");
    assert!(profile(&beside).map(drop).unwrap_err().to_string().contains("share the connections"));
    let error = profile("danger_allow_http_to = [\"http://x\"]").unwrap().build().unwrap_err();
    assert!(error.to_string().contains("without scheme and port"), "{error}");
}
