//! Operations that are allowed, their hints, and their names.

use serde_json::{Value, json};

use super::client::Session;
use super::service::ExampleService;
use crate::mcp::allow::Allowed;
use crate::mcp::names::ToolNames;
use crate::mcp::operations::{Effect, OperationEntry, Operations as _};
use crate::mcp::{McpArguments, ToolForm};

fn id() -> Value {
    json!("2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42")
}

#[tokio::test]
async fn only_operations_that_read_are_tools_without_a_rule() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    assert_eq!(
        session.tool_names().await,
        [
            "describe_operation",
            "answer_part",
            "operation_status",
            "operation_wait",
            "projects_list_projects",
            "projects_get_project",
            "exports_download",
            "exports_log",
            "faults_slow",
            "faults_fail",
        ]
    );
    let create = session.error("projects_create_project", json!({"body": {"name": "a"}})).await;
    assert_eq!(
        create,
        "Nothing was sent: this server does not allow projects.create_project, which may create something.\n\
         next: the person who starts the server can add: --allow projects:write"
    );
    let delete = session.error("projects_delete_project", json!({"id": id()})).await;
    assert!(delete.ends_with("--allow projects.delete_project"), "{delete}");
    let cancel = session.error("operation_cancel", json!({"reference": "export-1"})).await;
    assert!(cancel.ends_with("--allow cancel"), "{cancel}");
    let describe = session.error("describe_operation", json!({"operation": "projects_delete_project"})).await;
    assert!(describe.ends_with("--allow projects.delete_project"), "{describe}");
    assert_eq!(session.sent(), []);
}

#[tokio::test]
async fn a_rule_for_a_family_allows_changes_of_it_but_no_removal() {
    let mut session = Session::new(0, &["projects:write"], ToolForm::Auto).await;
    let names = session.tool_names().await;
    assert!(
        names.contains(&"projects_replace_project".to_owned()) && names.contains(&"projects_create_project".to_owned())
    );
    assert!(
        !names.contains(&"projects_delete_project".to_owned()) && !names.contains(&"exports_start_export".to_owned())
    );
    session.error("projects_delete_project", json!({"id": id()})).await;
    session.error("exports_start_export", json!({})).await;
    session.texts("projects_create_project", json!({"body": {"name": "a"}})).await;
    assert_eq!(session.sent(), [("create_project".to_owned(), json!({"body": {"name": "a"}}))]);
}

