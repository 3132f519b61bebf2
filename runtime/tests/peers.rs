//! The client against third-party servers. `tests/peers/run.sh` starts them, and runs this.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt, time::Duration};

use driftless_runtime::{
    Client, Error, Method, Value,
    auth::{
        AuthorizationCode, ClientCredentials, ExposeSecret, RefreshFolder, RefreshStore, RefreshToken, SecretEnv,
        SecretFile, StaticToken,
    },
    graphql::{Delivery, GraphqlOptions, SubscriptionTransport},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// The address of a server. Without the script there is none, and the test is skipped with a message.
fn address(name: &str) -> String {
    let text = std::env::var("PLATFORM_PEERS")
        .unwrap_or_else(|_| "PLATFORM_PEERS is not set: run tests/peers/run.sh".to_owned());
    let addresses: Result<BTreeMap<String, String>, _> = serde_json::from_str(&text);
    let addresses = addresses.map_err(|_| text);
    addresses.unwrap().remove(name).unwrap()
}

fn service(issuer: &str, credential: impl driftless_runtime::auth::Credential) -> Client {
    Client::builder(issuer).credential(credential).build().unwrap()
}

async fn get(platform: &Client) -> Result<(), Error> {
    platform.request(Method::Get, "/x").send().await.map(drop)
}

#[tokio::test]
#[ignore = "tests/peers/run.sh starts the server"]
async fn oidc_provider_client_credentials() {
    let issuer = address("oidc");
    let platform = service(&issuer, ClientCredentials::new(&issuer, "service", SecretEnv::new("PEERS_SECRET")));
    for _ in 0..3 {
        get(&platform).await.unwrap();
        // Tokens of this issuer last two seconds.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong");
    std::fs::write(&path, "wrong").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    let wrong = service(&issuer, ClientCredentials::new(&issuer, "service", SecretFile::new(&path)));
    let error = get(&wrong).await.unwrap_err();
    assert!(error.is_token() && error.to_string().contains("invalid_client"), "{error}");
    std::fs::write(&path, std::env::var("PEERS_SECRET").unwrap()).unwrap();
    get(&wrong).await.unwrap();
    let grant = ClientCredentials::new(&issuer, "app", SecretEnv::new("PEERS_SECRET"));
    assert!(get(&service(&issuer, grant)).await.unwrap_err().is_token());
}

/// Follows redirects with cookies, as a browser does, until the program's own port has answered.
async fn browse(address: String) -> u16 {
    let mut cookies = BTreeMap::<String, String>::new();
    let mut next = address;
    for _ in 0..20 {
        let url = url::Url::parse(&next).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", url.port().unwrap())).await.unwrap();
        let jar: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let head = format!(
            "GET {} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncookie: {}\r\nconnection: close\r\n\r\n",
            &url[url::Position::BeforePath..url::Position::AfterQuery],
            url.port().unwrap(),
            jar.join("; ")
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let mut location = None;
        for line in answer.lines().take_while(|line| !line.is_empty()) {
            match line.split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("location") => location = Some(value.to_owned()),
                Some((name, value)) if name.eq_ignore_ascii_case("set-cookie") => {
                    let (name, value) = value.split(';').next().unwrap().split_once('=').unwrap();
                    cookies.insert(name.to_owned(), value.to_owned());
                }
                _ => {}
            }
        }
        match location {
            Some(location) => next = url.join(&location).unwrap().into(),
            None => return answer.split(' ').nth(1).unwrap().parse().unwrap(),
        }
    }
    0
}

#[tokio::test]
#[ignore = "tests/peers/run.sh starts the server"]
async fn oidc_provider_authorization_code_and_rotation() {
    let issuer = address("oidc");
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path().join("tokens"));
    let (sender, mut addresses) = tokio::sync::mpsc::unbounded_channel();
    let credential = AuthorizationCode::new(&issuer, "app")
        .scope("openid api")
        .store(store.clone())
        .open_with(move |address| drop(sender.send(address.to_owned())));
    let platform = service(&issuer, credential);
    let signing = tokio::spawn({
        let platform = platform.clone();
        async move { platform.authenticate(Duration::from_secs(30)).await }
    });
    assert_eq!(browse(addresses.recv().await.unwrap()).await, 200);
    signing.await.unwrap().unwrap();
    get(&platform).await.unwrap();
    let refresh = RefreshToken::new(&issuer, "app", store.clone()).scope("openid api");
    let key = refresh.key();
    let load = || store.load(&key).unwrap().unwrap().expose_secret().to_owned();
    let mut seen = vec![load()];
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(2_100)).await;
        get(&platform).await.unwrap();
        seen.push(load());
    }
    seen.dedup();
    assert_eq!(seen.len(), 4, "each access token came with another refresh token");
    assert!(addresses.try_recv().is_err(), "the user was asked once");
    // A later program uses the stored token; a used token is refused.
    get(&service(&issuer, refresh)).await.unwrap();
    store.save(&key, &seen[0].clone().into()).unwrap();
    let old = service(&issuer, RefreshToken::new(&issuer, "app", store.clone()).scope("openid api"));
    assert!(get(&old).await.unwrap_err().to_string().contains("invalid_grant"));
}

