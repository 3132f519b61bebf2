//! The assumed operations: their wire shapes, and their effects on the state.

use std::time::Duration;

use crate::support;
use crate::support::{Caller, PROJECTS, project};
use futures_util::StreamExt;
use platform_sandbox::Sandbox;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

const STORE: &str = "/api/marketplace/v1/store-items";

async fn with_items(caller: &Caller<'_>) -> [String; 3] {
    let mut ids = [const { String::new() }; 3];
    let bodies = [
        json!({ "name": "a", "category": "web", "tags": ["x"], "isPublished": true }),
        json!({ "name": "b", "category": "web", "tags": ["y", "z"] }),
        json!({ "name": "c d", "category": "data", "tags": ["z"] }),
    ];
    for (id, body) in ids.iter_mut().zip(bodies) {
        *id = caller.create(STORE, &body).await["id"].as_str().unwrap().to_owned();
    }
    ids
}

#[tokio::test]
async fn queries_of_every_style_select_items() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let [a, b, c] = with_items(&caller).await;
    // The value is whole, however it is written.
    let page = caller.get_json(&format!("{STORE}?skip=1.0&take=1.0")).await;
    assert_eq!((page["items"].as_array().map(Vec::len), &page["take"]), (Some(1), &json!(1)));
    let cases: [(String, &[&str]); 10] = [
        (format!("ids={a},{c}"), &["a", "c d"]),
        (format!("ids={a}%2C{b}"), &["a", "b"]),
        ("tags=x&tags=y".to_owned(), &["a", "b"]),
        ("tags=z".to_owned(), &["b", "c d"]),
        ("filter[category]=web&filter[isPublished]=true&tags=x".to_owned(), &["a"]),
        ("filter%5Bcategory%5D=data".to_owned(), &["c d"]),
        ("filter[name]=c+d".to_owned(), &["c d"]),
        ("filter[name]=c%20d&unknown=1".to_owned(), &["c d"]),
        (format!("ids={a},{b},{c}&skip=1&take=1"), &["b"]),
        ("tags=nothing".to_owned(), &[]),
    ];
    for (query, names) in cases {
        let page = caller.get_json(&format!("{STORE}?{query}")).await;
        let actual: Vec<&str> =
            page["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
        assert_eq!(actual, names, "{query}");
    }
}

#[tokio::test]
async fn queries_that_do_not_fit_are_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for query in [
        "ids=1",
        "ids=,",
        "ids=,x",
        "filter[]=x",
        "filter[other]=x",
        "skip=a",
        "skip=1&skip=2",
        "take=99999999999",
        "filter[isPublished]=maybe",
        "take=",
    ] {
        let response = caller.get(&format!("{STORE}?{query}")).await;
        assert_eq!(response.status(), 400, "{query}");
        let problem: Value = response.json().await.unwrap();
        assert_eq!(problem["errors"].as_object().unwrap().len(), 1, "{query}");
    }
    let response = caller.get("/api/virtual-machines?states=Running&states=Gone").await;
    assert_eq!(response.status(), 400);
}

async fn repository(caller: &Caller<'_>) -> String {
    let created = caller.create("/api/devops/v1/repositories", &json!({ "name": "site" })).await;
    format!("/api/devops/v1/repositories/{}/files", created["id"].as_str().unwrap())
}

#[tokio::test]
async fn bytes_go_up_and_come_down_unchanged() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let files = repository(&caller).await;
    let bytes: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    let content = format!("{files}/content");
    let query = [("path", "src/ü b.bin")];
    let put = async |bytes: Vec<u8>| {
        let request =
            caller.request(Method::PUT, &content).query(&query).header("content-type", "application/octet-stream");
        request.body(bytes).send().await.unwrap().status().as_u16()
    };
    assert_eq!(put(bytes.clone()).await, 201);
    assert_eq!(put(bytes.clone()).await, 204);
    assert_eq!(put(vec![]).await, 200);
    assert_eq!(put(bytes.clone()).await, 200);
    let response = caller.request(Method::GET, &content).query(&query).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/octet-stream");
    assert_eq!(response.bytes().await.unwrap(), bytes);
    let listed = caller.get_json(&files).await;
    assert_eq!((listed[0]["path"].as_str(), listed[0]["size"].as_u64()), (Some("src/ü b.bin"), Some(3_000_000)));

    let remove = || caller.request(Method::DELETE, &content).query(&query).send();
    assert_eq!(remove().await.unwrap().status(), 204);
    assert_eq!(remove().await.unwrap().status(), 404);
    assert_eq!(caller.get(&format!("{content}?path=src")).await.status(), 404);
    assert_eq!(caller.get(&content).await.status(), 400);
    assert_eq!(caller.get_json(&files).await, json!([]));
}

