//! Tokens: those of the sandbox's own issuer, at the addresses that contracts declare, and the checks of their scopes.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use driftless_sandbox::{Options, Sandbox};
use reqwest::redirect::Policy;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::{body, client, start};

/// Pets that are read with the scope `read` and written with `write`; everybody may see the status.
pub(super) fn pets() -> Value {
    let ok = || json!({ "200": { "description": "", "content": { "application/json": { "schema": { "type": "object" } } } } });
    let problem = json!({ "description": "", "content": { "application/json": { "schema": {
        "type": "object", "required": ["message"], "properties": { "message": { "type": "string" } } } } } });
    let mut refused = ok();
    refused["403"] = problem;
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Pets", "version": "1" },
        "servers": [{ "url": "https://pets.example/v1" }],
        "security": [{ "oauth": ["read"] }],
        "paths": {
            "/pet": {
                "get": { "responses": ok() },
                "put": { "security": [{ "oauth": ["read", "write"] }, { "key": [] }], "responses": refused }
            },
            "/status": { "get": { "security": [{}, { "oauth": ["read"] }], "responses": ok() } },
            "/openid": { "get": { "security": [{ "openid": ["read"] }], "responses": ok() } },
            "/any": { "get": { "security": [{ "bearer": [] }], "responses": ok() } }
        },
        "components": { "securitySchemes": {
            "oauth": { "type": "oauth2", "flows": {
                "clientCredentials": {
                    "tokenUrl": "https://login.example/oauth/token?tenant=1",
                    "scopes": { "read": "", "write": "" }
                },
                "authorizationCode": {
                    "authorizationUrl": "https://login.example/oauth/authorize",
                    "tokenUrl": "https://login.example/oauth/token",
                    "refreshUrl": "/oauth/refresh",
                    "scopes": { "read": "" }
                }
            } },
            "openid": { "type": "openIdConnect", "openIdConnectUrl": "https://login.example/realms/pets/.well-known/openid-configuration" },
            "bearer": { "type": "http", "scheme": "bearer" },
            "key": { "type": "apiKey", "in": "header", "name": "x-key" }
        } }
    })
}

/// Asks for a token with client credentials.
pub(super) async fn ask(sandbox: &Sandbox, path: &str, fields: &[(&str, &str)]) -> Response {
    let request = client().post(format!("{}{path}", sandbox.origin())).basic_auth("any", Some("secret"));
    let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    request.header("content-type", "application/x-www-form-urlencoded").body(form).send().await.unwrap()
}

pub(super) async fn token(sandbox: &Sandbox, scope: &str) -> String {
    let answer = ask(sandbox, "/oauth/token", &[("grant_type", "client_credentials"), ("scope", scope)]).await;
    assert_eq!(answer.status(), 200);
    body(answer).await["access_token"].as_str().unwrap().to_owned()
}

/// The status and the challenge of a request with a token.
pub(super) async fn call(sandbox: &Sandbox, method: Method, path: &str, token: &str) -> (u16, String) {
    let request = client().request(method, format!("{}{path}", sandbox.base_url())).bearer_auth(token);
    let answer = request.send().await.unwrap();
    let challenge = answer.headers().get("www-authenticate").map(|value| value.to_str().unwrap().to_owned());
    (answer.status().as_u16(), challenge.unwrap_or_default())
}

pub(super) const INVALID: &str = "Bearer error=\"invalid_token\"";

