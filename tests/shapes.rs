//! The assumed operations' wire shapes against the sandbox: one operation returns the values that another one stores.

use std::time::Duration;

use platform_client::types::{
    AgentCommand, ComponentKind, CreateAgentCommandOutputRequest, CreateComponent, CreateGitRepository,
    CreateRepositoryFileRequest, CreateTeamServiceProviderCredentialCreated,
    CreateTeamServiceProviderCredentialRequest, DatabaseQuery, ImportConnectionRequest, OpenSession, OutputStream,
    QueryConnectionResponse, RegisterAgent, RestartServiceCommand, RestartServiceCommandType, SaveForumThread,
    SaveStoreItem, SessionProtocol, StoreItemFilter, TokenCredential, TokenCredentialKind, UpdateThreadVoteRequest,
    ValidationProblemDetails, VirtualMachineState, VoteValue,
};
use platform_client::{Maybe, Method, Platform, Upload, Uuid};

use crate::support::{client, sandbox};

async fn repository(platform: &Platform) -> Uuid {
    let body = CreateGitRepository::new("site").project_id(Maybe::Null);
    platform.devops().create_repository(&body).await.unwrap().id.unwrap()
}

#[tokio::test]
async fn queries_deep_exploded_and_not() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let item = |name: &str, category: &str, tags: &[&str]| {
        SaveStoreItem::new(name.to_owned())
            .category(category)
            .tags(tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>())
    };
    let mut ids = Vec::new();
    for body in [item("a", "web", &["x"]), item("b", "web", &["y", "z"]), item("c & d", "data", &["z"])] {
        ids.push(platform.marketplace().create_store_item(&body).await.unwrap().id.unwrap());
    }
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let filter =
        |name: Maybe<String>, category: Maybe<String>| StoreItemFilter::default().name(name).category(category);
    let list = || platform.marketplace().list_store_items();
    let cases: [(_, &[&str]); 6] = [
        (list().tags(&texts(&["x", "y"])), &["a", "b"]),
        (list().ids(&[ids[0], ids[2]]), &["a", "c & d"]),
        (list().filter(&filter(Maybe::from("c & d".to_owned()), Maybe::Absent)), &["c & d"]),
        (list().filter(&filter(Maybe::Absent, Maybe::from("web".to_owned()))).tags(&texts(&["z"])), &["b"]),
        (list().ids(&ids).skip(1).take(1), &["b"]),
        (list().tags(&texts(&["nothing"])), &[]),
    ];
    for (call, names) in cases {
        let page = call.await.unwrap();
        let actual: Vec<String> = page.items.unwrap().into_iter().map(|item| item.name.unwrap()).collect();
        assert_eq!(actual, names);
    }
    let refused = platform.request(Method::Get, "/api/marketplace/v1/store-items").query("take", "many");
    let error = refused.send().await.unwrap_err();
    assert!(error.is_bad_request(), "{error}");
    let details: ValidationProblemDetails = error.body_as().unwrap();
    assert_eq!(details.errors.unwrap().len(), 1);
}

#[tokio::test]
async fn multipart_up_and_bytes_down() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let repository = repository(&platform).await;
    let form = CreateRepositoryFileRequest::default()
        .branch("main")
        .files(vec![
            Upload::bytes("one\r\n--x").file_name("one.txt"),
            Upload::bytes([0, 255, 13, 10].to_vec()).file_name("two.bin"),
        ])
        .message("Two files");
    let stored = platform.devops().create_repository_file(repository, form).await.unwrap();
    assert_eq!(stored.len(), 2);
    let two = platform.devops().get_repository_files_content(repository, "two.bin").await.unwrap();
    assert_eq!(two.bytes().await.unwrap().as_ref(), [0, 255, 13, 10]);
}