#[tokio::test]
async fn a_multipart_upload_stores_its_files() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let files = repository(&caller).await;
    let part = |bytes: &[u8], name: &'static str| Part::bytes(bytes.to_vec()).file_name(name);
    let form = Form::new()
        .text("message", "Two files")
        .text("branch", "main")
        .part("files", part(b"one\r\n--x", "one.txt"))
        .part("files", part(&[0, 255, 13, 10], "two.bin"));
    let response = caller.request(Method::POST, &files).multipart(form).send().await.unwrap();
    assert_eq!(response.status(), 201);
    let stored: Value = response.json().await.unwrap();
    assert_eq!(stored.as_array().unwrap().len(), 2);
    assert_eq!(stored[0]["branch"], "main");
    let two = caller.get(&format!("{files}/content?path=two.bin")).await.bytes().await.unwrap();
    assert_eq!(two.as_ref(), [0, 255, 13, 10]);
    // Browsers send the media type of a file.
    let json = part(b"{}", "package.json").mime_str("application/json").unwrap();
    let response =
        caller.request(Method::POST, &files).multipart(Form::new().part("files", json)).send().await.unwrap();
    assert_eq!(response.status(), 201);
    assert_eq!(caller.get(&format!("{files}/content?path=package.json")).await.text().await.unwrap(), "{}");

    for (media_type, body) in [
        (
            "multipart/form-data; boundary=x",
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\ncut",
        ),
        ("multipart/form-data; boundary=x", "nothing of the kind"),
        ("multipart/form-data", "--x--"),
    ] {
        let request = caller.request(Method::POST, &files).header("content-type", media_type).body(body);
        assert_eq!(request.send().await.unwrap().status(), 400, "{body}");
    }
    let no_file = Form::new().text("files", "text");
    assert_eq!(caller.request(Method::POST, &files).multipart(no_file).send().await.unwrap().status(), 400);
    let import = format!("/api/client-db/v1/connections/{}/import", sandbox.team().connection_id);
    let without_file = caller.request(Method::POST, &import).multipart(Form::new().text("truncate", "true"));
    assert_eq!(without_file.send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let content = format!("{}/content?path=big", repository(&caller).await);
    let request = caller.request(Method::PUT, &content).header("content-type", "application/octet-stream");
    let response = request.body(vec![0; 16 * 1024 * 1024 + 1]).send().await.unwrap();
    assert_eq!(response.status(), 413);
}

#[tokio::test]
async fn form_fields_have_the_types_of_their_schema() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let thread = caller.create("/api/forum/v1/threads", &json!({ "title": "Hello" })).await;
    let vote = format!("/api/forum/v1/threads/{}/vote", thread["id"].as_str().unwrap());
    assert_eq!(caller.get(&vote).await.status(), 204);
    let put = |body: &'static str| {
        let request = caller.request(Method::PUT, &vote).header("content-type", "application/x-www-form-urlencoded");
        request.body(body).send()
    };
    let response = put("value=-1&comment=a+b%26c").await.unwrap();
    assert_eq!(response.status(), 200);
    let voted = json!({ "value": -1, "comment": "a b&c" });
    assert_eq!(response.json::<Value>().await.unwrap(), voted);
    assert_eq!(caller.get_json(&vote).await, voted);
    for body in ["value=2", "value=up", "value=1&value=1"] {
        assert_eq!(put(body).await.unwrap().status(), 400, "{body}");
    }
    assert_eq!(caller.delete(&vote).await.status(), 204);
    assert_eq!(caller.get(&vote).await.status(), 204);
}

