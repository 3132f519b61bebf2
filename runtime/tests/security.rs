//! Security schemes: the credentials of a call, and their recipients.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use crate::support::{Recorded, Reply, Server};
use driftless_runtime::{
    Client, ClientBuilder, Error, Method, ServerSettings,
    auth::{SecretSource, SecretString, StaticToken},
    codegen::{
        Extensions, GeneratedClient, Scheme, Security,
        prelude::{Operation, Parameter, Payload},
    },
};

const IN_HEADER: Scheme = Scheme::Header { scheme: "key", name: "X-Api-Key" };
const IN_QUERY: Scheme = Scheme::Query { scheme: "key", name: "api key" };
const IN_COOKIE: Scheme = Scheme::Cookie { scheme: "key", name: "session" };
const BASIC: Scheme = Scheme::Basic { scheme: "login" };

/// One operation per location.
macro_rules! operations {
    ($($name:ident $path:literal $security:expr;)*) => {
        $(static $name: Operation = Operation { name: $path, path: $path, security: $security, ..Operation::family("x") };)*
    };
}

operations! {
    OPEN "/open" Security::None;
    TOKEN "/token" Security::Token;
    HEADER "/header" Security::Any(&[&[IN_HEADER]]);
    QUERY "/query" Security::Any(&[&[IN_QUERY]]);
    COOKIE "/cookie" Security::Any(&[&[IN_COOKIE]]);
    LOGIN "/login" Security::Any(&[&[BASIC]]);
    EITHER "/either" Security::Any(&[&[BASIC], &[Scheme::Token], &[]]);
    BOTH "/both" Security::Any(&[&[IN_HEADER, Scheme::Token]]);
    RAW "/raw" Security::Any(&[&[Scheme::Header { scheme: "key", name: "Authorization" }]]);
    FRAMING "/framing" Security::Any(&[&[Scheme::Header { scheme: "key", name: "Content-Length" }]]);
}

async fn call(client: &Client, operation: &'static Operation) -> Result<(), Error> {
    let call = driftless_runtime::Call::new(client, operation, &[], Payload::None, |_| Ok(()));
    call.no_retry().await
}

fn key() -> SecretString {
    "canary-key+/=".to_owned().into()
}

fn password() -> SecretString {
    "canary pass:wörd".to_owned().into()
}

fn seen(request: &Recorded) -> [Option<&str>; 3] {
    [request.header("authorization"), request.header("x-api-key"), request.header("cookie")]
}

#[tokio::test]
async fn each_scheme_goes_where_the_contract_says_and_nowhere_else() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let builder = || Client::builder(&server.url);
    let client = builder()
        .credential(StaticToken::new("token"))
        .api_key("key", key())
        .basic("login", "me", password())
        .build()
        .unwrap();
    let login = "Basic bWU6Y2FuYXJ5IHBhc3M6d8O2cmQ=";
    for (operation, query, expected) in [
        (&OPEN, "", [None, None, None]),
        (&TOKEN, "", [Some("Bearer token"), None, None]),
        (&HEADER, "", [None, Some("canary-key+/="), None]),
        (&QUERY, "api+key=canary-key%2B%2F%3D", [None, None, None]),
        (&COOKIE, "", [None, None, Some("session=canary-key%2B%2F%3D")]),
        (&LOGIN, "", [Some(login), None, None]),
        (&EITHER, "", [Some(login), None, None]),
        (&BOTH, "", [Some("Bearer token"), Some("canary-key+/="), None]),
        (&RAW, "", [Some("canary-key+/="), None, None]),
    ] {
        call(&client, operation).await.unwrap();
        let last = server.last();
        assert_eq!((seen(&last), last.query(), last.path()), (expected, query, operation.path), "{}", operation.name);
    }
    let count = server.requests().len();
    assert!(call(&client, &FRAMING).await.unwrap_err().is_request());
    assert_eq!(server.requests().len(), count, "nothing was sent");
    // The first alternative for which the client has credentials.
    let token = builder().credential(StaticToken::new("token")).build().unwrap();
    call(&token, &EITHER).await.unwrap();
    assert_eq!(seen(&server.last())[0], Some("Bearer token"));
    call(&builder().build().unwrap(), &EITHER).await.unwrap();
    assert_eq!(seen(&server.last()), [None, None, None]);
    // A token is not sent in the place of a key.
    call(&token, &HEADER).await.unwrap();
    assert_eq!(seen(&server.last()), [None, None, None]);
}

