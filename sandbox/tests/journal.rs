//! The journal of requests: its contents, its masks, and its counts.

use crate::support;
use crate::support::{Caller, PROJECTS, project};
use platform_sandbox::{Expected, Part, RequestFilter, Sandbox};
use reqwest::Method;
use serde_json::{Value, json};

async fn ask(sandbox: &Sandbox, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
    let request = support::http().request(method, format!("{}/sandbox/{path}", sandbox.base_url()));
    let request = if let Some(body) = body { request.json(body) } else { request };
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
}

#[tokio::test]
async fn a_request_opens_to_headers_and_bodies_without_a_secret() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    caller.create(PROJECTS, &project(&sandbox)).await;
    let everything = async || {
        let mut text = String::new();
        let (_, list) = ask(&sandbox, Method::GET, "requests", None).await;
        for record in list["requests"].as_array().unwrap() {
            let (status, one) = ask(&sandbox, Method::GET, &format!("requests/{}", record["number"]), None).await;
            assert_eq!(status, 200);
            text.push_str(&format!("{list}{one}"));
        }
        text
    };
    let (_, token) = ask(&sandbox, Method::GET, "requests/1", None).await;
    let sent = token["request"]["body"].as_str().unwrap();
    assert!(sent.contains("client_secret=***") && sent.contains("client_id=aurora-automation"), "{sent}");
    assert!(token["response"]["body"].as_str().unwrap().contains("\"access_token\":\"***\""));
    let (_, created) = ask(&sandbox, Method::GET, "requests/2", None).await;
    let body: Value = serde_json::from_str(created["request"]["body"].as_str().unwrap()).unwrap();
    assert_eq!(body, project(&sandbox));
    assert!(created["request"]["headers"].as_array().unwrap().contains(&json!(["authorization", "Bearer ***"])));
    assert_eq!(created["response"]["length"], created["response"]["body"].as_str().unwrap().len());
    // Requests with secrets: a sign-in, an API token, a stored password.
    let api_token = sandbox.issuer().create_api_token("ada", "x").unwrap().unwrap();
    Caller::with_token(&sandbox, api_token.clone()).get(PROJECTS).await;
    let registries = format!("/api/teams/v1/teams/{}/container-registries", sandbox.team().id);
    caller.create(&registries, &json!({ "name": "n", "password": "hunter2" })).await;
    let user = sandbox.user("ada").unwrap();
    let login = [("user", "ada"), ("password", user.password()), ("returnUrl", "/")];
    support::http().post(format!("{}/account/login", sandbox.auth_url())).form(&login).send().await.unwrap();
    support::fetch(format!("{}{PROJECTS}?access_token={}", sandbox.base_url(), caller.token())).await.unwrap();
    // A query outside of the schema, as a body, as a query, and broken: clients can send any of them.
    let document =
        r#"mutation ($p: String) { login(user: "ada", password: "hunter3", apiKey: [$p, """hunter4"""]) { id } }"#;
    let asked = json!({ "query": document, "variables": { "p": "hunter5", "q": "shown" } });
    assert_eq!(caller.post("/graphql", &asked).await.status(), 200);
    for address in ["/graphql", "/graphql/stream"] {
        caller.post(address, &json!({ "query": "{ a(password: \"hunter6" })).await.text().await.unwrap();
    }
    let variables = asked["variables"].to_string();
    let query = [("query", document), ("variables", variables.as_str())];
    caller.request(Method::GET, "/graphql").query(&query).send().await.unwrap();
    let text = everything().await;
    assert!(text.contains(r#"login(user: \\\"ada\\\", password: \\\"***\\\""#) && text.contains("shown"), "{text}");
    for number in 2..=6 {
        assert!(!text.contains(&format!("hunter{number}")), "hunter{number}");
    }
    for secret in [caller.token(), sandbox.clients()[0].secret(), &api_token, user.password()] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(!format!("{:?}", sandbox.requests().last()).contains(caller.token()));
    assert_eq!(ask(&sandbox, Method::GET, "requests/99", None).await.0, 404);
}

/// Each request is answered by a layer that does not read its body.
#[tokio::test]
async fn the_body_of_a_request_is_recorded_even_if_nobody_reads_it() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let stranger = Caller::with_token(&sandbox, String::new());
    let body = json!({ "name": "unread" });
    for (caller, path, media_type, fault, status) in [
        (&caller, PROJECTS, "application/json", "status=503", 503),
        (&caller, PROJECTS, "application/json", "reset=before", 0),
        (&stranger, PROJECTS, "application/json", "", 401),
        (&caller, "/nowhere", "application/json", "", 404),
        (&caller, "/api/virtual-machines", "application/json", "", 405),
        (&caller, PROJECTS, "text/csv", "", 415),
    ] {
        sandbox.requests().clear();
        let request = caller.request(Method::POST, path).header("x-sandbox-fault", fault);
        let answer = request.header("content-type", media_type).body(body.to_string()).send().await;
        assert_eq!(answer.map_or(0, |answer| answer.status().as_u16()), status, "{path}");
        let wanted = RequestFilter::new().json(body.clone());
        assert!(sandbox.requests().verify(&wanted, Expected::exactly(1)).is_satisfied, "{path} {status}");
        let recorded = sandbox.requests().last().pop().unwrap().request();
        assert_eq!(recorded.body, Some(body.to_string()), "{path} {status}");
    }
    // Of a long body, the journal states the announced length.
    caller.request(Method::POST, "/nowhere").body("a".repeat(1_000_000)).send().await.unwrap();
    let recorded = sandbox.requests().last().pop().unwrap().request();
    assert_eq!((recorded.body, recorded.length), (None, 1_000_000));
    // A client that does not send the body is answered, too, and one that waits to be asked for it is not asked.
    let address = sandbox.base_url().strip_prefix("http://").unwrap();
    for (head, body, recorded) in [("", "{\"na", Some("{\"na".to_owned())), ("expect: 100-continue\r\n", "", None)] {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let request = format!("POST {PROJECTS} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 9\r\n{head}\r\n{body}");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // hyper closes a connection whose request is unfinished.
        let _ = stream.read_to_string(&mut answer).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        assert_eq!(sandbox.requests().last().pop().unwrap().request().body.filter(|body| !body.is_empty()), recorded);
    }
}

