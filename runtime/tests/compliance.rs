//! The compliance resource server beside the main one: each with its own address, credential and token.

use crate::support::{Reply, Server};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use driftless_runtime::{Client, Method, ServerSettings, Uuid, auth::StaticToken};

const TEAM: Uuid = Uuid::from_u128(0x0a0b_0c0d);

fn token(payload: &str) -> String {
    format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(payload))
}

async fn pair(compliance_token: String) -> (Server, Server, Client) {
    let main = Server::always(Reply::json(200, "{}")).await;
    let compliance = Server::always(Reply::json(200, "{}")).await;
    let platform = Client::builder(&main.url)
        .credential(StaticToken::new("main-token"))
        .server(
            "compliance",
            ServerSettings::new(&compliance.url)
                .credential(StaticToken::new(compliance_token))
                .required_claim(["team_id", "tenant_id"], TEAM),
        )
        .build()
        .unwrap();
    (main, compliance, platform)
}

#[tokio::test]
async fn each_server_gets_its_own_token() {
    let (main, compliance, platform) = pair(token(&format!(r#"{{"team_id":"{TEAM}"}}"#))).await;
    platform.request(Method::Get, "/a").send().await.unwrap();
    platform.server("compliance").unwrap().request(Method::Get, "/b").send().await.unwrap();
    assert_eq!(main.last().header("authorization"), Some("Bearer main-token"));
    assert_eq!((main.requests().len(), compliance.requests().len()), (1, 1));
    assert!(compliance.last().header("authorization").unwrap().starts_with("Bearer e30."));

    let bare = Client::builder(&main.url)
        .credential(StaticToken::new("main-token"))
        .server("compliance", ServerSettings::new(&compliance.url))
        .build()
        .unwrap();
    bare.server("compliance").unwrap().request(Method::Get, "/b").send().await.unwrap();
    assert_eq!(compliance.last().header("authorization"), None, "the main token goes to the main server only");
    let error = Client::builder(&main.url).build().unwrap().server("compliance").unwrap_err();
    assert!(error.is_request() && error.to_string().contains("compliance"));
}

#[tokio::test]
async fn a_token_of_another_team_is_not_sent() {
    let other = Uuid::from_u128(7);
    for (payload, says) in [
        (format!(r#"{{"team_id":"{other}"}}"#), other.to_string()),
        (format!(r#"{{"tenant_id":"{other}"}}"#), other.to_string()),
        (format!(r#"{{"team_id":"{other}","tenant_id":"{TEAM}"}}"#), other.to_string()),
        (r#"{"team_id":"blue"}"#.to_owned(), "another value".to_owned()),
    ] {
        let (_main, compliance, platform) = pair(token(&payload)).await;
        let error = platform.server("compliance").unwrap().request(Method::Get, "/b").send().await.unwrap_err();
        let printed = error.to_string();
        assert!(error.is_request() && !error.was_sent() && compliance.requests().is_empty(), "{printed}");
        assert!(
            printed.contains(&says) && printed.contains(&TEAM.to_string()) && printed.contains("nothing was sent"),
            "{printed}"
        );
    }
}

#[tokio::test]
async fn a_token_of_the_team_or_of_none_is_sent() {
    let braces = format!(r#"{{"tenant_id":"{{{}}}"}}"#, TEAM.to_string().to_uppercase());
    for text in [token(&braces), token("{}"), token(r#"{"team_id":5}"#), "opaque".to_owned(), "a.b.c".to_owned()] {
        let (_main, compliance, platform) = pair(text).await;
        platform.server("compliance").unwrap().request(Method::Get, "/b").send().await.unwrap();
        assert_eq!(compliance.requests().len(), 1);
    }
}

#[test]
fn its_configuration_is_checked() {
    let build = |server| Client::builder("https://platform.example").server("compliance", server).build();
    assert!(build(ServerSettings::new("http://compliance.example")).unwrap_err().is_request());
    assert!(build(ServerSettings::new("https://compliance.example")).is_ok());
}

#[tokio::test]
async fn each_server_has_its_own_limits() {
    let main = Server::always(Reply::json(200, "[1, 2, 3]")).await;
    let other = Server::always(Reply::json(200, "[1, 2, 3]")).await;
    let small = ServerSettings::new(&other.url).body_limit(4).deadline(std::time::Duration::from_secs(7));
    let platform = Client::builder(&main.url).server("other", small).build().unwrap();
    let list = async |client: &Client| client.request(Method::Get, "/a").call::<Vec<u8>>().await;
    assert_eq!(list(&platform).await.unwrap(), [1, 2, 3]);
    let error = list(platform.server("other").unwrap()).await.unwrap_err();
    assert!(error.to_string().contains('4'), "{error}");
    assert!(platform.server("nobody").unwrap_err().to_string().contains("nobody"));
}
