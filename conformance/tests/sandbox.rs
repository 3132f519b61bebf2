//! Sandboxes on loopback: that of the contract, and one that lies.

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use driftless::interrupt::Interrupt;

use super::against::{answer, serve};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const CONTRACT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sandbox.yaml");
const STATE: &str = "{\"clock\":\"\",\"pace\":1,\"faults\":[],\"eventFaults\":[],\"requests\":[],\"counts\":[]}";
/// The control interface of a sandbox gives its name.
const NAMED: &str = "content-type: application/json\r\nserver: driftless-sandbox/1\r\n";

fn run(flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-driftless-conformance"));
    command.args(["--workspace", ROOT, CONTRACT]).args(flags).output().unwrap()
}

/// The kind of each answer with its class and place, by method and path, and the counts.
fn rows(output: &Output) -> (BTreeMap<String, [String; 3]>, serde_json::Value, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reports: serde_json::Value = serde_json::from_str(&text).unwrap();
    let part = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = reports[0]["rows"].as_array().unwrap().iter();
    let rows = rows.map(|row| {
        let case = part(row, "case").trim_end_matches(" sandbox").to_owned();
        (case, [part(row, "answer"), part(row, "class"), part(row, "place")])
    });
    (rows.collect(), reports[0]["answers"].clone(), text)
}

