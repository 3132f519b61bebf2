//! Paths that the issuer leaves to others, and requests that it refuses.

use driftless_sandbox::{Options, Sandbox};
use reqwest::redirect::Policy;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::issuer::{INVALID, ask, call, pets};
use super::{body, client, start};

const GRANT: &[(&str, &str)] = &[("grant_type", "client_credentials")];

/// A contract with operations (`POST /path`) and the schemes of OpenID Connect and of OAuth with these addresses.
fn contract(operations: &[&str], discovery: &[&str], token_url: &str, security: &Value) -> Value {
    let mut paths = json!({});
    for operation in operations {
        let (method, path) = operation.split_once(' ').unwrap();
        let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        let parameters: Vec<Value> = names
            .map(|(name, _)| json!({ "in": "path", "name": name, "required": true, "schema": { "type": "string" } }))
            .collect();
        paths[path][method.to_ascii_lowercase()] = json!({
            "parameters": parameters, "security": security, "responses": { "202": { "description": "" } } });
    }
    let mut schemes = json!({
        "oauth": { "type": "oauth2", "flows": { "clientCredentials": { "tokenUrl": token_url, "scopes": { "read": "" } } } },
        "key": { "type": "apiKey", "in": "header", "name": "x-key" },
        "mtls": { "type": "mutualTLS" }
    });
    for (index, url) in discovery.iter().enumerate() {
        schemes[format!("openid{index}")] = json!({ "type": "openIdConnect", "openIdConnectUrl": url });
    }
    json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "paths": paths,
        "components": { "securitySchemes": schemes } })
}

async fn own_token(sandbox: &Sandbox) -> String {
    let answer = ask(sandbox, "/sandbox/issuer/connect/token", GRANT).await;
    body(answer).await["access_token"].as_str().unwrap().to_owned()
}

async fn revoked_token(sandbox: &Sandbox) -> String {
    let token = own_token(sandbox).await;
    let answer = ask(sandbox, "/sandbox/issuer/connect/revocation", &[("token", &token)]).await;
    assert_eq!(answer.status(), 200);
    token
}

/// Returns whether each alternative needs credentials in a request.
fn demands_credentials(security: &Value) -> bool {
    let mut alternatives = security.as_array().unwrap().iter();
    alternatives.all(|alternative| alternative["oauth"].is_array() || alternative["key"].is_array())
}

fn location(answer: &Response) -> String {
    answer.headers()["location"].to_str().unwrap().to_owned()
}

async fn authorize(sandbox: &Sandbox, path: &str, more: &[(&str, &str)]) -> Response {
    let browser = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("response_type", "code"), ("client_id", "api")])
        .extend_pairs(more)
        .finish();
    browser.get(format!("{}{path}?{query}", sandbox.origin())).send().await.unwrap()
}

const CALLBACK: (&str, &str) = ("redirect_uri", "http://localhost:1/");

/// Catches a contract that sends the browser to another host by a path that begins with two slashes.
#[tokio::test]
async fn a_login_stays_on_the_sandbox() {
    let discovery = [
        "https://idp.example//evil.example/.well-known/openid-configuration",
        "https://idp.example/\\evil.example/.well-known/openid-configuration",
        "https://idp.example/.well-known/oauth-authorization-server//evil.example",
    ];
    let mut contract = contract(&["GET /a"], &discovery, "/token", &json!([]));
    contract["components"]["securitySchemes"]["oauth"]["flows"]["authorizationCode"] =
        json!({ "authorizationUrl": "/go", "tokenUrl": "/token", "scopes": {} });
    let sandbox = start(&contract).await;
    let asked = authorize(&sandbox, "/go", &[CALLBACK]).await;
    assert!(location(&asked).starts_with("/sandbox/issuer/account/login?"), "{}", location(&asked));
}

