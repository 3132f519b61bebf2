//! Faults on demand, and the counters of requests.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support;
use crate::support::{Caller, PROJECTS, project, token};
use platform_sandbox::{Expected, Fault, FaultRule, RequestFilter, Sandbox};
use reqwest::Method;
use serde_json::json;

/// A request on a connection of its own.
fn request(sandbox: &Sandbox, caller: &Caller<'_>, fault: &str) -> TcpStream {
    let address = sandbox.base_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET {PROJECTS} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nX-Sandbox-Fault: {fault}\r\n\r\n",
        caller.token()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// The bytes until the connection ends, and the way in which it ends.
fn until_the_end(stream: &mut TcpStream) -> (String, Result<(), ErrorKind>) {
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes).map(drop).map_err(|error| error.kind());
    (String::from_utf8(bytes).unwrap(), end)
}

/// The first bytes of a body, after its head.
fn beginning(stream: &mut TcpStream, length: usize) -> String {
    let mut text = String::new();
    let mut byte = [0];
    while text.split_once("\r\n\r\n").is_none_or(|(_, body)| body.len() < length) {
        stream.read_exact(&mut byte).unwrap();
        text.push(byte[0].into());
    }
    text.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_reset_before_and_after_the_request_is_handled() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for (when, created) in [("before", 0), ("after", 1)] {
        sandbox.requests().clear();
        let (answer, end) = until_the_end(&mut request(&sandbox, &caller, &format!("reset={when}")));
        assert_eq!((answer.as_str(), end), ("", Err(ErrorKind::ConnectionReset)), "{when}");
        sandbox
            .faults()
            .next(1, RequestFilter::new().method("POST").path(PROJECTS), format!("reset={when}").parse().unwrap())
            .unwrap();
        let lost = caller.request(Method::POST, PROJECTS).json(&project(&sandbox)).send().await;
        assert!(lost.is_err(), "{when}");
        assert_eq!(caller.get_json(PROJECTS).await.as_array().unwrap().len(), created, "{when}");
        // A request counts when it arrives.
        assert_eq!(sandbox.requests().count("POST", PROJECTS), 1, "{when}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_cut_off_and_stall() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    caller.create(PROJECTS, &project(&sandbox)).await;
    let whole = caller.get(PROJECTS).await.text().await.unwrap();

    let (answer, end) = until_the_end(&mut request(&sandbox, &caller, "truncate=10"));
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("content-length: {}", whole.len())), "{head}");
    assert_eq!((body, end), (&whole[..10], Ok(())));

    for bytes in [5, 0] {
        let mut stream = request(&sandbox, &caller, &format!("stall={bytes}"));
        assert_eq!(beginning(&mut stream, bytes), whole[..bytes]);
        // No further bytes, and no end.
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

#[tokio::test]
async fn statuses_come_before_or_after_the_request_is_handled() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let request =
        |fault: &str| caller.request(Method::POST, PROJECTS).header("x-sandbox-fault", fault).json(&project(&sandbox));
    let early = request("status=429, retry-after=7").send().await.unwrap();
    assert_eq!((early.status().as_u16(), early.headers()["retry-after"].to_str().unwrap()), (429, "7"));
    assert!(early.headers()["content-type"].to_str().unwrap().starts_with("application/problem+json"));
    assert_eq!(caller.get_json(PROJECTS).await, json!([]));
    let late = request("late-status=502").send().await.unwrap();
    assert_eq!((late.status().as_u16(), late.headers().get("retry-after")), (502, None));
    assert_eq!(caller.get_json(PROJECTS).await.as_array().unwrap().len(), 1);
    for (alone, status) in [("status=204", 204), ("late-status=304", 304)] {
        let empty = request(alone).send().await.unwrap();
        assert_eq!((empty.status().as_u16(), empty.headers().get("content-length")), (status, None), "{alone}");
    }
    let both = request("status=503, late-status=500").send().await.unwrap();
    assert_eq!(both.status(), 400);
    let unreadable = request("statuss=1").send().await.unwrap();
    assert_eq!(unreadable.status(), 400);
    assert!(unreadable.text().await.unwrap().contains("statuss=1"));
}

/// A rule with a body has the other parts of its fault, too.
#[tokio::test]
async fn the_parts_of_a_fault_go_together() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for body in [None, Some("abcdef")] {
        for parts in ["status=503, truncate=2", "status=503, reset=after", "status=503, reset=before"] {
            let fault = Fault { body: body.map(str::to_owned), ..parts.parse().unwrap() };
            sandbox.faults().next(1, PROJECTS, fault).unwrap();
            let answer = caller.request(Method::GET, PROJECTS).send().await;
            let whole = match answer {
                Ok(answer) => answer.text().await.is_ok(),
                Err(_reset) => false,
            };
            assert!(!whole, "{parts} with {body:?}");
        }
    }
    let late = Fault { body: Some("late".to_owned()), ..("late-status=502").parse().unwrap() };
    sandbox.faults().next(1, PROJECTS, late).unwrap();
    let answer = caller.request(Method::POST, PROJECTS).json(&project(&sandbox)).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.text().await.unwrap().as_str()), (502, "late"));
    assert_eq!(caller.get_json(PROJECTS).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_handle_gives_faults_to_the_next_requests_or_to_all() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let status = async |path: &str| caller.get(path).await.status().as_u16();
    sandbox.faults().next(2, PROJECTS, "status=503".parse().unwrap()).unwrap();
    sandbox
        .faults()
        .next(1, RequestFilter::new().method("DELETE").path(PROJECTS), "status=500".parse().unwrap())
        .unwrap();
    let machines = "/api/virtual-machines";
    assert_eq!(
        [status(machines).await, status(PROJECTS).await, status(PROJECTS).await, status(PROJECTS).await],
        [200, 503, 503, 200]
    );
    assert_eq!(caller.delete(&format!("{PROJECTS}/x")).await.status(), 500);
    sandbox.faults().always(PROJECTS, "status=500".parse().unwrap()).unwrap();
    assert!(sandbox.faults().next(0, machines, "status=500".parse().unwrap()).is_err());
    assert_eq!([status(PROJECTS).await, status(PROJECTS).await, status(machines).await], [500, 500, 200]);
    sandbox.faults().clear();
    assert_eq!(status(PROJECTS).await, 200);
    // The issuer and the compliance server have faults, too.
    sandbox.faults().next(1, "/identity/connect/token", "status=500".parse().unwrap()).unwrap();
    let fields = [("grant_type", "client_credentials")];
    assert_eq!(support::ask_for_token(&sandbox, &fields).await.status(), 500);
    let url = format!("{}/api/compliance/frameworks", sandbox.compliance_url());
    let request = support::http().get(url).header("x-sandbox-fault", "status=504");
    assert_eq!(request.send().await.unwrap().status(), 504);
}

