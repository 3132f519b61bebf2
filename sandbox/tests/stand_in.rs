//! The stand-in of a regeneration serves the bytes of the sandbox, to the same callers.

use platform_sandbox::{Options, StandIn};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::support::{fetch, http, token};

/// A token of the stand-in, or the code of its refusal.
async fn grant(stand_in: &StandIn, form: &[(&str, &str)]) -> Result<String, String> {
    let url = format!("{}/connect/token", stand_in.auth_url());
    let answer: Value = http().post(url).form(form).send().await.unwrap().json().await.unwrap();
    let text = |member: &str| answer[member].as_str().map(str::to_owned);
    text("access_token").ok_or_else(|| text("error").unwrap())
}

fn credentials<'a>(client_id: &'a str, secret: &'a str) -> [(&'a str, &'a str); 3] {
    [("grant_type", "client_credentials"), ("client_id", client_id), ("client_secret", secret)]
}

async fn get(url: String, token: &str) -> Response {
    http().get(url).bearer_auth(token).send().await.unwrap()
}

fn header(response: &Response, name: &str) -> Option<String> {
    Some(response.headers().get(name)?.to_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_regeneration_downloads_the_same_from_the_stand_in_as_from_the_sandbox() {
    let options = Options { contract_requires_token: true, ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let stand_in = StandIn::start().await.unwrap();
    let of_sandbox = token(&sandbox, &sandbox.clients()[0]).await;
    let client = &stand_in.clients()[0];
    assert_eq!(client.client_id, sandbox.clients()[0].client_id);
    let of_stand_in = grant(&stand_in, &credentials(&client.client_id, client.secret())).await.unwrap();

    for path in ["/swagger/v1/swagger.json", "/swagger/v1/swagger.yaml", "/graphql?sdl"] {
        let expected = get(format!("{}{path}", sandbox.base_url()), &of_sandbox).await;
        let served = get(format!("{}{path}", stand_in.base_url()), &of_stand_in).await;
        assert_eq!(served.status(), StatusCode::OK, "{path}");
        for name in ["content-type", "etag"] {
            assert_eq!(header(&served, name), header(&expected, name), "{name} of {path}");
        }
        let (served, expected) = (served.text().await.unwrap(), expected.text().await.unwrap());
        if path == "/graphql?sdl" && std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/graphql/schema.graphql");
            std::fs::write(file, &expected).unwrap();
        } else {
            assert!(
                served == expected,
                "{path} differs; INSTA_UPDATE=always cargo test -p platform-sandbox --test sandbox stand_in writes the schema"
            );
        }
    }

    let url = stand_in.contract_url();
    let tag = header(&get(url.clone(), &of_stand_in).await, "etag").unwrap();
    let again = http().get(url).bearer_auth(&of_stand_in).header("if-none-match", tag).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn the_stand_in_gives_nothing_to_callers_without_its_token() {
    let stand_in = StandIn::start().await.unwrap();
    let (base, issuer) = (stand_in.base_url(), stand_in.auth_url());
    for url in
        [stand_in.contract_url(), format!("{base}/swagger/v1/swagger.yaml"), format!("{}?sdl", stand_in.graphql_url())]
    {
        assert_eq!(fetch(url.clone()).await.unwrap().status(), StatusCode::UNAUTHORIZED, "{url}");
        assert_eq!(get(url.clone(), "another").await.status(), StatusCode::UNAUTHORIZED, "{url}");
    }
    assert_eq!(fetch(format!("{base}/api/projects/v1/projects")).await.unwrap().status(), StatusCode::NOT_FOUND);
    let document = fetch(format!("{issuer}/.well-known/openid-configuration")).await.unwrap();
    assert_eq!(document.json::<Value>().await.unwrap()["issuer"], issuer);

    let [first, second, ..] = stand_in.clients() else { panic!("a seed has two clients") };
    let refused = |code: &str| Err(code.to_owned());
    for (client_id, secret) in
        [(&*first.client_id, second.secret()), (&*first.client_id, ""), ("nobody", ""), ("nobody", first.secret())]
    {
        assert_eq!(grant(&stand_in, &credentials(client_id, secret)).await, refused("invalid_client"), "{client_id}");
    }
    for client in stand_in.clients() {
        let expected = match (client.is_public(), client.client_credentials) {
            (true, _) => Err("invalid_client"),
            (false, false) => Err("unauthorized_client"),
            (false, true) => Ok(()),
        };
        let granted = grant(&stand_in, &credentials(&client.client_id, client.secret())).await;
        assert_eq!(granted.map(|_| ()), expected.map_err(str::to_owned), "{}", client.client_id);
    }
    let [grant_type, id, secret] = credentials(&first.client_id, first.secret());
    assert_eq!(grant(&stand_in, &[("grant_type", "password"), id, secret]).await, refused("unsupported_grant_type"));
    // A repeated parameter counts as omitted (RFC 6749 §3.2).
    assert_eq!(grant(&stand_in, &[grant_type, id, secret, secret]).await, refused("invalid_client"));
    let long = "x".repeat(70_000);
    assert_eq!(grant(&stand_in, &[grant_type, id, secret, ("more", &long)]).await, refused("invalid_request"));
}
