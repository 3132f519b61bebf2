use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::pets;

#[test]
fn the_program_prints_its_address_in_one_line_and_explains_a_contract() {
    let file = std::env::temp_dir().join(format!("driftless-sandbox-{}.json", std::process::id()));
    std::fs::write(&file, pets("3.0.3").to_string()).unwrap();
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"));
        command.arg("--contract").arg(&file);
        command
    };
    let mut serving = program().args(["--port", "0", "serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    serving.kill().unwrap();
    serving.wait().unwrap();
    let explained = program().arg("explain").output().unwrap();
    let table = String::from_utf8(explained.stdout).unwrap();
    assert!(table.contains("POST /pets            create: pets"), "{table}");
    std::fs::remove_file(&file).unwrap();
    let unread = program().output().unwrap();
    assert_eq!(unread.status.code(), Some(6));
    assert!(String::from_utf8(unread.stderr).unwrap().starts_with("error[file]"));
}

/// Catches a command that takes another server for a sandbox, and a refusal that ends like a success.
#[test]
fn control_changes_a_running_sandbox_from_a_shell() {
    let file = std::env::temp_dir().join(format!("driftless-sandbox-control-{}.json", std::process::id()));
    std::fs::write(&file, pets("3.0.3").to_string()).unwrap();
    let program = || Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"));
    let mut serving = program().arg("--contract").arg(&file).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
    let control = |words: &[&str]| {
        let output = program().args(["control", "--sandbox", &address]).args(words).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    };
    let rule = r#"{"match":{"operation":"GET /pets"},"fault":"status=503"}"#;
    let (code, added) = control(&["faults", "add", rule]);
    assert!(code == 0 && added.contains("\"id\":1"), "{added}");
    assert!(control(&["faults"]).1.contains("GET /pets"));
    assert!(control(&["explain"]).1.contains("\"reason\""));
    assert_eq!(control(&["clock", r#"{"hold":true}"#]).0, 0);
    let (code, refused) = control(&["verify", r#"{"match":{"operation":"GET /pets"}}"#]);
    assert!(code == 1 && refused.contains("0 requests of the journal match"), "{refused}");
    assert_eq!(control(&["nothing"]).0, 5);
    serving.kill().unwrap();
    serving.wait().unwrap();
    assert_eq!(control(&["state"]).0, 3);
    std::fs::remove_file(&file).unwrap();
}

/// Catches a program that says nothing about a console that it does not serve.
#[test]
fn a_console_that_is_off_is_reported() {
    let file = std::env::temp_dir().join(format!("driftless-sandbox-own-{}.json", std::process::id()));
    for (server, is_off) in [("/sandbox/v1", true), ("/v1/sandbox", false)] {
        let mut document = pets("3.0.3");
        document["servers"] = serde_json::json!([{ "url": server }]);
        std::fs::write(&file, document.to_string()).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"));
        program.arg("--contract").arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut serving = program.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
        serving.kill().unwrap();
        let errors = String::from_utf8(serving.wait_with_output().unwrap().stderr).unwrap();
        assert_eq!((errors.lines().count(), errors.contains("no console")), (usize::from(is_off), is_off), "{errors}");
    }
    std::fs::remove_file(&file).unwrap();
}

/// Each program would be killed by a signal that comes between its address and the registration of the handler.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_from_its_first_line_on() {
    let file = std::env::temp_dir().join(format!("driftless-sandbox-first-{}.json", std::process::id()));
    std::fs::write(&file, pets("3.0.3").to_string()).unwrap();
    for signal in ["-INT", "-TERM", "-HUP"].repeat(5) {
        let mut serving = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"))
            .arg("--contract")
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut kill = Command::new("kill");
        kill.arg(signal).arg(serving.id().to_string());
        BufReader::new(serving.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        assert!(kill.status().unwrap().success());
        assert_eq!(serving.wait().unwrap().code(), Some(0), "{signal}");
    }
    std::fs::remove_file(&file).unwrap();
}

/// The request can still be computed when the signal comes; the program does not wait for it.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_while_a_request_is_computed() {
    use std::io::Write as _;
    let node = |index: usize| {
        let next = serde_json::json!({ "$ref": format!("#/components/schemas/N{}", index + 1) });
        (format!("N{index}"), serde_json::json!({ "allOf": [next, next] }))
    };
    let schemas: serde_json::Map<_, _> = (0..40).map(node).collect();
    let schema = serde_json::json!({ "$ref": "#/components/schemas/N0" });
    let content = serde_json::json!({ "application/json": { "schema": schema } });
    let mut document = pets("3.0.3");
    document["components"]["schemas"] = schemas.into();
    document["paths"]["/slow"] =
        serde_json::json!({ "post": { "security": [], "requestBody": { "content": content } } });
    let file = std::env::temp_dir().join(format!("driftless-sandbox-signal-{}.json", std::process::id()));
    std::fs::write(&file, document.to_string()).unwrap();
    let mut serving = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"))
        .arg("--contract")
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let head = "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    stream.write_all(head.as_bytes()).unwrap();
    // Another connection is answered meanwhile.
    let mut other = std::net::TcpStream::connect(address).unwrap();
    other.write_all(b"GET /none HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut status = String::new();
    BufReader::new(other).read_line(&mut status).unwrap();
    assert!(status.starts_with("HTTP/1.1 404"), "{status}");
    let signal = Command::new("kill").arg(serving.id().to_string()).status().unwrap();
    assert!(signal.success() && serving.wait().unwrap().success());
    std::fs::remove_file(&file).unwrap();
}