/// Catches a revoked token that another alternative, a missing key, or a scheme without a check hides.
#[tokio::test]
async fn a_revoked_token_is_refused_whatever_the_alternatives_are() {
    for (security, with_key) in [
        (json!([{}, { "oauth": ["read"], "key": [] }]), 401),
        (json!([{ "oauth": ["read"], "key": [] }]), 401),
        (json!([{ "oauth": ["read"] }, { "mtls": [] }]), 401),
        (json!([{ "oauth": ["read"] }, { "key": [] }]), 202),
    ] {
        for (demands, verifies) in [(true, false), (false, false), (true, true)] {
            let mut options = Options::default();
            options.checks_credentials = demands;
            options.verifies_credentials = verifies;
            let contract = contract(&["GET /a"], &[], "/token", &security).to_string();
            let sandbox = driftless_sandbox::start_with(contract.as_bytes(), options).await.unwrap();
            let revoked = revoked_token(&sandbox).await;
            let refused = (401, INVALID.to_owned());
            assert_eq!(call(&sandbox, Method::GET, "/a", &revoked).await, refused, "{security} {demands}");
            if verifies {
                assert_eq!(call(&sandbox, Method::GET, "/a", "foreign").await, refused, "{security}");
            }
            let anonymous = client().get(format!("{}/a", sandbox.origin())).send().await.unwrap().status();
            let is_open = !demands || !demands_credentials(&security);
            assert_eq!(anonymous, if is_open { 202 } else { 401 }, "{security} {demands} {verifies}");
            let keyed = client().get(format!("{}/a", sandbox.origin())).bearer_auth(&revoked).header("x-key", "any");
            assert_eq!(keyed.send().await.unwrap().status(), with_key, "{security}");
        }
    }
}

/// Catches a revocation that is forgotten when its token has expired by a clock that is set back later.
#[tokio::test]
async fn a_revoked_token_stays_so_when_the_clock_is_set_back() {
    let sandbox = start(&pets()).await;
    let revoked = revoked_token(&sandbox).await;
    sandbox.clock().advance(std::time::Duration::from_secs(7_200));
    revoked_token(&sandbox).await;
    sandbox.clock().reset();
    assert_eq!(call(&sandbox, Method::GET, "/pet", &revoked).await.0, 401);
}

/// Catches an issuer that takes a path which an operation matches by a parameter, or with a last slash.
#[tokio::test]
async fn operations_keep_the_paths_that_they_match() {
    for (operation, token_url, at) in [
        ("POST /oauth/{action}", "https://idp.example/oauth/token", "/oauth/token"),
        ("POST /oauth/token", "https://idp.example/oauth/token/", "/oauth/token/"),
        ("POST /oauth/t%6Fken", "https://idp.example/oauth/token", "/oauth/token"),
    ] {
        let contract = contract(&[operation], &[], token_url, &json!([]));
        let sandbox = start(&contract).await;
        let is_of_operation = ask(&sandbox, at, GRANT).await.status() == 202;
        let table = driftless_sandbox::explain(contract.to_string().as_bytes()).unwrap();
        let note = if is_of_operation { "an operation of the contract" } else { "the issuer of the sandbox" };
        assert!(table.contains(&format!("{at}  tokens: {note}\n")), "{table}");
        assert_eq!(is_of_operation, !operation.contains('%'), "{operation}");
    }
}

/// Catches an issuer whose login page is an operation of the contract, and table lines that appear twice.
#[tokio::test]
async fn an_issuer_without_all_of_its_paths_has_those_of_the_sandbox() {
    for operation in ["GET /account/{id}", "POST /account/login"] {
        let discovery = ["https://idp.example/.well-known/openid-configuration"];
        let contract = contract(&[operation], &discovery, "/oauth/token", &json!([]));
        let sandbox = start(&contract).await;
        let document = client().get(format!("{}/.well-known/openid-configuration", sandbox.origin()));
        let document = body(document.send().await.unwrap()).await;
        assert_eq!(document["issuer"], format!("{}/sandbox/issuer", sandbox.origin()));
        let at = document["authorization_endpoint"].as_str().unwrap().strip_prefix(sandbox.origin()).unwrap();
        let login = location(&authorize(&sandbox, at, &[CALLBACK]).await);
        assert!(login.starts_with("/sandbox/issuer/account/login?"), "{login}");
        let (method, path) = operation.split_once(' ').unwrap();
        let request = client().request(method.parse().unwrap(), format!("{}{path}", sandbox.origin()));
        assert_eq!(request.send().await.unwrap().status(), 202);
    }
}

