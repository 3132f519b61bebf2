//! Wrong input: nothing is sent, the answer names place and next step, and the server goes on.

use serde_json::json;

use super::client::Session;
use super::service::SECRET;
use crate::mcp::ToolForm;

#[tokio::test]
async fn arguments_that_do_not_fit_are_not_sent() {
    let mut session = Session::new(0, &["*:write"], ToolForm::Auto).await;
    let next = "\nnext: correct the arguments; describe_operation has the schema of an operation";
    for (tool, arguments, message) in [
        ("projects_get_project", json!({}), r#"the object of arguments lacks the member "id""#),
        ("projects_get_project", json!({"id": "7"}), "/id is not a UUID, such as 2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42"),
        ("projects_list_projects", json!({"count": "many"}), "/count is a string, where an integer is expected"),
        ("projects_list_projects", json!({"count": 10_001}), "/count is more than the maximum, 10000"),
        ("projects_list_projects", json!({"cuont": 1}), "/cuont is not a member that the contract names"),
        ("faults_slow", json!({"x": 1}), "/x is not an argument: the operation has none"),
        (
            "projects_create_project",
            json!({"body": {"name": "a", "parent": {"name": 1}}}),
            "/body/parent fits none of the 2 alternatives; the faults of the nearest one:; /body/parent/name is a number, where a string is expected",
        ),
        ("operation_status", json!({}), r#"the object of arguments lacks the member "reference""#),
        ("operation_wait", json!({"reference": "export-1", "seconds": 51}), "/seconds is more than the maximum, 50"),
    ] {
        assert_eq!(session.error(tool, arguments).await, format!("Nothing was sent: {message}.{next}"), "{tool}");
    }
    // Remarks come first here, and must not hide the error behind them.
    let mut body: serde_json::Map<_, _> = (0..20).map(|number| (format!("a{number}"), json!(1))).collect();
    body.insert("name".to_owned(), json!(1));
    let error = session.error("projects_create_project", json!({"body": body})).await;
    assert!(error.contains("/body/name is a number") && !error.contains("/body/a"), "{error}");
    assert_eq!(session.sent(), []);
    session.texts("projects_list_projects", json!({"count": 1})).await;
    assert_eq!(session.sent().len(), 1);
}

#[tokio::test]
async fn values_that_a_newer_service_may_know_are_sent_with_a_remark() {
    let mut session = Session::new(0, &["*:write"], ToolForm::Auto).await;
    let texts = session
        .texts("projects_create_project", json!({"body": {"name": "a", "size": "medium", "colour": "red"}}))
        .await;
    let remark = texts.last().unwrap();
    assert!(
        remark.starts_with("The arguments were sent, but: ")
            && remark.contains("/body/size")
            && remark.contains("/body/colour"),
        "{remark}"
    );
    assert_eq!(session.sent().len(), 1);
}

#[tokio::test]
async fn arguments_that_are_too_long_are_not_sent() {
    let mut session = Session::new(0, &["*:write"], ToolForm::Auto).await;
    let body = json!({"body": {"name": "x".repeat(10 << 20)}});
    let error = session.error("projects_create_project", body).await;
    assert!(error.contains("more than 1048576"), "{error}");
    assert_eq!(session.sent(), []);
    session.texts("projects_list_projects", json!({"count": 1})).await;
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol_with_similar_names() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    let error = session.call("list_project\u{1b}", json!({})).await;
    assert_eq!(error["code"], -32602);
    let message = error["message"].as_str().unwrap();
    assert_eq!(
        message,
        "Nothing was sent: no operation has the name \"list_project\\\\u{1b}\".\nnext: similar names: projects_list_projects, projects_get_project"
    );
    assert_eq!(session.call("", json!({})).await["code"], -32602);
}

#[tokio::test]
async fn messages_that_are_no_requests_do_not_end_the_server() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    for line in [
        "",
        "{",
        "[]",
        "\"text\"",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{0}\u{1b}[2J",
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}"#,
    ] {
        session.write(line).await;
    }
    session.write(r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#).await;
    // JSON that is not a request has an answer without a number. Texts that are not JSON are ignored, as by the other SDKs.
    loop {
        let message = session.message().await;
        if message["id"] == "ping" {
            break;
        }
        assert_eq!(message["error"]["code"], -32600, "{message}");
    }
}

#[tokio::test]
async fn parameters_of_another_type_are_named() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    for params in [json!({"name": "projects_list_projects", "arguments": "none"}), json!({"name": 7}), json!({})] {
        let error = session.request("tools/call", params.clone()).await;
        assert_eq!(error["code"], -32602, "{params} {error}");
        assert!(error["message"].as_str().unwrap().contains("/params/name"), "{error}");
    }
    // Parameters that are no object make it no request, and the answer has no number.
    session.send("tools/call", json!([])).await;
    let message = session.message().await;
    assert!(message["id"].is_null() && message["error"]["code"] == -32600, "{message}");
    assert_eq!(session.request("tools/list", json!({"cursor": "-1"})).await["code"], -32602);
    assert_eq!(session.request("tools/list", json!({"cursor": "999999999999999999999999"})).await["code"], -32602);
    assert_eq!(session.request("tools\n/x", json!({})).await["code"], -32601);
}

#[tokio::test]
async fn failures_name_the_next_step_and_no_secret() {
    let mut session = Session::new(0, &[], ToolForm::Auto).await;
    assert_eq!(session.error("faults_fail", json!({})).await, "503: the service is busy\nnext: try again later");
    let error = session.error("projects_get_project", json!({"id": "00000000-0000-0000-0000-00000000000f"})).await;
    assert!(!error.contains('\u{1b}') && error.ends_with("next: call list_projects"), "{error:?}");
    assert!(!session.log.text().contains(SECRET));
}

/// Even if a table has a credential as an argument, the model cannot send one.
#[tokio::test]
async fn credentials_are_no_arguments() {
    let mut session = Session::new(0, &[], ToolForm::All).await;
    let tools = session.tools().await;
    let tool = tools.iter().find(|tool| tool["name"] == "faults_fail").unwrap();
    assert!(!tool["inputSchema"].to_string().contains("Authorization"), "{tool}");
    let error = session.error("faults_fail", json!({"Authorization": "Bearer hunter2"})).await;
    assert!(error.starts_with("Nothing was sent: /Authorization is not a member of the schema"), "{error}");
    let described = session.texts("describe_operation", json!({"operation": "faults.fail"})).await;
    assert!(!described[0].contains("Authorization"), "{described:?}");
    assert!(session.sent().is_empty() && !session.log.text().contains("hunter2"));
}