#[tokio::test]
async fn bytes_up_and_down_with_several_statuses() {
    let (_sandbox, secrets, platform) = sandbox().await;
    let repository = repository(&platform).await;
    let bytes: Vec<u8> = (0..=255).cycle().take(2_000_000).collect();
    let put = |bytes: Vec<u8>| {
        let body = Upload::bytes(bytes);
        let call = platform.devops().update_repository_files_content(repository, "src/ü b.bin", body);
        call.branch("main").x_commit_message("Once more").with_response()
    };
    let first = put(bytes.clone()).await.unwrap();
    assert_eq!((first.status().as_u16(), first.value().as_ref().unwrap().size), (201, Some(2_000_000)));
    let same = put(bytes.clone()).await.unwrap();
    assert_eq!((same.status().as_u16(), same.value().is_none()), (204, true));
    assert_eq!(put(Vec::new()).await.unwrap().status().as_u16(), 200);
    put(bytes.clone()).await.unwrap();

    let down = platform.devops().get_repository_files_content(repository, "src/ü b.bin").branch("main").await.unwrap();
    let file = secrets.path().join("down.bin");
    assert_eq!(down.save(&file).await.unwrap(), 2_000_000);
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let again = Upload::file(&file);
    let call = platform.devops().update_repository_files_content(repository, "src/ü b.bin", again);
    assert!(call.await.unwrap().is_none(), "the file that was saved is the file that was sent");
    platform.devops().delete_repository_files_content(repository, "src/ü b.bin").await.unwrap();
    let gone = platform.devops().get_repository_files_content(repository, "src/ü b.bin").await.unwrap_err();
    assert!(gone.is_not_found(), "{gone}");
}

#[tokio::test]
async fn forms_and_answers_without_content() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let body = SaveForumThread::new("Hello");
    let thread = platform.forum().create_thread(&body).await.unwrap().id.unwrap();
    assert_eq!(platform.forum().get_thread_vote(thread).await.unwrap(), None);
    let vote = UpdateThreadVoteRequest::default().comment("a b&c=ü").value(VoteValue::Down);
    let stored = platform.forum().update_thread_vote(thread, &vote).await.unwrap();
    assert_eq!((stored.comment, stored.value), (vote.comment, vote.value));
    assert!(platform.forum().get_thread_vote(thread).await.unwrap().is_some());
    platform.forum().delete_thread_vote(thread).await.unwrap();
    let refused = UpdateThreadVoteRequest::default().value(VoteValue::Unknown(2));
    assert!(platform.forum().update_thread_vote(thread, &refused).await.unwrap_err().is_bad_request());
}

#[tokio::test]
async fn one_operation_succeeds_in_three_ways() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let connection = sandbox.team().connection_id;
    let body = DatabaseQuery::new("select 1").limit(Maybe::Null);
    let query = || platform.client_db().query_connection(connection, &body);
    assert!(matches!(query().await.unwrap(), QueryConnectionResponse::Ok(_)));
    let later = query().background(true).await.unwrap();
    assert!(matches!(later, QueryConnectionResponse::Accepted(accepted) if accepted.id.is_some()));
    assert!(matches!(query().validate_only(true).await.unwrap(), QueryConnectionResponse::NoContent));
    let form = ImportConnectionRequest::new(Upload::bytes("--").file_name("dump.sql")).truncate(true);
    assert!(platform.client_db().import_connection(connection, form).await.unwrap().id.is_some());
}

