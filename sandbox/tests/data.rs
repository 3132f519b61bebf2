//! The persistence of a database file: from one start to the next, and through a crash.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support;
use crate::support::{Caller, PROJECTS, deployment};
use platform_sandbox::{Options, Sandbox};
use reqwest::Method;
use serde_json::{Value, json};

async fn open(path: &Path) -> Sandbox {
    platform_sandbox::start_with(Options { data: Some(path.to_owned()), ..Options::default() }).await.unwrap()
}

#[tokio::test]
async fn a_file_keeps_resources_bytes_work_secrets_keys_and_tokens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sandbox.db");
    let sandbox = open(&path).await;
    sandbox.clock().hold();
    let caller = Caller::new(&sandbox, 0).await;
    let (id, address) = deployment(&sandbox, &caller).await;
    let repository = caller.create("/api/devops/v1/repositories", &json!({ "name": "r" })).await;
    let content = format!("/api/devops/v1/repositories/{}/files/content?path=a", repository["id"].as_str().unwrap());
    let put = caller.request(Method::PUT, &content).header("content-type", "application/octet-stream").body("bytes");
    assert_eq!(put.send().await.unwrap().status(), 201);
    let thread = caller.create("/api/forum/v1/threads", &json!({ "title": "gone" })).await;
    let gone = format!("/api/forum/v1/threads/{}", thread["id"].as_str().unwrap());
    caller.create(&format!("{gone}/replies"), &json!({ "body": "b" })).await;
    assert_eq!(caller.delete(&gone).await.status(), 204);
    let projects = caller.get_json(PROJECTS).await;
    let api_token = sandbox.issuer().create_api_token("ada", "t").unwrap().unwrap();
    let secret = sandbox.clients()[0].secret().to_owned();
    let keys = format!("{}/.well-known/openid-configuration/jwks", sandbox.auth_url());
    let keys: Value = support::fetch(keys).await.unwrap().json().await.unwrap();
    sandbox.stop().await;

    let sandbox = open(&path).await;
    assert_eq!(sandbox.clients()[0].secret(), secret);
    let again = format!("{}/.well-known/openid-configuration/jwks", sandbox.auth_url());
    assert_eq!(support::fetch(again).await.unwrap().json::<Value>().await.unwrap(), keys);
    let caller = Caller::with_token(&sandbox, api_token);
    assert_eq!(caller.get_json(PROJECTS).await, projects);
    assert_eq!(caller.get(&content).await.text().await.unwrap(), "bytes");
    assert_eq!(caller.get(&gone).await.status(), 404);
    assert_eq!(caller.get(&format!("{gone}/replies")).await.status(), 404);
    // The work continues.
    sandbox.clock().advance(Duration::from_secs(60));
    assert_eq!(caller.get_json(&address).await["state"], 2);
    let answer = caller.query(&format!("{{ operation(id: \"{id}\") {{ state events {{ kind }} }} }}")).await;
    assert_eq!(answer["operation"]["events"].as_array().unwrap().len(), 4);

    sandbox.reset().unwrap();
    sandbox.stop().await;
    let sandbox = open(&path).await;
    assert_eq!(Caller::new(&sandbox, 0).await.get_json(PROJECTS).await, json!([]));
}

#[tokio::test]
async fn a_file_is_used_by_one_sandbox_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sandbox.db");
    let again = async || platform_sandbox::start_with(Options { data: Some(path.clone()), ..Options::default() }).await;
    let sandbox = open(&path).await;
    let error = again().await.unwrap_err();
    assert_eq!(error.code(), "sandbox-data-in-use");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    // The refusal does not disturb the sandbox that uses the file.
    let caller = Caller::new(&sandbox, 0).await;
    caller.create(PROJECTS, &json!({ "name": "kept" })).await;
    sandbox.stop().await;
    let sandbox = again().await.unwrap();
    assert_eq!(Caller::new(&sandbox, 0).await.get_json(PROJECTS).await[0]["name"], "kept");
    drop(sandbox);
    again().await.unwrap();
}

