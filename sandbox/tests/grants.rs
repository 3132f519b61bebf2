//! Authorization code with PKCE, refresh tokens, API tokens, keys, and the two styles of errors (platform document §5).

use std::time::Duration;

use crate::support;
use crate::support::cookies::{Browser, REDIRECT, VERIFIER, changed};
use crate::support::{Caller, PROJECTS, ask_for_token, grant, named, token};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use platform_sandbox::{ApiTokenFormat, ErrorStyle, RefreshPolicy, Sandbox};
use reqwest::{Response, Url};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

impl Browser<'_> {
    async fn authorize(&self, changes: &[(&str, &str)]) -> Response {
        let challenge = challenge(VERIFIER);
        let fields = [
            ("response_type", "code"),
            ("client_id", "platform-cli"),
            ("redirect_uri", REDIRECT),
            ("scope", "api offline_access"),
            ("state", "a&b=c"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        self.send(self.http.get(self.endpoint()).query(&changed(&fields, changes))).await
    }

    /// Gets a code for a user, who logs in on the way.
    async fn code(&self, user: &str) -> String {
        let response = self.authorize(&[]).await;
        let login = Url::parse(self.sandbox.base_url()).unwrap().join(&location(&response)).unwrap();
        assert_eq!(login.path(), "/identity/account/login");
        let back = login.query_pairs().find(|(name, _)| name == "returnUrl").unwrap().1.into_owned();
        let password = self.sandbox.user(user).unwrap().password();
        let entered = self.enter(user, password, &back).await;
        assert_eq!((entered.status().as_u16(), location(&entered)), (303, back.clone()));
        let answered = self.send(self.http.get(format!("{}{back}", self.sandbox.base_url()))).await;
        let answer = Url::parse(&location(&answered)).unwrap();
        assert!(answer.as_str().starts_with(REDIRECT));
        let parameter = |name: &str| answer.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        assert_eq!(parameter("state"), "a&b=c");
        assert_eq!(parameter("iss"), self.sandbox.auth_url());
        parameter("code")
    }
}

fn location(response: &Response) -> String {
    response.headers()["location"].to_str().unwrap().to_owned()
}

fn error_of(response: &Response) -> String {
    let answer = Url::parse(&location(response)).unwrap();
    answer.query_pairs().find(|(key, _)| key == "error").map(|(_, value)| value.into_owned()).unwrap_or_default()
}

async fn redeem(sandbox: &Sandbox, code: &str, changes: &[(&str, &str)]) -> (u16, Value) {
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", "platform-cli"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let response = ask_for_token(sandbox, &changed(&fields, changes)).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn refresh(sandbox: &Sandbox, token: &str) -> (u16, Value) {
    let fields = [("grant_type", "refresh_token"), ("client_id", "platform-cli"), ("refresh_token", token)];
    let response = ask_for_token(sandbox, &fields).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

/// The refresh token of a new authorization.
async fn refresh_token(sandbox: &Sandbox) -> String {
    let code = Browser::new(sandbox).code("ada").await;
    let (status, body) = redeem(sandbox, &code, &[]).await;
    assert_eq!(status, 200, "{body}");
    body["refresh_token"].as_str().unwrap().to_owned()
}

async fn status(sandbox: &Sandbox, token: &str) -> u16 {
    let request = support::http().get(format!("{}{PROJECTS}", sandbox.base_url())).bearer_auth(token);
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_user_logs_in_and_the_code_gives_tokens_once() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    let code = browser.code("ada").await;
    let (granted, body) = redeem(&sandbox, &code, &[]).await;
    assert_eq!(granted, 200, "{body}");
    assert_eq!((body["token_type"].as_str(), body["scope"].as_str()), (Some("Bearer"), Some("api offline_access")));
    let access = body["access_token"].as_str().unwrap();
    assert_eq!(status(&sandbox, access).await, 200);
    let claims = access.split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims["sub"], sandbox.user("ada").unwrap().id.to_string());
    assert_eq!(claims["client_id"], "platform-cli");

    // A second use is refused, and the tokens of the first one are revoked (RFC 6749 §4.1.2), also those that came by refreshing.
    let refreshed = refresh(&sandbox, body["refresh_token"].as_str().unwrap()).await.1;
    let later = refreshed["access_token"].as_str().unwrap();
    assert_eq!(status(&sandbox, later).await, 200);
    let (again, body_again) = redeem(&sandbox, &code, &[]).await;
    assert_eq!((again, body_again["error"].as_str()), (400, Some("invalid_grant")));
    assert_eq!(refresh(&sandbox, body["refresh_token"].as_str().unwrap()).await.0, 400);
    for token in [access, later] {
        assert_eq!(status(&sandbox, token).await, 401);
    }
    // The session continues: the next code needs no login.
    let answered = browser.authorize(&[("scope", "api")]).await;
    assert!(location(&answered).starts_with(REDIRECT));
    let url = Url::parse(&location(&answered)).unwrap();
    let code = url.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    let (_, body) = redeem(&sandbox, &code, &[]).await;
    assert!(body.get("refresh_token").is_none(), "offline_access was not asked for");
}

#[tokio::test]
async fn a_code_is_bound_to_client_redirect_and_verifier() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let dashboard = sandbox.client("aurora-dashboard").unwrap();
    for changes in [
        &[("code_verifier", "another-verifier-of-forty-three-characters-or-")][..],
        &[("code_verifier", "")],
        &[("code_verifier", "short")],
        &[("redirect_uri", "http://127.0.0.1:49998/callback")],
        &[("redirect_uri", "")],
        &[("code", "another")],
        &[("client_id", &dashboard.client_id), ("client_secret", dashboard.secret())],
    ] {
        let code = Browser::new(&sandbox).code("ada").await;
        let (status, body) = redeem(&sandbox, &code, changes).await;
        assert_eq!((status, body["error"].as_str()), (400, Some("invalid_grant")), "{changes:?}");
    }
}