/// A parameter with the name and the place of a key: a request has one value there, and that of the caller is meant.
#[tokio::test]
async fn an_argument_takes_the_place_of_the_key_of_its_name() {
    const fn own(security: Security, parameters: &'static [Parameter]) -> Operation {
        Operation { name: "own", path: "/own", security, parameters, ..Operation::family("x") }
    }
    static OPERATIONS: [Operation; 3] = [
        own(Security::Any(&[&[IN_HEADER]]), &[Parameter::header("x-api-key")]),
        own(Security::Any(&[&[IN_QUERY]]), &[Parameter::query("api key")]),
        own(Security::Any(&[&[IN_COOKIE]]), &[Parameter::cookie("session")]),
    ];
    let server = Server::always(Reply::json(200, "{}")).await;
    let client = Client::builder(&server.url).api_key("key", key()).build().unwrap();
    let seen = |request: &Recorded| {
        [request.header("x-api-key"), Some(request.query()), request.header("cookie")]
            .map(|text| text.unwrap_or_default().to_owned())
    };
    let empty = String::new;
    for (index, operation) in OPERATIONS.iter().enumerate() {
        for (argument, expected) in [
            (Some("own"), ["own", "api%20key=own", "session=own"]),
            (None, ["canary-key+/=", "api+key=canary-key%2B%2F%3D", "session=canary-key%2B%2F%3D"]),
        ] {
            let call = driftless_runtime::Call::new(&client, operation, &[&argument], Payload::None, |_| Ok(()));
            call.no_retry().await.unwrap();
            let mut only = [empty(), empty(), empty()];
            only[index] = expected[index].to_owned();
            assert_eq!(seen(&server.last()), only, "{argument:?}");
        }
    }
    // A parameter of another place is another one.
    static ELSEWHERE: Operation = own(Security::Any(&[&[IN_HEADER]]), &[Parameter::query("X-Api-Key")]);
    let call = driftless_runtime::Call::new(&client, &ELSEWHERE, &[&"own"], Payload::None, |_| Ok(()));
    call.no_retry().await.unwrap();
    assert_eq!(seen(&server.last()), ["canary-key+/=", "X-Api-Key=own", ""]);
}

#[tokio::test]
async fn a_key_is_not_sent_to_a_server_beside() {
    let (main, other) = (Server::always(Reply::json(200, "{}")).await, Server::always(Reply::json(200, "{}")).await);
    let beside = ServerSettings::new(&other.url).api_key("key", SecretString::from("other"));
    let client = Client::builder(&main.url)
        .api_key("key", key())
        .basic("login", "me", password())
        .server("other", beside)
        .build()
        .unwrap();
    let server = client.server("other").unwrap();
    call(server, &HEADER).await.unwrap();
    assert_eq!(seen(&other.last()), [None, Some("other"), None]);
    call(server, &LOGIN).await.unwrap();
    assert_eq!(seen(&other.last()), [None, None, None]);
}

/// Another key each time it is read.
struct Rotated(Arc<AtomicUsize>);

impl SecretSource for Rotated {
    fn read(&self) -> Result<SecretString, Error> {
        Ok(format!("canary-{}", self.0.fetch_add(1, Ordering::SeqCst)).into())
    }
}

#[tokio::test]
async fn a_key_that_is_refused_is_read_again_and_shown_nowhere() {
    let server = Server::start(|request| match request.header("x-api-key") {
        Some("canary-1") => Reply::json(200, "{}"),
        _ => {
            let text = format!(r#"{{"detail":"{:?} {}"}}"#, seen(request), request.query()).replace(r#"(""#, "(");
            Reply::new(401, &[("x-echo", &format!("{:?}", seen(request))), ("www-authenticate", "Key canary-9")], text)
        }
    })
    .await;
    let reads = Arc::new(AtomicUsize::new(0));
    let client = Client::builder(&server.url)
        .api_key("key", Rotated(Arc::clone(&reads)))
        .basic("login", "me", SecretString::from("canary-9"))
        .build()
        .unwrap();
    call(&client, &HEADER).await.unwrap();
    call(&client, &HEADER).await.unwrap();
    assert_eq!((reads.load(Ordering::SeqCst), server.requests().len()), (2, 3), "one more read, and one more request");
    for operation in [&QUERY, &COOKIE, &LOGIN] {
        let error = call(&client, operation).await.unwrap_err();
        let body = String::from_utf8_lossy(error.raw_body()).into_owned();
        let printed = format!("{error} {error:?} {body} {:?}", error.headers());
        let basic = operation.name == "/login";
        let secrets = if basic { ["canary-9", "bWU6Y2FuYXJ5LTk"] } else { ["canary-1", "canary-2"] };
        assert!(error.is_unauthorized() && secrets.iter().all(|secret| !printed.contains(secret)), "{printed}");
        assert!(printed.contains(if basic { "scheme `login`" } else { "scheme `key`" }), "{printed}");
    }
    let error = call(&Client::builder(&server.url).build().unwrap(), &HEADER).await.unwrap_err();
    assert!(error.to_string().contains("`key`") && error.to_string().contains("api_key"), "{error}");
}

/// A generated client with one API key for all operations.
struct Keyed(Client);

impl GeneratedClient for Keyed {
    const USER_AGENT: &'static str = "keyed";
    const SECURITY: Security = Security::Any(&[&[IN_HEADER]]);
    const SCHEMES: &'static [Scheme] = &[IN_HEADER, BASIC];

    fn extensions() -> Extensions {
        Extensions::new()
    }

    fn from_client(client: Client) -> Self {
        Self(client)
    }
}

#[tokio::test]
async fn a_request_by_hand_shows_what_the_contract_wants_of_all_operations() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let builder = || ClientBuilder::<Keyed>::new(&server.url);
    let keyed = builder().api_key("key", key()).build().unwrap_or_else(|error| panic!("{error}"));
    keyed.0.request(Method::Get, "/x").send().await.unwrap();
    assert_eq!(seen(&server.last()), [None, Some("canary-key+/="), None]);
    for (builder, says) in [
        (builder().api_key("kee", key()), "it has key, login"),
        (builder().api_key("login", key()), "`basic`"),
        (builder().basic("key", "me", password()), "`api_key`"),
        (builder().basic("login", "m:e", password()), "another user"),
        (builder().server("b", ServerSettings::new("https://b.example").api_key("kee", key())), "it has key"),
    ] {
        let error = builder.build().map(drop).unwrap_err();
        assert!(error.code() == "configuration" && error.to_string().contains(says), "{error}");
    }
}

