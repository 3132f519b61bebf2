//! Contracts with many operations: the search, and the calls through it.

use serde_json::{Value, json};

use super::client::Session;
use super::service::ExampleService;
use crate::mcp::ToolForm;
use crate::mcp::operations::Operations as _;
use crate::mcp::search::SearchIndex;

async fn names(session: &mut Session, arguments: Value) -> Vec<String> {
    let texts = session.texts("search_operations", arguments).await;
    let answer: Value = serde_json::from_str(&texts[0]).unwrap();
    answer["operations"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn many_operations_are_searched() {
    let mut session = Session::new(700, &[], ToolForm::Auto).await;
    assert_eq!(
        session.tool_names().await,
        [
            "search_operations",
            "describe_operation",
            "read_operation",
            "answer_part",
            "operation_status",
            "operation_wait"
        ]
    );
    assert_eq!(names(&mut session, json!({"words": "list of projects"})).await[0], "projects.list_projects");
    assert_eq!(names(&mut session, json!({"words": "report", "limit": 4})).await.len(), 4);
    assert_eq!(names(&mut session, json!({"family": "exports"})).await, ["exports.download", "exports.log"]);
    // Operations that are not allowed are counted only.
    let texts = session.texts("search_operations", json!({"words": "create"})).await;
    assert_eq!(
        serde_json::from_str::<Value>(&texts[0]).unwrap(),
        json!({"operations": [], "matches": 0, "not_allowed_matches": 1})
    );
    let texts = session.texts("search_operations", json!({})).await;
    let families: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(families["families"][0], json!({"family": "projects", "operations": 2}));
}

#[tokio::test]
async fn operations_are_described_and_called_by_name() {
    let mut session = Session::new(0, &["projects:write"], ToolForm::Search).await;
    let texts = session.texts("describe_operation", json!({"operation": "projects.get_project"})).await;
    let description: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(description["arguments"]["required"], json!(["id"]));
    assert_eq!(description["method"], "GET");
    session.texts("read_operation", json!({"operation": "projects.list_projects", "arguments": {"count": 1}})).await;
    session.texts("read_operation", json!({"operation": "projects.list_projects"})).await;
    session
        .texts(
            "change_operation",
            json!({"operation": "projects.create_project", "arguments": {"body": {"name": "a"}}}),
        )
        .await;
    assert_eq!(session.sent().len(), 3);
}

#[tokio::test]
async fn the_rules_hold_for_calls_by_name() {
    let mut session = Session::new(0, &["projects:write"], ToolForm::Search).await;
    let create = json!({"operation": "projects.create_project", "arguments": {"body": {"name": "a"}}});
    let error = session.error("read_operation", create).await;
    assert_eq!(error, "Nothing was sent: projects.create_project changes something.\nnext: call change_operation");
    let error = session.error("change_operation", json!({"operation": "projects.list_projects"})).await;
    assert_eq!(error, "Nothing was sent: projects.list_projects reads.\nnext: call read_operation");
    for tool in ["read_operation", "change_operation"] {
        let delete = json!({"operation": "projects.delete_project", "arguments": {"id": "2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42"}});
        let error = session.error(tool, delete).await;
        assert!(error.ends_with("--allow projects.delete_project"), "{error}");
    }
    // The tool of an operation does not exist in this form, allowed or not.
    let error = session.error("projects_create_project", json!({"body": {"name": "a"}})).await;
    assert!(error.ends_with("next: call change_operation with this name as `operation`"), "{error}");
    session.error("projects_delete_project", json!({})).await;
    let error = session.error("read_operation", json!({"operation": "projects.list", "arguments": {}})).await;
    assert!(error.contains("similar names: projects.list_projects"), "{error}");
    let error =
        session.error("read_operation", json!({"operation": "projects.get_project", "arguments": {"id": 7}})).await;
    assert!(error.contains("/arguments/id is a number"), "{error}");
    let error = session.error("read_operation", json!({"operation": "projects.get_project", "arguments": []})).await;
    assert!(error.contains("/arguments is an array"), "{error}");
    assert_eq!(session.sent(), []);
    let mut reader = Session::new(0, &[], ToolForm::Search).await;
    let error = reader.error("change_operation", json!({"operation": "projects.create_project"})).await;
    assert!(error.contains("this server only reads"), "{error}");
}

#[tokio::test]
async fn a_server_that_lists_all_operations_has_no_search() {
    let mut session = Session::new(700, &[], ToolForm::All).await;
    let names = session.tool_names().await;
    assert_eq!(names.len(), 706 + 4);
    let error = session.error("search_operations", json!({"words": "a"})).await;
    assert!(error.contains("call the tool of the operation"), "{error}");
}

#[test]
fn the_ranking_prefers_names_and_rare_words() {
    let service = ExampleService::new(100);
    let index = SearchIndex::new(service.entries());
    let first =
        |words: &str| index.rank(words).first().and_then(|index| Some(service.entries().get(*index)?.name.clone()));
    for (words, name) in [
        ("delete project", "delete_project"),
        ("DELETE projects", "delete_project"),
        ("remove the exports: download", "download"),
        ("listProjects", "list_projects"),
        ("starting export", "start_export"),
        ("repl", "replace_project"),
        ("log of report", "log"),
    ] {
        assert_eq!(first(words).as_deref(), Some(name), "{words}");
    }
    assert_eq!(first("zebra"), None);
    assert_eq!(first("\u{1b} !!"), None);
    // Equal operations keep the order of the table.
    let mut reports = index.rank("report");
    reports.retain(|index| service.entries()[*index].name.starts_with("report_"));
    assert!(reports.len() == 99 && reports.is_sorted(), "{reports:?}");
    assert_eq!(index.rank(&"project ".repeat(100_000)), index.rank("project"));
}
