//! `cargo xtask sandbox` as a user runs it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::support;
use crate::support::Workspace;

#[test]
fn the_printed_lines_are_all_that_a_program_needs() {
    let workspace = Workspace::new();
    let configuration = support::CONFIGURATION.replace("TEST_", "PLATFORM_");
    workspace.write("specs/codegen.toml", &configuration);
    let data = workspace.path("kept.db");
    let data = data.to_str().expect("a path in UTF-8");
    let mut sandbox = workspace
        .command(&["sandbox", "--contract-requires-token", "--data", data])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let lines = BufReader::new(sandbox.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
    let exports: Vec<String> = lines.filter(|line| line.starts_with("export ")).take(2).collect();
    let variables: Vec<(&str, &str)> = exports
        .iter()
        .flat_map(|line| line.split_whitespace().skip(1))
        .filter_map(|assignment| assignment.split_once('='))
        .collect();
    let secret = variables.iter().find(|(name, _)| *name == "PLATFORM_SECRET_FILE").expect("a secret file").1;
    assert_eq!(fs::metadata(secret).expect("there").permissions().mode() & 0o777, 0o600);

    // One sandbox at a time uses the file.
    workspace.run(&["sandbox", "--data", data]).fails(6, &["another sandbox uses", data, "--data"]);
    let regenerated = workspace.run_with(&["regenerate"], &variables);
    let status = Command::new("kill").args(["-INT", &sandbox.id().to_string()]).status().expect("kill runs");
    assert!(status.success());
    assert!(sandbox.wait().expect("ends").success());
    regenerated.succeeds(&["getting a token", "service from http://127.0.0.1:", "new"]);
    assert!(!fs::exists(secret).expect("asked"), "the secret goes with the sandbox");
}

#[test]
fn secrets_lie_where_they_are_wanted_and_go_with_the_terminal() {
    let workspace = Workspace::new();
    let folder = workspace.path("secrets");
    for _ in 0..2 {
        let mut sandbox = workspace
            .command(&["sandbox", "--secrets", folder.to_str().expect("a path in UTF-8")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut lines = BufReader::new(sandbox.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
        assert!(lines.any(|line| line.starts_with("export PLATFORM_CLIENT_ID")));
        let secret = folder.join("aurora-automation.secret");
        assert!(!fs::read_to_string(&secret).expect("a secret").contains('\n'));
        // The terminal was closed.
        let status = Command::new("kill").args(["-HUP", &sandbox.id().to_string()]).status().expect("kill runs");
        assert!(status.success());
        sandbox.wait().expect("ends");
        assert!(!secret.exists() && folder.exists(), "the secrets go, the folder stays");
    }
}

/// The sandbox of a regeneration ends with it, even where nothing of it can run any more.
#[test]
fn a_sandbox_never_outlives_a_regeneration_that_is_killed() {
    let workspace = Workspace::new();
    let mut run =
        workspace.command(&["regenerate"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("runs");
    let lines = BufReader::new(run.stderr.take().expect("piped")).lines().map(|line| line.expect("text"));
    let address =
        |line: String| Some(line.split_once("the sandbox listens at http://")?.1.trim_matches('/').to_owned());
    let address = lines.into_iter().find_map(address).expect("an address");
    run.kill().expect("killed");
    run.wait().expect("waited for");
    // The end of the pipe takes its time to arrive.
    let is_gone = (0..6000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::net::TcpStream::connect(&address).is_err()
    });
    assert!(is_gone, "{address} still answers");
}

#[test]
fn a_port_that_is_taken_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    Workspace::new().run(&["sandbox", "--port", &port]).fails(5, &[&port, "--port"]);
}

/// As in this repository: a regeneration compiles the contract of the sandbox alone, the command `sandbox` all of it.
#[test]
fn a_sandbox_without_its_server_is_a_source_and_names_the_command_for_the_rest() {
    let workspace = Workspace::new();
    let without = support::CONFIGURATION.replacen(
        "stand_in = { ",
        "stand_in = { bin = \"platform-sandbox-stand-in\", default_features = false, ",
        1,
    );
    assert_ne!(without, support::CONFIGURATION);
    workspace.write("specs/codegen.toml", &without);
    workspace.run(&["regenerate"]).succeeds(&["service from sandbox", "new"]);
    let data = workspace.path("kept.db");
    let output = driftless::child::cargo()
        .args(["run", "--quiet", "--package", "platform-sandbox", "--bin", "platform-sandbox-stand-in"])
        .args(["--no-default-features", "--", "--data"])
        .arg(&data)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("error[sandbox-left-out]"), "{stderr}");
    assert!(stderr.contains("`cargo xtask sandbox`"), "{stderr}");
    assert!(!data.exists());
}

#[test]
fn flags_that_cannot_be_followed_are_named() {
    let workspace = Workspace::new();
    workspace.run(&["sandbox", "--contract-revision", "3"]).fails(5, &["revision 3", "--contract-revision"]);
    workspace.write("seed.toml", "team = [\n");
    let seed = workspace.path("seed.toml");
    let seed = seed.to_str().expect("a path in UTF-8");
    workspace.run(&["sandbox", "--seed", seed]).fails(5, &["seed.toml", "line", "--seed"]);
    workspace.write("text", "this is not a database, and it is longer than a header");
    let data = workspace.path("text");
    workspace.run(&["sandbox", "--data", data.to_str().expect("a path in UTF-8")]).fails(6, &["--data"]);
}
