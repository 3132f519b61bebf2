//! The identity issuer (platform document §2, §4.5).

use std::time::Duration;

use crate::support;
use crate::support::{PROJECTS, ask_for_token, token};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::Value;

fn claims(token: &str) -> Value {
    let part = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[tokio::test]
async fn the_client_credentials_grant_answers_as_documented() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let client = &sandbox.clients()[0];
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_id", &client.client_id),
        ("client_secret", client.secret()),
        ("scope", "api"),
    ];
    let response = ask_for_token(&sandbox, &fields).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["cache-control"], "no-store");
    let body: Value = response.json().await.unwrap();
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["access_token", "expires_in", "token_type"]);
    assert_eq!((body["token_type"].as_str(), body["expires_in"].as_u64()), (Some("Bearer"), Some(3600)));

    let claims = claims(body["access_token"].as_str().unwrap());
    assert_eq!(claims["iss"], sandbox.auth_url());
    assert_eq!(claims["sub"], client.client_id);
    assert_eq!(claims["client_id"], client.client_id);
    assert_eq!(claims["scope"], "api");
    assert_eq!(claims["roles"], serde_json::json!(client.roles));
    assert_eq!(claims["team_id"], sandbox.team().id.to_string());
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 3600);
}

#[tokio::test]
async fn discovery_leads_to_the_key_that_signs() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let get = async |url: &str| support::fetch(url).await.unwrap().json::<Value>().await.unwrap();
    let discovery = get(&format!("{}/.well-known/openid-configuration", sandbox.auth_url())).await;
    assert_eq!(discovery["issuer"], sandbox.auth_url());
    assert_eq!(discovery["token_endpoint"], format!("{}/connect/token", sandbox.auth_url()));
    let keys = get(discovery["jwks_uri"].as_str().unwrap()).await;

    let token = token(&sandbox, &sandbox.clients()[0]).await;
    let (message, signature) = token.rsplit_once('.').unwrap();
    let header: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap()).unwrap();
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    assert_eq!(
        (key["kty"].as_str(), key["crv"].as_str(), header["alg"].as_str()),
        (Some("EC"), Some("P-256"), Some("ES256"))
    );
    let mut point = vec![4];
    for coordinate in ["x", "y"] {
        point.extend(URL_SAFE_NO_PAD.decode(key[coordinate].as_str().unwrap()).unwrap());
    }
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message.as_bytes(), &signature).unwrap();
    assert!(key.get("d").is_none());
}

#[tokio::test]
async fn refusals_have_oauth_bodies_and_status_400() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (client, dashboard) = (&sandbox.clients()[0], &sandbox.clients()[2]);
    let (id, secret) = (("client_id", client.client_id.as_str()), ("client_secret", client.secret()));
    let grant = ("grant_type", "client_credentials");
    let cases: [(&str, &[(&str, &str)]); 12] = [
        ("invalid_client", &[grant, id, ("client_secret", "wrong")]),
        ("invalid_client", &[grant, ("client_id", "nobody"), secret]),
        ("invalid_client", &[grant, ("client_id", "nobody"), ("client_secret", "wrong")]),
        ("invalid_client", &[grant, id]),
        ("invalid_client", &[grant, id, ("client_secret", "")]),
        ("invalid_client", &[grant]),
        ("invalid_request", &[id, secret]),
        ("invalid_request", &[grant, grant, id, secret]),
        ("unsupported_grant_type", &[("grant_type", "password"), id, secret]),
        ("invalid_scope", &[grant, id, secret, ("scope", "api admin")]),
        ("invalid_scope", &[grant, id, secret, ("scope", "API")]),
        (
            "unauthorized_client",
            &[grant, ("client_id", &dashboard.client_id), ("client_secret", dashboard.secret()), ("scope", "api")],
        ),
    ];
    for (error, fields) in cases {
        let response = ask_for_token(&sandbox, fields).await;
        assert_eq!(response.status(), 400, "{error}");
        assert_eq!(response.headers()["cache-control"], "no-store");
        let text = response.text().await.unwrap();
        assert!(!text.contains(client.secret()) && !text.contains(dashboard.secret()));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["error"], error, "{text}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_form_is_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let url = format!("{}/connect/token", sandbox.auth_url());
    let http = support::http();
    let long = "a".repeat(70_000);
    for (media_type, body) in [
        ("application/json", "{\"grant_type\":\"client_credentials\"}"),
        ("", "grant_type=client_credentials"),
        ("application/x-www-form-urlencoded", long.as_str()),
    ] {
        let mut request = http.post(&url).body(body.to_owned());
        if !media_type.is_empty() {
            request = request.header("content-type", media_type);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 400, "{media_type}");
        assert_eq!(response.json::<Value>().await.unwrap()["error"], "invalid_request", "{media_type}");
    }
    assert_eq!(http.get(&url).send().await.unwrap().status(), 405);
}

