//! Operations that the service identifies by an address in a header of the accepted response.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use crate::support::{Reply, Server, WATCHDOG};
use crate::support_operations::{THING, options};
use driftless_runtime::{
    Client, Error, Method,
    auth::StaticToken,
    operations::{Binding, Cancel, Deadline, Operation, OperationRef, Operations, Watched},
};
use serde_json::json;

const HEADER: &str = "Operation-Location";

static ADDRESSED: Binding = Binding {
    kind: "addressed",
    watch: Some(Watched {
        path: "/regions/{region}/operations/{operation}?api-version={api-version}",
        parameter: "operation",
        header: Some(HEADER),
    }),
    query: "",
    subscription: None,
    state: "/state",
    pushed_state: None,
    cancel: None,
    ..THING
};

/// A binding whose address has another value for a parameter of the submission's path.
static SHARED_NAME: Binding = Binding {
    kind: "shared-name",
    path: "/machines/{name}/start",
    watch: Some(Watched {
        path: "/providers/{name}/operations/{operation}",
        parameter: "operation",
        header: Some(HEADER),
    }),
    cancel: Some(Cancel {
        method: Method::Post,
        path: "/machines/{name}/operations/{operation}/cancel",
        parameter: "operation",
    }),
    ..ADDRESSED
};

/// A service below `/v1` that accepts a submission with these headers, and shows these states one after another.
async fn service(headers: &'static [(&'static str, String)], states: &[&'static str]) -> Server {
    let left: Mutex<VecDeque<&str>> = Mutex::new(states.iter().copied().collect());
    Server::start(move |request| {
        if request.method == "POST" {
            let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            return Reply::new(202, &headers, "");
        }
        let mut left = left.lock().unwrap();
        let state = if left.len() > 1 { left.pop_front() } else { left.front().copied() };
        Reply::json(200, &json!({ "state": state }).to_string())
    })
    .await
}

fn operations(client: &Client) -> Operations {
    client.operations().with_binding(&ADDRESSED).with_options(options())
}

fn client(server: &Server) -> Client {
    let base = format!("{}/v1", server.url);
    Client::builder(&base).credential(StaticToken::new("canary-token")).no_retry().build().unwrap()
}

async fn submit(operations: &Operations) -> Result<Operation, Error> {
    let client = operations.client().clone();
    client.request(Method::Post, "/rooms/r 1/things").submit(operations, "addressed", Some("label")).await
}

/// The headers of a test live as long as its server.
fn fixed(values: &[String]) -> &'static [(&'static str, String)] {
    Vec::leak(values.iter().map(|value| (HEADER, value.clone())).collect())
}

fn asked(server: &Server) -> Vec<String> {
    server.requests().iter().map(|request| format!("{} {}", request.method, request.target)).collect()
}

