//! Answers: every status, typed errors, and undeclared ones.

use platform_client::types::{
    AgentCommand, ComponentKind, CreateTeamServiceProviderCredentialCreated, DatabaseEngine, DatabaseQuery,
    ProblemDetails, QueryConnectionResponse, ValidationProblemDetails, VirtualMachineState,
};
use platform_client::{Error, Object, Platform, Uuid, Value};
use serde_json::json;

use crate::support::{Reply, exchange};

const ID: Uuid = Uuid::from_u128(1);

async fn query(reply: Reply) -> Result<QueryConnectionResponse, Error> {
    let body = DatabaseQuery::new("select 1");
    exchange(reply, async |platform| platform.client_db().query_connection(ID, &body).await).await.1
}

#[tokio::test]
async fn each_status_has_its_type() {
    let rows = query(Reply::json(r#"{"columns":["a"],"rows":[[1,null,"x"]],"isTruncated":false}"#)).await.unwrap();
    let QueryConnectionResponse::Ok(rows) = rows else { panic!("{rows:?}") };
    assert_eq!(rows.rows.unwrap(), [[Value::from(1), Value::Null, Value::from("x")]]);
    let queued = Reply::new(202, "application/json", r#"{"id":"00000000-0000-0000-0000-000000000001","state":1}"#);
    let queued = query(queued).await.unwrap();
    let QueryConnectionResponse::Accepted(accepted) = queued else { panic!("{queued:?}") };
    assert_eq!((accepted.id, accepted.state.map(|state| state.value())), (Some(ID), Some(1)));
    assert!(matches!(query(Reply::empty(204)).await.unwrap(), QueryConnectionResponse::NoContent));

    let undeclared = query(Reply::empty(206)).await.unwrap_err();
    assert!(undeclared.is_decode() && undeclared.to_string().contains("206"), "{undeclared}");
}

#[tokio::test]
async fn errors_have_the_type_of_their_status() {
    let invalid = r#"{"title":"One or more validation errors occurred.","status":400,
        "errors":{"Statement":["Required.","Too short."]},"traceId":"00-7","more":[1]}"#;
    let error = query(Reply::new(400, "application/problem+json", invalid)).await.unwrap_err();
    assert!(error.is_bad_request() && !error.is_not_found());
    let body: ValidationProblemDetails = error.body_as().unwrap();
    assert_eq!(body.errors.unwrap()["Statement"], ["Required.", "Too short."]);
    assert_eq!(body.extra["more"], json!([1]));
    let problem = error.problem().unwrap();
    assert_eq!((problem.trace_id.as_deref(), problem.errors.len()), (Some("00-7"), 1));

    let missing =
        Reply::new(404, "application/problem+json", r#"{"type":"about:blank","status":404,"detail":"Gone."}"#);
    let error = query(missing).await.unwrap_err();
    assert!(error.is_not_found() && !error.is_bad_request());
    let body: ProblemDetails = error.body_as().unwrap();
    assert_eq!((body.type_.as_deref(), body.detail.as_deref()), (Some("about:blank"), Some("Gone.")));

    let page = query(Reply::new(502, "text/html", "<html>Bad gateway</html>")).await.unwrap_err();
    assert!(page.is_server_error() && page.is_retryable() && page.problem().is_none());
    assert_eq!(page.raw_body(), b"<html>Bad gateway</html>");
    assert!(!page.to_string().contains("<html>"), "{page}");
}

#[tokio::test]
async fn unknown_members_and_values_break_nothing() {
    let reply = Reply::json(r#"[{"id":"00000000-0000-0000-0000-000000000001","engine":9,"new":{"deep":[{}]}},{}]"#);
    let received = exchange(reply, async |platform| platform.client_db().list_connections().await).await.1.unwrap();
    assert_eq!((received[0].id, received[0].engine), (Some(ID), Some(DatabaseEngine::Unknown(9))));
    assert_eq!((received[1].id, received[1].engine), (None, None));

    let reply = Reply::json(r#"{"state":"Melting","checkedAt":"tomorrow"}"#);
    let status = async |platform: &Platform| platform.virtual_machines().get_virtual_machine_status(ID).await;
    let received = exchange(reply, status).await.1.unwrap();
    assert_eq!(received.state, Some(VirtualMachineState::Unknown("Melting".to_owned())));
    assert_eq!(received.checked_at.map(|time| time.to_string()).as_deref(), Some("tomorrow"));

    let reply = Reply::json(r#"[{"type":"dance","steps":3},{"type":"restartService","service":"web","more":1}]"#);
    let received = exchange(reply, async |platform| platform.vm_agent().list_agent_commands(ID).await).await.1.unwrap();
    assert_eq!(received[0], AgentCommand::Unknown(json!({ "type": "dance", "steps": 3 }).into()));
    assert!(matches!(&received[1], AgentCommand::RestartServiceCommand(command) if command.service == "web"));

    assert_eq!(ComponentKind::from(77).value(), 77);
    let reply = Reply::json(r#"{"kind":"Quantum","name":"q"}"#);
    let received =
        exchange(reply, async |platform| platform.teams().get_team_service_provider_credential(ID, ID).await)
            .await
            .1
            .unwrap();
    assert!(format!("{received:?}").contains("Quantum"), "{received:?}");
    let unknown: CreateTeamServiceProviderCredentialCreated =
        serde_json::from_value(json!({ "kind": "Quantum" })).unwrap();
    assert_eq!(serde_json::to_value(&unknown).unwrap(), json!({ "kind": "Quantum" }), "what came is written back");
}

#[tokio::test]
async fn null_absent_and_empty_answers() {
    let reply = Reply::json(r#"{"id":null,"name":null,"host":""}"#);
    let get = async |platform: &Platform| platform.client_db().get_connection(ID).await;
    let received = exchange(reply, get).await.1.unwrap();
    assert_eq!((received.id, received.name, received.host.as_deref(), received.port), (None, None, Some(""), None));

    let timer = async |platform: &Platform| platform.virtual_machines().get_virtual_machine_shutdown_timer(ID).await;
    assert_eq!(exchange(Reply::empty(204), timer).await.1.unwrap(), None);
    let received = exchange(Reply::json(r#"{"minutes":5}"#), timer).await.1.unwrap().unwrap();
    assert_eq!((received.minutes, received.reason, received.shutdown_at), (Some(5), None, None));
}

#[tokio::test]
async fn projects_keep_every_member() {
    let body = r#"[{"id":1,"z":{"a":[1.50,null]},"a":"x"}]"#;
    let list = async |platform: &Platform| platform.projects().list_projects().await;
    let received: Vec<Object> = exchange(Reply::json(body), list).await.1.unwrap();
    assert_eq!(serde_json::to_string(&received).unwrap(), body, "digit by digit");
    let names: Vec<&str> = received[0].iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["id", "z", "a"], "in the order of the answer");
    assert_eq!(exchange(Reply::json("[]"), list).await.1.unwrap(), []);
    for wrong in ["{}", "[1]", "[", "", "null"] {
        let error = exchange(Reply::json(wrong), list).await.1.unwrap_err();
        assert!(error.is_decode(), "{wrong}: {error}");
        assert_eq!(
            (error.operation(), error.status().map(|status| status.as_u16())),
            (Some("list_projects"), Some(200))
        );
    }
}

#[tokio::test]
async fn created_with_or_without_a_body() {
    let create = async |platform: &Platform| platform.projects().create_project(&Default::default()).await;
    for status in [200, 201, 202, 204] {
        assert_eq!(exchange(Reply::empty(status), create).await.1.unwrap(), None, "{status}");
    }
    for (status, body) in [(200, "{\"id\":1}"), (201, "\"text\""), (202, "[1]")] {
        let received = exchange(Reply::new(status, "application/json", body), create).await.1.unwrap();
        assert_eq!(received, Some(serde_json::from_str(body).unwrap()));
    }
    let malformed = exchange(Reply::empty(400), create).await.1.unwrap_err();
    assert!(malformed.is_bad_request() && malformed.problem().is_none(), "{malformed}");
}

#[tokio::test]
async fn text_bytes_and_events() {
    let log = async |platform: &Platform| platform.devops().get_terraform_deployment_log(ID).await;
    let reply = Reply::new(200, "text/plain; charset=utf-8", "\u{feff}one\r\ntwo ü");
    assert_eq!(exchange(reply, log).await.1.unwrap(), "one\r\ntwo ü");

    let image = async |platform: &Platform| platform.marketplace().get_store_item_image(ID).await?.bytes().await;
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(exchange(Reply::new(200, "image/png", bytes.clone()), image).await.1.unwrap(), bytes);

    let events = async |platform: &Platform| {
        let mut stream = platform.virtual_machines().get_virtual_machine_logs_stream(ID).await?;
        let mut received = Vec::new();
        while let Some(event) = stream.next().await {
            let event = event?;
            received.push((event.event, event.data));
        }
        Ok(received)
    };
    let text = ": hello\n\nevent: line\ndata: a\ndata: b\n\ndata: {\"c\":1}\r\n\r\ndata: cut off";
    let received = exchange(Reply::new(200, "text/event-stream", text), events).await.1.unwrap();
    assert_eq!(
        received,
        [("line".to_owned(), "a\nb".to_owned()), ("message".to_owned(), "{\"c\":1}".to_owned())],
        "an event ends with an empty line"
    );
}

#[tokio::test]
async fn status_and_headers_are_there_when_asked_for() {
    let reply = Reply::new(202, "application/json", "{}").header("Location", "/somewhere").header("Retry-After", "7");
    let start = async |platform: &Platform| platform.virtual_machines().start_virtual_machine(ID).with_response().await;
    let response = exchange(reply, start).await.1.unwrap();
    assert_eq!((response.status().as_u16(), response.header("location")), (202, Some("/somewhere")));
    let busy = exchange(Reply::empty(503).header("Retry-After", "7"), start).await.1.unwrap_err();
    assert_eq!(busy.retry_after().map(|time| time.as_secs()), Some(7));
}
