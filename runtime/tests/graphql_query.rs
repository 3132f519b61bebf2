//! GraphQL over HTTP: answers, partial answers, errors, retries, the token.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::sync::atomic::{AtomicU32, Ordering};

use platform_runtime::{
    Client, Error, Value,
    auth::StaticToken,
    graphql::{Document, GraphqlOptions, Untyped},
};
use serde_json::{Map, json};
use support::{Reply, Server};

fn platform(server: &Server) -> Client {
    Client::builder(&server.url).credential(StaticToken::new("canary-token")).build().unwrap()
}

async fn query(server: &Server) -> Result<Value, Error> {
    platform(server).graphql().query::<Value, _>("{ a }", ()).await?.into_data()
}

#[tokio::test]
async fn a_document_says_what_goes_in_and_what_comes_out() {
    const TYPED: Document<[(&str, u8); 1], Map<String, Value>> = Document::new("query A($n: Int!) { a(n: $n) }");
    const UNTYPED: Untyped = Untyped::new("query A($n: Int!) { a(n: $n) }");
    let server = Server::always(Reply::json(200, r#"{"data":{"a":1}}"#)).await;
    let platform = platform(&server);
    let typed = platform.graphql().query(&TYPED, [("n", 7)]).await.unwrap().into_data().unwrap();
    assert_eq!(typed.get("a"), Some(&json!(1)));
    let untyped = platform.graphql().query(&UNTYPED, json!({ "n": 7 })).await.unwrap().into_data().unwrap();
    assert_eq!(untyped, json!({ "a": 1 }));
    let text = TYPED.text().to_owned();
    let told = platform.graphql().query::<Map<String, Value>, _>(&text, json!({ "n": 7 })).await.unwrap();
    assert_eq!(told.data(), Some(&typed));
    let bodies: Vec<String> = server.requests().iter().map(|request| request.text()).collect();
    assert_eq!(bodies[0], r#"{"query":"query A($n: Int!) { a(n: $n) }","variables":{"n":7}}"#);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

#[tokio::test]
async fn a_query_is_a_post_with_the_credential_and_both_media_types() {
    let server = Server::always(Reply::json(200, r#"{"data":{"a":1},"extensions":{"cost":3}}"#)).await;
    let answer = platform(&server).graphql().query::<Value, _>("{ a }", json!({ "id": "7" })).await.unwrap();
    assert_eq!(answer.data(), Some(&json!({ "a": 1 })));
    assert_eq!(answer.extensions()["cost"], 3);
    let request = server.last();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/graphql"));
    assert_eq!(request.header("authorization"), Some("Bearer canary-token"));
    assert_eq!(request.header("accept"), Some("application/graphql-response+json, application/json;q=0.9"));
    assert_eq!(request.text(), r#"{"query":"{ a }","variables":{"id":"7"}}"#);
}

#[tokio::test]
async fn the_path_is_configuration() {
    let server = Server::always(Reply::json(200, r#"{"data":{}}"#)).await;
    let options = GraphqlOptions::new().path("/api/graph ql");
    let platform = Client::builder(format!("{}/base/", server.url)).graphql(options).build().unwrap();
    platform.graphql().query::<Value, _>("{ a }", ()).await.unwrap();
    assert_eq!(server.last().target, "/base/api/graph%20ql");
    let options = GraphqlOptions::new().path("//elsewhere.test/graphql?x");
    let platform = Client::builder(&server.url).graphql(options).build().unwrap();
    let outcome = platform.graphql().query::<Value, _>("{ a }", ()).await;
    assert!(outcome.is_err() || server.last().target.starts_with("//elsewhere.test/"), "it stays on the server");
}

#[tokio::test]
async fn partial_data_comes_with_its_errors() {
    let body = r#"{"data":{"a":1,"b":null},"errors":[{"message":"no b","path":["b",0],
        "locations":[{"line":1,"column":5}],"extensions":{"code":"FORBIDDEN"}}]}"#;
    let server = Server::always(Reply::json(200, body)).await;
    let answer = platform(&server).graphql().query::<Value, _>("{ a b }", ()).await.unwrap();
    assert_eq!(answer.data().unwrap()["a"], 1);
    let error = &answer.errors()[0];
    assert_eq!((error.message(), error.code()), ("no b", Some("FORBIDDEN")));
    assert_eq!(error.path(), [json!("b"), json!(0)]);
    assert_eq!((error.locations()[0].line, error.locations()[0].column), (1, 5));
    let error = answer.into_data().unwrap_err();
    assert!(error.is_graphql());
    assert_eq!(error.code(), "graphql");
}

#[tokio::test]
async fn errors_without_data_are_an_error_whatever_the_status() {
    let body = r#"{"errors":[{"message":"unknown field"},{"message":"and more"}]}"#;
    for (status, kind) in [(200, "application/json"), (400, "application/graphql-response+json"), (500, "text/plain")] {
        let server = Server::always(Reply::new(status, &[("content-type", kind)], body)).await;
        let error = query(&server).await.unwrap_err();
        assert!(error.is_graphql(), "{error:?}");
        assert_eq!(error.graphql_errors().len(), 2);
        assert!(error.to_string().contains("unknown field, and 1 more"), "{error}");
        assert_eq!(error.status().map(|status| status.as_u16()), (status != 200).then_some(status));
    }
}

#[tokio::test]
async fn a_status_with_another_body_stays_a_status() {
    for (status, body) in [
        (400, r#"{"title":"Bad","errors":{"query":["missing"]}}"#),
        (404, ""),
        (401, r#"{"errors":[{"message":"x"}]}"#),
    ] {
        let server = Server::always(Reply::json(status, body)).await;
        let error = query(&server).await.unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert_eq!(error.code(), "status");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_a_decode_error() {
    for body in ["", "null", "[]", "{}", "<html>", r#"{"data":1}"#, r#"{"data":null}"#, r#"{"data":{"a":1}"#] {
        let server = Server::always(Reply::json(200, body)).await;
        let error = platform(&server)
            .graphql()
            .query::<std::collections::BTreeMap<String, u8>, _>("{ a }", ())
            .await
            .unwrap_err();
        assert!(error.is_decode(), "{body}: {error:?}");
    }
    let server = Server::always(Reply::json(200, r#"{"data":null,"errors":"odd"}"#)).await;
    assert_eq!(query(&server).await.unwrap_err().graphql_errors().len(), 1);
}

#[tokio::test]
async fn queries_are_repeated_and_mutations_are_not() {
    for (document, expected) in [("{ a }", 2), ("mutation { a }", 1)] {
        let count = AtomicU32::new(0);
        let server = Server::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::new(503, &[("retry-after", "0")], ""),
            _ => Reply::json(200, r#"{"data":{}}"#),
        })
        .await;
        let outcome = platform(&server).graphql().query::<Value, _>(document, ()).await;
        assert_eq!(server.requests().len(), expected, "{document}");
        assert_eq!(outcome.is_ok(), expected == 2);
    }
}

#[tokio::test]
async fn variables_that_are_no_object_are_refused_before_sending() {
    let server = Server::always(Reply::json(200, r#"{"data":{}}"#)).await;
    for variables in [json!(1), json!("x"), json!([1]), json!([["a", 1, 2]])] {
        let error = platform(&server).graphql().query::<Value, _>("{ a }", variables).await.unwrap_err();
        assert!(error.is_request());
    }
    assert!(server.requests().is_empty());
    platform(&server).graphql().query::<Value, _>("{ a }", [("id", "1"), ("name", "x")]).await.unwrap();
    assert_eq!(server.last().text(), r#"{"query":"{ a }","variables":{"id":"1","name":"x"}}"#);
}

#[tokio::test]
async fn redirects_are_not_followed_and_a_repeated_token_is_blanked_out() {
    let other = Server::always(Reply::json(200, r#"{"data":{}}"#)).await;
    let location = format!("{}/graphql", other.url);
    for status in [302, 307, 308] {
        let server = Server::always(Reply::new(status, &[("location", &location)], "")).await;
        assert_eq!(query(&server).await.unwrap_err().status().unwrap().as_u16(), status);
    }
    assert!(other.requests().is_empty());
    for (status, body) in [
        (200, r#"{"errors":[{"message":"bad canary-token","extensions":{"t":"canary-token"}}]}"#),
        (400, r#"{"errors":[{"message":"bad canary-token"}]}"#),
    ] {
        let server = Server::always(Reply::json(status, body)).await;
        let error = query(&server).await.unwrap_err();
        let shown = format!("{error} {error:?} {:?} {:?}", error.graphql_errors(), error.raw_body());
        assert!(!shown.contains("canary"), "{shown}");
    }
}