/// Catches metadata of RFC 8414 whose issuer is another one, and an address for codes and tokens that serves one of them only.
#[tokio::test]
async fn metadata_names_its_issuer_and_one_address_serves_codes_and_tokens() {
    let url = "https://idp.example/.well-known/oauth-authorization-server/tenant";
    let mut contract = contract(&["GET /a"], &[], "/both", &json!([]));
    let oauth = &mut contract["components"]["securitySchemes"]["oauth"];
    oauth["oauth2MetadataUrl"] = json!(url);
    oauth["flows"]["authorizationCode"] =
        json!({ "authorizationUrl": "/both", "tokenUrl": "/both", "scopes": { "read": "" } });
    let sandbox = start(&contract).await;
    let document = client().get(format!("{}/.well-known/oauth-authorization-server/tenant", sandbox.origin()));
    assert_eq!(body(document.send().await.unwrap()).await["issuer"], format!("{}/tenant", sandbox.origin()));
    assert!(location(&authorize(&sandbox, "/both", &[CALLBACK]).await).starts_with("/tenant/account/login?"));
    assert_eq!(ask(&sandbox, "/both", GRANT).await.status(), 200);
    let table = driftless_sandbox::explain(contract.to_string().as_bytes()).unwrap();
    assert!(table.contains("/both  authorization and tokens: the issuer of the sandbox\n"), "{table}");
}

/// Catches one address of two contracts that `explain` lists twice, or with two answers.
#[test]
fn each_address_is_explained_once() {
    let first = contract(&["GET /a"], &[], "/oauth/token", &json!([])).to_string();
    let second = contract(&["POST /oauth/{action}"], &[], "/oauth/token", &json!([])).to_string();
    let documents = [
        driftless_sandbox::Document::new("first", first.as_bytes()),
        driftless_sandbox::Document::new("second", second.as_bytes()),
    ];
    let table = driftless_sandbox::explain_all(&documents, &driftless_sandbox::Behaviour::default()).unwrap();
    assert_eq!(table.matches("/oauth/token  tokens: an operation of the contract\n").count(), 1, "{table}");
}

/// Catches an empty secret that counts as one, so that a code needs no PKCE, and client credentials without a secret.
#[tokio::test]
async fn an_empty_secret_is_none() {
    let sandbox = start(&pets()).await;
    for secret in [Some(""), None] {
        let request = client().post(format!("{}/oauth/token", sandbox.origin())).basic_auth("api", secret);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = request.body("grant_type=client_credentials").send().await.unwrap();
        assert_eq!((answer.status().as_u16(), body(answer).await["error"].clone()), (400, json!("invalid_client")));
    }
}

/// Catches scopes of users in a token without a user, and long values that stay in the memory.
#[tokio::test]
async fn client_credentials_have_no_scopes_of_users_and_no_long_values() {
    let sandbox = start(&pets()).await;
    for (scope, error) in [
        ("openid read".to_owned(), "invalid_scope"),
        ("offline_access".to_owned(), "invalid_scope"),
        ("read ".repeat(2_000), "invalid_request"),
    ] {
        let answer = ask(&sandbox, "/oauth/token", &[GRANT[0], ("scope", &scope)]).await;
        assert_eq!((answer.status().as_u16(), body(answer).await["error"].clone()), (400, json!(error)));
    }
    let long = "n".repeat(3_000);
    for long in [("nonce", long.as_str()), ("redirect_uri", &format!("http://localhost:1/{long}"))] {
        let callback = if long.0 == "nonce" { vec![CALLBACK] } else { Vec::new() };
        let callback: Vec<_> = callback.into_iter().chain([long]).collect();
        assert_eq!(authorize(&sandbox, "/oauth/authorize", &callback).await.status(), 400, "{}", long.0);
    }
    let answer = authorize(&sandbox, "/oauth/authorize", &[("redirect_uri", "http://localhost:1/ä")]).await;
    assert_eq!(answer.status(), 400);
    // A client that asks for no scope does not get `openid`, even if the contract declares it.
    let mut contract = pets();
    contract["components"]["securitySchemes"]["oauth"]["flows"]["clientCredentials"]["scopes"]["openid"] = json!("");
    let granted = body(ask(&start(&contract).await, "/oauth/token", GRANT).await).await;
    assert_eq!(granted["scope"], "read write");
}

