//! State that survives the sandbox, and the program when it is killed.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use driftless_sandbox::{Document, Error, Options, Sandbox, start_all, start_with};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use super::{body, client, pets, send};

fn options(data: &Path) -> Options {
    let mut options = Options::default();
    options.data = Some(data.to_owned());
    options
}

async fn begin(contract: &Value, data: &Path) -> Result<Sandbox, Error> {
    start_with(contract.to_string().as_bytes(), options(data)).await
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("state.db");
    (folder, data)
}

#[tokio::test]
async fn items_their_order_singletons_and_deletions_survive() {
    let (_folder, data) = folder();
    let contract = pets("3.0.3");
    let sandbox = begin(&contract, &data).await.unwrap();
    let create = async |sandbox: &Sandbox, name: &str| {
        let created = send(sandbox, Method::POST, "/pets", Some(json!({ "id": 0, "name": name }))).await;
        body(created).await["id"].as_u64().unwrap()
    };
    let (rex, tom) = (create(&sandbox, "Rex").await, create(&sandbox, "Tom").await);
    send(&sandbox, Method::PUT, &format!("/pets/{rex}"), Some(json!({ "id": rex, "name": "Max" }))).await;
    send(&sandbox, Method::DELETE, &format!("/pets/{tom}"), None).await;
    send(&sandbox, Method::PUT, "/config", Some(json!({ "id": 7, "name": "kept" }))).await;
    let before = body(send(&sandbox, Method::GET, "/pets", None).await).await;
    sandbox.stop().await;

    let sandbox = begin(&contract, &data).await.unwrap();
    assert!(sandbox.left_out().is_empty());
    assert_eq!(body(send(&sandbox, Method::GET, "/pets", None).await).await, before);
    assert_eq!(before.as_array().unwrap().last().unwrap()["name"], "Max");
    assert_eq!(send(&sandbox, Method::GET, &format!("/pets/{tom}"), None).await.status(), 404);
    assert_eq!(body(send(&sandbox, Method::GET, "/config", None).await).await["name"], "kept");
    assert!(create(&sandbox, "New").await > tom, "no identifier is given twice");
    sandbox.stop().await;
}

/// Catches a restored snapshot that the file does not have, and parts of the state before it that the file keeps.
#[tokio::test]
async fn a_restored_snapshot_survives() {
    let (_folder, data) = folder();
    let contract = pets("3.0.3");
    let sandbox = begin(&contract, &data).await.unwrap();
    send(&sandbox, Method::PUT, "/config", Some(json!({ "id": 7, "name": "gone" }))).await;
    let snapshot = json!({ "singles": [], "files": [{ "address": "/v1/config", "mediaType": "text/plain", "base64": "YQ==" }],
        "collections": [{ "address": "/v1/pets", "template": "/pets", "numbers": 9, "removed": ["8"],
            "items": [{ "key": "5", "fields": { "id": 5, "name": "Rex" }, "isInvented": false }] }] });
    let restored = client().put(format!("{}/sandbox/snapshot", sandbox.origin())).json(&snapshot).send().await.unwrap();
    assert_eq!(restored.status(), 204);
    sandbox.stop().await;

    let sandbox = begin(&contract, &data).await.unwrap();
    let saved = client().get(format!("{}/sandbox/snapshot", sandbox.origin())).send().await.unwrap();
    assert_eq!(body(saved).await, snapshot);
    sandbox.stop().await;
}

/// Catches a change over the control interface that is answered before it is in the file: nothing else is asked before the end.
#[tokio::test]
async fn a_change_over_the_control_interface_survives_its_answer() {
    let (_folder, data) = folder();
    let contract = pets("3.0.3");
    let item = "/sandbox/item?address=/v1/pets/77";
    let pet = |name: &str| json!({ "id": 77, "name": name });
    for (method, path, sent, status, kept) in [
        (Method::POST, "/sandbox/items", json!({ "collection": "/v1/pets", "fields": pet("Rex") }), 201, Some("Rex")),
        (Method::PUT, item, pet("Max"), 200, Some("Max")),
        (Method::DELETE, item, Value::Null, 204, None),
    ] {
        let sandbox = begin(&contract, &data).await.unwrap();
        let request = client().request(method.clone(), format!("{}{path}", sandbox.origin())).json(&sent);
        assert_eq!(request.send().await.unwrap().status(), status, "{method}");
        sandbox.stop().await;
        let sandbox = begin(&contract, &data).await.unwrap();
        let read = send(&sandbox, Method::GET, "/pets/77", None).await;
        let name = if read.status() == 200 { body(read).await["name"].as_str().map(str::to_owned) } else { None };
        assert_eq!(name.as_deref(), kept, "{method}");
        sandbox.stop().await;
    }
}

