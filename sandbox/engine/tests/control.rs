//! Faults, journal, clock and the table of operations of a sandbox for any contract, over HTTP and from Rust.

use std::time::Duration;

use driftless_sandbox::{Expected, FaultRule, Options, RequestFilter, Sandbox};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::{body, client, document, pets, send, start};

async fn ask(sandbox: &Sandbox, method: Method, path: &str, wanted: Value) -> Response {
    let request = client().request(method, format!("{}/sandbox/{path}", sandbox.origin()));
    let request = if wanted.is_null() { request } else { request.json(&wanted) };
    request.send().await.unwrap()
}

async fn status(sandbox: &Sandbox, method: Method, path: &str, sent: Option<Value>) -> u16 {
    send(sandbox, method, path, sent).await.status().as_u16()
}

/// Catches a fault that counts other operations, and one that goes on after its number of uses.
#[tokio::test]
async fn a_fault_meets_the_next_requests_of_its_operation_and_no_others() {
    let sandbox = start(&pets("3.0.3")).await;
    let rule = json!({ "match": { "operation": "GET /pets" }, "times": 2, "fault": "status=503, retry-after=1" });
    let added = ask(&sandbox, Method::POST, "faults", rule).await;
    assert_eq!(added.status(), StatusCode::CREATED);
    assert_eq!(status(&sandbox, Method::GET, "/pets/1", None).await, 200);
    let refused = send(&sandbox, Method::GET, "/pets?limit=1", None).await;
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()), (503, "1"));
    assert_eq!(status(&sandbox, Method::HEAD, "/pets", None).await, 200, "another operation");
    assert_eq!(status(&sandbox, Method::GET, "/pets", None).await, 503);
    assert_eq!(status(&sandbox, Method::GET, "/pets", None).await, 200);
    let listed = body(ask(&sandbox, Method::GET, "faults", Value::Null).await).await;
    assert_eq!(listed["faults"], json!([]));
}

/// Catches a matcher of the contract that knows neither templates nor base paths.
#[tokio::test]
async fn what_can_never_match_is_refused_with_the_place() {
    let sandbox = start(&pets("2.0")).await;
    for (rule, place) in [
        (json!({ "match": { "operation": "GET /dogs" }, "fault": "status=500" }), "$.match.operation"),
        (json!({ "match": { "template": "/pets/{id}" }, "fault": "status=500" }), "$.match.template"),
        (json!({ "fault": "outcome=failure" }), "$.fault"),
    ] {
        let refused = ask(&sandbox, Method::POST, "faults", rule).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        assert!(body(refused).await["errors"][place].is_array(), "{place}");
    }
    let rule = json!({ "match": { "template": "/pets/{petId}", "method": "GET" }, "fault": "status=500" });
    assert_eq!(ask(&sandbox, Method::POST, "faults", rule).await.status(), StatusCode::CREATED);
    assert_eq!(status(&sandbox, Method::GET, "/pets/1", None).await, 500);
}

/// Catches connections that are not cut, and bodies that end as if they were complete.
#[tokio::test]
async fn connections_are_cut_and_bodies_end_early() {
    let sandbox = start(&pets("3.1.0")).await;
    for fault in ["reset=before", "reset=after"] {
        sandbox.faults().next(1, "/v1/pets", fault.parse().unwrap()).unwrap();
        let request = client().get(format!("{}/pets", sandbox.base_url())).header("x-key", "any");
        assert!(request.send().await.is_err(), "{fault}");
    }
    sandbox.faults().next(1, RequestFilter::new().operation("GET /pets"), "truncate=5".parse().unwrap()).unwrap();
    let cut = send(&sandbox, Method::GET, "/pets", None).await;
    assert_eq!(cut.status(), StatusCode::OK);
    assert!(cut.bytes().await.is_err());
    let alone = client().get(format!("{}/pets", sandbox.base_url())).header("x-sandbox-fault", "status=418");
    assert_eq!(alone.send().await.unwrap().status().as_u16(), 418);
    let rule =
        FaultRule::new("late-status=502".parse().unwrap()).matching(RequestFilter::new().method("POST")).times(1);
    sandbox.faults().add(rule).unwrap();
    assert_eq!(status(&sandbox, Method::POST, "/pets", Some(json!({ "name": "Late" }))).await, 502);
    let list = body(send(&sandbox, Method::GET, "/pets", None).await).await;
    assert!(list.to_string().contains("Late"), "the request was handled: {list}");
}