/// Catches names with spaces or other letters that are refused, and a refresh token that passes for a foreign access token.
#[tokio::test]
async fn every_name_logs_in_and_a_refresh_token_is_none_of_access() {
    let sandbox = start(&pets()).await;
    let go = async |user: &str| {
        let form = form_urlencoded::Serializer::new(String::new()).append_pair("user", user).finish();
        let browser = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        let request = browser.post(format!("{}/realms/pets/account/login", sandbox.origin())).body(form);
        request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap()
    };
    assert_eq!(go(&"ä".repeat(201)).await.status(), 401);
    assert_eq!(go("a\u{7}b").await.status(), 401);
    assert_eq!(go(&"ä".repeat(200)).await.status(), 303);
    let entered = go("Ada Lövelace").await;
    assert_eq!(entered.status(), 303);
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let browser = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
    let query = "response_type=code&client_id=api&redirect_uri=http://localhost:1/&scope=read";
    let answer = browser.get(format!("{}/oauth/authorize?{query}", sandbox.origin())).header("cookie", &cookie);
    let target = location(&answer.send().await.unwrap());
    let code = target.split_once("code=").unwrap().1.split('&').next().unwrap().to_owned();
    let fields = [("grant_type", "authorization_code"), ("code", &*code), CALLBACK];
    let tokens = client().post(format!("{}/oauth/token", sandbox.origin())).basic_auth("api", Some("secret"));
    let tokens = tokens.header("content-type", "application/x-www-form-urlencoded");
    let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let tokens = body(tokens.body(form).send().await.unwrap()).await;
    assert_eq!(call(&sandbox, Method::GET, "/pet", tokens["access_token"].as_str().unwrap()).await.0, 200);
    let refresh = tokens["refresh_token"].as_str().unwrap();
    assert_eq!(call(&sandbox, Method::GET, "/pet", refresh).await, (401, INVALID.to_owned()));
}

/// Catches a contract with many addresses and many operations that takes the square of them.
#[tokio::test]
async fn many_addresses_and_many_operations_are_no_burden() {
    let operations: Vec<String> = (0..3_000).map(|index| format!("GET /p{index}")).collect();
    let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
    let discovery: Vec<String> =
        (0..10_000).map(|index| format!("/i{index}/.well-known/openid-configuration")).collect();
    let discovery: Vec<&str> = discovery.iter().map(String::as_str).collect();
    let begin = std::time::Instant::now();
    let sandbox = start(&contract(&operations, &discovery, "/token", &json!([]))).await;
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    assert_eq!(ask(&sandbox, "/sandbox/issuer/connect/token", GRANT).await.status(), 200);
}

/// Catches a form for the issuer whose rest never comes. The clock is paused: it steps to the next timer while nothing else happens.
#[tokio::test]
async fn a_slow_form_ends() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let sandbox = start(&pets()).await;
    let address = sandbox.origin().strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = "POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    stream.write_all(format!("{head}Content-Length: 9\r\n\r\na").as_bytes()).await.unwrap();
    // The answer to a second request shows that the first one has arrived.
    assert_eq!(ask(&sandbox, "/oauth/token", GRANT).await.status(), 200);
    tokio::time::pause();
    let mut answer = Vec::new();
    let ended = tokio::time::timeout(std::time::Duration::from_secs(600), stream.read_to_end(&mut answer)).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(ended.is_ok() && answer.starts_with("HTTP/1.1 408"), "{answer}");
}