#[tokio::test]
async fn requests_that_cannot_be_answered_are_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    // No redirect to an address that is not registered, and no part of the request becomes markup.
    for changes in [
        ("redirect_uri", "http://127.0.0.1:49999/other"),
        ("redirect_uri", "http://localhost:49999/callback"),
        ("redirect_uri", "https://evil.example/callback"),
        ("client_id", "<script>alert(1)</script>"),
        ("client_id", "aurora-automation"),
    ] {
        let response = browser.authorize(&[changes]).await;
        assert_eq!(response.status(), 400, "{changes:?}");
        assert!(response.headers().get("location").is_none());
        assert!(!response.text().await.unwrap().contains("<script>"));
    }
    for (changes, error) in [
        (("response_type", "token"), "unsupported_response_type"),
        (("code_challenge", ""), "invalid_request"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("scope", "api admin"), "invalid_scope"),
        (("scope", "offline_access"), "invalid_scope"),
        (("prompt", "none"), "login_required"),
        (("prompt", "other"), "invalid_request"),
        (("prompt", "none login"), "invalid_request"),
        (("max_age", "soon"), "invalid_request"),
        (("response_mode", "fragment"), "invalid_request"),
        (("request", "x"), "request_not_supported"),
        (("request_uri", "x"), "request_uri_not_supported"),
    ] {
        let response = browser.authorize(&[changes]).await;
        assert_eq!((response.status().as_u16(), error_of(&response).as_str()), (303, error), "{changes:?}");
        assert!(location(&response).contains("state=a%26b%3Dc"));
    }
}

#[tokio::test]
async fn the_login_page_refuses_strangers_and_foreign_forms() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    for (user, password) in [("ada", "wrong"), ("ada", ""), ("nobody", ""), ("<b>", "<i>")] {
        let response = browser.enter(user, password, "/identity/profile/api-tokens").await;
        assert_eq!(response.status(), 401, "{user}");
        assert!(response.headers().get("set-cookie").is_none());
    }
    // The address after the login must be on this server.
    let password = sandbox.user("ada").unwrap().password();
    for back in ["https://evil.example/", "//evil.example/", "/\\evil.example/", "evil", "\"><script>"] {
        let response = browser.enter("ada", password, back).await;
        assert_eq!(location(&response), "/identity/profile/api-tokens", "{back}");
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    }
    let url = format!("{}/account/login", sandbox.auth_url());
    let page = browser.http.get(&url).query(&[("returnUrl", "\"><script>x</script>")]).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    assert!(!page.text().await.unwrap().contains("<script>"));
    let foreign = browser.http.post(&url).header("origin", "https://evil.example");
    let foreign = foreign.form(&[("user", "ada"), ("password", password)]).send().await.unwrap();
    assert_eq!(foreign.status(), 403);
}

#[tokio::test]
async fn a_rolling_refresh_token_is_taken_again_within_the_leeway_only() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let first = refresh_token(&sandbox).await;
    let (status, second) = refresh(&sandbox, &first).await;
    assert_eq!(status, 200, "{second}");
    let second = second["refresh_token"].as_str().unwrap().to_owned();
    assert_ne!(second, first);
    // The answer was lost: the old token is accepted once more, and gives another one.
    let (status, third) = refresh(&sandbox, &first).await;
    assert_eq!(status, 200, "{third}");
    assert_ne!(third["refresh_token"], second.as_str());

    // After the leeway, its use revokes the whole chain.
    sandbox.issuer().set_clock_skew(31);
    let (status, body) = refresh(&sandbox, &first).await;
    assert_eq!((status, body["error"].as_str()), (400, Some("invalid_grant")));
    assert_eq!(refresh(&sandbox, &second).await.0, 400);
    assert_eq!(refresh(&sandbox, third["refresh_token"].as_str().unwrap()).await.0, 400);

    sandbox.issuer().set_refresh_policy(RefreshPolicy::Rolling { leeway: Duration::ZERO });
    let token = refresh_token(&sandbox).await;
    assert_eq!(refresh(&sandbox, &token).await.0, 200);
    assert_eq!(refresh(&sandbox, &token).await.0, 400);
}