/// Catches a journal without the bodies of requests that are answered before they are read, and one that tells credentials.
#[tokio::test]
async fn the_journal_has_every_request_with_its_body_and_without_credentials() {
    let sandbox = start(&pets("3.0.3")).await;
    let rex = json!({ "name": "Rex" });
    let path = format!("{}/pets", sandbox.base_url());
    let refused = client().post(&path).json(&rex).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    sandbox.faults().next(1, "", "status=500".parse().unwrap()).unwrap();
    assert_eq!(status(&sandbox, Method::POST, "/pets", Some(rex.clone())).await, 500);
    assert_eq!(status(&sandbox, Method::POST, "/pets", Some(rex.clone())).await, 201);
    let filter = RequestFilter::new().operation("POST /pets").json(rex.clone());
    let verified = sandbox.requests().verify(&filter, Expected::exactly(3));
    assert!(verified.is_satisfied, "{verified:?}");
    assert_eq!(sandbox.requests().count("POST", "/pets"), 3);

    let check = json!({ "match": { "operation": "POST /pets", "pointers": { "/name": "Rexx" } } });
    let failed = ask(&sandbox, Method::POST, "requests/verify", check).await;
    assert_eq!(failed.status(), StatusCode::CONFLICT);
    assert_eq!(body(failed).await["nearMisses"][0]["differences"], json!(["pointer \"/name\" has another value"]));

    let last = body(ask(&sandbox, Method::GET, "requests/3", Value::Null).await).await;
    assert_eq!((&last["template"], &last["status"]), (&json!("/pets"), &json!(201)));
    assert_eq!(last["request"]["body"], json!(rex.to_string()));
    assert!(last["response"]["body"].as_str().unwrap().contains("Rex"));
    assert!(last["operation"]["provenance"].as_str().unwrap().starts_with("create"), "{last}");
    assert!(last["request"]["headers"].as_array().unwrap().contains(&json!(["x-key", "***"])), "{last}");
    assert_eq!(
        body(ask(&sandbox, Method::GET, "requests?status=500", Value::Null).await).await["requests"][0]["number"],
        2
    );
}

