//! OpenID Connect on top of the issuer: ID tokens, the user's claims, prompts, response modes, introspection, revocation.

use std::time::Duration;

use crate::support;
use crate::support::cookies::{Browser, REDIRECT, VERIFIER, changed};
use crate::support::{Caller, PROJECTS, ask_for_token, grant};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use platform_sandbox::Sandbox;
use reqwest::{Response, Url};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

impl Browser<'_> {
    /// The address to which a request of the confidential client leads: the login, or the client.
    async fn ask(&self, changes: &[(&str, &str)]) -> Url {
        let response = self.send(self.http.get(self.endpoint()).query(&fields(changes))).await;
        self.sent_to(&response)
    }

    fn sent_to(&self, response: &Response) -> Url {
        assert_eq!(response.status(), 303);
        let location = response.headers()["location"].to_str().unwrap();
        Url::parse(self.sandbox.base_url()).unwrap().join(location).unwrap()
    }

    /// Logs in at the address of a redirect, and follows the next one.
    async fn log_in(&self, login: &Url, user: &str) -> Url {
        assert_eq!(login.path(), "/identity/account/login");
        let back = parameter(login, "returnUrl").unwrap();
        let password = self.sandbox.user(user).unwrap().password();
        let back = self.sent_to(&self.enter(user, password, &back).await);
        self.sent_to(&self.send(self.http.get(back)).await)
    }
}

fn fields<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let fields = [
        ("response_type", "code"),
        ("client_id", "aurora-dashboard"),
        ("redirect_uri", REDIRECT),
        ("scope", "openid profile email api offline_access"),
        ("state", "s"),
        ("nonce", "n-1"),
    ];
    changed(&fields, changes)
}

fn parameter(address: &Url, name: &str) -> Option<String> {
    address.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

async fn redeem(sandbox: &Sandbox, answer: &Url) -> Value {
    let secret = sandbox.client("aurora-dashboard").unwrap().secret();
    let code = parameter(answer, "code").unwrap_or_else(|| panic!("{answer}"));
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", "aurora-dashboard"),
        ("client_secret", secret),
        ("code", &code),
        ("redirect_uri", REDIRECT),
    ];
    grant(sandbox, &fields).await
}

/// The claims of an ID token whose signature is the issuer's.
async fn verified(sandbox: &Sandbox, token: &str) -> Value {
    let keys = support::fetch(format!("{}/.well-known/openid-configuration/jwks", sandbox.auth_url())).await.unwrap();
    let keys: Value = keys.json().await.unwrap();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (header, claims) = message.split_once('.').unwrap();
    let header: Value = serde_json::from_slice(&decode(header)).unwrap();
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("JWT")));
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    let point = [vec![4], decode(key["x"].as_str().unwrap()), decode(key["y"].as_str().unwrap())].concat();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message.as_bytes(), &decode(signature)).unwrap();
    serde_json::from_slice(&decode(claims)).unwrap()
}

async fn userinfo(sandbox: &Sandbox, token: &str) -> (u16, Value) {
    let request = support::http().get(format!("{}/connect/userinfo", sandbox.auth_url())).bearer_auth(token);
    let response = request.send().await.unwrap();
    (response.status().as_u16(), serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
}

async fn status(sandbox: &Sandbox, token: &str) -> u16 {
    Caller::with_token(sandbox, token.to_owned()).get(PROJECTS).await.status().as_u16()
}

#[tokio::test]
async fn an_id_token_tells_who_has_logged_in_and_for_whom() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    let answer = browser.log_in(&browser.ask(&[]).await, "ada").await;
    let granted = redeem(&sandbox, &answer).await;
    let token = granted["id_token"].as_str().unwrap();
    let access = granted["access_token"].as_str().unwrap();
    let claims = verified(&sandbox, token).await;
    let ada = sandbox.user("ada").unwrap();
    let id = ada.id.to_string();
    assert_eq!(
        [&claims["iss"], &claims["aud"], &claims["sub"], &claims["nonce"]],
        [sandbox.auth_url(), "aurora-dashboard", &id, "n-1"]
    );
    let half = URL_SAFE_NO_PAD.encode(&Sha256::digest(access.as_bytes())[..16]);
    assert_eq!(claims["at_hash"], half);
    assert!(claims["auth_time"].as_i64().unwrap() <= claims["iat"].as_i64().unwrap());
    let expected = json!({
        "sub": id, "name": "ada", "preferred_username": "ada", "email": "ada@users.invalid", "email_verified": false,
    });
    assert_eq!(userinfo(&sandbox, access).await, (200, expected));
    // It is for the client, and the API refuses it.
    assert_eq!((status(&sandbox, token).await, status(&sandbox, access).await), (401, 200));
    assert_eq!(userinfo(&sandbox, token).await.0, 401);
    // A refreshed one has the time of the same login, and no nonce.
    let secret = sandbox.client("aurora-dashboard").unwrap().secret();
    let refresh = granted["refresh_token"].as_str().unwrap();
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", "aurora-dashboard"),
        ("client_secret", secret),
        ("refresh_token", refresh),
    ];
    let next = grant(&sandbox, &fields).await;
    let refreshed = verified(&sandbox, next["id_token"].as_str().unwrap()).await;
    assert_eq!((&refreshed["auth_time"], &refreshed["sub"]), (&claims["auth_time"], &claims["sub"]));
    assert!(refreshed.get("nonce").is_none());
}