#[tokio::test]
async fn a_killed_sandbox_leaves_no_lock() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sandbox.db");
    let (mut child, _) = spawn(&path);
    let options = || Options { data: Some(path.clone()), ..Options::default() };
    assert_eq!(platform_sandbox::start_with(options()).await.unwrap_err().code(), "sandbox-data-in-use");
    child.kill().unwrap();
    child.wait().unwrap();
    platform_sandbox::start_with(options()).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_for_its_owner_and_has_a_version() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sandbox.db");
    let sandbox = open(&path).await;
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", entry.path().display());
    }
    sandbox.stop().await;
    // SQLite's header has the user version at byte 60, big-endian.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[60..64].copy_from_slice(&7_u32.to_be_bytes());
    let other = directory.path().join("other.db");
    std::fs::write(&other, bytes).unwrap();
    let error = platform_sandbox::start_with(Options { data: Some(other), ..Options::default() }).await.unwrap_err();
    assert!(error.to_string().contains("version 7"), "{error}");
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    for (name, sql) in [
        ("tables", "CREATE TABLE item (name TEXT); INSERT INTO item VALUES ('mine')"),
        ("marked", "PRAGMA application_id = 252006674"),
    ] {
        let path = directory.path().join(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = std::fs::read(&path).unwrap();
        let options = Options { data: Some(path.clone()), ..Options::default() };
        let error = platform_sandbox::start_with(options).await.unwrap_err();
        assert_eq!(error.code(), "sandbox-data");
        assert!(error.to_string().contains("belongs to another program"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("text");
    std::fs::write(&path, "no database, and long enough to be read as one, were it one").unwrap();
    let options = Options { data: Some(path), ..Options::default() };
    assert_eq!(platform_sandbox::start_with(options).await.unwrap_err().code(), "sandbox-data");
    let options = Options { data: Some(directory.path().join("no/such/place")), ..Options::default() };
    assert_eq!(platform_sandbox::start_with(options).await.unwrap_err().code(), "sandbox-data");
}

#[tokio::test]
async fn a_seed_of_ones_own_is_planted_and_a_broken_one_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("seed.toml");
    let built_in = include_str!("../seed.toml");
    std::fs::write(&path, built_in.replace("\"Lyra\"", "\"Harp\"").replace("aurora-automation", "my-robot")).unwrap();
    let seeded =
        async || platform_sandbox::start_with(Options { seed: Some(path.clone()), ..Options::default() }).await;
    let sandbox = seeded().await.unwrap();
    assert_eq!(sandbox.clients()[0].client_id, "my-robot");
    let cleo = support::named(&sandbox, "cleo").await;
    assert_eq!(cleo.get_json(PROJECTS).await[0]["name"], "Harp");
    for (text, complaint) in [
        ("team = 1", "line 1"),
        (&built_in.replace("role = \"viewer\"", "role = \"king\""), "king"),
        (&built_in.replace("team = \"Cygnus\"", "team = \"Nowhere\""), "Nowhere"),
        ("", "team"),
        ("team = []", "two teams"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = seeded().await.unwrap_err();
        assert_eq!(error.code(), "sandbox-seed");
        assert!(error.to_string().contains(complaint), "{error}");
    }
}

/// The sandbox that the next test kills. It is this test program again, with this test alone.
#[tokio::test]
async fn serve_until_killed() {
    let Ok(path) = std::env::var("SANDBOX_TEST_DATA") else { return };
    let sandbox = open(Path::new(&path)).await;
    let token = sandbox.issuer().create_api_token("ada", "crash").unwrap().unwrap();
    eprintln!("ready {} {token}", sandbox.base_url());
    std::future::pending::<()>().await;
}

/// A sandbox in a process of its own, and its address and token.
fn spawn(path: &Path) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "data::serve_until_killed", "--nocapture"])
        .env("SANDBOX_TEST_DATA", path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let ready = lines.find_map(|line| line.unwrap().strip_prefix("ready ").map(str::to_owned)).unwrap();
    (child, ready)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_loses_nothing_that_was_answered() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sandbox.db");
    let mut promised: Vec<Value> = Vec::new();
    for round in 0..5 {
        let (mut child, ready) = spawn(&path);
        let (base, token) = ready.split_once(' ').unwrap();
        let url = format!("{base}{PROJECTS}");
        let count = Arc::new(AtomicUsize::new(0));
        let writers = (0..4).map(|writer| {
            let (url, token, count) = (url.clone(), token.to_owned(), Arc::clone(&count));
            tokio::spawn(async move {
                let http = support::http();
                let mut answered = Vec::new();
                for number in 0.. {
                    let body = json!({ "name": format!("{round} {writer} {number}"), "description": "x".repeat(500) });
                    let Ok(response) = http.post(&url).bearer_auth(&token).json(&body).send().await else { break };
                    assert!(response.status().is_success());
                    // An answer with a truncated body was a success, too, but names no identifier to look for.
                    let Ok(created) = response.json::<Value>().await else { break };
                    answered.push(created);
                    count.fetch_add(1, Ordering::Relaxed);
                }
                answered
            })
        });
        let writers: Vec<_> = writers.collect();
        while count.load(Ordering::Relaxed) < 50 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for writer in writers {
            promised.extend(writer.await.unwrap());
        }
        let sandbox = open(&path).await;
        let token = sandbox.issuer().create_api_token("ada", "check").unwrap().unwrap();
        let listed = Caller::with_token(&sandbox, token).get_json(PROJECTS).await;
        let listed: std::collections::HashMap<&str, &Value> =
            listed.as_array().unwrap().iter().map(|project| (project["id"].as_str().unwrap(), project)).collect();
        for project in &promised {
            assert_eq!(listed.get(project["id"].as_str().unwrap()), Some(&project));
        }
        sandbox.stop().await;
    }
    assert!(promised.len() >= 250, "{}", promised.len());
}
