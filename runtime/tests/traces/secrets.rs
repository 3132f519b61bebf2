//! Every way to authenticate over every transport, and every feature: no record has a token, a secret, a key or a value.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use driftless_runtime::{
    Call, Certificates, Client, ClientBuilder, Method, Upload,
    auth::{
        AuthorizationCode, ClientAuthentication, ClientCredentials, RefreshFolder, RefreshStore as _, RefreshToken,
        SecretCommand, SecretFile, SecretString, StaticToken,
    },
    codegen::{
        Scheme, Security,
        prelude::{Operation, Parts, Payload},
    },
};

use super::{Everything, Secret, support::WATCHDOG};
use peer::{Peer, TRANSPORTS, Transport};

#[cfg(feature = "keyring")]
#[path = "keyring.rs"]
mod keyring;
#[path = "peer.rs"]
pub(super) mod peer;

/// The features of the runtime, and the calls that exercise each at TRACE.
const FEATURES: &[(&str, &str)] = &[
    ("http2", "`every_way_to_authenticate_over_every_transport`: Transport::Http2, with h2 at TRACE"),
    ("gzip", "`every_way_to_authenticate_over_every_transport`: /packed"),
    ("profiles", "`every_way_to_authenticate_over_every_transport`: a profile"),
    ("keyring", "`every_way_to_authenticate_over_every_transport`: the keyring"),
    ("blocking", "`the_blocking_client_and_the_fake_service_record_nothing`"),
    ("testing", "`the_blocking_client_and_the_fake_service_record_nothing`"),
    ("metrics", "has no records of its own: labels are held by `measured`; every test here runs with it"),
    ("xml", "`every_way_to_authenticate_over_every_transport`: /xml"),
    (
        "graphql",
        "`every_way_to_authenticate_over_every_transport`: /graphql; sockets, `wss` and events: `nothing_records_what_graphql_sends`",
    ),
    ("operations", "`nothing_records_what_is_kept_in_sqlite_and_postgres`"),
    ("sqlite", "`nothing_records_what_is_kept_in_sqlite_and_postgres`"),
    ("postgres", "`nothing_records_what_is_kept_in_sqlite_and_postgres`"),
];

#[test]
fn the_table_has_every_feature() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let (_, features) = manifest.split_once("\n[features]\n").unwrap();
    let features = features.split("\n[").next().unwrap().lines();
    let names: Vec<_> = features
        .filter(|line| !line.starts_with(['#', ' ', ']']))
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    assert!(names.len() > 9);
    assert_eq!(names, FEATURES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// One operation per place of a credential.
macro_rules! operations {
    ($($name:ident $security:expr;)*) => {
        $(static $name: Operation = Operation {
            name: "x", path: "/x", security: $security, method: Method::Post, body: "application/json", ..Operation::family("things")
        };)*
    };
}

operations! {
    TOKEN Security::Token;
    HEADER Security::Any(&[&[Scheme::Header { scheme: "key", name: "X-Api-Key" }]]);
    QUERY Security::Any(&[&[Scheme::Query { scheme: "key", name: "key" }]]);
    COOKIE Security::Any(&[&[Scheme::Cookie { scheme: "key", name: "session" }]]);
    BASIC Security::Any(&[&[Scheme::Basic { scheme: "login" }]]);
}

/// A way to authenticate: what sets it up, where it goes, and what the service must have seen.
struct Way {
    name: &'static str,
    set: fn(ClientBuilder, &Peer, &std::path::Path) -> ClientBuilder,
    operation: &'static Operation,
    seen: &'static [&'static str],
}

const ISSUED: &str = "Bearer canary-issued";

fn canary(text: &str) -> SecretString {
    text.into()
}

fn private_file(folder: &std::path::Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    path
}

fn grant(peer: &Peer, secret: impl driftless_runtime::auth::SecretSource) -> ClientCredentials {
    ClientCredentials::new(&peer.url, "client", secret).token_endpoint(format!("{}/connect/token", peer.url))
}