/// Catches a clock that runs on, and a control interface that pages of other hosts can use.
#[tokio::test]
async fn the_clock_is_held_and_moved_and_foreign_hosts_are_refused() {
    let sandbox = start(&pets("3.0.3")).await;
    let set = json!({ "hold": true, "set": "2030-01-31T12:00:00Z", "advanceMilliseconds": 60_000 });
    assert_eq!(ask(&sandbox, Method::POST, "clock", set).await.status(), StatusCode::NO_CONTENT);
    let clock = body(ask(&sandbox, Method::GET, "clock", Value::Null).await).await;
    assert_eq!(clock, json!({ "now": "2030-01-31T12:01:00Z", "pace": 0.0, "isHeld": true }));
    sandbox.clock().advance(Duration::from_secs(1));
    assert_eq!(body(ask(&sandbox, Method::GET, "clock", Value::Null).await).await["now"], "2030-01-31T12:01:01Z");

    let foreign = client().get(format!("{}/sandbox/clock", sandbox.origin())).header("host", "pets.example");
    assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let form = client().post(format!("{}/sandbox/clock", sandbox.origin())).body("hold=true");
    assert_eq!(form.send().await.unwrap().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

/// Catches a control interface that other containers cannot use, and a host that is not one.
#[tokio::test]
async fn the_control_interface_answers_to_the_public_host() {
    let document = pets("3.0.3").to_string();
    let options = |host: &str| {
        let mut options = Options::default();
        options.public_host = Some(host.to_owned());
        options
    };
    let sandbox = driftless_sandbox::start_with(document.as_bytes(), options("sandbox")).await.unwrap();
    let port = sandbox.origin().strip_prefix("http://sandbox:").unwrap();
    for (host, status) in [(format!("sandbox:{port}"), 200), ("localhost".to_owned(), 200), ("other".to_owned(), 403)] {
        let request = client().get(format!("http://127.0.0.1:{port}/sandbox/clock")).header("host", &host);
        assert_eq!(request.send().await.unwrap().status().as_u16(), status, "{host}");
    }
    for wrong in ["", "sandbox:80", "http://sandbox", "user@sandbox", "a b"] {
        let error = driftless_sandbox::start_with(document.as_bytes(), options(wrong)).await.unwrap_err();
        assert_eq!(error.code(), "public-host", "{wrong:?}");
    }
}

/// Catches a table that leaves out operations or reasons.
#[tokio::test]
async fn each_operation_is_explained() {
    let sandbox = start(&pets("3.0.3")).await;
    let table = body(ask(&sandbox, Method::GET, "explain", Value::Null).await).await;
    let rows = table["operations"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row["reason"].as_str().is_some_and(|reason| !reason.is_empty())), "{table}");
    assert_eq!((&rows[0]["role"], &rows[0]["collection"]), (&json!("list"), &json!("/pets")));
}

/// Catches a control interface that takes the paths of the contract, and layers that take these for the interface.
#[tokio::test]
async fn a_contract_keeps_its_own_paths_below_sandbox() {
    let own = |server: &str, path: &str| {
        let mut document = pets("3.0.3");
        document["security"] = json!([]);
        document["servers"] = json!([{ "url": server }]);
        document["paths"][path] = document["paths"]["/config"].clone();
        document
    };
    for (server, template, path) in [
        ("/", "/sandbox/clock", "/sandbox/clock"),
        ("https://pets.example/sandbox/v1", "/own", "/sandbox/v1/own"),
        ("/", "/sandboxes", "/sandboxes"),
    ] {
        let sandbox = start(&own(server, template)).await;
        assert_eq!(sandbox.has_control_interface(), template == "/sandboxes");
        let get = async || client().get(format!("{}{path}", sandbox.origin())).send().await.unwrap();
        assert!(body(get().await).await.get("id").is_some(), "{path}");
        sandbox.faults().next(1, path, "status=503".parse().unwrap()).unwrap();
        assert_eq!(get().await.status().as_u16(), 503, "{path}");
        let in_header = client().get(format!("{}{path}", sandbox.origin())).header("x-sandbox-fault", "status=418");
        assert_eq!(in_header.send().await.unwrap().status().as_u16(), 418, "{path}");
        assert_eq!(sandbox.requests().count("GET", template), 3, "{path}");
        assert_eq!(sandbox.requests().matching(&RequestFilter::new().path(path)).len(), 3, "{path}");
    }
    // A parameter in the first place takes no address of the control interface, nor does a path below another base path.
    for (server, template) in [("/", "/{owner}/{name}"), ("/v1", "/sandbox/clock")] {
        let sandbox = start(&own(server, template)).await;
        assert!(sandbox.has_control_interface(), "{template}");
        assert_eq!(ask(&sandbox, Method::GET, "clock", Value::Null).await.status(), StatusCode::OK, "{template}");
        assert_eq!(sandbox.requests().total(), 0, "{template}");
        let filter = RequestFilter::new().path("/sandbox/clock");
        assert!(sandbox.faults().next(1, filter, "status=503".parse().unwrap()).is_err(), "{template}");
        let below = client().get(format!("{}{template}", sandbox.base_url())).send().await.unwrap();
        assert!(server == "/" || body(below).await.get("id").is_some(), "{template}");
    }
}

/// Catches a limit of the router that is below the one that the refusal names.
#[tokio::test]
async fn bodies_up_to_the_named_limit_are_read() {
    let sandbox = start(&pets("3.0.3")).await;
    let check = |length: usize| json!({ "match": { "pointers": { "/name": "a".repeat(length) } }, "times": 0 });
    assert_eq!(ask(&sandbox, Method::POST, "requests/verify", check(3 << 20)).await.status(), StatusCode::OK);
    let refused = ask(&sandbox, Method::POST, "requests/verify", check(16 << 20)).await;
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(body(refused).await["detail"].as_str().unwrap().contains("16777216"));
}

/// The violations of a schema of OpenAPI 3.0, by the library that checks JSON Schema: draft 4 with `nullable`.
fn violations(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    fn with_null(value: &mut Value) {
        if value["nullable"] == true && value["type"].is_string() {
            value["type"] = json!([value["type"], "null"]);
        }
        match value {
            Value::Object(members) => members.values_mut().for_each(with_null),
            Value::Array(elements) => elements.iter_mut().for_each(with_null),
            _ => {}
        }
    }
    let mut whole = json!({ "allOf": [schema], "components": document["components"] });
    with_null(&mut whole);
    let checks = jsonschema::draft4::options().should_validate_formats(true).build(&whole).unwrap();
    checks.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Catches a path that the document does not have, one that is not served, and an answer of another form than it declares.
#[tokio::test]
async fn the_document_describes_the_control_interface() {
    let mut contract = pets("3.0.3");
    contract["components"]["schemas"]["Pet"]["additionalProperties"] = json!(false);
    // The examples have the paths of a contract without a base path.
    contract["servers"] = json!([{ "url": "/" }]);
    let start = async |path: &str| {
        let sandbox = start(&contract).await;
        sandbox.faults().always("/nowhere", "status=503".parse().unwrap()).unwrap();
        send(&sandbox, Method::GET, "/pets", None).await;
        let base = sandbox.origin().to_owned();
        (sandbox, base, path.to_owned())
    };
    let (_sandbox, base, _) = start("").await;
    let document = document::read(&base).await;
    document::declared_methods_are_served(&base, &document).await;
    let sources = [
        include_str!("../../control/src/interface/mod.rs"),
        include_str!("../../control/src/interface/resources.rs"),
        include_str!("../src/serve/control.rs"),
    ];
    let mut routed = document::routed(&sources);
    // A sandbox of any contract has no subscriptions.
    routed.retain(|path| !["/sandbox/event-faults", "/sandbox/sockets"].contains(&path.as_str()));
    assert_eq!(routed, document["paths"].as_object().unwrap().keys().cloned().collect());
    assert_eq!(document::examples_work(&document, violations, start).await, 24);
}

/// Catches pages that a foreign host can read: after a change of its address (DNS rebinding), it is the origin of the interface.
#[tokio::test]
async fn the_console_is_closed_to_foreign_hosts() {
    let sandbox = start(&pets("3.0.3")).await;
    for path in ["/sandbox", "/sandbox/ui/console.js", "/sandbox/openapi.yaml", "/sandbox/state", "/sandbox/none"] {
        for (host, is_open) in [("localhost", true), ("pets.example", false)] {
            let request = client().get(format!("{}{path}", sandbox.origin())).header("host", host);
            assert_eq!(request.send().await.unwrap().status() != StatusCode::FORBIDDEN, is_open, "{host} {path}");
        }
    }
}
