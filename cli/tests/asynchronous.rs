//! Asynchronous operations: waiting, an end in between, and going on.

use std::time::Duration;

use platform_sandbox::{RequestFilter, Sandbox};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

use crate::support::{Run, Shell, ended, until};

const LONG: Duration = Duration::from_secs(600);

/// A sandbox whose clock stands still, a shell, and the identifier of a virtual machine that is stopped.
async fn machine() -> (Sandbox, Shell, String) {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let mut shell = Shell::signed_in(&sandbox);
    shell.set("PLATFORM_ASSUMED", "1");
    let id = sandbox.team().virtual_machine_id.to_string();
    (sandbox, shell, id)
}

/// The number of operations that were submitted.
fn submitted(sandbox: &Sandbox) -> usize {
    sandbox
        .requests()
        .last()
        .iter()
        .filter(|request| request.method == "POST" && request.path.ends_with("/start"))
        .count()
}

/// Starts a command that waits, and returns when it has asked for the state.
async fn waiting(sandbox: &Sandbox, shell: &Shell, words: &[&str]) -> Child {
    let asked = |sandbox: &Sandbox| {
        sandbox
            .requests()
            .last()
            .iter()
            .filter(|request| request.path == "/graphql" && request.method == "POST")
            .count()
    };
    let before = asked(sandbox);
    let child = shell.spawn(&mut shell.command(words));
    until("the program asks for the state", || asked(sandbox) > before).await;
    child
}

async fn end(child: Child) -> Run {
    ended(child.wait_with_output()).await
}