/// A body that is refused is shown as it was sent.
#[tokio::test]
async fn a_body_that_is_not_json_is_recorded_without_its_secrets() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let registries = format!("/api/teams/v1/teams/{}/container-registries", sandbox.team().id);
    let part = |name: &str, value: &str| {
        format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n--b--\r\n")
    };
    for (media_type, body, recorded) in [
        ("application/json", "{\"name\": \"n\",}".to_owned(), "{\"name\": \"n\",}".to_owned()),
        (
            "application/json",
            r#"{"password":"hunter2","name":"n",}"#.to_owned(),
            r#"{"password":"***","name":"n",}"#.to_owned(),
        ),
        ("application/xml", "<name>n</name>".to_owned(), "<name>n</name>".to_owned()),
        ("multipart/form-data; boundary=b", part("name", "n"), part("name", "n")),
        (
            "multipart/form-data; boundary=b",
            part("password", "hunter2"),
            "--b\r\ncontent-disposition: form-data; name=***".to_owned(),
        ),
    ] {
        let request = caller.request(Method::POST, &registries).header("content-type", media_type);
        let status = request.body(body).send().await.unwrap().status();
        assert!(status.is_client_error(), "{media_type}: {status}");
        assert_eq!(sandbox.requests().last().pop().unwrap().request().body, Some(recorded), "{media_type}");
    }
}