#[tokio::test]
async fn every_family_can_be_written_and_a_removal_is_named() {
    let mut all = Session::new(0, &["*:write"], ToolForm::Auto).await;
    let names = all.tool_names().await;
    assert!(
        names.contains(&"exports_start_export".to_owned()) && !names.contains(&"projects_delete_project".to_owned())
    );
    let mut one = Session::new(0, &["projects.delete_project", "cancel"], ToolForm::Auto).await;
    let names = one.tool_names().await;
    assert!(names.contains(&"projects_delete_project".to_owned()) && names.contains(&"operation_cancel".to_owned()));
    assert!(!names.contains(&"projects_create_project".to_owned()));
    assert_eq!(one.texts("projects_delete_project", json!({"id": id()})).await, ["The answer has no content."]);
    let cancelled = one.error("operation_cancel", json!({"reference": "export-1"})).await;
    assert!(cancelled.contains(r#""state":"cancelled""#), "{cancelled}");
}

#[test]
fn a_rule_that_names_nothing_is_an_error() {
    let service = ExampleService::new(0);
    for rule in ["project:write", "projects", "projects.*", "projects.delete", "", "projects:read", ":write"] {
        let failure = Allowed::new(&[rule.to_owned()], service.entries()).unwrap_err();
        assert_eq!(failure.exit, crate::Exit::Usage, "{rule}");
    }
    assert!(Allowed::new(&["projects:write".to_owned(), "cancel".to_owned()], service.entries()).is_ok());
}

#[tokio::test]
async fn hints_are_true() {
    let mut session = Session::new(0, &["*:write", "projects.delete_project", "cancel"], ToolForm::All).await;
    let tools = session.tools().await;
    let hints = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let hints = &tool["annotations"];
        let hint = |name: &str| hints[name].as_bool().unwrap();
        (hint("readOnlyHint"), hint("destructiveHint"), hint("idempotentHint"), hint("openWorldHint"))
    };
    assert_eq!(hints("projects_list_projects"), (true, false, true, true));
    assert_eq!(hints("projects_create_project"), (false, false, false, true));
    assert_eq!(hints("projects_replace_project"), (false, true, true, true));
    assert_eq!(hints("projects_delete_project"), (false, true, true, true));
    assert_eq!(hints("exports_start_export"), (false, false, false, true));
    assert_eq!(hints("operation_cancel"), (false, true, false, true));
    assert_eq!(hints("operation_wait"), (true, false, true, true));
    assert_eq!(hints("answer_part"), (true, false, true, false));
}

/// The tool that changes things in place of many has the hints of the worst one behind it.
#[tokio::test]
async fn the_hints_of_change_operation_are_those_of_the_worst_operation() {
    for (rules, expected) in
        [(vec!["exports:write"], Some(false)), (vec!["projects:write"], Some(true)), (vec![], None)]
    {
        let mut session = Session::new(0, &rules, ToolForm::Search).await;
        let tools = session.tools().await;
        let change = tools.iter().find(|tool| tool["name"] == "change_operation");
        assert_eq!(change.map(|tool| tool["annotations"]["destructiveHint"].as_bool().unwrap()), expected, "{rules:?}");
        let read = tools.iter().find(|tool| tool["name"] == "read_operation").unwrap();
        assert_eq!(read["annotations"]["readOnlyHint"], true);
    }
}

#[test]
fn names_are_unique_and_fit_every_host() {
    let entry = |family: &str, name: &str| OperationEntry {
        family: family.to_owned(),
        name: name.to_owned(),
        summary: String::new(),
        method: "GET".to_owned(),
        path: "/".to_owned(),
        effect: Effect::Read,
        is_idempotent: true,
        is_assumed: false,
        is_deprecated: false,
        is_asynchronous: false,
    };
    let long = "x".repeat(100);
    let entries = [
        entry("a", "b_c"),
        entry("a_b", "c"),
        entry("operation", "wait"),
        entry("é\n", "\u{202e}"),
        entry(&long, "1"),
        entry(&long, "2"),
    ];
    let names = ToolNames::new(&entries, &["operation_wait"]);
    let all: Vec<&str> = (0..entries.len()).map(|index| names.name(index)).collect();
    assert_eq!(all[..4], ["a_b_c", "a_b_c_2", "operation_wait_2", "____"]);
    assert!(all.iter().all(|name| name.len() <= 64) && all[4] != all[5]);
    for (index, name) in all.iter().enumerate() {
        assert_eq!(names.index(name), Some(index));
    }
    assert_eq!(names.index("a_b.c"), Some(1));
}

#[tokio::test]
async fn descriptions_of_a_contract_have_no_hidden_characters() {
    let mut session = Session::new(5, &[], ToolForm::All).await;
    for tool in session.tools().await {
        let name = tool["name"].as_str().unwrap();
        assert!(
            name.len() <= 64
                && name.chars().all(|character| character.is_ascii_alphanumeric() || "_-".contains(character)),
            "{name:?}"
        );
        for text in [&tool["title"], &tool["description"]] {
            let text = text.as_str().unwrap_or_default();
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{text:?}");
        }
    }
}

#[tokio::test]
async fn a_schema_that_is_too_long_for_the_list_is_in_the_description() {
    let mut session = Session::new(5, &[], ToolForm::All).await;
    let tools = session.tools().await;
    let tool = tools.iter().find(|tool| tool["name"] == "reports_report_002").unwrap();
    assert!(tool["inputSchema"].to_string().len() < 1_000, "{tool}");
    assert_eq!(tool["inputSchema"]["required"], json!(["kind"]));
    let error = session.error("reports_report_002", json!({"kind": 1})).await;
    assert!(error.contains("/kind is a number"), "{error}");
    let described = session.texts("describe_operation", json!({"operation": "reports_report_002"})).await;
    assert!(described[0].len() <= 32 << 10 && described[1].contains("answer_part"), "{}", described[1]);
}

#[test]
fn flags() {
    #[derive(Debug, clap::Parser)]
    struct Command {
        #[command(flatten)]
        server: McpArguments,
    }
    let parse = |line: &str| {
        <Command as clap::Parser>::try_parse_from(format!("mcp {line}").split_whitespace())
            .map(|command| command.server)
    };
    let plain = parse("").unwrap();
    assert_eq!((plain.allow.len(), plain.tools, plain.part, plain.log), (0, ToolForm::Auto, 32, None));
    let all = parse("--allow a:write --allow b.c --tools search --part 1 --log x").unwrap();
    assert_eq!((all.allow, all.tools, all.part), (vec!["a:write".to_owned(), "b.c".to_owned()], ToolForm::Search, 1));
    assert!(parse("--part 0").is_err() && parse("--tools some").is_err());
    #[cfg(feature = "mcp-http")]
    {
        assert_eq!(
            (plain.http, parse("--http").unwrap().http, parse("--http 8080").unwrap().http),
            (None, Some(0), Some(8080))
        );
        assert!(parse("--token-file x").is_err() && parse("--http 99999").is_err());
    }
}