/// Catches an issuer that is not at the declared path, that knows no scopes, and operations that do not check them.
#[tokio::test]
async fn a_token_comes_from_the_declared_path_and_has_the_scopes_that_operations_check() {
    let sandbox = start(&pets()).await;
    let reads = token(&sandbox, "read").await;
    assert_eq!(call(&sandbox, Method::GET, "/pet", &reads).await, (200, String::new()));
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"read write\"";
    assert_eq!(call(&sandbox, Method::PUT, "/pet", &reads).await, (403, challenge.to_owned()));
    let both = token(&sandbox, "write read").await;
    assert_eq!(call(&sandbox, Method::PUT, "/pet", &both).await.0, 200);
    assert_eq!(call(&sandbox, Method::GET, "/openid", &both).await.0, 200);
    assert_eq!(call(&sandbox, Method::GET, "/openid", &token(&sandbox, "write").await).await.0, 403);

    // The declared form, and the alternative.
    let refused = client().put(format!("{}/pet", sandbox.base_url())).bearer_auth(&reads).send().await.unwrap();
    assert!(body(refused).await["message"].as_str().unwrap().contains("read write"));
    let request = client().put(format!("{}/pet", sandbox.base_url())).bearer_auth(&reads).header("x-key", "any");
    assert_eq!(request.send().await.unwrap().status(), 200);

    // Without a list of scopes, the client gets all; an unknown one is refused.
    let all = body(ask(&sandbox, "/oauth/refresh", &[("grant_type", "client_credentials")]).await).await;
    assert_eq!(all["scope"], "read write");
    let unknown = ask(&sandbox, "/oauth/token", &[("grant_type", "client_credentials"), ("scope", "read admin")]).await;
    assert_eq!((unknown.status().as_u16(), body(unknown).await["error"].clone()), (400, json!("invalid_scope")));

    // Other words are accepted, and credentials are demanded.
    assert_eq!(call(&sandbox, Method::PUT, "/pet", "any").await.0, 200);
    let without = client().get(format!("{}/pet", sandbox.base_url())).send().await.unwrap();
    assert_eq!((without.status().as_u16(), &without.headers()["www-authenticate"]), (401, &"Bearer".parse().unwrap()));
}

/// Catches a token whose time is that of the system, and one that is valid after its revocation.
#[tokio::test]
async fn a_token_ends_by_the_clock_of_the_sandbox_and_by_its_revocation() {
    let sandbox = start(&pets()).await;
    sandbox.clock().hold();
    let (revoked, kept) = (token(&sandbox, "read").await, token(&sandbox, "read").await);
    assert_eq!(call(&sandbox, Method::GET, "/pet", &revoked).await.0, 200);
    assert_eq!(ask(&sandbox, "/sandbox/issuer/connect/revocation", &[("token", &revoked)]).await.status(), 200);
    assert_eq!(call(&sandbox, Method::GET, "/pet", &revoked).await, (401, INVALID.to_owned()));
    // Nobody needs a token for the status, and a bad one is refused.
    assert_eq!(call(&sandbox, Method::GET, "/status", &revoked).await, (401, INVALID.to_owned()));
    assert_eq!(call(&sandbox, Method::GET, "/status", &kept).await.0, 200);
    assert_eq!(call(&sandbox, Method::GET, "/any", &revoked).await.0, 401);

    sandbox.clock().advance(Duration::from_secs(3_599));
    assert_eq!(call(&sandbox, Method::GET, "/pet", &kept).await.0, 200);
    sandbox.clock().advance(Duration::from_secs(2));
    assert_eq!(call(&sandbox, Method::GET, "/pet", &kept).await, (401, INVALID.to_owned()));
    assert_eq!(call(&sandbox, Method::GET, "/pet", &token(&sandbox, "read").await).await.0, 200);
}