#[test]
fn other_methods_than_get_and_head_are_for_a_sandbox_on_loopback_only() {
    // The port of loopback is a tunnel to another service, which has a page or an object for each path.
    let (tunnel, heads) = serve(|_| answer(200, "content-type: text/html\r\n", "<p>"));
    let (objects, others) = serve(|_| answer(200, "content-type: application/json\r\n", "{\"status\":\"ok\"}"));
    let (state, base) = ("does not answer /sandbox/state as a sandbox does", format!("{tunnel}/base"));
    for (address, expected) in [
        ("http://192.0.2.1", "its host is not one of loopback"),
        ("https://service.example", "its scheme is not http"),
        ("https://127.0.0.1", "its scheme is not http"),
        ("http://user:hunter2@127.0.0.1", "it has a user"),
        ("http://127.0.0.1?key=hunter2", "it has a query"),
        ("http://127.0.0.1:99999", "its port"),
        ("http://localhost.example:8080", "its host is not one of loopback"),
        (base.as_str(), "it has a path"),
        (tunnel.as_str(), state),
        (objects.as_str(), state),
    ] {
        let output = run(&["--against", address]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{address}: {text}");
        assert!(text.contains(expected) && text.contains("--only-safe"), "{address}: {text}");
        assert!(!text.contains("hunter2"), "{address}: {text}");
    }
    for heads in [heads, others] {
        let heads = heads.lock().unwrap();
        assert!(heads.len() == 1 && heads[0].starts_with("GET /sandbox/state "), "{heads:?}");
    }
    for address in ["http://user:hunter2@127.0.0.1", "http://127.0.0.1?key=hunter2", "user:hunter2@127.0.0.1"] {
        let output = run(&["--against", address, "--only-safe"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(5) && !text.contains("hunter2"), "{text}");
    }
    let output = run(&["--against", "http://127.0.0.1:1", "--header-env", "X-Key=KEY"]);
    assert_eq!(output.status.code(), Some(5), "a header goes with --only-safe");
}

#[test]
#[ignore = "compiles a client: .ci/run --all runs it"]
fn a_client_and_the_sandbox_of_its_contract_agree() {
    let output = run(&["--sandbox", "--format", "json"]);
    let (rows, answers, text) = rows(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let success = ["success", "right", ""];
    let expected = [
        ("DELETE /pets/{petId}", success),
        // The other operation with this path has removed the item.
        ("DELETE /pets/{pet_id}", ["undeclared", "limit", ""]),
        ("GET /owners/{ownerId}", success),
        ("GET /pets", success),
        ("GET /pets/{petId}", success),
        ("POST /pets", success),
        ("PUT /pets/{petId}", success),
    ];
    let expected = expected.map(|(case, row)| (case.to_owned(), row.map(str::to_owned)));
    assert_eq!(rows, BTreeMap::from(expected), "{text}");
    assert_eq!((&answers["success"], &answers["undeclared"]), (&6.into(), &1.into()));
    assert!(text.contains("an earlier call removed the item"), "{text}");
    // One that runs gives its name, and gets all methods.
    let (runtime, _interrupt) = Interrupt::start().unwrap();
    let contract = std::fs::read(CONTRACT).unwrap();
    let started = driftless_sandbox::start_with(&contract, driftless_sandbox::Options::default());
    let sandbox = runtime.block_on(started).unwrap();
    let output = run(&["--against", sandbox.origin()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("6 successes"), "{text}");
    runtime.block_on(sandbox.stop());
    let output = run(&["--sandbox", "--limit", "2"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("2 successes") && text.contains("5 operations not called"), "{text}");
    assert!(text.contains("GET /pets/{petId} sandbox: the limit of calls or of time is reached"), "{text}");
}

#[test]
#[ignore = "compiles a client: .ci/run runs it"]
fn the_answers_of_a_sandbox_that_lies_are_told_apart() {
    let json = "content-type: application/json\r\n";
    let pet = "{\"id\":7,\"name\":\"Rex\"}";
    let lists = AtomicUsize::new(0);
    let (address, heads) = serve(move |target| match target {
        "/sandbox/state" => answer(200, NAMED, STATE),
        "/pets" if lists.fetch_add(1, Ordering::Relaxed) == 0 => answer(201, json, pet),
        // JSON Schema has no limit of integers, and the type of the client has one.
        "/pets" => answer(200, json, "[{\"id\":7,\"name\":\"Rex\",\"age\":123456789012345678901234567890}]"),
        "/pets/7" => answer(200, json, "{\"id\":\"seven\",\"name\":\"Rex\"}"),
        _ => answer(404, "content-type: application/problem+json\r\n", "{\"title\":\"a\",\"status\":404}"),
    });
    let output = run(&["--against", &address, "--format", "json"]);
    let (rows, answers, text) = rows(&output);
    assert_eq!(output.status.code(), Some(2), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        ("DELETE /pets/{petId}", ["undeclared", "mismatch", "status"]),
        ("DELETE /pets/{pet_id}", ["undeclared", "mismatch", "status"]),
        ("GET /owners/{ownerId}", ["problem", "limit", ""]),
        ("GET /pets", ["unread", "fault", "answer"]),
        ("GET /pets/{petId}", ["unread", "mismatch", "body /id"]),
        ("POST /pets", ["success", "right", ""]),
        ("PUT /pets/{petId}", ["unread", "mismatch", "body /id"]),
    ];
    let expected = expected.map(|(case, row)| (case.to_owned(), row.map(str::to_owned)));
    assert_eq!(rows, BTreeMap::from(expected), "{text}");
    assert_eq!((&answers["success"], &answers["unread"]), (&1.into(), &3.into()));
    assert!(text.contains("the client does not read it"), "{text}");
    // The whole requests of the client arrive, with a body and all methods.
    let sent = heads.lock().unwrap();
    let has = |start: &str| sent.iter().any(|head| head.starts_with(start));
    assert!(
        ["POST /pets ", "GET /pets/7 ", "PUT /pets/7 ", "DELETE /pets/7 "].iter().all(|start| has(start)),
        "{sent:#?}"
    );
}

#[test]
#[ignore = "compiles a client: .ci/run runs it"]
fn a_sandbox_that_performs_nothing_is_a_failure() {
    for (status, expected) in [(401, "conformance/credentials"), (404, "conformance/sandbox")] {
        let (address, _) = serve(move |target| match target {
            "/sandbox/state" => answer(200, NAMED, STATE),
            _ => answer(status, "", ""),
        });
        let contract = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/refused.yaml");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-driftless-conformance"));
        let output = command.args(["--workspace", ROOT, contract, "--against", &address]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{text}{}", String::from_utf8_lossy(&output.stdout));
        assert!(text.contains(expected) && text.contains(&status.to_string()), "{text}");
    }
}