const WAYS: &[Way] = &[
    Way {
        name: "a token",
        set: |builder, _, _| builder.credential(StaticToken::new("canary-token")),
        operation: &TOKEN,
        seen: &["Bearer canary-token"],
    },
    Way {
        name: "client credentials in a form",
        set: |builder, peer, _| builder.credential(grant(peer, Secret)),
        operation: &TOKEN,
        seen: &["client_secret=canary-secret", ISSUED],
    },
    Way {
        name: "client credentials in HTTP Basic",
        set: |builder, peer, _| {
            builder.credential(grant(peer, Secret).client_authentication(ClientAuthentication::Basic))
        },
        operation: &TOKEN,
        seen: &["Basic Y2xpZW50OmNhbmFyeS1zZWNyZXQ=", ISSUED],
    },
    Way {
        name: "a secret in a file",
        set: |builder, peer, folder| {
            builder.credential(grant(peer, SecretFile::new(private_file(folder, "canary-file", "canary-secret"))))
        },
        operation: &TOKEN,
        seen: &["client_secret=canary-secret", ISSUED],
    },
    Way {
        name: "a secret of a command",
        set: |builder, peer, folder| {
            let path = private_file(folder, "canary-output", "canary-secret");
            builder.credential(grant(peer, SecretCommand::new("cat").arg(path)))
        },
        operation: &TOKEN,
        seen: &["client_secret=canary-secret", ISSUED],
    },
    #[cfg(feature = "keyring")]
    Way {
        name: "the keyring",
        set: |builder, peer, _| {
            keyring_core::set_default_store(std::sync::Arc::new(keyring::Store("canary-secret")));
            builder.credential(grant(peer, driftless_runtime::auth::SecretKeyring::new("service", "me")))
        },
        operation: &TOKEN,
        seen: &["client_secret=canary-secret", ISSUED],
    },
    #[cfg(feature = "profiles")]
    Way {
        name: "a profile",
        set: |_, peer, folder| {
            let secret = private_file(folder, "profile-secret", "canary-secret");
            let ca = private_file(folder, "ca.pem", &peer.root);
            let text = format!(
                "[profile.x]\nbase_url = {0:?}\nissuer = {0:?}\ntoken_endpoint = \"{0}/connect/token\"\n\
                 client_id = \"client\"\nsecret_file = {1:?}\nca_file = {2:?}\n",
                peer.url, secret, ca
            );
            let builder =
                ClientBuilder::<Client>::from_profile(private_file(folder, "profiles.toml", &text), "x").unwrap();
            reach(builder, peer)
        },
        operation: &TOKEN,
        seen: &["client_secret=canary-secret", ISSUED],
    },
    Way {
        name: "a refresh token",
        set: |builder, peer, folder| {
            let store = RefreshFolder::new(folder.join("tokens"));
            let endpoint = format!("{}/connect/token", peer.url);
            let credential = RefreshToken::new(&peer.url, "client", store.clone()).token_endpoint(endpoint);
            store.save(&credential.key(), &"canary-refresh".into()).unwrap();
            builder.credential(credential)
        },
        operation: &TOKEN,
        seen: &["refresh_token=canary-refresh", ISSUED],
    },
    Way {
        name: "a code with PKCE",
        set: |builder, peer, _| {
            let credential = AuthorizationCode::new(&peer.url, "client")
                .token_endpoint(format!("{}/connect/token", peer.url))
                .authorization_endpoint(format!("{}/connect/authorize", peer.url))
                .open_with(|address| {
                    let address = url::Url::parse(address).unwrap();
                    let get = |name: &str| address.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
                    let (redirect, state) = (url::Url::parse(&get("redirect_uri")).unwrap(), get("state"));
                    let target = format!("{}?code=canary-code&state={state}", redirect.path());
                    std::thread::spawn(move || {
                        use std::io::{Read as _, Write as _};
                        let mut stream = std::net::TcpStream::connect(("127.0.0.1", redirect.port().unwrap())).unwrap();
                        write!(stream, "GET {target} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
                        let _ = stream.read_to_string(&mut String::new());
                    });
                });
            builder.credential(credential)
        },
        operation: &TOKEN,
        seen: &["code=canary-code", "code_verifier=", ISSUED],
    },
    Way {
        name: "a key in a header",
        set: |builder, _, _| builder.api_key("key", canary("canary-key")),
        operation: &HEADER,
        seen: &["canary-key"],
    },
    Way {
        name: "a key in the query",
        set: |builder, _, _| builder.api_key("key", canary("canary-key")),
        operation: &QUERY,
        seen: &["key=canary-key"],
    },
    Way {
        name: "a key in a cookie",
        set: |builder, _, _| builder.api_key("key", canary("canary-key")),
        operation: &COOKIE,
        seen: &["session=canary-key"],
    },
    Way {
        name: "HTTP Basic",
        set: |builder, _, _| builder.basic("login", "canary-user", canary("canary-password")),
        operation: &BASIC,
        seen: &["Basic Y2FuYXJ5LXVzZXI6Y2FuYXJ5LXBhc3N3b3Jk"],
    },
];

/// Trusts the peer, and goes through its proxy.
fn reach(builder: ClientBuilder, peer: &Peer) -> ClientBuilder {
    let builder = builder.no_retry().deadline(WATCHDOG);
    match &peer.proxy {
        Some(proxy) => builder.proxy(format!("http://canary-proxy-user:canary-proxy-password@{proxy}")),
        None => builder.no_proxy(),
    }
}

#[tokio::test]
async fn every_way_to_authenticate_over_every_transport() {
    let (everything, mut read) = (Everything::recorded(), 0);
    for transport in TRANSPORTS {
        for way in WAYS {
            let peer = Peer::start(*transport).await;
            let folder = tempfile::tempdir().unwrap();
            let builder = Client::builder(&peer.url).root_certificates(Certificates::pem(peer.root.clone()));
            let client = (way.set)(reach(builder, &peer), &peer, folder.path()).build().unwrap();
            calls(&client, way.operation).await.unwrap_or_else(|error| panic!("{transport:?}, {}: {error}", way.name));
            let seen = peer.seen();
            let proxy = ["Basic Y2FuYXJ5LXByb3h5LXVzZXI6Y2FuYXJ5LXByb3h5LXBhc3N3b3Jk"];
            let of_proxy = proxy.iter().filter(|_| *transport == Transport::Proxy);
            for sent in
                way.seen.iter().chain(of_proxy).chain(&["canary-sent", "canary-part", "canary-name", "canary-query"])
            {
                let is_sent = seen.to_lowercase().contains(&sent.to_lowercase());
                assert!(is_sent, "{transport:?}, {}: {sent} was not sent: {seen}", way.name);
            }
            let leaks = everything.leaks_after(&mut read);
            assert!(leaks.is_empty(), "{transport:?}, {}: {leaks:#?}", way.name);
        }
    }
    let text = everything.text();
    for library in ["rustls", "hyper_util", "reqwest"] {
        assert!(text.contains(library), "no record of {library}");
    }
    #[cfg(feature = "http2")]
    assert!(text.contains("h2::"), "no record of h2");
}

/// One call of each kind. The credential goes along with each.
async fn calls(client: &Client, operation: &'static Operation) -> Result<(), driftless_runtime::Error> {
    let decode = |raw: driftless_runtime::codegen::Raw| Ok(raw);
    let send = async |operation: &'static Operation, payload: Payload<'_>| {
        Call::new(client, operation, &[], payload, decode).header("x-canary", "canary-header").await
    };
    send(operation, Payload::Json(&"canary-sent")).await?;
    let other = |path: &'static str, body: &'static str| -> &'static Operation {
        Box::leak(Box::new(Operation { path, body, ..*operation }))
    };
    let mut parts = Parts::default();
    parts.text("canary-field", "canary-part".to_owned());
    parts.file("file", Upload::bytes("canary-bytes").file_name("canary-name"));
    send(other("/form", "multipart/form-data"), Payload::Multipart(parts)).await?;
    let raw = send(other("/packed", ""), Payload::None).await?;
    assert_eq!(raw.bytes(), "\"canary-answer\"");
    for path in ["/refused", "/moved"] {
        let error = send(other(path, ""), Payload::None).await.unwrap_err();
        tracing::error!(%error, ?error, "a program records its errors");
    }
    client.request(Method::Get, "/x").query("q", "canary-query").send().await?;
    #[cfg(feature = "xml")]
    {
        use driftless_runtime::codegen::xml;
        static ROOT: xml::Root = xml::Root { name: xml::Name::plain("a"), shape: &xml::Shape::Text };
        send(other("/xml", "application/xml"), Payload::Xml(&"canary-sent", &ROOT)).await?;
    }
    #[cfg(feature = "graphql")]
    {
        let variables = serde_json::json!({ "a": "canary-variable" });
        let document = "query Q($a: String) { a(a: $a) }";
        let answer = client.graphql().query::<driftless_runtime::Value, _>(document, variables).await?;
        assert!(answer.data().is_some());
    }
    Ok(())
}