/// Catches an issuer whose document names another issuer than its address, and keys that do not sign its tokens.
#[tokio::test]
async fn discovery_is_at_the_declared_address_and_names_its_keys() {
    let sandbox = start(&pets()).await;
    let fetch = async |address: String| body(client().get(address).send().await.unwrap()).await;
    for base in ["/realms/pets", "/sandbox/issuer"] {
        let url = format!("{}{base}", sandbox.origin());
        let document = fetch(format!("{url}/.well-known/openid-configuration")).await;
        assert_eq!(document["issuer"], url);
        let scopes: Vec<&str> =
            document["scopes_supported"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(["openid", "read", "write"].iter().all(|scope| scopes.contains(scope)), "{scopes:?}");
        let path = document["token_endpoint"].as_str().unwrap().strip_prefix(sandbox.origin()).unwrap().to_owned();
        let answer = ask(&sandbox, &path, &[("grant_type", "client_credentials"), ("scope", "read")]).await;
        let token = body(answer).await["access_token"].as_str().unwrap().to_owned();
        let part = |index: usize| -> Value {
            let text = token.split('.').nth(index).unwrap();
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
        };
        assert_eq!(
            (&part(1)["iss"], &part(1)["scope"], &part(1)["client_id"]),
            (&json!(url), &json!("read"), &json!("any"))
        );
        let keys = fetch(document["jwks_uri"].as_str().unwrap().to_owned()).await;
        assert_eq!(keys["keys"][0]["kid"], part(0)["kid"]);
        assert_eq!(call(&sandbox, Method::GET, "/openid", &token).await.0, 200);
    }
    // The token of a declared address is that of the declared issuer.
    let claims: Value = serde_json::from_slice(
        &URL_SAFE_NO_PAD.decode(token(&sandbox, "read").await.split('.').nth(1).unwrap()).unwrap(),
    )
    .unwrap();
    assert_eq!(claims["iss"], format!("{}/realms/pets", sandbox.origin()));
    // A client compares the issuer with the name by which it knows the sandbox.
    let port = sandbox.origin().rsplit(':').next().unwrap();
    let other = format!("http://localhost:{port}/realms/pets");
    assert_eq!(fetch(format!("{other}/.well-known/openid-configuration")).await["issuer"], other);
}

/// Catches foreign tokens that are accepted, and keys that are refused.
#[tokio::test]
async fn verified_credentials_are_those_that_the_sandbox_has_issued() {
    let mut options = Options::default();
    options.verifies_credentials = true;
    let contract = pets().to_string();
    let sandbox = driftless_sandbox::start_with(contract.as_bytes(), options.clone()).await.unwrap();
    let foreign = token(&start(&pets()).await, "read").await;
    for bad in ["any", &foreign] {
        assert_eq!(call(&sandbox, Method::GET, "/pet", bad).await, (401, INVALID.to_owned()), "{bad}");
        assert_eq!(call(&sandbox, Method::GET, "/any", bad).await.0, 401, "{bad}");
    }
    let own = token(&sandbox, "read").await;
    assert_eq!(call(&sandbox, Method::GET, "/pet", &own).await.0, 200);
    assert_eq!(call(&sandbox, Method::GET, "/any", &own).await.0, 200);
    let key = client().put(format!("{}/pet", sandbox.base_url())).header("x-key", "any").send().await.unwrap();
    assert_eq!(key.status(), 200);
    options.checks_credentials = false;
    let sandbox = driftless_sandbox::start_with(contract.as_bytes(), options).await.unwrap();
    assert_eq!(client().get(format!("{}/pet", sandbox.base_url())).send().await.unwrap().status(), 200);
    assert_eq!(call(&sandbox, Method::GET, "/pet", "any").await.0, 401);
}

/// Catches an issuer that takes a path from the contract.
#[tokio::test]
async fn a_contract_keeps_its_own_paths() {
    let mut contract = pets();
    contract["servers"] = json!([]);
    let made = json!({ "201": { "description": "", "content": { "application/json": { "schema": {
        "type": "object", "required": ["mine"], "properties": { "mine": { "type": "boolean", "enum": [true] } } } } } } });
    contract["paths"]["/oauth/token"] = json!({ "post": { "security": [], "responses": made } });
    contract["paths"]["/sandbox/{thing}"] =
        json!({ "get": { "security": [], "responses": { "200": { "description": "" } } } });
    let sandbox = start(&contract).await;
    assert!(!sandbox.has_control_interface());
    let kept = ask(&sandbox, "/oauth/token", &[("grant_type", "client_credentials")]).await;
    assert_eq!((kept.status().as_u16(), body(kept).await), (201, json!({ "mine": true })));
    // The other addresses are those of the issuer, for which the contract has no path.
    for path in ["/oauth/refresh", "/sandbox/issuer/connect/token"] {
        assert_eq!(ask(&sandbox, path, &[("grant_type", "client_credentials")]).await.status(), 200, "{path}");
    }
    assert_eq!(client().get(format!("{}/sandbox/mine", sandbox.origin())).send().await.unwrap().status(), 200);
    let table = driftless_sandbox::explain(contract.to_string().as_bytes()).unwrap();
    assert!(table.contains("/oauth/token  tokens: an operation of the contract\n"), "{table}");
    assert!(table.contains("/oauth/authorize  authorization: the issuer of the sandbox\n"), "{table}");
}

/// Catches a code that a client without a secret redeems without PKCE, an address that is not one of loopback, and tokens of a login
/// that are not those of its user.
#[tokio::test]
async fn a_user_logs_in_and_the_code_becomes_tokens() {
    let sandbox = start(&pets()).await;
    let browser = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
    let go = |redirect: &str| {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("response_type", "code"), ("client_id", "api"), ("redirect_uri", redirect)])
            .extend_pairs([("scope", "openid read"), ("state", "s")])
            .finish();
        format!("{}/oauth/authorize?{query}", sandbox.origin())
    };
    assert_eq!(browser.get(go("https://evil.example/")).send().await.unwrap().status(), 400);
    let location = |answer: &Response| answer.headers()["location"].to_str().unwrap().to_owned();
    let asked = browser.get(go("http://localhost:1/callback")).send().await.unwrap();
    assert_eq!(asked.status(), 303);
    let login = location(&asked);
    let back = login.split_once("returnUrl=").unwrap().1;
    let page = login.split_once('?').unwrap().0;
    let form = format!("user=ada&returnUrl={back}");
    let entered = browser.post(format!("{}{page}", sandbox.origin()));
    let entered = entered.header("content-type", "application/x-www-form-urlencoded").body(form).send().await.unwrap();
    assert_eq!(entered.status(), 303);
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let answered = async || {
        let answer = browser.get(format!("{}{}", sandbox.origin(), location(&entered))).header("cookie", &cookie);
        let target = location(&answer.send().await.unwrap());
        assert!(target.starts_with("http://localhost:1/callback?code=") && target.contains("&state=s"), "{target}");
        target.split_once("code=").unwrap().1.split('&').next().unwrap().to_owned()
    };
    let code = answered().await;
    let fields =
        [("grant_type", "authorization_code"), ("code", &*code), ("redirect_uri", "http://localhost:1/callback")];
    let form = |fields: &[(&str, &str)]| form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let redeem = async |fields: String, secret: Option<&str>| {
        let request = client().post(format!("{}/oauth/token", sandbox.origin()));
        let request = match secret {
            Some(secret) => request.basic_auth("api", Some(secret)).body(fields),
            None => request.body(format!("{fields}&client_id=api")),
        };
        request.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap()
    };
    assert_eq!(body(redeem(form(&fields), None).await).await["error"], "invalid_grant");
    let code = answered().await;
    let fields =
        [("grant_type", "authorization_code"), ("code", &*code), ("redirect_uri", "http://localhost:1/callback")];
    let tokens = body(redeem(form(&fields), Some("secret")).await).await;
    assert!(tokens["id_token"].is_string(), "{tokens}");
    let access = tokens["access_token"].as_str().unwrap();
    let who = client().get(format!("{}/realms/pets/connect/userinfo", sandbox.origin())).bearer_auth(access);
    assert_eq!(body(who.send().await.unwrap()).await, json!({ "sub": "ada" }));
    assert_eq!(call(&sandbox, Method::GET, "/pet", access).await.0, 200);
    // An ID token is not for the service, even that of a client with the name of the audience.
    assert_eq!(call(&sandbox, Method::GET, "/pet", tokens["id_token"].as_str().unwrap()).await.0, 401);
    let again = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"].as_str().unwrap())];
    assert!(body(redeem(form(&again), Some("secret")).await).await["access_token"].is_string());
    let reset = client().post(format!("{}/sandbox/reset", sandbox.origin())).json(&json!({ "only": ["issuer"] }));
    assert_eq!(reset.send().await.unwrap().status(), 204);
    assert_eq!(body(redeem(form(&again), Some("secret")).await).await["error"], "invalid_grant");
}

