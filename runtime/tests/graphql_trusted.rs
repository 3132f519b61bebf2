//! Trusted documents: requests with an identifier in place of a text.

use crate::support::{Recorded, Reply, Server, WATCHDOG};
use crate::support_graphql::{GraphqlServer, Peer};
use driftless_runtime::{
    Client, Error, Upload, Value,
    graphql::{File, GraphqlOptions, SubscriptionTransport, TrustedDocuments},
};
use serde_json::json;

/// A document, and its identifier, of the appendix on persisted documents of GraphQL over HTTP.
const DOCUMENT: &str = "query ($id: ID!) {\n  user(id: $id) {\n    name\n  }\n}";
const HASH: &str = "7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e";

fn client(server: &Server, options: GraphqlOptions) -> Client {
    Client::builder(&server.url).graphql(options).no_retry().build().unwrap()
}

fn body(request: &Recorded) -> Value {
    serde_json::from_str(&request.text()).unwrap()
}

fn options(form: TrustedDocuments) -> GraphqlOptions {
    GraphqlOptions::new().trusted_documents(form)
}

#[tokio::test]
async fn the_identifier_is_sent_and_never_the_text() {
    let server = Server::always(Reply::json(200, r#"{"data":{"user":null}}"#)).await;
    let rows = [
        (TrustedDocuments::DocumentId, json!({ "documentId": format!("sha256:{HASH}"), "variables": { "id": "7" } })),
        (
            TrustedDocuments::PersistedQuery,
            json!({ "variables": { "id": "7" }, "extensions": { "persistedQuery": { "version": 1, "sha256Hash": HASH } } }),
        ),
    ];
    for (form, expected) in rows {
        // Automatic persisted queries would teach the service the text.
        for options in [options(form), options(form).persisted_queries(true)] {
            let client = client(&server, options);
            for _ in 0..2 {
                client.graphql().query::<Value, _>(DOCUMENT, [("id", "7")]).await.unwrap();
                assert_eq!(body(&server.last()), expected, "{form:?}");
            }
        }
        let client = client(&server, options(form).queries_by_get(true));
        client.graphql().query::<Value, _>(DOCUMENT, [("id", "7")]).await.unwrap();
        let query = server.last().query().to_owned();
        assert!(query.contains(HASH) && !query.contains("user"), "{query}");
        if form == TrustedDocuments::DocumentId {
            let id = query.replace("%3A", ":");
            assert!(id.starts_with(&format!("documentId=sha256:{HASH}&variables=")), "{query}");
        }
        // A mutation with its name, and one with files.
        client.graphql().query::<Value, _>("mutation Rename { rename }", ()).await.unwrap();
        let sent = body(&server.last());
        assert_eq!((sent.get("query"), &sent["operationName"]), (None, &Value::from("Rename")), "{sent}");
        let file = File::from(Upload::bytes("one").file_name("a.txt"));
        let variables = std::collections::BTreeMap::from([("file", file)]);
        client
            .graphql()
            .query::<Value, _>("mutation Attach($file: Upload!) { attach(file: $file) }", variables)
            .await
            .unwrap();
        let form = server.last().text();
        assert!(form.contains("a.txt") && !form.contains("attach("), "{form}");
    }
}

#[tokio::test]
async fn a_subscription_is_sent_by_its_identifier_over_both_transports() {
    let document = "subscription { changed }";
    for form in [TrustedDocuments::DocumentId, TrustedDocuments::PersistedQuery] {
        let server = GraphqlServer::sockets(move |mut peer: Peer| async move {
            peer.acknowledge().await;
            let message = peer.receive().await.unwrap();
            let (id, payload) = (message["id"].as_str().unwrap(), &message["payload"]);
            assert!(payload.get("query").is_none(), "{payload}");
            let is_id = payload["documentId"].as_str().is_some_and(|id| id.starts_with("sha256:"));
            let is_hash = payload["extensions"]["persistedQuery"]["sha256Hash"].is_string();
            assert_eq!((is_id, is_hash), (form == TrustedDocuments::DocumentId, form != TrustedDocuments::DocumentId));
            let errors = r#"[{"message":"PersistedQueryNotFound"}]"#;
            peer.send(format!(r#"{{"id":"{id}","type":"error","payload":{errors}}}"#)).await;
            peer.idle().await;
        })
        .await;
        let client = Client::builder(&server.url).graphql(options(form)).build().unwrap();
        let mut changes = client.graphql().subscribe::<Value, _>(document, ());
        let next = tokio::time::timeout(WATCHDOG, changes.next()).await.unwrap().unwrap();
        says_what_to_do(&next.unwrap_err());

        let server = Server::always(Reply::new(
            200,
            &[("content-type", "text/event-stream")],
            "event: next\ndata: {\"data\":{\"changed\":1}}\n\nevent: complete\n\n",
        ))
        .await;
        let client = Client::builder(&server.url)
            .graphql(options(form).transport(SubscriptionTransport::ServerSentEvents))
            .build();
        let client = client.unwrap();
        let mut changes = client.graphql().subscribe::<Value, _>(document, ());
        tokio::time::timeout(WATCHDOG, changes.next()).await.unwrap().unwrap().unwrap();
        assert!(body(&server.last()).get("query").is_none(), "{}", server.last().text());
    }
}

#[track_caller]
fn says_what_to_do(error: &Error) {
    let text = error.to_string();
    let words = ["does not know the document", "`manifest = true`", "specs/graphql/manifest.json", "register"];
    assert!(error.is_graphql() && words.iter().all(|word| text.contains(word)), "{text}");
}

#[tokio::test]
async fn an_unknown_document_is_an_error_with_the_next_step_and_one_request() {
    let coded = |code: &str| format!(r#"{{"errors":[{{"message":"x","extensions":{{"code":"{code}"}}}}]}}"#);
    for (status, answer) in [
        (200, r#"{"errors":[{"message":"PersistedQueryNotFound"}]}"#.to_owned()),
        (400, r#"{"errors":[{"message":"PersistedQueryNotSupported"}]}"#.to_owned()),
        (404, coded("PERSISTED_QUERY_NOT_IN_LIST")),
        (200, coded("PERSISTED_QUERY_NOT_FOUND").replace("}]}", "}],\"data\":null}")),
        // The specification has no code for it.
        (400, r#"{"errors":[{"message":"no such document"}]}"#.to_owned()),
    ] {
        for form in [TrustedDocuments::DocumentId, TrustedDocuments::PersistedQuery] {
            let server = Server::always(Reply::json(status, &answer)).await;
            let client = client(&server, options(form));
            let error = client.graphql().query::<Value, _>(DOCUMENT, ()).await.unwrap_err();
            says_what_to_do(&error);
            assert_eq!(server.requests().len(), 1, "{answer}");
            assert!(!server.last().text().contains("\"query\""), "{}", server.last().text());
        }
    }
    // An error of a part of the document, and a refusal of the caller, have other causes.
    for (status, answer) in [
        (200, r#"{"errors":[{"message":"x","path":["user"]}],"data":null}"#),
        (401, r#"{"errors":[{"message":"expired"}]}"#),
        (500, "{}"),
    ] {
        let server = Server::always(Reply::json(status, answer)).await;
        let client = client(&server, options(TrustedDocuments::DocumentId));
        let error = client.graphql().query::<Value, _>(DOCUMENT, ()).await.unwrap_err();
        assert!(!error.to_string().contains("manifest"), "{error}");
    }
    // Partial data is an answer.
    let answer = r#"{"data":{"user":null},"errors":[{"message":"no user","path":["user"]}]}"#;
    let server = Server::always(Reply::json(200, answer)).await;
    let client = client(&server, options(TrustedDocuments::DocumentId));
    let partial = client.graphql().query::<Value, _>(DOCUMENT, ()).await.unwrap();
    assert_eq!(partial.errors().len(), 1);
}