/// Starts a server whose own address is a part of the header.
async fn at_own_address(text: &str, states: &[&'static str]) -> Server {
    let own: Arc<Mutex<String>> = Arc::default();
    let (known, text) = (Arc::clone(&own), text.to_owned());
    let left: Mutex<VecDeque<&str>> = Mutex::new(states.iter().copied().collect());
    let server = Server::start(move |request| {
        if request.method == "POST" {
            let value = text.replace("OWN", &known.lock().unwrap());
            return Reply::new(202, &[(HEADER, &value)], "");
        }
        let mut left = left.lock().unwrap();
        let state = if left.len() > 1 { left.pop_front() } else { left.front().copied() };
        Reply::json(200, &json!({ "state": state }).to_string())
    })
    .await;
    server.url.clone_into(&mut own.lock().unwrap());
    server
}

#[tokio::test]
async fn an_operation_is_watched_at_its_address_and_resumed_from_its_stored_reference() {
    for text in [
        "OWN/v1/regions/north%20sea/operations/a%2Fb?api-version=2&t=canary-signature",
        "/v1/regions/north%20sea/operations/a%2Fb?api-version=2&t=canary-signature",
        "../../regions/north%20sea/operations/a%2Fb?t=canary-signature&api-version=2#end",
    ] {
        let server = at_own_address(text, &["A", "B", "DONE"]).await;
        let first = client(&server);
        let submitted = submit(&operations(&first)).await.unwrap();
        let stored = submitted.reference().to_string();
        assert!(!stored.contains("canary"), "{stored}");
        assert_eq!(submitted.poll().await.unwrap().raw_state(), Some("A"), "{text}");
        drop((submitted, first));
        // Another program, which has the text only.
        let reference: OperationRef = stored.parse().unwrap();
        assert_eq!(reference.id(), "a/b");
        let resumed = operations(&client(&server)).operation(reference).unwrap();
        let outcome = tokio::time::timeout(WATCHDOG, resumed.wait(Deadline::never())).await.unwrap().unwrap();
        assert!(outcome.is_success(), "{outcome:?}");
        let asked = asked(&server);
        assert_eq!(asked[0], "POST /v1/rooms/r%201/things");
        let target = "GET /v1/regions/north%20sea/operations/a%2Fb?api-version=2";
        assert!(asked.len() >= 4 && asked[1..].iter().all(|asked| asked == target), "{asked:?}");
    }
}

#[tokio::test]
async fn an_address_of_something_else_gets_no_request() {
    let other = Server::start(|_| Reply::json(200, r#"{"state":"DONE"}"#)).await;
    let elsewhere = format!("{}/v1/regions/a/operations/b", other.url);
    let own = "/v1/regions/a/operations/b".to_owned();
    for values in [
        vec![],
        vec![String::new()],
        vec![elsewhere.clone()],
        vec![format!("//{}", elsewhere.split_once("//").unwrap().1)],
        vec!["https://[".to_owned()],
        vec!["/regions/a/operations/b".to_owned()],
        vec!["/v1/regions/a/operations/b/result".to_owned()],
        vec!["/v1/regions/a/operations".to_owned()],
        vec!["/v1/regions/a/operations/%00".to_owned()],
        vec![format!("/v1/regions/a/operations/{}", "x".repeat(2000))],
        vec![format!("/v1/regions/{}/operations/b", "x".repeat(2000))],
        vec![own.clone(), elsewhere],
    ] {
        let server = service(fixed(&values), &["DONE"]).await;
        let operations = operations(&client(&server));
        let error = submit(&operations).await.unwrap_err();
        assert!(error.is_submission_unknown(), "{values:?}: {error}");
        assert!(!error.to_string().contains("canary"));
        let asked = asked(&server);
        assert_eq!(asked, ["POST /v1/rooms/r%201/things"], "{values:?}");
        // The store has it, and the address that somebody knows completes it.
        let entry = operations.labelled("label").await.unwrap().unwrap();
        let correlation = entry.intent().correlation();
        assert!(operations.adopt(correlation, "https://elsewhere.example/v1/regions/a/operations/b").await.is_err());
        assert!(operations.adopt(correlation, "/v1/elsewhere").await.is_err());
        // The identifier alone does not say the region.
        assert!(operations.adopt(correlation, "b").await.is_err());
        let adopted = operations.adopt(correlation, &own).await.unwrap();
        assert_eq!((adopted.reference().id(), &adopted.reference().address()["region"][..]), ("b", "a"));
        assert!(adopted.wait(Deadline::never()).await.unwrap().is_success());
    }
    assert_eq!(other.count(), 0, "no token goes elsewhere");
}

#[tokio::test]
async fn a_header_that_stands_twice_with_one_value_is_one_address() {
    let own = "/v1/regions/a/operations/b".to_owned();
    let server = service(fixed(&[own.clone(), own]), &["DONE"]).await;
    let operation = submit(&operations(&client(&server))).await.unwrap();
    assert_eq!(operation.reference().id(), "b");
    assert!(operation.wait(Deadline::never()).await.unwrap().is_success());
    assert_eq!(asked(&server)[1], "GET /v1/regions/a/operations/b");
}

#[tokio::test]
async fn a_parameter_of_the_address_is_not_that_of_the_submission() {
    let server = service(fixed(&["/v1/providers/p/operations/7".to_owned()]), &["A"]).await;
    let operations = client(&server).operations().with_binding(&SHARED_NAME).with_options(options());
    let request = operations.client().request(Method::Post, "/machines/m/start");
    let submitted = request.submit(&operations, "shared-name", None).await.unwrap();
    // Another program, which has the text only.
    let reference: OperationRef = submitted.reference().to_string().parse().unwrap();
    let resumed = operations.operation(reference).unwrap();
    resumed.poll().await.unwrap();
    resumed.cancel().await.unwrap();
    let expected =
        ["POST /v1/machines/m/start", "GET /v1/providers/p/operations/7", "POST /v1/machines/m/operations/7/cancel"];
    assert_eq!(asked(&server), expected);
}