#[tokio::test]
async fn one_operation_succeeds_in_three_ways() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let query = format!("/api/client-db/v1/connections/{}/query", sandbox.team().connection_id);
    let body = json!({ "statement": "select 1" });
    for (parameters, status, field) in
        [("", 200, Some("columns")), ("?background=true", 202, Some("acceptedAt")), ("?validateOnly=true", 204, None)]
    {
        let response = caller.post(&format!("{query}{parameters}"), &body).await;
        assert_eq!(response.status(), status, "{parameters}");
        let text = response.text().await.unwrap();
        match field {
            Some(field) => assert!(serde_json::from_str::<Value>(&text).unwrap().get(field).is_some(), "{text}"),
            None => assert_eq!(text, ""),
        }
    }
}

#[tokio::test]
async fn a_deployment_is_accepted_and_can_be_watched() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let project = caller.create(PROJECTS, &project(&sandbox)).await;
    let components = format!("{PROJECTS}/{}/components", project["id"].as_str().unwrap());
    let component = caller.create(&components, &json!({ "name": "web", "kind": 2 })).await;
    assert_eq!((component["projectId"].clone(), component["kind"].clone()), (project["id"].clone(), json!(2)));
    let deployments = format!("{components}/{}/deployments", component["id"].as_str().unwrap());
    let response = caller.post(&deployments, &json!({ "tag": "v1" })).await;
    assert_eq!(response.status(), 202);
    let accepted: Value = response.json().await.unwrap();
    let deployment = format!("{deployments}/{}", accepted["id"].as_str().unwrap());
    assert_eq!(caller.get_json(&deployment).await["tag"], "v1");
    assert_eq!(caller.post(&format!("{deployment}/cancel?immediately=true"), &json!({})).await.status(), 204);
    assert_eq!(caller.get_json(&deployment).await["state"], 4);

    // Everything below a removed item is removed as well, and nothing can be added there.
    assert_eq!(caller.delete(&format!("{PROJECTS}/{}", project["id"].as_str().unwrap())).await.status(), 204);
    for path in [&components, &deployments, &deployment] {
        assert_eq!(caller.get(path).await.status(), 404, "{path}");
    }
    assert_eq!(caller.post(&deployments, &json!({})).await.status(), 404);
}

async fn machine(sandbox: &Sandbox) -> String {
    format!("/api/virtual-machines/{}", sandbox.team().virtual_machine_id)
}