#[tokio::test]
#[ignore = "tests/peers/run.sh starts the server"]
async fn graphql_yoga_over_http_socket_and_events() {
    let address = address("graphql");
    let platform = |token: &str, transport| {
        let options = GraphqlOptions::new().path("/graphql").subscription_path("/graphql").transport(transport);
        Client::builder(&address).credential(StaticToken::new(token)).graphql(options).build().unwrap()
    };
    let secret = std::env::var("PEERS_SECRET").unwrap();
    for transport in [SubscriptionTransport::WebSocket, SubscriptionTransport::ServerSentEvents] {
        let platform = platform(&secret, transport);
        let document = "query ($name: String!) { hello(name: $name) }";
        let answer = platform.graphql().query::<Value, _>(document, [("name", "peer")]).await.unwrap();
        assert_eq!(answer.into_data().unwrap()["hello"], "hello peer");
        let wrong = platform.graphql().query::<Value, _>("{ nothing }", ()).await;
        assert!(wrong.unwrap_err().is_graphql());
        let mut counted = platform.graphql().subscribe::<Value, _>("subscription { count(to: 5) }", ());
        let mut numbers = Vec::new();
        while let Some(delivery) = counted.next().await {
            if let Delivery::Next(answer) = delivery.unwrap() {
                numbers.push(answer.into_data().unwrap()["count"].as_u64().unwrap());
            }
        }
        assert_eq!(numbers, [1, 2, 3, 4, 5], "{transport:?}");
    }
    let refused = platform("wrong", SubscriptionTransport::WebSocket);
    assert!(refused.graphql().query::<Value, _>("{ hello(name: \"x\") }", ()).await.unwrap_err().is_unauthorized());
    let mut counted = refused.graphql().subscribe::<Value, _>("subscription { count(to: 5) }", ());
    assert!(counted.next().await.unwrap().is_err());
}

/// Fills in the form of an authorization page, and returns to the program.
async fn approve(address: &str) -> u16 {
    let url = url::Url::parse(address).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", url.port().unwrap())).await.unwrap();
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: 7\r\nconnection: close\r\n\r\nsub=ada",
        &url[url::Position::BeforePath..url::Position::AfterQuery],
        url.port().unwrap(),
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let mut lines = answer.lines().filter_map(|line| line.split_once(": "));
    let (_, location) = lines.find(|(name, _)| name.eq_ignore_ascii_case("location")).unwrap();
    browse(url.join(location).unwrap().into()).await
}

#[tokio::test]
#[ignore = "tests/peers/run.sh starts the server"]
async fn oidc_provider_mock_authorization_code() {
    let issuer = address("mock");
    let folder = tempfile::tempdir().unwrap();
    let store = RefreshFolder::new(folder.path().join("tokens"));
    let (sender, mut addresses) = tokio::sync::mpsc::unbounded_channel();
    let credential = AuthorizationCode::new(&issuer, "app")
        .secret(SecretEnv::new("PEERS_SECRET"))
        .scope("openid email")
        .store(store.clone())
        .open_with(move |address| drop(sender.send(address.to_owned())));
    let platform = service(&issuer, credential);
    let signing = tokio::spawn({
        let platform = platform.clone();
        async move { platform.authenticate(Duration::from_secs(30)).await }
    });
    assert_eq!(approve(&addresses.recv().await.unwrap()).await, 200);
    signing.await.unwrap().unwrap();
    let user = platform.request(Method::Get, "/userinfo").send().await.unwrap();
    assert_eq!(user.json::<Value>().unwrap()["sub"], "ada");
    // This issuer accepts the secret of a refresh only by HTTP Basic, which the client does not send: the error
    // mentions it.
    let stored = RefreshToken::new(&issuer, "app", store).secret(SecretEnv::new("PEERS_SECRET")).scope("openid email");
    let error = get(&service(&issuer, stored)).await.unwrap_err();
    assert!(error.is_token() && error.to_string().contains("client_secret_basic"), "{error}");
    let grant = ClientCredentials::new(&issuer, "service", SecretEnv::new("PEERS_SECRET"));
    assert!(get(&service(&issuer, grant)).await.unwrap_err().is_token(), "the issuer does not have this grant");
}

