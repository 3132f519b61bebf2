//! Commands that fail: exit codes, and messages that name the next step.

use serde_json::{Value, json};

use crate::support::{Shell, answers};

const NOBODY: &str = "00000000-0000-4000-8000-000000000009";

#[tokio::test]
async fn a_credential_is_missing_or_wrong() {
    let shell = Shell::new();
    for line in ["projects list", "api GET /api/projects/v1/projects", "operations list", "whoami", "token"] {
        let err = shell.line(line).await.failure(3);
        assert!(err.contains("next: sign in with `platform login"), "{line}: {err}");
    }
    let sandbox = platform_sandbox::start().await.unwrap();
    let mut shell = Shell::signed_in(&sandbox);
    let wrong = shell.file("wrong", "canary-of-a-secret");
    shell.set("PLATFORM_SECRET_FILE", wrong);
    let err = shell.line("projects list").await.failure(3);
    assert!(err.contains("next: ") && !err.contains("canary"), "{err}");
    let mut shell = Shell::new();
    shell.set("PLATFORM_BASE_URL", sandbox.base_url());
    shell.set("PLATFORM_TOKEN", "canary-of-a-token");
    let err = shell.line("projects list").await.failure(3);
    assert!(!err.contains("canary"), "{err}");
}

#[tokio::test]
async fn the_service_refuses() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let shell = Shell::signed_in(&sandbox);
    let err = shell.run(&["projects", "get", NOBODY]).await.failure(4);
    assert!(err.contains("get_project") && err.contains("404"), "{err}");
    // The contract of the table has no minimum of a text: the service alone refuses this one.
    let err = shell.run(&["forum", "create-thread", "--assumed", "--title", ""]).await.failure(5);
    assert!(err.contains("400") && err.contains("title"), "{err}");
}

#[tokio::test]
async fn values_that_do_not_fit_the_contract_are_not_sent() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let shell = Shell::signed_in(&sandbox);
    shell.file("empty.json", "");
    shell.file("broken.json", "{\"name\":\n  1,,}");
    shell.file("typed.json", r#"{"teamId":"abc","name":5}"#);
    for (words, message) in [
        (&["projects", "get", "abc"][..], "PROJECT_ID is not a UUID"),
        (&["projects", "create", "--team-id", "abc"], "--team-id is not a UUID"),
        (&["projects", "create", "--body", "typed.json"], "the body's /teamId is not a UUID"),
        (&["projects", "create", "--body", "[]"], "the body is an array"),
        (&["projects", "create", "--body", "missing.json"], "missing.json cannot be read"),
        (&["projects", "create", "--body", "broken.json"], "line 2 column 5"),
        (&["projects", "create", "--body", "empty.json"], "empty.json is not JSON"),
        (&["projects", "create"], "needs a body"),
        (&["projects", "update", "--assumed", "--name", "--body-template"], "PROJECT_ID is missing"),
        (&["forum", "list-threads", "--assumed", "--take", "many"], "--take: not a number"),
        (&["forum", "list-threads", "--assumed", "--take", "3000000000"], "--take is not an integer of 32 bits"),
        (&["forum", "list-threads"], "pass `--assumed`"),
        (
            &["client-db", "import-connection", NOBODY, "--assumed", "--dump", "missing.sql"],
            "missing.sql cannot be read",
        ),
        (&["api", "projects"], "does not begin with a slash"),
        (&["api", "POST", "/x", "-f", "name"], "has no `=`"),
        (&["graphql", "missing.graphql"], "missing.graphql cannot be read"),
    ] {
        let err = shell.run(words).await.failure(2);
        assert!(err.contains(message) && err.contains("next: "), "{words:?}: {err}");
    }
    let err = shell.run(&["projects", "create", "--body", "typed.json"]).await.failure(2);
    assert!(err.contains("the body's /name is a number, where a string is expected"), "{err}");
    assert!(err.contains("nothing was sent; `platform docs projects create-project`"), "{err}");
    assert_eq!(sandbox.requests().matching(&"/api".into()).len(), 0);
}

#[tokio::test]
async fn values_that_a_newer_service_may_know_are_sent_with_a_warning() {
    let service = answers(|_| (201, "application/json", "{}".to_owned())).await;
    let shell = service.shell();
    let members: serde_json::Map<String, Value> = (0..20).map(|index| (format!("new{index}"), json!(1))).collect();
    let run = shell.run(&["projects", "create", "--body", &Value::Object(members).to_string()]).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines[0], "warning: the body's /new0 is not a member that the contract names");
    assert_eq!((lines.len(), lines[5]), (6, "warning: there are 15 more"));
    // An error after many warnings is an error.
    let mut members: serde_json::Map<String, Value> = (0..50).map(|index| (format!("a{index}"), json!(1))).collect();
    members.insert("name".to_owned(), json!(5));
    let err = shell.run(&["projects", "create", "--body", &Value::Object(members).to_string()]).await.failure(2);
    assert!(err.contains("/name is a number"), "{err}");
    assert_eq!(service.requests().len(), 1);
    let run = shell.run(&["virtual-machines", "list", "--assumed", "--states", "Melting"]).await;
    assert!(run.code == Some(0) && run.err.starts_with("warning: --states /0 is not one of"), "{run:?}");
}

#[tokio::test]
async fn a_service_that_cannot_be_reached() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let mut shell = Shell::new();
    shell.set("PLATFORM_BASE_URL", format!("http://127.0.0.1:{port}"));
    shell.set("PLATFORM_TOKEN", "canary");
    let err = shell.line("projects list --timeout 1").await.failure(6);
    assert!(err.contains("next: ") && !err.contains("canary"), "{err}");
    let service = answers(|_| (501, "application/json", "{}".to_owned())).await;
    service.shell().line("projects list").await.failure(6);
}

#[tokio::test]
async fn texts_of_an_answer_do_not_reach_the_terminal_as_commands() {
    let evil = "\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}\u{9b}31m";
    let problem =
        json!({ "title": evil, "detail": format!("{evil}\n{}", "long ".repeat(10_000)), "errors": { evil: [evil] } });
    let service = answers(move |_| (400, "application/problem+json", problem.to_string())).await;
    let err = service.shell().line("projects list").await.failure(5);
    assert!(!err.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{err:?}");
    assert!(err.len() < 2000, "{}", err.len());
    let evil = json!({ evil: evil, "id": evil }).to_string();
    let service = answers(move |_| (200, "application/json", evil.clone())).await;
    let shell = service.shell();
    for format in ["table", "json", "ndjson", "yaml", "csv"] {
        let run = shell.run(&["projects", "get", NOBODY, "-o", format, "--verbose", "--fields", "id,missing"]).await;
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(!run.err.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{format}: {:?}", run.err);
        // JSON escapes control characters; the marks of direction are no commands.
        assert!(!run.out.contains(['\u{1b}', '\u{7}']), "{format}: {:?}", run.out);
    }
}