#[tokio::test]
async fn a_virtual_machine_starts_and_its_log_arrives_in_pieces() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (caller, stranger) = (Caller::new(&sandbox, 0).await, Caller::new(&sandbox, 1).await);
    let machine = machine(&sandbox).await;
    assert_eq!(caller.get_json(&format!("{machine}/status")).await["state"], "Stopped");
    sandbox.clock().hold();
    assert_eq!(caller.post(&format!("{machine}/start"), &json!({})).await.status(), 202);
    assert_eq!(caller.get_json(&format!("{machine}/status")).await["state"], "Starting");
    assert_eq!(caller.post(&format!("{machine}/start"), &json!({})).await.status(), 409);
    sandbox.clock().advance(Duration::from_secs(10));
    assert_eq!(caller.get_json(&format!("{machine}/status")).await["state"], "Running");
    assert_eq!(caller.get_json("/api/virtual-machines?states=Running").await.as_array().unwrap().len(), 1);

    let log = caller.get(&format!("{machine}/logs?lines=1")).await;
    assert!(log.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    assert_eq!(log.text().await.unwrap(), "state \"Running\"\n");
    let response = caller.get(&format!("{machine}/logs/stream")).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert!(response.headers().get("content-length").is_none());
    let mut chunks = response.bytes_stream();
    let mut text = String::new();
    // The log's beginning, the four events of the start, and the state.
    while text.matches("\n\n").count() < 7 {
        text.push_str(std::str::from_utf8(&chunks.next().await.unwrap().unwrap()).unwrap());
    }
    assert!(text.ends_with("data: state \"Running\"\n\n"), "{text}");
    assert!(text.contains("virtual-machine-start virtual-machine-reachable Succeeded"), "{text}");

    for path in ["", "/status", "/logs", "/logs/stream", "/sessions", "/shutdown-timer"] {
        assert_eq!(stranger.get(&format!("{machine}{path}")).await.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn headers_and_cookies_are_read() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let session = caller.create(&format!("{}/sessions", machine(&sandbox).await), &json!({ "protocol": "rdp" })).await;
    let current = "/api/virtual-machines/sessions/current";
    let with_cookie = |cookie: String| caller.request(Method::GET, current).header("cookie", cookie).send();
    let id = session["id"].as_str().unwrap();
    let response = with_cookie(format!("a=b; vm-session={id}; c=d")).await.unwrap();
    assert_eq!(response.json::<Value>().await.unwrap(), session);
    assert_eq!(with_cookie("vm-session=other".to_owned()).await.unwrap().status(), 404);
    assert_eq!(with_cookie("other=1".to_owned()).await.unwrap().status(), 400);

    let agents = "/api/virtual-machine-agent/agents";
    let agent = caller.create(agents, &json!({ "hostName": "h" })).await;
    let heartbeat = format!("{agents}/{}/heartbeat", agent["id"].as_str().unwrap());
    let request = || caller.request(Method::POST, &heartbeat);
    assert_eq!(request().header("X-Agent-Version", "1.2").send().await.unwrap().status(), 204);
    assert_eq!(request().send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn tagged_unions_keep_their_subtype() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let credentials = format!("/api/teams/v1/teams/{}/service-provider-credentials", sandbox.team().id);
    for body in [
        json!({ "kind": "AccessKey", "name": "a", "accessKeyId": "AK", "region": "eu" }),
        json!({ "kind": "Token", "name": "t", "expiresAt": null }),
    ] {
        let created = caller.create(&credentials, &body).await;
        for (name, value) in body.as_object().unwrap() {
            assert_eq!(&created[name], value, "{name}");
        }
        let path = format!("{credentials}/{}", created["id"].as_str().unwrap());
        assert_eq!(caller.get_json(&path).await, created);
    }
    for body in [json!({ "kind": "Other" }), json!({ "name": "no kind" }), json!({ "kind": 1 })] {
        assert_eq!(caller.post(&credentials, &body).await.status(), 400, "{body}");
    }
}

#[tokio::test]
async fn both_compliance_prefixes_are_served() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for prefix in ["/api/compliance", "/api/compliance/v1"] {
        let frameworks = format!("{prefix}/frameworks");
        let framework = caller.create(&frameworks, &json!({ "name": "F" })).await;
        let versions = format!("{frameworks}/{}/versions", framework["id"].as_str().unwrap());
        let version = caller.create(&versions, &json!({ "label": "1.0" })).await;
        assert_eq!(version["frameworkId"], framework["id"]);
        let controls = format!("{versions}/{}/controls", version["id"].as_str().unwrap());
        let control = caller.create(&controls, &json!({ "code": "A.1", "severity": "high" })).await;
        assert_eq!(caller.get_json(&format!("{controls}?severity=high")).await, json!([control]));
        assert_eq!(caller.get_json(&format!("{controls}?severity=low")).await, json!([]));
    }
}

#[tokio::test]
async fn the_answer_comes_in_the_media_type_that_was_asked_for() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for (accept, media_type) in [
        ("application/json", "application/json"),
        ("text/json", "text/json"),
        ("text/plain", "text/plain"),
        ("*/*", "application/json"),
        ("text/html, text/plain;q=0.5, */*", "application/json"),
        ("application/xml", "application/json"),
        ("", "application/json"),
    ] {
        let response = caller.request(Method::GET, PROJECTS).header("accept", accept).send().await.unwrap();
        let actual = response.headers()["content-type"].to_str().unwrap().to_owned();
        assert_eq!(actual.split(';').next(), Some(media_type), "{accept}");
        assert_eq!(response.text().await.unwrap(), "[]");
    }
}

#[tokio::test]
async fn a_vote_is_its_voters_own() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let (first, second) = (Caller::new(&sandbox, 0).await, support::named(&sandbox, "aurora-member").await);
    let thread = first.create("/api/forum/v1/threads", &json!({ "title": "Hello" })).await;
    let vote = format!("/api/forum/v1/threads/{}/vote", thread["id"].as_str().unwrap());
    let put = first.request(Method::PUT, &vote).form(&[("value", "1")]);
    assert_eq!(put.send().await.unwrap().status(), 200);
    assert_eq!((first.get(&vote).await.status().as_u16(), second.get(&vote).await.status().as_u16()), (200, 204));
}