#[tokio::test(start_paused = true)]
async fn latency_holds_a_request_back() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let begun = tokio::time::Instant::now();
    let slow = caller.request(Method::GET, PROJECTS).header("x-sandbox-fault", "latency=60000").send().await.unwrap();
    assert_eq!(slow.status(), 200);
    assert!(begun.elapsed() >= Duration::from_secs(60));
}

#[tokio::test]
async fn requests_are_counted_by_operation() {
    let sandbox = platform_sandbox::start().await.unwrap();
    assert_eq!(sandbox.requests().total(), 0);
    let client = &sandbox.clients()[0];
    token(&sandbox, client).await;
    let caller = Caller::new(&sandbox, 0).await;
    assert_eq!(sandbox.requests().count("POST", "/identity/connect/token"), 2);
    let id = caller.create(PROJECTS, &project(&sandbox)).await["id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        caller.get(&format!("{PROJECTS}/{id}")).await;
    }
    caller.get(&format!("{PROJECTS}/missing")).await;
    caller.get("/api/nothing").await;
    let requests = sandbox.requests();
    assert_eq!(requests.count("POST", PROJECTS), 1);
    assert_eq!(requests.count("GET", &format!("{PROJECTS}/{{project_id}}")), 4);
    assert_eq!(requests.count("GET", "/api/nothing"), 1);
    assert_eq!(requests.count("no method", PROJECTS), 0);
    assert_eq!(requests.total(), 8);
    let last = requests.last();
    let statuses: Vec<u16> = last.iter().map(|request| request.status).collect();
    assert_eq!(statuses, [200, 200, 201, 200, 200, 200, 404, 404]);
    assert_eq!((last[7].number, last[7].method.as_str(), last[7].template.as_str()), (8, "GET", "/api/nothing"));
    requests.clear();
    assert_eq!((requests.total(), requests.last().len()), (0, 0));
}

#[tokio::test]
async fn the_state_can_be_reset() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    caller.create(PROJECTS, &project(&sandbox)).await;
    sandbox.reset().unwrap();
    assert_eq!(caller.get_json(PROJECTS).await, json!([]));
    assert_eq!(caller.get_json("/api/virtual-machines").await.as_array().unwrap().len(), 1);
}