#[tokio::test]
#[ignore = "tests/peers/run.sh starts the server"]
async fn strawberry_takes_a_hundred_subscriptions_a_socket() {
    let address = address("strawberry");
    let platform = |token: &str| {
        let options = GraphqlOptions::new().transport(SubscriptionTransport::WebSocket);
        Client::builder(&address).credential(StaticToken::new(token)).graphql(options).build().unwrap()
    };
    let secret = std::env::var("PEERS_SECRET").unwrap();
    let service = platform(&secret);
    let answer = service.graphql().query::<Value, _>("{ hello(name: \"peer\") }", ()).await.unwrap();
    assert_eq!(answer.into_data().unwrap()["hello"], "hello peer");
    let mut counted = service.graphql().subscribe::<Value, _>("subscription { count(to: 3) }", ());
    let mut numbers = Vec::new();
    while let Some(delivery) = counted.next().await {
        if let Delivery::Next(answer) = delivery.unwrap() {
            numbers.push(answer.into_data().unwrap()["count"].as_u64().unwrap());
        }
    }
    assert_eq!(numbers, [1, 2, 3]);
    let document = "subscription ($number: Int!) { hold(number: $number) }";
    let mut subscriptions: Vec<_> =
        (0..250).map(|number| service.graphql().subscribe::<Value, _>(document, [("number", number)])).collect();
    for (number, subscription) in subscriptions.iter_mut().enumerate() {
        match subscription.next().await.unwrap().unwrap() {
            Delivery::Next(answer) => assert_eq!(answer.into_data().unwrap()["hold"], number),
            other => panic!("{other:?}"),
        }
    }
    let sockets = service.graphql().query::<Value, _>("{ sockets }", ()).await.unwrap().into_data().unwrap();
    assert_eq!(sockets["sockets"], 3);
    let mut wrong = service.graphql().subscribe::<Value, _>("subscription { nothing }", ());
    assert!(wrong.next().await.unwrap().unwrap_err().is_graphql());
    let mut refused = platform("wrong").graphql().subscribe::<Value, _>("subscription { count(to: 3) }", ());
    assert!(refused.next().await.unwrap().unwrap_err().is_forbidden());
}

#[tokio::test]
#[ignore = "tests/peers/run.sh starts the server"]
async fn mockttp_resets_truncations_and_false_lengths() {
    let address = address("faults");
    let platform = Client::builder(&address).no_retry().idle_timeout(Duration::from_millis(500)).build().unwrap();
    for path in ["/reset", "/close"] {
        let error = platform.request(Method::Post, path).json(&1).send().await.unwrap_err();
        assert!(error.is_broken() && error.is_submission_unknown(), "{path}: {error}");
        assert!(platform.request(Method::Get, path).send().await.unwrap_err().is_broken(), "{path}");
    }
    let silent =
        platform.request(Method::Post, "/silent").deadline(Duration::from_millis(500)).send().await.unwrap_err();
    assert!(silent.is_timeout() && silent.is_submission_unknown(), "{silent}");
    let short = platform.request(Method::Post, "/short").send().await.unwrap_err();
    assert!(!short.is_submission_unknown() && short.was_sent() && short.status().is_some(), "{short}");
    // A body that is longer than announced is cut or an error, and never passes for the whole.
    match platform.request(Method::Get, "/long").send().await {
        Ok(answer) => assert!(answer.json::<String>().is_err()),
        Err(error) => assert!(error.is_broken(), "{error}"),
    }
    platform.request(Method::Get, "/ok").send().await.unwrap();
}
