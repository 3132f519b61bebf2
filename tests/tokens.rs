//! Authentication against the sandbox's issuer, seen from the consumer.

use std::fs;
use std::time::Duration;

use platform_client::Platform;
use platform_client::auth::{ClientCredentials, SecretFile, StaticToken};

use crate::support::{client, secret_files};

#[tokio::test]
async fn one_token_serves_many_calls() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    assert_eq!(sandbox.requests().total(), 0, "nothing is sent before the first call");
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let platform = platform.clone();
            tokio::spawn(async move { platform.projects().list_projects().await.map(drop) })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    platform.clone().projects().list_projects().await.unwrap();
    assert_eq!(sandbox.requests().count("POST", "/identity/connect/token"), 1);
    assert_eq!(sandbox.requests().count("GET", "/api/projects/v1/projects"), 21);
}

#[tokio::test]
async fn a_token_that_expired_on_the_way_is_replaced_once() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    platform.projects().list_projects().await.unwrap();
    // The clocks of issuer and service are ahead of the client's: only they know that the token has expired.
    sandbox.issuer().set_clock_skew(7_200);
    for _ in 0..3 {
        platform.projects().list_projects().await.unwrap();
    }
    assert_eq!(
        sandbox.requests().count("POST", "/identity/connect/token"),
        2,
        "the token that expired, and the one that replaces it"
    );
    assert_eq!(sandbox.requests().count("GET", "/api/projects/v1/projects"), 5, "one call was sent twice");
}

#[tokio::test]
async fn tokens_that_are_expired_when_they_arrive_are_an_error_and_no_loop() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.set_token_lifetime(Duration::ZERO);
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let error = platform.projects().list_projects().await.unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
    let asked = sandbox.requests().count("POST", "/identity/connect/token");
    assert!(asked <= 3, "{asked} token requests for one call");
    for _ in 0..20 {
        assert!(platform.projects().list_projects().await.unwrap_err().is_unauthorized());
    }
    let asked = sandbox.requests().count("POST", "/identity/connect/token");
    assert!(asked <= 8, "{asked} token requests for 21 calls");
}

#[tokio::test]
async fn a_wrong_secret_is_an_error_that_names_the_credential_and_not_the_secret() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let id = &sandbox.clients()[0].client_id;
    fs::write(secrets.path().join(format!("{id}.secret")), "canary-of-a-wrong-secret").unwrap();
    let error = client(&sandbox, secrets.path(), 0).projects().list_projects().await.unwrap_err();
    assert!(error.is_token() && !error.is_retryable(), "{error}");
    let text = format!("{error} {error:?}");
    assert!(text.contains(id) && text.contains("invalid_client"), "{text}");
    assert!(!text.contains("canary"), "{text}");

    // The secret is read again for each token, so a rotated secret needs no new client.
    let platform = client(&sandbox, secrets.path(), 0);
    sandbox.write_secret_files(secrets.path()).unwrap();
    platform.projects().list_projects().await.unwrap();
}

#[tokio::test]
async fn a_client_without_the_grant_is_told_so() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let error = client(&sandbox, secrets.path(), 2).projects().list_projects().await.unwrap_err();
    assert!(error.is_token(), "{error}");
    assert!(error.to_string().contains("unauthorized_client"), "{error}");
}

#[tokio::test]
async fn a_missing_secret_file_is_said_before_anything_is_sent() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let file = SecretFile::new("/nonexistent/platform.secret");
    let credential = ClientCredentials::new(sandbox.auth_url(), "aurora-automation", file);
    let platform = Platform::builder(sandbox.base_url()).credential(credential).build().unwrap();
    let error = platform.projects().list_projects().await.unwrap_err();
    assert!(error.to_string().contains("/nonexistent/platform.secret"), "{error}");
}

#[tokio::test]
async fn without_a_credential_or_with_a_wrong_token_the_caller_is_unauthorized() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let none = Platform::builder(sandbox.base_url()).build().unwrap();
    let error = none.projects().list_projects().await.unwrap_err();
    assert!(error.is_unauthorized() && error.to_string().contains("no credential"), "{error}");
    let wrong =
        Platform::builder(sandbox.base_url()).credential(StaticToken::new("canary.of.a-token")).build().unwrap();
    let error = wrong.projects().list_projects().await.unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
    assert!(error.to_string().contains("the token from memory"), "the credential is named: {error}");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
}