/// Catches a body whose rest never comes, of the issuer, the API, GraphQL and the control interface. The clock is paused: it steps to
/// the next timer while nothing else happens.
#[tokio::test]
async fn a_slow_body_ends() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let sandbox = platform_sandbox::start().await.unwrap();
    let bearer = format!("Authorization: Bearer {}\r\n", token(&sandbox, &sandbox.clients()[0]).await);
    let address = sandbox.base_url().strip_prefix("http://").unwrap().to_owned();
    let form = "application/x-www-form-urlencoded";
    let mut begun = Vec::new();
    for (path, media_type, status) in [
        ("/identity/connect/token", form, "400"),
        (PROJECTS, "application/json", "408"),
        ("/graphql", "application/json", "408"),
        ("/sandbox/reset", "application/json", "408"),
    ] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n{bearer}Content-Type: {media_type}\r\n");
        stream.write_all(format!("{head}Content-Length: 9\r\n\r\n{{").as_bytes()).await.unwrap();
        begun.push((path, status, stream));
    }
    // The answer to a further request shows that the others have arrived.
    token(&sandbox, &sandbox.clients()[0]).await;
    tokio::time::pause();
    for (path, status, mut stream) in begun {
        let mut answer = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(600), stream.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer);
        assert!(ended.is_ok() && answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        assert!(answer.contains("The body is too slow"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_client_may_authenticate_by_header_but_not_twice() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let client = &sandbox.clients()[0];
    let url = format!("{}/connect/token", sandbox.auth_url());
    let ask = async |secret: &str, extra: &[(&str, &str)]| {
        let mut fields = vec![("grant_type", "client_credentials"), ("scope", "api")];
        fields.extend(extra);
        let request = support::http().post(&url).basic_auth(&client.client_id, Some(secret)).form(&fields);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let (status, body) = ask(client.secret(), &[]).await;
    assert_eq!((status, body["token_type"].as_str()), (200, Some("Bearer")));
    assert_eq!(ask("wrong", &[]).await.1["error"], "invalid_client");
    assert_eq!(ask(client.secret(), &[("client_secret", client.secret())]).await.1["error"], "invalid_request");
}

#[tokio::test]
async fn a_scope_that_was_not_asked_for_is_told() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let client = &sandbox.clients()[0];
    let fields =
        [("grant_type", "client_credentials"), ("client_id", &client.client_id), ("client_secret", client.secret())];
    let body: Value = ask_for_token(&sandbox, &fields).await.json().await.unwrap();
    assert_eq!(body["scope"], "api");
}

#[tokio::test]
async fn tokens_that_are_expired_foreign_or_changed_are_refused() {
    let (sandbox, other) = (platform_sandbox::start().await.unwrap(), platform_sandbox::start().await.unwrap());
    let good = token(&sandbox, &sandbox.clients()[0]).await;
    sandbox.set_token_lifetime(Duration::ZERO);
    let expired = token(&sandbox, &sandbox.clients()[0]).await;
    let foreign = token(&other, &other.clients()[0]).await;
    let [header, claims, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("{good}") };
    let foreign_claims = foreign.split('.').nth(1).unwrap();
    let unsigned = URL_SAFE_NO_PAD.encode("{\"alg\":\"none\",\"kid\":\"\",\"typ\":\"JWT\"}");
    let status = async |token: &str| {
        let request = support::http().get(format!("{}{PROJECTS}", sandbox.base_url())).bearer_auth(token);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(status(&good).await, 200);
    for bad in [
        expired,
        foreign.clone(),
        format!("{header}.{foreign_claims}.{signature}"),
        format!("{header}.{claims}."),
        format!("{unsigned}.{claims}."),
        format!("{unsigned}.{claims}.{signature}"),
        format!("{header}.{claims}"),
        format!("{good}.{signature}"),
        format!("{good}="),
    ] {
        assert_eq!(status(&bad).await, 401, "{bad}");
    }
}