/// Each rule fits the second request only, by one criterion, and the first is a near miss.
#[tokio::test]
async fn a_rule_takes_the_requests_that_its_criteria_name_and_says_why_it_does_not_take_others() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let all = || RequestFilter::new().path("/");
    let get = |path: &str| caller.request(reqwest::Method::GET, path);
    let post = |path: &str, body: serde_json::Value| caller.request(reqwest::Method::POST, path).json(&body);
    let graphql = |query: &str| post("/graphql", json!({ "query": query }));
    let one = format!("{PROJECTS}/00000020-0000-4000-8000-000000000031");
    for (filter, near, fits, difference) in [
        (
            all().operation(&format!("GET {PROJECTS}")),
            get(&one),
            get(PROJECTS),
            "operation is \"GET /api/projects/v1/projects/{project_id}\", not \"GET /api/projects/v1/projects\""
                .to_owned(),
        ),
        (
            all().template("/api/projects/v1/projects/{project_id}"),
            get(PROJECTS),
            get(&one),
            format!("template is {PROJECTS:?}, not \"/api/projects/v1/projects/{{project_id}}\""),
        ),
        (
            all().header("X-A", "1"),
            get(PROJECTS),
            get(PROJECTS).header("x-a", "1"),
            "header \"X-A\" is missing".to_owned(),
        ),
        (
            all().header("x-a", "1"),
            get(PROJECTS).header("x-a", "2"),
            get(PROJECTS).header("x-a", "2").header("x-a", "1"),
            "header \"x-a\" has another value".to_owned(),
        ),
        (
            all().json(json!({ "a": { "b": 1 } })),
            post(PROJECTS, json!({ "a": { "b": 2 } })),
            post(PROJECTS, json!({ "a": { "b": 1, "c": 2 }, "d": 3 })),
            "body has other members or values".to_owned(),
        ),
        (
            all().text("b c"),
            post(PROJECTS, json!("a b d")),
            post(PROJECTS, json!("a b c d")),
            "body does not contain the text".to_owned(),
        ),
        (
            all().pointer("/a/1", json!("x")),
            post(PROJECTS, json!({ "a": ["x"] })),
            post(PROJECTS, json!({ "a": ["y", "x"] })),
            "pointer \"/a/1\" is missing".to_owned(),
        ),
        (
            all().pointer("/a/0", json!({ "b": 1 })),
            post(PROJECTS, json!({ "a": [{ "b": 2 }] })),
            post(PROJECTS, json!({ "a": [{ "b": 1, "c": 2 }] })),
            "pointer \"/a/0\" has another value".to_owned(),
        ),
        (
            all().pointer("/a", json!(1)),
            caller.request(reqwest::Method::POST, PROJECTS).body("{"),
            post(PROJECTS, json!({ "a": 1 })),
            "pointer \"/a\": the body is not JSON, or longer than 16 KiB".to_owned(),
        ),
        (
            all().graphql("projects"),
            graphql("{ viewer { subject } }"),
            graphql("{ projects { id } }"),
            "graphql is \"viewer\", not \"projects\"".to_owned(),
        ),
        (
            all().graphql("Named"),
            get("/graphql").query(&[("query", "query Other { projects { id } }")]),
            get("/graphql").query(&[
                ("query", "query Other { projects { id } } query Named { viewer { subject } }"),
                ("operationName", "Named"),
            ]),
            "graphql is \"Other, projects\", not \"Named\"".to_owned(),
        ),
    ] {
        sandbox.faults().clear();
        let case = format!("{filter:?}");
        sandbox.faults().add(FaultRule::new("status=418".parse().unwrap()).matching(filter.clone()).times(1)).unwrap();
        assert_ne!(near.send().await.unwrap().status(), 418, "{case}");
        let [waits] = &sandbox.faults().list()[..] else { panic!("{case}") };
        let [miss] = &waits.near_misses[..] else { panic!("{case}: {waits:?}") };
        assert_eq!(miss.differences, [difference.as_str()], "{case}");
        let counts = sandbox.requests().verify(&filter, Expected::exactly(1));
        assert!(!counts.is_satisfied, "{case}");
        assert!(counts.near_misses.iter().any(|miss| miss.differences == [difference.as_str()]), "{case}: {counts:?}");
        assert_eq!(fits.send().await.unwrap().status(), 418, "{case}");
        assert!(sandbox.faults().list().is_empty(), "{case}");
        assert!(sandbox.requests().verify(&filter, Expected::exactly(1)).is_satisfied, "{case}");
        sandbox.requests().clear();
    }
}
