//! A real service on loopback, whose answers are those of the contract, or not.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const CONTRACT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/against.yaml");
/// The credential, and a value of answers: both must be in no report.
const SECRET: &str = "hunter2-hunter2";
const VALUE: &str = "a-private-value";

/// A server that answers by path, and keeps the heads of requests.
pub(crate) fn serve(answers: impl Fn(&str) -> String + Send + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|length| length == 1) {
                head.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            // A connection that closes with bytes that nobody has read can lose its answer.
            let _ = std::io::copy(&mut (&mut stream).take(length.unwrap_or(0)), &mut std::io::sink());
            let answer = answers(head.split(' ').nth(1).unwrap_or_default());
            kept.lock().unwrap().push(head);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (address, heads)
}

pub(crate) fn answer(status: u16, head: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} Answer\r\n{head}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn run(address: &str, flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-driftless-conformance"));
    command.args([
        "--workspace",
        ROOT,
        CONTRACT,
        "--against",
        address,
        "--rate",
        "1000",
        "--header-env",
        "X-Key=AGAINST_KEY",
    ]);
    command.args(flags).env("AGAINST_KEY", SECRET).output().unwrap()
}

#[test]
fn the_credentials_of_the_workspace_are_for_the_configured_service_only() {
    let (address, heads) = serve(|_| answer(204, "", ""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-driftless-conformance"));
    command.args(["--workspace", ROOT, CONTRACT, "--against", &address, "--only-safe"]);
    command.env("PLATFORM_BASE_URL", "https://platform.example").env("PLATFORM_TOKEN", SECRET);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("--header-env") && !text.contains(SECRET), "{text}");
    assert!(heads.lock().unwrap().is_empty());
}

#[test]
#[ignore = "compiles a client: .ci/run --all runs it"]
fn contract_client_and_service_are_told_apart() {
    let (elsewhere, strangers) = serve(|_| answer(200, "content-type: application/json\r\n", "{\"number\":1}"));
    let json = "content-type: application/json\r\n";
    let (address, heads) = serve(move |target| match target {
        "/right" => answer(200, json, "{\"number\":1}"),
        "/lies" => answer(200, json, &format!("{{\"number\":\"{VALUE}\"}}")),
        "/status" => answer(500, json, &format!("\"{VALUE}\"")),
        "/media" => answer(200, "content-type: text/html\r\n", VALUE),
        // JSON Schema has no limit of integers, and the type of the client has one.
        "/unreadable" => answer(200, json, "{\"number\":123456789012345678901234567890}"),
        "/redirect" => answer(302, &format!("location: {elsewhere}/right\r\n"), ""),
        "/items" => answer(200, json, "[{\"id\":\"a b\"},{\"id\":\"c\"}]"),
        "/items/a%20b" => answer(200, json, "{\"id\":\"a b\"}"),
        other => answer(404, "", other),
    });
    let output = run(&address, &["--only-safe", "--format", "json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let reports: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = reports[0]["rows"].as_array().unwrap().iter();
    let part = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let verdicts: BTreeMap<String, (String, String)> =
        rows.map(|row| (part(row, "case"), (part(row, "class"), part(row, "place")))).collect();
    let expected = [
        ("/items", "right", ""),
        ("/items/{itemId}", "right", ""),
        ("/lies", "mismatch", "body /number"),
        ("/media", "mismatch", "header content-type"),
        ("/redirect", "mismatch", "status"),
        ("/right", "right", ""),
        ("/search", "limit", ""),
        ("/status", "mismatch", "status"),
        ("/unreadable", "fault", "answer"),
    ];
    let expected =
        expected.map(|(path, class, place)| (format!("GET {path} against"), (class.to_owned(), place.to_owned())));
    assert_eq!(verdicts, BTreeMap::from(expected), "{text}");
    let all = text + &String::from_utf8_lossy(&output.stderr);
    assert!(
        ![SECRET, VALUE].iter().any(|text| all.contains(text)) && !all.contains("123456789012345678901234567890"),
        "{all}"
    );

    let sent = std::mem::take(&mut *heads.lock().unwrap());
    assert_eq!(sent.len(), 8, "{sent:#?}");
    for head in &sent {
        assert!(head.starts_with("GET /"), "{head}");
        assert!(head.to_lowercase().contains(&format!("\r\nx-key: {SECRET}\r\n")), "{head}");
    }
    assert!(strangers.lock().unwrap().is_empty());

    // The service refuses everything, in a form that `4XX` of the contract describes.
    let (closed, _) = serve(|target| answer(if target == "/right" { 403 } else { 401 }, "", ""));
    let output = run(&closed, &["--only-safe", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    // The connections after the first answer fail: no verdict on the client.
    let answers = std::sync::atomic::AtomicUsize::new(0);
    let (fragile, _) = serve(move |_| match answers.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0 => answer(404, "", ""),
        _ => String::new(),
    });
    let output = run(&fragile, &["--only-safe", "--limits"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("the service refuses the request: status 404"), "{text}");
    assert!(text.contains("the service does not answer: "), "{text}");

    let output = run(&address, &["--only-safe", "--limit", "2", "--format", "json"]);
    assert_eq!(heads.lock().unwrap().len(), 2);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("the limit of requests or of time is reached"), "{text}");
}

#[test]
#[ignore = "compiles a client: .ci/run --all runs it"]
fn the_configured_service_gets_the_credentials_of_the_workspace() {
    let (address, heads) = serve(|_| answer(404, "", ""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-driftless-conformance"));
    command.args(["--workspace", ROOT, CONTRACT, "--against", &address, "--only-safe", "--limit", "1"]);
    let output = command.env("PLATFORM_BASE_URL", &address).env("PLATFORM_TOKEN", SECRET).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let heads = heads.lock().unwrap().concat().to_lowercase();
    assert!(heads.contains(&format!("\r\nauthorization: bearer {SECRET}\r\n")), "{heads}");
}

#[test]
#[ignore = "compiles a client: .ci/run --all runs it"]
fn a_prism_that_does_not_start_is_no_agreement() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-driftless-conformance"));
    command.args(["--workspace", ROOT, CONTRACT, "--case", "GET /right required", "--prism"]).env("PRISM", "false");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let output = command.arg("--strict").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("not all compared: Prism: "), "{text}");
}