#[tokio::test]
async fn a_reused_refresh_token_stays() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.issuer().set_refresh_policy(RefreshPolicy::Reused);
    let token = refresh_token(&sandbox).await;
    for _ in 0..3 {
        let (status, body) = refresh(&sandbox, &token).await;
        assert_eq!((status, body["refresh_token"].as_str()), (200, Some(token.as_str())));
    }
    // Another client cannot use it, and its own client cannot ask for more than was granted.
    let dashboard = sandbox.client("aurora-dashboard").unwrap();
    let other = [
        ("grant_type", "refresh_token"),
        ("client_id", &dashboard.client_id),
        ("client_secret", dashboard.secret()),
        ("refresh_token", &token),
    ];
    assert_eq!(ask_for_token(&sandbox, &other).await.status(), 400);
    let wider = [
        ("grant_type", "refresh_token"),
        ("client_id", "platform-cli"),
        ("refresh_token", &token),
        ("scope", "api admin"),
    ];
    let wider: Value = ask_for_token(&sandbox, &wider).await.json().await.unwrap();
    assert_eq!(wider["error"], "invalid_scope");

    let url = format!("{}/connect/revocation", sandbox.auth_url());
    let revoked =
        support::http().post(url).form(&[("client_id", "platform-cli"), ("token", &token)]).send().await.unwrap();
    assert_eq!(revoked.status(), 200);
    assert_eq!(refresh(&sandbox, &token).await.1["error"], "invalid_grant");
}

#[tokio::test]
async fn refresh_tokens_expire_and_can_be_revoked_together() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.issuer().set_refresh_lifetime(Duration::ZERO);
    let token = refresh_token(&sandbox).await;
    assert_eq!(refresh(&sandbox, &token).await.0, 400);
    sandbox.issuer().set_refresh_lifetime(Duration::from_secs(60));
    let token = refresh_token(&sandbox).await;
    sandbox.issuer().revoke_refresh_tokens().unwrap();
    assert_eq!(refresh(&sandbox, &token).await.0, 400);
}

#[tokio::test]
async fn api_tokens_are_made_shown_once_and_revoked_on_the_profile_page() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let page = format!("{}/profile/api-tokens", sandbox.auth_url());
    for format in [ApiTokenFormat::Opaque, ApiTokenFormat::Jwt] {
        sandbox.issuer().set_api_token_format(format);
        let browser = Browser::new(&sandbox);
        assert_eq!(
            location(&browser.send(browser.http.get(&page)).await).split('?').next(),
            Some("/identity/account/login")
        );
        browser.enter("bela", sandbox.user("bela").unwrap().password(), "/").await;
        let made =
            browser.send(browser.http.post(&page).form(&[("name", "<b>script</b>")])).await.text().await.unwrap();
        let token = made.split_once("id=\"token\">").unwrap().1.split_once('<').unwrap().0.to_owned();
        assert_eq!(token.matches('.').count(), if format == ApiTokenFormat::Jwt { 2 } else { 0 });
        assert!(made.contains("&lt;b&gt;script"));
        assert_eq!(status(&sandbox, &token).await, 200);
        let caller = Caller::with_token(&sandbox, token.clone());
        assert_eq!(
            caller.query("{ viewer { subject } }").await["viewer"]["subject"],
            sandbox.user("bela").unwrap().id.to_string()
        );

        let listed = browser.send(browser.http.get(&page)).await.text().await.unwrap();
        assert!(!listed.contains(&token));
        let digest = listed.split_once("name=\"token\" value=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
        let revoked = browser.send(browser.http.post(format!("{page}/revoke")).form(&[("token", &digest)])).await;
        assert_eq!(revoked.status(), 303);
        assert_eq!(status(&sandbox, &token).await, 401);
    }
    assert!(sandbox.issuer().create_api_token("nobody", "x").unwrap().is_none());
}

