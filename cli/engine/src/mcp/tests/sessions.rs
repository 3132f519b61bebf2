//! Whole sessions: the log, progress, cancellation, disconnection, and the client of `rmcp` in both lifecycles.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, serve_client_with_lifecycle};
use serde_json::{Value, json};

use super::client::{Session, Written, arguments, start};
use super::service::ExampleService;
use crate::mcp::ToolForm;
use crate::mcp::log::CallLog;

/// The line without its time and its duration.
fn stable(line: &str) -> String {
    let line = line.split_once(' ').unwrap().1;
    line.rsplit_once(", ").unwrap().0.to_owned()
}

#[tokio::test]
async fn each_call_is_a_line_without_secrets() {
    let mut session = Session::new(0, &["projects:write"], ToolForm::Auto).await;
    session.texts("projects_list_projects", json!({"count": 2})).await;
    let body = json!({"name": "a\n\u{1b}[31m\u{202e}", "password": "hunter2", "parent": {"name": "b", "password": "hunter3"}, "client_secret": "hunter4"});
    session.texts("projects_create_project", json!({"body": body})).await;
    session.error("projects_list_projects", json!({"count": "hunter5x", "pass": "hunter6"})).await;
    session.error("projects_delete_project", json!({"id": "x"})).await;
    session.error("faults_fail", json!({})).await;
    session.call("no\nsuch\u{1b}tool", json!({"a": 1})).await;
    session.texts("projects_create_project", json!({"body": {"name": "y".repeat(10_000)}})).await;
    let log = session.log.text();
    let lines: Vec<String> = log.lines().map(stable).collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0], r#"projects_list_projects {"count":2} -> 200"#);
    assert!(lines[1].contains(r#""name":"a\n\u001b[31m\u{202e}""#) && lines[1].ends_with(" -> 201"), "{}", lines[1]);
    assert_eq!(lines[1].matches("(hidden)").count(), 3, "{}", lines[1]);
    assert!(
        lines[2].contains(r#""pass":"(unknown)""#) && lines[2].contains("refused: Nothing was sent: "),
        "{}",
        lines[2]
    );
    assert!(lines[3].contains("does not allow projects.delete_project"), "{}", lines[3]);
    assert_eq!(lines[4], "faults_fail {} -> failed (Unreachable)");
    assert_eq!(lines[5], r"no\u{a}such\u{1b}tool -> refused: unknown tool");
    assert!(lines[6].len() < 2_200, "{}", lines[6].len());
    assert!(
        !["hunter2", "hunter3", "hunter4", "hunter6", "\u{1b}", "\u{202e}"].iter().any(|text| log.contains(text)),
        "{log}"
    );
    let time = log.split_once(' ').unwrap().0;
    assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
}

#[tokio::test]
async fn the_log_of_the_search_has_operation_and_arguments() {
    let mut session = Session::new(0, &["projects:write"], ToolForm::Search).await;
    let create =
        json!({"operation": "projects.create_project", "arguments": {"body": {"name": "a", "password": "hunter2"}}});
    session.texts("change_operation", create).await;
    let log = session.log.text();
    let line = stable(log.lines().next().unwrap());
    assert!(
        line.starts_with("change_operation ") && line.contains("projects.create_project") && line.contains("(hidden)"),
        "{line}"
    );
    assert!(!log.contains("hunter2"));
}

#[tokio::test]
async fn an_asynchronous_operation_is_submitted_and_awaited_with_progress() {
    let mut session = Session::new(0, &["exports:write"], ToolForm::Auto).await;
    let texts = session.texts("exports_start_export", json!({})).await;
    assert_eq!(texts[1], r#"The work goes on. Its reference for operation_status and operation_wait is "export-1"."#);
    let status = session.texts("operation_status", json!({"reference": "export-1"})).await;
    assert_eq!(
        serde_json::from_str::<Value>(&status[0]).unwrap(),
        json!({"state": "running", "is_final": false, "share": 0.5})
    );
    let params =
        json!({"name": "operation_wait", "arguments": {"reference": "export-1"}, "_meta": {"progressToken": "t1"}});
    let reply = session.request("tools/call", params).await;
    let state: Value = serde_json::from_str(reply["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        state,
        json!({"state": "done", "is_final": true, "is_success": true, "share": 1.0, "result": {"id": "e1"}})
    );
    let progress: Vec<_> = session.notifications.iter().map(|message| &message["params"]).collect();
    assert_eq!(progress.len(), 2, "{progress:?}");
    assert!(progress.iter().all(|params| params["progressToken"] == "t1"));
    assert_eq!(progress[1]["message"], "running, 50 %");
    assert!(progress[0]["progress"].as_f64() < progress[1]["progress"].as_f64());
    // Without a token, there are no notifications.
    session.notifications.clear();
    session.texts("operation_wait", json!({"reference": "export-1"})).await;
    assert_eq!(session.notifications, Vec::<Value>::new());
}

#[tokio::test]
async fn a_wait_is_bounded_and_an_unsuccessful_end_is_an_error() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let texts = session.texts("operation_wait", json!({"reference": "export-endless", "seconds": 0})).await;
    assert!(texts[0].contains(r#""is_final":false"#), "{texts:?}");
    let error = session.error("operation_wait", json!({"reference": "export-failing"})).await;
    assert!(error.contains(r#""is_success":false"#), "{error}");
    let error = session.error("operation_wait", json!({"reference": "\u{1b}nothing"})).await;
    assert_eq!(error, "no operation has this reference\nnext: use the reference in an answer");
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_others_go_on() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let slow = session.send("tools/call", json!({"name": "faults_slow", "arguments": {}})).await;
    session.service.begun.notified().await;
    // Calls run side by side.
    session.texts("projects_list_projects", json!({"count": 1})).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": slow}});
    session.write(&cancel.to_string()).await;
    session.service.dropped.notified().await;
    session.texts("projects_list_projects", json!({"count": 1})).await;
    let log = session.log.text();
    assert!(log.lines().any(|line| stable(line) == "faults_slow {} -> cancelled"), "{log}");
}

#[tokio::test]
async fn a_client_that_goes_ends_the_server() {
    let session = Session::new(0, &[], ToolForm::Auto).await;
    session.close().await.unwrap();
    // Without a word of the protocol, too.
    let (client, _, server) = start(Arc::new(ExampleService::new(0)), &arguments(&[], ToolForm::Auto));
    drop(client);
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_client_of_rmcp_works_in_both_lifecycles() {
    let discover = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for lifecycle in [ClientLifecycleMode::Initialize, discover] {
        let (stream, _, server) = start(Arc::new(ExampleService::new(0)), &arguments(&[], ToolForm::Auto));
        let client = serve_client_with_lifecycle((), stream, lifecycle).await.unwrap();
        let info = client.peer_info().unwrap();
        assert_eq!(info.server_info.as_ref().unwrap().name, "example");
        assert!(info.instructions.as_ref().unwrap().starts_with("The example has projects"));
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(tools.len(), 10);
        let params = CallToolRequestParams::new("projects_list_projects")
            .with_arguments(json!({"count": 1}).as_object().unwrap().clone());
        let result = client.call_tool(params).await.unwrap();
        assert!(format!("{result:?}").contains("project 0"));
        client.cancel().await.unwrap();
        server.await.unwrap().unwrap();
    }
}

#[test]
fn the_file_of_the_log_is_appended_and_read_by_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    for tool in ["one", "two"] {
        CallLog::open(Some(&path)).unwrap().begin(tool).end("ok");
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().map(stable).collect::<Vec<_>>(), ["one -> ok", "two -> ok"]);
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions()) & 0o077, 0);
    let failure = CallLog::open(Some(&path.join("x"))).map(drop).unwrap_err();
    assert_eq!(failure.exit, crate::Exit::Usage);
}

/// A future that is dropped from outside leaves a line, too.
#[test]
fn a_call_without_an_end_is_in_the_log() {
    let written = Written::default();
    let log = CallLog::new(written.clone());
    drop(log.begin("slow"));
    assert_eq!(stable(written.text().trim()), "slow -> dropped");
}