/// Catches a reader that knows no flows of Swagger 2.0, and one that takes names of a contract for markup, headers or routes.
#[tokio::test]
async fn swagger_has_the_addresses_and_scopes_of_its_flows_and_hostile_ones_are_left_out() {
    let ok = json!({ "200": { "description": "" } });
    let contract = json!({
        "swagger": "2.0", "info": { "title": "Pets", "version": "1" }, "basePath": "/v1",
        "paths": { "/pet": { "get": { "security": [{ "app": ["a\"b", "read pets", "read:pets"] }], "responses": ok } } },
        "securityDefinitions": {
            "app": { "type": "oauth2", "flow": "application", "tokenUrl": "https://login.example/token", "scopes": { "read:pets": "", "x\r\ny": "" } },
            "code": { "type": "oauth2", "flow": "accessCode", "authorizationUrl": "https://login.example/{*rest}", "tokenUrl": "relative", "scopes": {} },
            "odd": { "type": "oauth2", "flow": 1, "tokenUrl": { "a": 1 }, "scopes": ["read"] }
        }
    });
    let sandbox = start(&contract).await;
    for path in ["/token", "/v1/relative"] {
        let granted = body(ask(&sandbox, path, &[("grant_type", "client_credentials")]).await).await;
        assert_eq!(granted["scope"], "read:pets", "{path}");
        assert_eq!(call(&sandbox, Method::GET, "/pet", granted["access_token"].as_str().unwrap()).await.0, 200);
    }
    let answer = ask(&sandbox, "/token", &[("grant_type", "client_credentials"), ("scope", "profile")]).await;
    let without = body(answer).await["access_token"].as_str().unwrap().to_owned();
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"read:pets\"";
    assert_eq!(call(&sandbox, Method::GET, "/pet", &without).await, (403, challenge.to_owned()));
    assert_eq!(client().get(format!("{}/other", sandbox.origin())).send().await.unwrap().status(), 404);
}

