//! Security schemes of the contract.

use driftless_runtime::auth::{SecretString, StaticToken};

use crate::OtherBuilder;
use crate::service::Service;

/// The authentication lines of a request to each kind of operation, after its request line.
async fn sent(configure: impl Fn(OtherBuilder) -> OtherBuilder) -> [String; 4] {
    let service = Service::start(204, &[], "").await;
    let platform = configure(service.builder()).build().unwrap();
    platform.other().put_movie(7, &crate::types::Movie::new("Alien")).await.unwrap();
    platform.other().news().await.unwrap();
    platform.other().login().await.unwrap();
    platform.other().health().await.unwrap();
    let requests = service.requests();
    let lines = requests.iter().map(|request| {
        let mut lines = request.lines();
        let first = lines.next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
        let mut lines: Vec<&str> = lines
            .filter(|line| ["authorization:", "x-api-key:", "cookie:"].iter().any(|name| line.starts_with(name)))
            .collect();
        lines.insert(0, &first);
        lines.join("\n")
    });
    <[String; 4]>::try_from(lines.collect::<Vec<_>>()).unwrap()
}

fn secret(text: &str) -> SecretString {
    SecretString::from(text.to_owned())
}

#[tokio::test]
async fn each_operation_is_shown_what_the_contract_says() {
    let all = |builder: OtherBuilder| {
        builder
            .credential(StaticToken::new("the-token"))
            .api_key("header", secret("k1"))
            .api_key("query", secret("k2"))
            .api_key("cookie", secret("k3"))
            .basic("password", "me", secret("pass"))
    };
    let [put, news, login, health] = sent(all).await;
    assert_eq!(put, "PUT /movies/7\nx-api-key: k1");
    assert_eq!(news, "GET /news\nx-api-key: k1");
    assert_eq!(login, "POST /login\nauthorization: Basic bWU6cGFzcw==");
    assert_eq!(health, "GET /health");
}

#[tokio::test]
async fn the_first_alternative_that_the_client_has_is_taken() {
    let two = |builder: OtherBuilder| {
        builder.credential(StaticToken::new("the-token")).api_key("cookie", secret("k3")).api_key("query", secret("k2"))
    };
    let [put, news, login, health] = sent(two).await;
    assert_eq!(put, "PUT /movies/7?key=k2\ncookie: session=k3");
    assert_eq!([news, login, health], ["GET /news", "POST /login", "GET /health"]);
    let one = |builder: OtherBuilder| builder.credential(StaticToken::new("the-token")).api_key("cookie", secret("k3"));
    assert_eq!(sent(one).await[0], "PUT /movies/7\nauthorization: Bearer the-token");
}

#[tokio::test]
async fn a_key_for_what_the_contract_does_not_have_is_refused() {
    let service = Service::start(204, &[], "").await;
    let wrong = [
        service.builder().api_key("heder", secret("k")),
        service.builder().api_key("password", secret("k")),
        service.builder().basic("header", "me", secret("k")),
        service.builder().api_key("signature", secret("k")),
    ];
    for builder in wrong {
        let error = builder.build().unwrap_err();
        assert!(error.is_request() && !format!("{error:?}").contains("\"k\""), "{error}");
    }
}