#[tokio::test]
async fn a_request_names_its_server_and_the_errors_of_graphql() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    support::fetch(format!("{}/api/compliance/frameworks", sandbox.compliance_url())).await.unwrap();
    caller.post("/graphql", &json!({ "query": "{ viewer { subject } }" })).await.text().await.unwrap();
    caller.post("/graphql", &json!({ "query": "{ operation(id: \"x\") { id } nothing }" })).await.text().await.unwrap();
    caller.get(&format!("{PROJECTS}/\"errors\":[")).await;
    let (_, list) = ask(&sandbox, Method::GET, "requests?after=1", None).await;
    let marks = |record: &Value| (record["server"].clone(), record["hasGraphqlErrors"].clone());
    let expected = [("compliance", false), ("platform", false), ("platform", true), ("platform", false)];
    assert_eq!(
        list["requests"].as_array().unwrap().iter().map(marks).collect::<Vec<_>>(),
        expected.map(|(server, errors)| (json!(server), json!(errors)))
    );
}

#[tokio::test]
async fn requests_are_filtered_and_verified() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let created = caller.create(PROJECTS, &project(&sandbox)).await;
    let address = format!("{PROJECTS}/{}", created["id"].as_str().unwrap());
    caller.get(&address).await;
    caller.get(&format!("{PROJECTS}/x")).await;
    let template = "/api/projects/v1/projects/{project_id}";
    for (query, count) in [
        ("", 4),
        ("method=GET", 2),
        ("path=/api/projects", 3),
        ("template=/api/projects/v1/projects/%7Bproject_id%7D&status=404", 1),
        ("after=2", 2),
        ("limit=1", 1),
    ] {
        let (_, page) = ask(&sandbox, Method::GET, &format!("requests?{query}"), None).await;
        assert_eq!(page["requests"].as_array().unwrap().len(), count, "{query}");
    }
    assert_eq!(ask(&sandbox, Method::GET, "requests?unknown=1", None).await.0, 400);
    for (asked, status) in [
        (json!({ "match": { "method": "POST", "path": PROJECTS, "body": { "name": "Aurora" } }, "times": 1 }), 200),
        (json!({ "match": { "method": "POST", "path": PROJECTS, "body": { "name": "other" } } }), 409),
        (json!({ "match": { "body": "\"name\":\"Aurora\"", "status": 201 } }), 200),
        (json!({ "match": { "template": template }, "atLeast": 2, "atMost": 2 }), 200),
        (json!({ "match": { "template": template }, "atMost": 1 }), 409),
        (json!({ "match": { "headers": { "Content-Type": "application/json" } }, "times": 1 }), 200),
        (json!({ "match": { "path": "/nowhere" }, "times": 0 }), 200),
    ] {
        let (actual, answer) = ask(&sandbox, Method::POST, "requests/verify", Some(&asked)).await;
        assert_eq!(actual, status, "{asked}: {answer}");
    }
    let lists = RequestFilter::new().method("GET").template(template);
    assert_eq!(sandbox.requests().matching(&lists).len(), 2);
    let verified = sandbox.requests().verify(&lists.status(200), Expected::exactly(1));
    assert!(verified.is_satisfied && verified.is_complete && verified.count == 1);
    assert_eq!(ask(&sandbox, Method::DELETE, "requests", None).await.0, 204);
    assert_eq!(sandbox.requests().total(), 0);
}