#[tokio::test]
async fn the_scope_decides_what_is_told() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    browser.log_in(&browser.ask(&[]).await, "ada").await;
    let only = redeem(&sandbox, &browser.ask(&[("scope", "openid")]).await).await;
    let access = only["access_token"].as_str().unwrap();
    assert_eq!(userinfo(&sandbox, access).await, (200, json!({ "sub": sandbox.user("ada").unwrap().id })));
    assert_eq!(status(&sandbox, access).await, 401, "the scope of the API was not asked for");
    assert!(only.get("refresh_token").is_none());
    let verifier = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER.as_bytes()));
    let pkce = [("scope", "api"), ("code_challenge", verifier.as_str()), ("code_challenge_method", "S256")];
    assert!(parameter(&browser.ask(&pkce).await, "code").is_some());
    let token = support::token(&sandbox, &sandbox.clients()[0]).await;
    assert_eq!(userinfo(&sandbox, &token).await.0, 403, "a client is not an user");
    // PKCE is required of a public client, of one without a nonce, and of one that asks for no ID token.
    for changes in [
        vec![("client_id", "platform-cli")],
        vec![("nonce", "")],
        vec![("scope", "api")],
        vec![("code_challenge", "short")],
    ] {
        let answer = browser.ask(&changes).await;
        assert_eq!(parameter(&answer, "error").as_deref(), Some("invalid_request"), "{changes:?}: {answer}");
    }
    // A code without a challenge is refused with a verifier.
    let answer = browser.ask(&[]).await;
    let code = parameter(&answer, "code").unwrap();
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", "aurora-dashboard"),
        ("client_secret", sandbox.client("aurora-dashboard").unwrap().secret()),
        ("code", &code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    assert_eq!(ask_for_token(&sandbox, &fields).await.status(), 400);
}

#[tokio::test]
async fn a_request_can_demand_a_new_login_or_that_nobody_is_asked() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    let error = async |changes: &[(&str, &str)]| parameter(&browser.ask(changes).await, "error");
    assert_eq!(error(&[("prompt", "none")]).await.as_deref(), Some("login_required"));
    let granted = redeem(&sandbox, &browser.log_in(&browser.ask(&[("login_hint", "ada")]).await, "ada").await).await;
    let hint = granted["id_token"].as_str().unwrap();
    for enough in [
        vec![("prompt", "none")],
        vec![("prompt", "consent")],
        vec![("prompt", "none"), ("id_token_hint", hint)],
        vec![("max_age", "100")],
    ] {
        assert!(parameter(&browser.ask(&enough).await, "code").is_some(), "{enough:?}");
    }
    // Each requires a login although there is a session, and the next login satisfies it.
    for (number, anew) in
        [("prompt", "login"), ("prompt", "select_account"), ("prompt", "login consent")].into_iter().enumerate()
    {
        let login = browser.ask(&[anew]).await;
        assert_eq!(login.path(), "/identity/account/login", "{anew:?}");
        let user = if number == 1 { "bela" } else { "ada" };
        let answer = browser.log_in(&login, user).await;
        let claims = verified(&sandbox, redeem(&sandbox, &answer).await["id_token"].as_str().unwrap()).await;
        assert_eq!(claims["sub"], sandbox.user(user).unwrap().id.to_string());
        assert!(claims["auth_time"].is_i64());
    }
    // A session that is older than the client accepts.
    sandbox.issuer().set_clock_skew(1000);
    assert_eq!(error(&[("prompt", "none"), ("max_age", "100")]).await.as_deref(), Some("login_required"));
    let login = browser.ask(&[("max_age", "0")]).await;
    assert!(parameter(&browser.log_in(&login, "ada").await, "code").is_some());
    // An ID token of another user, and one without a signature.
    browser.log_in(&browser.ask(&[("prompt", "login")]).await, "bela").await;
    for hint in [hint, "e30.e30.e30"] {
        let asked = [("prompt", "none"), ("id_token_hint", hint)];
        assert_eq!(error(&asked).await.as_deref(), Some("login_required"));
    }
}