#[tokio::test]
async fn keys_rotate_and_old_ones_can_be_retired() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let client = &sandbox.clients()[0];
    let keys = async || {
        let url = format!("{}/.well-known/openid-configuration/jwks", sandbox.auth_url());
        let set: Value = support::fetch(url).await.unwrap().json().await.unwrap();
        set["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let old = token(&sandbox, client).await;
    let first = keys().await;
    sandbox.issuer().rotate_key().unwrap();
    let new = token(&sandbox, client).await;
    let both = keys().await;
    assert_eq!((both.len(), &both[1]), (2, &first[0]));
    assert_eq!((status(&sandbox, &old).await, status(&sandbox, &new).await), (200, 200));
    sandbox.issuer().retire_old_keys();
    assert_eq!(keys().await, both[..1]);
    assert_eq!((status(&sandbox, &old).await, status(&sandbox, &new).await), (401, 200));
}

#[tokio::test]
async fn errors_come_in_both_styles() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let wrong = [("grant_type", "client_credentials"), ("client_id", "aurora-automation"), ("client_secret", "wrong")];
    let unknown = [("grant_type", "password"), ("client_id", "platform-cli")];
    assert_eq!(ask_for_token(&sandbox, &wrong).await.status(), 400);
    sandbox.issuer().set_error_style(ErrorStyle::OpenIddict);
    let response = ask_for_token(&sandbox, &wrong).await;
    assert_eq!(response.status(), 401);
    assert!(response.headers()["www-authenticate"].to_str().unwrap().starts_with("Basic"));
    assert_eq!(response.json::<Value>().await.unwrap()["error"], "invalid_client");
    let response = ask_for_token(&sandbox, &unknown).await;
    assert_eq!((response.status().as_u16(), response.headers().get("www-authenticate")), (400, None));
    assert_eq!(response.json::<Value>().await.unwrap()["error"], "unsupported_grant_type");
}

#[tokio::test]
async fn discovery_lists_what_is_there() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let url = format!("{}/.well-known/openid-configuration", sandbox.auth_url());
    let document: Value = support::fetch(url).await.unwrap().json().await.unwrap();
    assert_eq!(document["issuer"], sandbox.auth_url());
    let elsewhere = format!("{}/.well-known/oauth-authorization-server/identity", sandbox.base_url());
    assert_eq!(support::fetch(elsewhere).await.unwrap().json::<Value>().await.unwrap(), document);
    let http = Browser::new(&sandbox).http;
    for (name, value) in document.as_object().unwrap() {
        let Some(address) = value.as_str().filter(|_| name.ends_with("_endpoint") || name == "jwks_uri") else {
            continue;
        };
        let response = http.get(address).send().await.unwrap();
        assert_ne!(response.status(), 404, "{name}");
    }
    assert_eq!(document["code_challenge_methods_supported"], serde_json::json!(["S256"]));
    assert_eq!(
        document["scopes_supported"],
        serde_json::json!(["api", "offline_access", "openid", "profile", "email"])
    );
}

#[tokio::test]
async fn a_token_without_the_optional_claims_is_taken() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let plain = named(&sandbox, "aurora-plain").await;
    let claims = plain.token().split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    for name in ["scope", "roles", "team_id", "tenant_id"] {
        assert!(claims.get(name).is_none(), "{name}");
    }
    assert_eq!(plain.get(PROJECTS).await.status(), 200);
    let tenant = named(&sandbox, "aurora-tenant").await;
    assert_eq!(tenant.get(PROJECTS).await.status(), 200);
}

#[tokio::test]
async fn a_skewed_clock_moves_tokens_and_their_check_together() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let client = &sandbox.clients()[0];
    let now = token(&sandbox, client).await;
    sandbox.issuer().set_clock_skew(2 * 3600);
    assert_eq!(status(&sandbox, &now).await, 401);
    let ahead = token(&sandbox, client).await;
    assert_eq!(status(&sandbox, &ahead).await, 200);
    sandbox.issuer().set_clock_skew(0);
    assert_eq!(status(&sandbox, &ahead).await, 200);
    let fields =
        [("grant_type", "client_credentials"), ("client_id", &client.client_id), ("client_secret", client.secret())];
    assert_eq!(grant(&sandbox, &fields).await["expires_in"], 3600);
}

/// The control interface signs a user in, so that a click replaces the password.
#[tokio::test]
async fn a_session_of_the_control_interface_needs_no_password() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let browser = Browser::new(&sandbox);
    let begin = async |user: &str| {
        let address = format!("{}/sandbox/issuer/sessions", sandbox.base_url());
        browser.send(browser.http.post(address).json(&serde_json::json!({ "user": user }))).await
    };
    assert_eq!(begin("nobody").await.status(), 400);
    assert_eq!(begin("bela").await.status(), 204);
    let answered = Url::parse(&location(&browser.authorize(&[]).await)).unwrap();
    let code = answered.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    let (status, body) = redeem(&sandbox, &code, &[]).await;
    assert_eq!(status, 200, "{body}");
    let claims = body["access_token"].as_str().unwrap().split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims["sub"], sandbox.user("bela").unwrap().id.to_string());
}