/// A contract whose operations require two keys together, or a user with a password.
struct Generated(Client);

impl GeneratedClient for Generated {
    const USER_AGENT: &'static str = "generated";
    const SCHEMES: &'static [Scheme] = &[APP_ID, APP_KEY, BASIC];

    fn from_client(client: Client) -> Self {
        Self(client)
    }
}

const APP_ID: Scheme = Scheme::Header { scheme: "app-id", name: "X-App-Id" };
const APP_KEY: Scheme = Scheme::Query { scheme: "appKey", name: "code" };

operations! {
    TWO_KEYS "/two" Security::Any(&[&[APP_ID, APP_KEY]]);
}

/// Calls in a process whose environment has the credentials: this test itself, run as a program.
#[tokio::test]
async fn calls_in_a_process_of_its_own() {
    let Ok(kind) = std::env::var("SECURITY_TEST") else { return };
    let status = match kind.as_str() {
        "contract" => {
            let client = ClientBuilder::<Generated>::from_env().unwrap().build().unwrap().0;
            call(&client, &TWO_KEYS).await.is_ok() && call(&client, &LOGIN).await.is_ok()
        }
        _ => Client::from_env().unwrap().request(Method::Get, "/plain").query("code", "mine").send().await.is_ok(),
    };
    std::process::exit(if status { 0 } else { 9 });
}

/// All in one way: the variables of `from_env` provide the credentials that the contract requires, several together;
/// without a contract, they are sent where the variables say.
#[tokio::test]
async fn variables_give_the_keys_that_the_contract_asks_for() {
    let server = Server::always(Reply::json(200, "{}")).await;
    let run = async |kind: &str, variables: &[(&str, &str)]| {
        let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "security::calls_in_a_process_of_its_own"]).stdout(std::process::Stdio::null());
        command.env("SECURITY_TEST", kind).env("SERVICE_BASE_URL", &server.url);
        command.envs(variables.iter().copied());
        command.spawn().unwrap().wait().await.unwrap().code()
    };
    let basic = [("SERVICE_BASIC_USER", "me"), ("SERVICE_BASIC_PASSWORD", "canary pass:wörd")];
    let keys = [("SERVICE_KEY_APP_ID", "my-app"), ("SERVICE_KEY_APPKEY", "canary-key+/=")];
    assert_eq!(run("contract", &[keys, basic].concat()).await, Some(0));
    let requests = server.requests();
    assert_eq!((requests[0].header("x-app-id"), requests[0].query()), (Some("my-app"), "code=canary-key%2B%2F%3D"));
    assert_eq!(requests[0].header("authorization"), None);
    assert_eq!(requests[1].header("authorization"), Some("Basic bWU6Y2FuYXJ5IHBhc3M6d8O2cmQ="));
    assert_eq!((requests[1].header("x-app-id"), requests[1].query()), (None, ""));

    // The parameter of the key occurs once, and is the key.
    let placed = [("SERVICE_TOKEN", "token"), ("SERVICE_API_KEY", "canary-key"), ("SERVICE_API_KEY_QUERY", "code")];
    assert_eq!(run("none", &placed).await, Some(0));
    let last = server.last();
    assert_eq!((last.query(), last.header("authorization")), ("code=canary-key", Some("Bearer token")));
}