#[tokio::test]
async fn branches_have_files_of_their_own() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let files = repository(&caller).await;
    for (branch, text) in [("", "1"), ("&branch=main", "2"), ("&branch=topic", "3")] {
        let request = caller.request(Method::PUT, &format!("{files}/content?path=a{branch}"));
        let response = request.header("content-type", "application/octet-stream").body(text).send().await.unwrap();
        assert_eq!(response.status(), if text == "2" { 200 } else { 201 }, "{branch}");
    }
    let content =
        async |branch: &str| caller.get(&format!("{files}/content?path=a{branch}")).await.text().await.unwrap();
    assert_eq!((content("").await.as_str(), content("&branch=topic").await.as_str()), ("2", "3"));
    let listed = caller.get_json(&format!("{files}?branch=topic")).await;
    assert_eq!((listed.as_array().unwrap().len(), listed[0]["branch"].as_str()), (1, Some("topic")));
    assert_eq!(caller.delete(&format!("{files}/content?path=a&branch=topic")).await.status(), 204);
    assert_eq!(caller.get_json(&files).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_shutdown_timer_stops_its_machine() {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let machine = machine(&sandbox).await;
    let timer = format!("{machine}/shutdown-timer");
    let state = async || caller.get_json(&machine).await["state"].clone();
    let set = async |minutes: u32| {
        let put = caller.request(Method::PUT, &timer).json(&json!({ "minutes": minutes }));
        put.send().await.unwrap().json::<Value>().await.unwrap()["shutdownAt"].as_str().unwrap().to_owned()
    };
    caller.post(&format!("{machine}/start"), &json!({})).await;
    sandbox.clock().advance(Duration::from_secs(1));
    assert!(set(30).await < set(60).await);
    sandbox.clock().advance(Duration::from_secs(31 * 60));
    assert_eq!(state().await, "Running", "the later timer has replaced the earlier one");
    sandbox.clock().advance(Duration::from_secs(30 * 60));
    assert_eq!(state().await, "Stopped");
    caller.post(&format!("{machine}/start"), &json!({})).await;
    set(5).await;
    assert_eq!(caller.delete(&timer).await.status(), 204);
    sandbox.clock().advance(Duration::from_secs(3600));
    assert_eq!(state().await, "Running");
}

#[tokio::test]
async fn a_command_waits_until_its_agent_begins_it() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    let agents = "/api/virtual-machine-agent/agents";
    let agent = caller.create(agents, &json!({ "hostName": "h" })).await;
    let commands = format!("{agents}/{}/commands", agent["id"].as_str().unwrap());
    let command = caller.create(&commands, &json!({ "type": "runScript", "script": "true" })).await;
    assert_eq!(caller.get_json(&commands).await, json!([command]));
    let callback = |name: &str| format!("{commands}/{}/{name}", command["id"].as_str().unwrap());
    assert_eq!(caller.post(&callback("started"), &json!({})).await.status(), 204);
    assert_eq!(caller.get_json(&commands).await, json!([]));
    assert_eq!(caller.post(&callback("completed"), &json!({ "exitCode": 0 })).await.status(), 204);
    assert_eq!(caller.post(&callback("unknown"), &json!({})).await.status(), 404);
}
