//! Requests without an operation, GraphQL, and the command of curl.

use std::path::Path;

use platform_sandbox::Sandbox;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::support::{Shell, ended};

const PROJECTS: &str = "/api/projects/v1/projects";

async fn signed_in() -> (Sandbox, Shell) {
    let sandbox = platform_sandbox::start().await.unwrap();
    let shell = Shell::signed_in(&sandbox);
    (sandbox, shell)
}

/// A project as a body.
fn project(sandbox: &Sandbox) -> Value {
    let team = sandbox.team();
    json!({
        "teamId": team.id.to_string(), "teamBillingAccountId": team.billing_account_id.to_string(),
        "storeItemPaymentPlanId": null, "name": "Aurora", "description": "", "category": "", "helpPage": "",
        "serviceProviders": [],
    })
}

#[tokio::test]
async fn requests_by_method_and_path() {
    let (sandbox, shell) = signed_in().await;
    let mut words = vec!["api".to_owned(), PROJECTS.to_owned()];
    for (name, value) in project(&sandbox).as_object().unwrap() {
        words.extend(match value {
            Value::String(text) => ["-f".to_owned(), format!("{name}={text}")],
            other => ["-F".to_owned(), format!("{name}={other}")],
        });
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = shell.run(&words).await.json();
    let text = project(&sandbox).to_string();
    let second = shell
        .with_input(&["api", "POST", PROJECTS, "--input", "-", "-H", "Content-Type: application/json"], &text)
        .await
        .json();
    shell.file("project.json", &text);
    let third = shell.run(&["api", "post", PROJECTS, "--input", "project.json"]).await.json();
    let listed = shell.run(&["api", PROJECTS]).await.json();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|project| &project["id"]).collect();
    assert_eq!(ids.len(), 3);
    assert!([&first, &second, &third].iter().all(|project| ids.contains(&&project["id"])), "{ids:?}");

    let machines = "/api/virtual-machines?states=Running";
    assert_eq!(shell.run(&["api", machines]).await.json(), json!([]));
    let one = shell.run(&["api", "GET", "/api/virtual-machines", "-f", "states=Stopped", "-H", "X-Trace: %41"]).await;
    assert_eq!(one.json().as_array().unwrap().len(), 1);
    let last = sandbox.requests().last();
    let last = last.last().unwrap();
    assert!(last.request().headers.contains(&("x-trace".to_owned(), "%41".to_owned())), "{last:?}");

    let err = shell.run(&["api", "POST", PROJECTS, "-f", "teamId=abc"]).await.failure(5);
    assert!(err.contains("400") && err.to_lowercase().contains("teamid"), "{err}");
    shell.run(&["api", "/api/nothing"]).await.failure(4);
    let err = shell.run(&["api", PROJECTS, "-H", "Authorization"]).await.failure(2);
    assert!(err.contains("colon"), "{err}");
}

#[tokio::test]
async fn queries_and_errors_of_graphql() {
    let (_sandbox, shell) = signed_in().await;
    shell.file("query.graphql", "query One($id: ID!) { operation(id: $id) { state } }");
    let id = "00000000-0000-4000-8000-000000000009";
    let answer = shell.run(&["graphql", "query.graphql", "--var", &format!("id={id}")]).await.json();
    assert_eq!(answer, json!({ "data": { "operation": null } }));
    let run = shell.with_input(&["graphql", "-"], "{ nothing }").await;
    assert!(run.code.is_some_and(|code| code != 0), "{run:?}");
    let printed: Value = serde_json::from_str(&run.out).unwrap();
    assert!(printed["errors"][0]["message"].as_str().unwrap().contains("nothing"), "{printed}");
    assert!(!run.err.is_empty());
}

#[tokio::test]
async fn messages_of_a_subscription() {
    let (sandbox, shell) = signed_in().await;
    shell.file("changes.graphql", "subscription { operationsChanged { operation { id state } } }");
    let mut child = shell.spawn(&mut shell.command(&["graphql", "changes.graphql", "--subscribe"]));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let connection = sandbox.team().connection_id.to_string();
    let words = ["client-db", "create-connection-backup", &connection, "--assumed", "--label", "a"];
    // An event before the subscription has begun is not reported, so each round causes another one.
    let line = loop {
        tokio::select! {
            line = lines.next_line() => break line.unwrap().unwrap(),
            run = shell.run(&words) => drop(run.json()),
        }
    };
    let message: Value = serde_json::from_str(&line).unwrap();
    assert!(message["data"]["operationsChanged"]["operation"]["id"].is_string(), "{message}");
    child.kill().await.unwrap();
}

#[tokio::test]
async fn a_dry_run_prints_a_command_that_works_and_has_no_secret() {
    let (sandbox, shell) = signed_in().await;
    let body = project(&sandbox);
    let created = shell.run(&["projects", "create", "--body", &body.to_string()]).await.json();
    let id = created["id"].as_str().unwrap();
    let before = sandbox.requests().matching(&PROJECTS.into()).len();
    let secret = std::fs::read_to_string(shell.secret(&sandbox)).unwrap();
    let quoted = "a 'quoted' $(touch pwned) `touch pwned` \\ name";
    let body = body.to_string();
    for words in [
        &["projects", "get", id][..],
        &["projects", "list"],
        &["api", "GET", "/api/virtual-machines?states=Stopped"],
        &["projects", "create", "--name", quoted, "--body", &body],
    ] {
        let run = shell.run(&[words, &["--dry-run"]].concat()).await;
        assert!(!run.out.contains(&secret) && !run.err.contains(&secret) && !run.out.contains("Bearer ey"), "{run:?}");
        let line = run.success();
        assert_eq!(sandbox.requests().matching(&PROJECTS.into()).len(), before, "nothing was sent: {line}");
        assert!(line.starts_with("curl ") && line.lines().count() == 1, "{line}");
    }
    // Commands without a dry run do nothing at all.
    let document = shell.path("mutation.graphql");
    std::fs::write(&document, "mutation { x }").unwrap();
    let all = sandbox.requests().last().len();
    for line in ["graphql mutation.graphql --dry-run", "operations list --dry-run", "logout --dry-run"] {
        assert!(shell.line(line).await.failure(2).contains("has no dry run"), "{line}");
    }
    assert_eq!(sandbox.requests().last().len(), all, "nothing was sent");
    if !std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|folder| folder.join("curl").is_file()) {
        return;
    }
    let run = async |words: &[&str]| {
        let line = shell.run(&[words, &["--dry-run"]].concat()).await.success();
        let mut sh = shell.program("sh");
        let program = Path::new(env!("CARGO_BIN_EXE_platform")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        sh.args(["-c", &line]).env("PATH", path);
        let run = ended(sh.output()).await;
        serde_json::from_str::<Value>(&run.out).unwrap_or_else(|error| panic!("{error}: {line}: {run:?}"))
    };
    assert_eq!(run(&["projects", "get", id]).await, created);
    assert_eq!(run(&["projects", "list"]).await, shell.line("projects list").await.json());
    let named = run(&["projects", "create", "--name", quoted, "--body", &body]).await;
    assert_eq!(named["name"], quoted);
    assert!(!shell.path("pwned").exists());
}