/// Returns all forms in which a canary may stand in a record.
pub(super) fn forms() -> Vec<String> {
    let pairs = ["canary-user:canary-password", "client:canary-secret", "canary-proxy-user:canary-proxy-password"];
    let mut forms: Vec<String> = pairs.iter().map(|pair| STANDARD.encode(pair).replace('=', "")).collect();
    let bytes: Vec<String> = b"canary".iter().map(|byte| byte.to_string()).collect();
    let hex: String = b"canary".iter().map(|byte| format!("{byte:02x}")).collect();
    forms.extend(["canary".to_owned(), bytes.join(", "), hex]);
    forms
}

#[cfg(all(feature = "blocking", feature = "testing"))]
#[test]
fn the_blocking_client_and_the_fake_service_record_nothing() {
    let everything = Everything::recorded();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let peer = runtime.block_on(Peer::start(Transport::Tls));
    let builder = Client::builder(&peer.url).root_certificates(Certificates::pem(peer.root.clone()));
    let builder = reach(builder, &peer).credential(StaticToken::new("canary-token"));
    let fake = driftless_runtime::testing::Fake::new();
    fake.on(driftless_runtime::testing::REQUESTS).answer(&"canary-answer".into());
    let faked = fake.builder().credential(StaticToken::new("canary-token"));
    for builder in [builder, faked] {
        let client = driftless_runtime::blocking::Blocking::new(builder.build().unwrap()).unwrap();
        let request = client.request(Method::Post, "/x").header("x-canary", "canary-header").json(&"canary-sent");
        client.wait(request.send()).unwrap();
    }
    assert!(peer.seen().contains("canary-token") && fake.calls().len() == 1);
    assert_eq!(everything.leaks(), Vec::<String>::new());
}