/// An item that no operation lists or creates exists until it is deleted, and then not again.
#[tokio::test]
async fn a_deleted_item_that_nobody_created_stays_deleted() {
    let (_folder, data) = folder();
    let mut contract = pets("3.0.3");
    contract["paths"].as_object_mut().unwrap().remove("/pets");
    for status in [200, 404] {
        let sandbox = begin(&contract, &data).await.unwrap();
        assert_eq!(send(&sandbox, Method::GET, "/pets/77", None).await.status(), status);
        send(&sandbox, Method::DELETE, "/pets/77", None).await;
        sandbox.stop().await;
    }
}

#[tokio::test]
async fn a_file_in_use_and_a_file_of_another_program_are_refused() {
    let (folder, data) = folder();
    let contract = pets("3.0.3");
    let first = begin(&contract, &data).await.unwrap();
    let error = begin(&contract, &data).await.unwrap_err();
    assert_eq!(error.code(), "data/in-use");
    assert!(error.to_string().contains("state.db"), "{error}");
    first.stop().await;
    begin(&contract, &data).await.unwrap().stop().await;

    let text = folder.path().join("text");
    std::fs::write(&text, "this is not a database, and it is longer than a header of one is, by some more words")
        .unwrap();
    assert_eq!(begin(&contract, &text).await.unwrap_err().code(), "data/file");
    let foreign = folder.path().join("foreign.db");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE other (a)").unwrap();
    let error = begin(&contract, &foreign).await.unwrap_err();
    assert!(error.to_string().contains("belongs to another program"), "{error}");
    assert_eq!(begin(&contract, &folder.path().join("none/a.db")).await.unwrap_err().code(), "data/file");
}