#[tokio::test]
async fn a_machine_starts_and_its_log_arrives_as_text_and_as_events() {
    let (sandbox, secrets, platform) = sandbox().await;
    let machine = sandbox.team().virtual_machine_id;
    let machines = platform.virtual_machines();
    assert_eq!(machines.get_virtual_machine_status(machine).await.unwrap().state, Some(VirtualMachineState::Stopped));
    let accepted = machines.start_virtual_machine(machine).with_response().await.unwrap();
    assert_eq!(accepted.status().as_u16(), 202);
    // Accepted does not mean done: the machine starts as the sandbox's clock advances.
    sandbox.clock().advance(Duration::from_secs(600));
    let running = machines.list_virtual_machines().states(&[VirtualMachineState::Running]).await.unwrap();
    assert_eq!(running.iter().map(|machine| machine.id).collect::<Vec<_>>(), [Some(machine)]);
    let none = machines.list_virtual_machines().states(&[VirtualMachineState::Failed]).await.unwrap();
    assert_eq!(none, []);

    let log = machines.list_virtual_machine_logs(machine).lines(1).await.unwrap();
    assert_eq!(log, "state \"Running\"\n");
    let mut events = machines.get_virtual_machine_logs_stream(machine).await.unwrap();
    let mut data = Vec::new();
    for _ in 0..7 {
        data.push(events.next().await.unwrap().unwrap().data);
    }
    assert_eq!(data[6], "state \"Running\"");

    let stranger = client(&sandbox, secrets.path(), 1);
    let error = stranger.virtual_machines().get_virtual_machine_logs_stream(machine).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

#[tokio::test]
async fn headers_and_cookies() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let machine = sandbox.team().virtual_machine_id;
    let body = OpenSession::default().protocol(SessionProtocol::Rdp);
    let session = platform.virtual_machines().create_virtual_machine_session(machine, &body).await.unwrap();
    let id = session.id.unwrap().to_string();
    assert_eq!(platform.virtual_machines().get_sessions_current(&id).await.unwrap(), session);
    assert!(platform.virtual_machines().get_sessions_current("other").await.unwrap_err().is_not_found());

    let agent = RegisterAgent::new("h").version(Maybe::Null).virtual_machine_id(machine);
    let agent = platform.vm_agent().create_agent(&agent).await.unwrap().id.unwrap();
    platform.vm_agent().heartbeat_agent(agent, "1.2").await.unwrap();
    assert!(platform.vm_agent().heartbeat_agent(agent, "1\r\nx: y").await.unwrap_err().is_request());

    // The union sets its discriminator.
    let command = RestartServiceCommand::new("web");
    let command = AgentCommand::RestartServiceCommand(Box::new(command));
    let created = platform.vm_agent().create_agent_command(agent, &command).await.unwrap();
    let AgentCommand::RestartServiceCommand(stored) = &created else { panic!("{created:?}") };
    assert_eq!(stored.service, "web");
    assert_eq!(stored.type_, Some(RestartServiceCommandType::RestartService));
    let id = stored.id.unwrap();
    assert_eq!(platform.vm_agent().list_agent_commands(agent).await.unwrap(), std::slice::from_ref(&created));
    let output = CreateAgentCommandOutputRequest::new(1).stream(OutputStream::Stderr).text("100 % = done & over");
    platform.vm_agent().create_agent_command_output(agent, id, &output).await.unwrap();
}

#[tokio::test]
async fn tagged_unions_and_integer_enums() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let token = TokenCredential::default().name("t").expires_at(Maybe::Null);
    let body = CreateTeamServiceProviderCredentialRequest::TokenCredential(Box::new(token));
    let created = platform.teams().create_team_service_provider_credential(sandbox.team().id, &body).await.unwrap();
    let CreateTeamServiceProviderCredentialCreated::TokenCredential(stored) = created else { panic!("{created:?}") };
    assert_eq!(stored.name.as_ref().map(String::as_str), Some("t"));
    assert_eq!(stored.kind, Some(TokenCredentialKind::Token));

    let project = platform.projects().create_project(&Default::default()).await.unwrap().unwrap();
    let project: Uuid = project["id"].to().unwrap();
    let web = CreateComponent::new("web").kind(ComponentKind::from(2)).replicas(Maybe::Null);
    let component = platform.projects().create_project_component(project, &web).await.unwrap();
    assert_eq!(component.kind.map(|kind| kind.value()), Some(2));
    let of_kind = async |kind| platform.projects().list_project_components(project).kind(kind).await.unwrap().len();
    assert_eq!((of_kind(ComponentKind::from(2)).await, of_kind(ComponentKind::from(1)).await), (1, 0));
}