#[tokio::test]
async fn faults_are_listed_and_removed_one_by_one_and_the_journal_names_them() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let own = json!({ "match": { "path": PROJECTS }, "times": 2, "fault": "status=418", "body": { "a": 1 } });
    let (status, first) = ask(&sandbox, Method::POST, "faults", Some(&own)).await;
    assert_eq!((status, &first["id"], &first["used"]), (201, &json!(1), &json!(0)));
    let seldom = json!({ "match": { "path": "/identity" }, "probability": 0.000001, "fault": "status=503" });
    ask(&sandbox, Method::POST, "faults", Some(&seldom)).await;
    let answer = caller.get(PROJECTS).await;
    assert_eq!(
        (answer.status().as_u16(), answer.headers()["content-type"].to_str().unwrap()),
        (418, "application/json; charset=utf-8")
    );
    assert_eq!(answer.json::<Value>().await.unwrap(), json!({ "a": 1 }));
    let (_, listed) = ask(&sandbox, Method::GET, "faults", None).await;
    assert_eq!((&listed["faults"][0]["used"], &listed["faults"][1]["id"]), (&json!(1), &json!(2)));
    let last = sandbox.requests().last().pop().unwrap();
    assert_eq!((last.fault.as_deref(), last.fault_id), (Some("status=418"), Some(1)));
    assert_eq!(ask(&sandbox, Method::DELETE, "faults/1", None).await.0, 204);
    assert_eq!(caller.get(PROJECTS).await.status(), 200);
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(ask(&sandbox, method, "faults/1", None).await.0, 404);
    }
    assert_eq!(ask(&sandbox, Method::GET, "faults/2", None).await.1["probability"], 0.000_001);
    // A probability applies to a part of the requests: with one half, neither none nor all of 64.
    ask(
        &sandbox,
        Method::POST,
        "faults",
        Some(&json!({ "match": { "path": PROJECTS }, "probability": 0.5, "fault": "status=503" })),
    )
    .await;
    let mut failed = 0;
    for _ in 0..64 {
        failed += usize::from(caller.get(PROJECTS).await.status() == 503);
    }
    assert!((1..64).contains(&failed), "{failed}");
}

#[tokio::test]
async fn reset_takes_back_everything_or_what_is_named() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let lifetime = async || {
        let client = &sandbox.clients()[0];
        let fields = [
            ("grant_type", "client_credentials"),
            ("client_id", &client.client_id),
            ("client_secret", client.secret()),
        ];
        support::grant(&sandbox, &fields).await["expires_in"].clone()
    };
    // The parts that differ from the start.
    let changed = async || {
        let token = lifetime().await != json!(3600);
        let projects = !sandbox.requests().matching(&RequestFilter::new().status(201)).is_empty();
        let contract = support::fetch(sandbox.contract_url()).await.unwrap().status() == 401;
        let state = caller.query("{ projects { id } }").await["projects"] != json!([]);
        [
            (Part::State, state),
            (Part::Faults, !sandbox.faults().list().is_empty()),
            (Part::Clock, sandbox.clock().pace() < 1.0),
            (Part::Issuer, token),
            (Part::Requests, projects),
            (Part::Contract, contract),
        ]
    };
    let change = async || {
        caller.create(PROJECTS, &project(&sandbox)).await;
        sandbox.faults().always("/nowhere", "status=503".parse().unwrap()).unwrap();
        sandbox.clock().advance(std::time::Duration::from_millis(10_u64.pow(16)));
        sandbox.clock().hold();
        sandbox.issuer().set_token_lifetime(std::time::Duration::from_secs(7));
        sandbox.set_contract_requires_token(true);
    };
    for part in Part::ALL {
        change().await;
        assert!(changed().await.iter().all(|(_, changed)| *changed));
        let name = format!("{part:?}").to_lowercase();
        assert_eq!(ask(&sandbox, Method::POST, "reset", Some(&json!({ "only": [name] }))).await.0, 204);
        for (other, changed) in changed().await {
            assert_eq!(changed, other != part, "{other:?} after {part:?}");
        }
        sandbox.reset().unwrap();
        assert!(changed().await.iter().all(|(_, changed)| !*changed), "{part:?}");
    }
    let api_token = sandbox.issuer().create_api_token("cleo", "x").unwrap().unwrap();
    sandbox.reset().unwrap();
    assert_eq!(Caller::with_token(&sandbox, api_token).get(PROJECTS).await.status(), 401);
    assert_eq!(caller.get(PROJECTS).await.status(), 200, "access tokens stay");
}
