//! The operations as tools for agents, over standard input and output.

use std::process::Stdio;
use std::time::Duration;

use platform_sandbox::Sandbox;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::support::{Shell, until};

/// A client of the Model Context Protocol.
struct Agent {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    number: u64,
}

impl Agent {
    /// Starts the server, and agrees on a version.
    async fn start(shell: &Shell, words: &[&str]) -> Self {
        let mut child =
            shell.spawn(shell.command(&[&["mcp"], words].concat()).stdin(Stdio::piped()).stderr(Stdio::null()));
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut agent = Self { child, input, lines: BufReader::new(output).lines(), number: 0 };
        let about = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = agent.request("initialize", about).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "platform", "{answer}");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        agent
    }

    async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request, and returns its number.
    async fn begin(&mut self, method: &str, parameters: Value) -> u64 {
        self.number += 1;
        let number = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": parameters })).await;
        number
    }

    /// The answer to a request.
    async fn answer(&mut self, number: u64) -> Value {
        let read = async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the server has ended");
                let message: Value = serde_json::from_str(&line).unwrap();
                if message["id"] == number {
                    return message;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), read).await.expect("the server does not answer")
    }

    async fn request(&mut self, method: &str, parameters: Value) -> Value {
        let number = self.begin(method, parameters).await;
        self.answer(number).await
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    async fn tools(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes the input, which ends the server.
    async fn end(self) {
        drop(self.input);
        let run = crate::support::ended(self.child.wait_with_output()).await;
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

/// The text of the first block of a result.
fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

async fn sandbox() -> (Sandbox, Shell) {
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.clock().hold();
    let shell = Shell::signed_in(&sandbox);
    (sandbox, shell)
}

fn project(sandbox: &Sandbox) -> Value {
    let team = sandbox.team();
    json!({ "body": {
        "teamId": team.id.to_string(), "teamBillingAccountId": team.billing_account_id.to_string(),
        "storeItemPaymentPlanId": null, "name": "Aurora", "description": "", "category": "", "helpPage": "",
        "serviceProviders": [],
    } })
}

#[tokio::test]
async fn without_a_flag_an_agent_reads_only() {
    let (sandbox, shell) = sandbox().await;
    let mut agent = Agent::start(&shell, &["--tools", "all"]).await;
    let tools = agent.tools().await;
    assert!(tools.iter().any(|tool| tool == "projects_list_projects"), "{tools:?}");
    assert!(!tools.iter().any(|tool| tool.contains("create") || tool.contains("delete")), "{tools:?}");
    assert_eq!(text(&agent.call("projects_list_projects", json!({})).await).trim(), "[]");
    let refused = agent.call("projects_create_project", project(&sandbox)).await;
    assert!(refused.to_string().contains("--allow"), "{refused}");
    let wrong = agent.call("projects_get_project", json!({ "project_id": "abc" })).await;
    assert!(wrong["result"]["isError"] == true && text(&wrong).contains("/project_id"), "{wrong}");
    assert_eq!(sandbox.requests().matching(&"/api".into()).len(), 1);
    agent.end().await;
}

#[tokio::test]
async fn an_allowed_agent_writes_and_waits_for_what_it_starts() {
    let (sandbox, shell) = sandbox().await;
    let words = [
        "--tools",
        "all",
        "--assumed",
        "--allow",
        "projects:write",
        "--allow",
        "virtual_machines.start_virtual_machine",
    ];
    let mut agent = Agent::start(&shell, &words).await;
    let created = agent.call("projects_create_project", project(&sandbox)).await;
    assert!(created["result"]["isError"] != true && text(&created).contains("Aurora"), "{created}");
    let refused = agent.call("forum_create_thread", json!({ "body": { "title": "x" } })).await;
    assert!(refused.to_string().contains("--allow"), "{refused}");

    let id = sandbox.team().virtual_machine_id.to_string();
    let started = agent.call("virtual_machines_start_virtual_machine", json!({ "virtual_machine_id": id })).await;
    let whole = started.to_string();
    assert!(started["result"]["isError"] != true, "{started}");
    let operations = shell.line("operations list").await.json();
    let reference = operations[0]["operation"].as_str().unwrap();
    assert!(whole.contains(reference), "the answer names the reference: {whole}");
    let asked = || sandbox.requests().last().iter().filter(|request| request.path == "/graphql").count();
    let status = agent.call("operation_status", json!({ "reference": reference })).await;
    assert!(text(&status).contains("QUEUED") || text(&status).contains("pending"), "{status}");
    let before = asked();
    let wait =
        agent.begin("tools/call", json!({ "name": "operation_wait", "arguments": { "reference": reference } })).await;
    until("the server asks for the state", || asked() > before).await;
    sandbox.clock().advance(Duration::from_secs(600));
    let ended = agent.answer(wait).await;
    assert!(text(&ended).contains("succe") || text(&ended).contains("SUCCEEDED"), "{ended}");
    let starts = sandbox.requests().last().iter().filter(|request| request.path.ends_with("/start")).count();
    assert_eq!(starts, 1);
    agent.end().await;
}