async fn list(shell: &Shell) -> Vec<Value> {
    shell.line("operations list").await.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn a_command_waits_until_the_operation_has_succeeded() {
    let (sandbox, shell, id) = machine().await;
    let child = waiting(&sandbox, &shell, &["virtual-machines", "start", &id, "--wait"]).await;
    sandbox.clock().advance(LONG);
    let last = end(child).await.json();
    assert_eq!((&last["state"], &last["outcome"]), (&"succeeded".into(), &"succeeded".into()), "{last}");
    assert!(last["events"].as_array().unwrap().contains(&"virtual-machine-reachable".into()), "{last}");
    assert!(list(&shell).await.is_empty(), "it is finished");
}

#[tokio::test]
async fn a_program_that_is_killed_submits_nothing_twice() {
    let (sandbox, shell, id) = machine().await;
    let mut child = waiting(&sandbox, &shell, &["virtual-machines", "start", &id, "--wait"]).await;
    child.kill().await.unwrap();
    let operations = list(&shell).await;
    assert_eq!(operations.len(), 1, "{operations:?}");
    assert_eq!(
        (&operations[0]["status"], &operations[0]["kind"]),
        (&"accepted".into(), &"virtual_machine_start".into())
    );
    let name = operations[0]["operation"].as_str().unwrap();
    let child = waiting(&sandbox, &shell, &["operations", "wait", name]).await;
    sandbox.clock().advance(LONG);
    assert_eq!(end(child).await.json()["outcome"], "succeeded");
    assert_eq!(submitted(&sandbox), 1);
    assert!(list(&shell).await.is_empty());
    let err = shell.run(&["operations", "wait", name]).await.failure(4);
    assert!(err.contains("operations list"), "{err}");
}

#[tokio::test]
async fn an_interrupted_wait_names_the_command_that_goes_on() {
    let (sandbox, shell, id) = machine().await;
    let child = waiting(&sandbox, &shell, &["virtual-machines", "start", &id, "--wait"]).await;
    kill_process(Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap(), Signal::INT).unwrap();
    let err = end(child).await.failure(8);
    let name = list(&shell).await[0]["operation"].as_str().unwrap().to_owned();
    assert!(err.contains(&format!("next: `platform operations wait {name}`")), "{err}");
    let err = shell.run(&["operations", "wait", &name, "--timeout", "1"]).await.failure(8);
    assert!(err.contains("still running"), "{err}");
}

#[tokio::test]
async fn a_label_submits_once() {
    let (sandbox, shell, id) = machine().await;
    let words = ["virtual-machines", "start", &id, "--label", "nightly"];
    let first = shell.run(&words).await.json();
    let second = shell.run(&words).await.json();
    assert_eq!(first["id"], second["id"]);
    assert_eq!((submitted(&sandbox), list(&shell).await.len()), (1, 1));
    sandbox.clock().advance(LONG);
    assert_eq!(shell.line("operations wait nightly").await.json()["outcome"], "succeeded");
    // Without a label, the machine that runs is started again, which the service refuses.
    shell.run(&["virtual-machines", "start", &id]).await.failure(5);
}

#[tokio::test]
async fn commands_with_one_label_at_once_submit_once() {
    let (sandbox, shell, id) = machine().await;
    let words = ["virtual-machines", "start", &id, "--label", "nightly"];
    let start = RequestFilter::new().method("POST").path("/api/virtual-machines");
    sandbox.faults().next(1, start, "latency=500".parse().unwrap()).unwrap();
    let (one, two, three) = tokio::join!(shell.run(&words), shell.run(&words), shell.run(&words));
    let first = one.json();
    assert_eq!((&first["id"], &first["id"]), (&two.json()["id"], &three.json()["id"]));
    assert_eq!((submitted(&sandbox), list(&shell).await.len()), (1, 1));
}

#[tokio::test]
async fn a_watch_prints_each_state() {
    let (sandbox, shell, id) = machine().await;
    let accepted = shell.run(&["virtual-machines", "start", &id]).await.json();
    let id = accepted["id"].as_str().unwrap();
    let mut child = shell.spawn(&mut shell.command(&["operations", "watch", id, "-o", "ndjson"]));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(first["state"], "pending");
    sandbox.clock().advance(LONG);
    let mut last = first;
    while let Some(line) = lines.next_line().await.unwrap() {
        last = serde_json::from_str(&line).unwrap();
    }
    assert_eq!(last["state"], "succeeded");
    assert_eq!(end(child).await.code, Some(0));
}

#[tokio::test]
async fn an_operation_is_cancelled_and_another_is_forgotten() {
    let (sandbox, shell, _) = machine().await;
    let team = sandbox.team();
    let (name, account) = (team.id.to_string(), team.billing_account_id.to_string());
    let project = shell
        .run(&[
            "projects",
            "create",
            "--name",
            "A",
            "--team-id",
            &name,
            "--team-billing-account-id",
            &account,
            "--store-item-payment-plan-id",
            "null",
            "--description",
            "",
            "--category",
            "",
            "--help-page",
            "",
            "--service-providers",
            "[]",
        ])
        .await
        .json();
    let project = project["id"].as_str().unwrap();
    let component = shell.run(&["projects", "create-component", project, "--name", "web"]).await.json();
    let component = component["id"].as_str().unwrap();
    for label in ["one", "two"] {
        let words = ["projects", "create-component-deployment", project, component, "--tag", "v1", "--label", label];
        shell.run(&words).await.json();
    }
    let cancel = RequestFilter::new().method("POST").path("/api");
    sandbox.faults().next(1, cancel, "latency=60000".parse().unwrap()).unwrap();
    let err = shell.line("operations cancel one --timeout 1").await.failure(7);
    assert!(err.contains("in the time of `--timeout`"), "{err}");
    shell.line("operations cancel one").await.success();
    sandbox.clock().advance(LONG);
    let run = shell.line("operations wait one").await;
    assert_eq!(run.code, Some(8), "{run:?}");
    assert_eq!(serde_json::from_str::<Value>(&run.out).unwrap()["outcome"], "cancelled");
    assert!(run.err.contains("ended without success: cancelled"), "{}", run.err);
    assert_eq!(list(&shell).await.len(), 1);
    shell.line("operations forget two").await.success();
    assert!(list(&shell).await.is_empty());
    shell.line("operations forget two").await.failure(4);
}

#[tokio::test]
async fn an_operation_whose_answer_was_lost_is_not_submitted_again_and_found_by_its_identifier() {
    let (sandbox, shell, id) = machine().await;
    let start = RequestFilter::new().method("POST").path("/api/virtual-machines");
    sandbox.faults().next(1, start, "reset=after".parse().unwrap()).unwrap();
    let words = ["virtual-machines", "start", &id, "--label", "nightly"];
    let err = shell.run(&words).await.failure(7);
    assert!(err.contains("unknown whether"), "{err}");
    assert_eq!(list(&shell).await[0]["status"], "unknown whether it was submitted");
    shell.run(&words).await.failure(7);
    assert_eq!(submitted(&sandbox), 1);
    let all = shell.with_input(&["graphql", "-"], "{ operations { id } }").await.json();
    let id = all["data"]["operations"][0]["id"].as_str().unwrap();
    sandbox.clock().advance(LONG);
    let last = shell.run(&["operations", "resume", "nightly", "--id", id]).await.json();
    assert_eq!(last["outcome"], "succeeded");
    assert!(list(&shell).await.is_empty());
}