/// Catches a list of scopes that each operation copies, and a check that takes the square of them.
#[tokio::test]
async fn many_scopes_and_many_operations_are_no_burden() {
    let scopes: Vec<String> = (0..20_000).map(|index| format!("scope:{index}")).collect();
    let paths: serde_json::Map<String, Value> = (0..5_000)
        .map(|index| (format!("/p{index}"), json!({ "get": { "responses": { "200": { "description": "" } } } })))
        .collect();
    let contract = json!({
        "openapi": "3.0.3", "info": { "title": "Many", "version": "1" }, "security": [{ "oauth": scopes }], "paths": paths,
        "components": { "securitySchemes": { "oauth": { "type": "oauth2", "flows": { "clientCredentials": {
            "tokenUrl": "/token", "scopes": {} } } } } }
    });
    let sandbox = start(&contract).await;
    let refused = ask(&sandbox, "/token", &[("grant_type", "client_credentials")]).await;
    assert_eq!(body(refused).await["error"], "invalid_scope");
    let answer = ask(&sandbox, "/token", &[("grant_type", "client_credentials"), ("scope", "scope:1")]).await;
    let token = body(answer).await["access_token"].as_str().unwrap().to_owned();
    let (status, challenge) = call(&sandbox, Method::GET, "/p1", &token).await;
    assert!(status == 403 && challenge.len() < 5_000, "{status} {}", challenge.len());
}