#[tokio::test]
async fn a_request_comes_in_a_form_and_the_answer_goes_in_one() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    browser.log_in(&browser.ask(&[]).await, "ada").await;
    let asked = fields(&[("response_mode", "form_post"), ("state", "\"><script>")]);
    let response = browser.send(browser.http.post(browser.endpoint()).form(&asked)).await;
    assert_eq!((response.status().as_u16(), response.headers()["cache-control"].to_str().unwrap()), (200, "no-store"));
    let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'sha256-"), "{policy}");
    let page = response.text().await.unwrap();
    assert!(page.contains(&format!("<form method=\"post\" action=\"{REDIRECT}\">")), "{page}");
    assert!(page.contains("name=\"state\" value=\"&quot;&gt;&lt;script&gt;\""), "{page}");
    assert!(page.contains(&format!("name=\"iss\" value=\"{}\"", sandbox.auth_url())), "{page}");
    let code = page.split("name=\"code\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let answer = Url::parse(&format!("{REDIRECT}?code={code}")).unwrap();
    assert!(redeem(&sandbox, &answer).await["id_token"].is_string());
    // An error uses the same response mode.
    let asked = fields(&[("response_mode", "form_post"), ("scope", "other")]);
    let page = browser.send(browser.http.get(browser.endpoint()).query(&asked)).await.text().await.unwrap();
    assert!(page.contains("name=\"error\" value=\"invalid_scope\""), "{page}");
}

#[tokio::test]
async fn tokens_are_introspected_and_revoked() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    let granted = redeem(&sandbox, &browser.log_in(&browser.ask(&[]).await, "ada").await).await;
    let (access, refresh) = (granted["access_token"].as_str().unwrap(), granted["refresh_token"].as_str().unwrap());
    let api_token = sandbox.issuer().create_api_token("ada", "x").unwrap().unwrap();
    let send = async |place: &str, client: &str, token: &str| {
        let secret = sandbox.client(client).unwrap().secret();
        let mut fields = vec![("client_id", client), ("token", token)];
        if !secret.is_empty() {
            fields.push(("client_secret", secret));
        }
        let url = format!("{}/connect/{place}", sandbox.auth_url());
        let response = support::http().post(url).form(&fields).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let introspect = async |client: &str, token: &str| send("introspect", client, token).await.1;
    let id = json!(sandbox.user("ada").unwrap().id);
    for token in [access, refresh, &api_token] {
        let body = introspect("aurora-dashboard", token).await;
        assert_eq!((&body["active"], &body["sub"]), (&json!(true), &id), "{body}");
    }
    assert_eq!(introspect("aurora-dashboard", access).await["client_id"], "aurora-dashboard");
    let unknown = json!({ "active": false });
    let id_token = granted["id_token"].as_str().unwrap();
    for token in ["x", id_token, "sbx_x"] {
        assert_eq!(introspect("aurora-dashboard", token).await, unknown);
    }
    assert_eq!(introspect("aurora-automation", refresh).await, unknown, "a refresh token is its client's own");
    assert_eq!(send("introspect", "platform-cli", access).await.0, 400, "a public client may not ask");
    // Another client's token is not revoked, and the answer does not reveal that.
    assert_eq!(status(&sandbox, access).await, 200);
    assert_eq!(send("revocation", "aurora-automation", access).await.0, 200);
    assert_eq!(status(&sandbox, access).await, 200);
    assert_eq!(send("revocation", "aurora-dashboard", access).await.0, 200);
    assert_eq!((status(&sandbox, access).await, introspect("aurora-dashboard", access).await), (401, unknown.clone()));
    assert_eq!(send("revocation", "aurora-dashboard", refresh).await.0, 200);
    assert_eq!(introspect("aurora-dashboard", refresh).await, unknown);
    sandbox.issuer().set_token_lifetime(Duration::ZERO);
    let expired = support::token(&sandbox, &sandbox.clients()[0]).await;
    assert_eq!(introspect("aurora-dashboard", &expired).await, unknown);
}
