//! Bodies of requests, to the byte.

use platform_client::types::{
    AgentCommand, ChangeForumThread, CreateAgentCommandOutputRequest, CreateProject, CreateRepositoryFileRequest,
    OutputStream, RunScriptCommand, UpdateThreadVoteRequest, VoteValue,
};
use platform_client::{Maybe, Upload, Uuid};

use crate::support::{Reply, exchange, requested};

const ID: Uuid = Uuid::from_u128(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10);

#[tokio::test]
async fn json_as_the_platform_document_shows_it() {
    let body = CreateProject::default()
        .team_id(ID)
        .team_billing_account_id(Uuid::nil())
        .store_item_payment_plan_id(Maybe::Null)
        .name("A \"quoted\" näme")
        .description(String::new())
        .category("research")
        .help_page(String::new())
        .service_providers(Vec::new());
    let (sent, project) =
        exchange(Reply::empty(201), async |platform| platform.projects().create_project(&body).await).await;
    assert_eq!(project.unwrap(), None);
    requested(
        &sent,
        concat!(
            "POST /api/projects/v1/projects\n",
            "accept: application/json\n",
            "content-type: application/json\n",
            "\n",
            r#"{"category":"research","description":"","helpPage":"","name":"A \"quoted\" näme","#,
            r#""serviceProviders":[],"storeItemPaymentPlanId":null,"#,
            r#""teamBillingAccountId":"00000000-0000-0000-0000-000000000000","#,
            r#""teamId":"01020304-0506-0708-090a-0b0c0d0e0f10"}"#,
        ),
    );
}

#[tokio::test]
async fn absent_null_and_a_value_are_three_things() {
    let body = ChangeForumThread::default().body(Maybe::Null).tags(vec!["a".to_owned(), String::new()]);
    let (sent, thread) =
        exchange(Reply::json("{}"), async |platform| platform.forum().patch_thread(ID, &body).await).await;
    thread.unwrap();
    requested(
        &sent,
        concat!(
            "PATCH /api/forum/v1/threads/01020304-0506-0708-090a-0b0c0d0e0f10\n",
            "accept: application/json\n",
            "content-type: application/json\n",
            "\n",
            r#"{"body":null,"tags":["a",""]}"#,
        ),
    );
}

#[tokio::test]
async fn a_tagged_union_says_its_tag_first() {
    let script = RunScriptCommand::new("echo").timeout_seconds(30);
    let command = AgentCommand::RunScriptCommand(Box::new(script));
    let (sent, _) =
        exchange(Reply::empty(204), async |platform| platform.vm_agent().create_agent_command(ID, &command).await)
            .await;
    let body = String::from_utf8(sent.body.to_vec()).unwrap();
    assert_eq!(body, r#"{"type":"runScript","script":"echo","timeoutSeconds":30}"#);
}

#[tokio::test]
async fn forms() {
    let body = UpdateThreadVoteRequest::default().comment("a b&c=ü").value(VoteValue::Down);
    let (sent, vote) =
        exchange(Reply::json("{}"), async |platform| platform.forum().update_thread_vote(ID, &body).await).await;
    vote.unwrap();
    requested(
        &sent,
        concat!(
            "PUT /api/forum/v1/threads/01020304-0506-0708-090a-0b0c0d0e0f10/vote\n",
            "accept: application/json\n",
            "content-type: application/x-www-form-urlencoded\n",
            "\n",
            "comment=a+b%26c%3D%C3%BC&value=-1",
        ),
    );
    let body = CreateAgentCommandOutputRequest::new(7).stream(OutputStream::Stdout);
    let (sent, done) = exchange(Reply::empty(204), async |platform| {
        platform.vm_agent().create_agent_command_output(ID, ID, &body).await
    })
    .await;
    done.unwrap();
    assert_eq!(sent.body.as_ref(), b"sequence=7&stream=stdout");
}

#[tokio::test]
async fn multipart_with_files_fields_and_quoted_names() {
    let form = CreateRepositoryFileRequest::default()
        .branch("main")
        .files(vec![
            Upload::bytes("one").file_name("a \"b\".txt").content_type("text/plain"),
            Upload::bytes("two").file_name("ü.bin"),
        ])
        .tags(vec!["x".to_owned(), "y".to_owned()]);
    let (sent, files) =
        exchange(Reply::json("[]"), async |platform| platform.devops().create_repository_file(ID, form).await).await;
    assert_eq!(files.unwrap(), []);
    let parts = "--BOUNDARY\n\
         Content-Disposition: form-data; name=\"branch\"\n\
         \n\
         main\n\
         --BOUNDARY\n\
         Content-Disposition: form-data; name=\"tags\"\n\
         \n\
         x\n\
         --BOUNDARY\n\
         Content-Disposition: form-data; name=\"tags\"\n\
         \n\
         y\n\
         --BOUNDARY\n\
         Content-Disposition: form-data; name=\"files\"; filename=\"a %22b%22.txt\"\n\
         Content-Type: text/plain\n\
         \n\
         one\n\
         --BOUNDARY\n\
         Content-Disposition: form-data; name=\"files\"; filename=\"ü.bin\"\n\
         Content-Type: application/octet-stream\n\
         \n\
         two\n\
         --BOUNDARY--\n";
    let head = "POST /api/devops/v1/repositories/01020304-0506-0708-090a-0b0c0d0e0f10/files\n\
         accept: application/json\n\
         content-type: multipart/form-data; boundary=BOUNDARY\n\
         \n";
    requested(&sent, &format!("{head}{}", parts.replace('\n', "\r\n")));
}

#[tokio::test]
async fn bytes_as_they_are() {
    let bytes: Vec<u8> = (0..=255).collect();
    let body = Upload::bytes(bytes.clone());
    let (sent, file) = exchange(Reply::empty(204), async |platform| {
        let call = platform.devops().update_repository_files_content(ID, "a/b c", body).x_commit_message("why");
        call.await
    })
    .await;
    assert_eq!(file.unwrap(), None);
    assert_eq!(sent.body, bytes);
    assert_eq!(sent.method, "PUT");
    assert_eq!(
        sent.target,
        "/api/devops/v1/repositories/01020304-0506-0708-090a-0b0c0d0e0f10/files/content?path=a%2Fb%20c"
    );
    assert_eq!(sent.headers["content-type"], "application/octet-stream");
    assert_eq!(sent.headers["content-length"], "256");
    assert_eq!(sent.headers["x-commit-message"], "why");

    let (sent, done) = exchange(Reply::empty(204), async |platform| {
        platform.marketplace().update_store_item_image(ID, Upload::bytes(vec![0x89, 0x50])).await
    })
    .await;
    done.unwrap();
    assert_eq!((sent.headers["content-type"].to_str().unwrap(), sent.body.as_ref()), ("image/png", &[0x89, 0x50][..]));
}

#[tokio::test]
async fn nothing_where_the_contract_has_no_body() {
    let (sent, accepted) =
        exchange(Reply::json("{}"), async |platform| platform.virtual_machines().start_virtual_machine(ID).await).await;
    accepted.unwrap();
    requested(
        &sent,
        "POST /api/virtual-machines/01020304-0506-0708-090a-0b0c0d0e0f10/start\n\
         accept: application/json\n\
         content-length: 0\n\n",
    );
}