#[tokio::test]
async fn after_a_change_of_the_contract_the_rest_is_named_and_not_lost() {
    let (_folder, data) = folder();
    let contract = pets("3.0.3");
    let sandbox = begin(&contract, &data).await.unwrap();
    for (name, tag) in [("short", json!("a")), ("a name that is too long", json!("b"))] {
        send(&sandbox, Method::POST, "/pets", Some(json!({ "id": 0, "name": name, "tag": tag }))).await;
    }
    send(&sandbox, Method::PUT, "/config", Some(json!({ "id": 7, "name": "kept" }))).await;
    sandbox.stop().await;
    let names = async |sandbox: &Sandbox| {
        let list = body(send(sandbox, Method::GET, "/pets?limit=100", None).await).await;
        list.as_array().unwrap().iter().map(|pet| pet["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };

    // A shorter name, a further required member, another title, and a path less.
    let mut changed = contract.clone();
    changed["info"]["title"] = json!("Animals");
    let pet = &mut changed["components"]["schemas"]["Pet"];
    pet["properties"]["name"]["maxLength"] = json!(10);
    pet["properties"]["age"] = json!({ "type": "integer", "minimum": 3 });
    pet["required"] = json!(["id", "name", "age"]);
    changed["paths"].as_object_mut().unwrap().remove("/config");
    let sandbox = begin(&changed, &data).await.unwrap();
    let left_out = sandbox.left_out().join("\n");
    assert!(
        left_out.contains("/pets 4: /name") && left_out.contains("/config: the contract has no such path"),
        "{left_out}"
    );
    let stayed = names(&sandbox).await;
    assert!(stayed.contains(&"short".to_owned()) && !stayed.iter().any(|name| name.contains("too long")), "{stayed:?}");
    let short = body(send(&sandbox, Method::GET, "/pets/3", None).await).await;
    assert!(short["age"].as_u64().unwrap() >= 3 && short["tag"] == "a", "{short}");
    sandbox.stop().await;
    // The same contract again: nothing is new.
    let sandbox = begin(&changed, &data).await.unwrap();
    assert!(sandbox.left_out().is_empty());
    assert_eq!(
        (names(&sandbox).await, body(send(&sandbox, Method::GET, "/pets/3", None).await).await),
        (stayed, short)
    );
    sandbox.stop().await;

    let sandbox = begin(&contract, &data).await.unwrap();
    assert!(sandbox.left_out().is_empty(), "{:?}", sandbox.left_out());
    assert!(names(&sandbox).await.contains(&"a name that is too long".to_owned()));
    assert_eq!(body(send(&sandbox, Method::GET, "/config", None).await).await["name"], "kept");
    sandbox.stop().await;
}

#[tokio::test]
async fn contracts_in_one_file_are_told_apart_by_title_and_base_path() {
    let (_folder, data) = folder();
    let below = |base: &str| {
        let mut contract = pets("2.0");
        contract["basePath"] = json!(base);
        contract.to_string()
    };
    let (one, two) = (below("/v1"), below("/v2"));
    let (one, two) = (Document::new("one", one.as_bytes()), Document::new("two", two.as_bytes()));
    let sandbox = start_all(&[one, two], options(&data)).await.unwrap();
    send(&sandbox, Method::PUT, "/config", Some(json!({ "id": 7, "name": "kept" }))).await;
    sandbox.stop().await;
    let sandbox = start_all(&[two, one], options(&data)).await.unwrap();
    for (base, is_kept) in [("/v1", true), ("/v2", false)] {
        let url = format!("{}{base}/config", sandbox.origin());
        let value: Value = client().get(url).header("x-key", "any").send().await.unwrap().json().await.unwrap();
        assert_eq!(value["name"] == "kept", is_kept, "{base}");
    }
    sandbox.stop().await;
    let other = pets("2.0").to_string().replace("/pets", "/others").replace("/config", "/other");
    let other = Document::new("other", other.as_bytes());
    assert_eq!(start_all(&[one, other], options(&data)).await.unwrap_err().code(), "data/same-name");
    let sandbox = start_all(&[two], options(&data)).await.unwrap();
    assert_eq!(sandbox.left_out(), [r#"all of the contract "Pets /v1""#]);
    sandbox.stop().await;
}

/// The program, and the address that it prints.
async fn program(contract: &Path, data: &Path) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"));
    command.arg("--contract").arg(contract).arg("--data").arg(data).stdout(Stdio::piped()).kill_on_drop(true);
    let mut serving = command.spawn().unwrap();
    let line = BufReader::new(serving.stdout.take().unwrap()).lines().next_line().await.unwrap().unwrap();
    (serving, format!("{}/pets", line.strip_prefix("listening on ").unwrap()))
}

/// Creates, changes and deletes items until the server is gone. Returns what was acknowledged: the names by identifiers, `None` if the
/// item was deleted. The item of the unanswered request is left out.
async fn write(
    client: Client,
    pets: String,
    writer: usize,
    acknowledged: mpsc::Sender<()>,
) -> Vec<(u64, Option<String>)> {
    let mut written = Vec::new();
    for number in 0.. {
        let sent = |method: Method, url: String, name: &str| {
            client.request(method, url).header("x-key", "any").json(&json!({ "id": 0, "name": name })).send()
        };
        let name = format!("{writer} {number}");
        let Ok(created) = sent(Method::POST, pets.clone(), &name).await else { break };
        assert_eq!(created.status(), 201);
        let Ok(created) = created.json::<Value>().await else { break };
        let id = created["id"].as_u64().unwrap();
        let item = format!("{pets}/{id}");
        let name = match number % 3 {
            0 => Some(name),
            1 => match sent(Method::PUT, item, "changed").await {
                Ok(changed) => {
                    assert_eq!(changed.status(), 200);
                    Some("changed".to_owned())
                }
                Err(_) => break,
            },
            _ => match client.delete(item).header("x-key", "any").send().await {
                Ok(deleted) => {
                    assert_eq!(deleted.status(), 204);
                    None
                }
                Err(_) => break,
            },
        };
        written.push((id, name));
        // The test may have enough.
        let _ = acknowledged.try_send(());
    }
    written
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_program_has_lost_nothing_that_it_acknowledged() {
    let (folder, data) = folder();
    let contract = folder.path().join("pets.json");
    std::fs::write(&contract, pets("3.0.3").to_string()).unwrap();
    let client = client();
    let mut all: Vec<(u64, Option<String>)> = Vec::new();
    for _ in 0..3 {
        let (mut serving, pets) = program(&contract, &data).await;
        let (sender, mut acknowledged) = mpsc::channel(1_000);
        let writers: Vec<_> =
            (0..4).map(|writer| tokio::spawn(write(client.clone(), pets.clone(), writer, sender.clone()))).collect();
        for _ in 0..100 {
            acknowledged.recv().await.unwrap();
        }
        // It sends SIGKILL while the writers write on.
        serving.kill().await.unwrap();
        for writer in writers {
            all.extend(writer.await.unwrap());
        }
        let (mut serving, pets) = program(&contract, &data).await;
        let mut second = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"));
        let second = second.arg("--contract").arg(&contract).arg("--data").arg(&data).output().await.unwrap();
        assert_eq!(second.status.code(), Some(6));
        assert!(String::from_utf8_lossy(&second.stderr).starts_with("error[data/in-use]"));
        for (id, name) in &all {
            let answer = client.get(format!("{pets}/{id}")).header("x-key", "any").send().await.unwrap();
            match name {
                Some(name) => assert_eq!(answer.json::<Value>().await.unwrap()["name"], name.as_str(), "{id}"),
                None => assert_eq!(answer.status(), 404, "{id}"),
            }
        }
        serving.kill().await.unwrap();
    }
    assert!(all.len() >= 300);
}
