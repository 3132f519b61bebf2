//! `cargo xtask sandbox` for contracts without a stand-in of their own: the program `driftless-sandbox`.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use crate::support::server::{Response, Server};
use crate::support::{Run, Workspace, contract};

/// Compiles the program, beside the one that starts it, with the features that the tests enable.
fn compile() {
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let arguments = ["build", "--quiet", "--workspace", "--all-features", "--bin", "driftless-sandbox"];
        let target = Path::new(crate::PROGRAM).parent().and_then(Path::parent).expect("a target folder");
        let mut cargo = driftless::child::cargo();
        cargo.args(arguments).arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target);
        assert!(cargo.status().expect("cargo runs").success());
    });
}

/// Without a stand-in.
fn workspace() -> Workspace {
    compile();
    let workspace = Workspace::new();
    workspace.write("specs/codegen.toml", "[source]\nbase_url_env = \"TEST_BASE_URL\"\n");
    workspace
}

/// Starts the sandbox, sends one request to it, and ends it: the status line and the body.
fn answer(workspace: &Workspace, arguments: &[&str], path: &str) -> String {
    let mut command = workspace.command(&[&["sandbox"], arguments].concat());
    let mut serving = command.stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut line = String::new();
    BufReader::new(serving.stdout.take().expect("piped")).read_line(&mut line).expect("text");
    let address = line.trim().strip_prefix("listening on http://").expect("an address").to_owned();
    let mut stream = std::net::TcpStream::connect(&address).expect("connected");
    let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    // The program itself has the place of the one that started it.
    let status = Command::new("kill").args(["-TERM", &serving.id().to_string()]).status().expect("kill runs");
    assert!(status.success() && serving.wait().expect("ended").success());
    answer
}

#[test]
fn the_pinned_contracts_are_served_and_so_is_a_file_or_a_url() {
    let workspace = workspace();
    workspace.run(&["sandbox"]).fails(5, &["sandbox/no-contract", "cargo driftless regenerate", "--contract FILE|URL"]);
    workspace.run(&["sandbox", "--help"]).succeeds(&["--contract <FILE>"]);
    workspace.pin(&contract::small());
    assert!(answer(&workspace, &[], "/api/things").starts_with("HTTP/1.1 200"));

    workspace.write("specs/sandbox.toml", "[[collection]]\npath = '/api/things'\nseeds = []\n");
    assert!(answer(&workspace, &[], "/api/things").ends_with("\r\n\r\n[]"));
    workspace.write("specs/sandbox.toml", "[[collection]]\npath = '/api/none'\n");
    workspace.run(&["sandbox"]).fails(5, &["specs/sandbox.toml:2: `collection.path`", "/api/none"]);

    workspace.write("specs/sandbox.toml", "");
    workspace.write("specs/graphql/schema.graphql", "type Query { things: [String!]! }\n");
    let named = answer(&workspace, &[], "/graphql?query=%7B__typename%7D");
    assert!(named.ends_with(r#"{"data":{"__typename":"Query"}}"#), "{named}");

    workspace.write("other.json", &contract::with_paths(&["/api/others"]));
    let pinned = workspace.path("specs/contracts/service.json");
    let both = ["--contract", "other.json", "--contract", pinned.to_str().expect("UTF-8"), "--seed", "3"];
    for path in ["/api/others", "/api/things"] {
        assert!(answer(&workspace, &both, path).starts_with("HTTP/1.1 200"), "{path}");
    }

    let server = Server::start(|request| match request.path.as_str() {
        "/openapi.json" => Response::json(contract::with_paths(&["/api/remote"])),
        _ => Response::status(404),
    });
    let (old, fresh, other) =
        ("target/sandbox/0123456789abcdef", "target/sandbox/123456789abcdef0", "target/sandbox/own");
    for path in [old, fresh, other] {
        workspace.write(path, "{}");
        let age = Duration::from_secs(if path == fresh { 60 } else { 7_200 });
        let file = fs::File::options().write(true).open(workspace.path(path)).expect("open");
        file.set_modified(SystemTime::now() - age).expect("set");
    }
    let mut before = workspace.tree();
    let url = format!("{}/openapi.json", server.url());
    assert!(answer(&workspace, &["--contract", &url], "/api/remote").starts_with("HTTP/1.1 200"));
    let after = workspace.tree();
    assert!(before.remove(old).is_some() && !after.contains_key(old), "an old download is removed");
    let new: Vec<&String> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(matches!(new.as_slice(), [one] if one.starts_with("target/sandbox/")), "{new:?}");
    assert!(before.iter().all(|(path, bytes)| after[path] == *bytes), "nothing is pinned");
    workspace.run(&["sandbox", "--contract", &format!("{}/none", server.url())]).fails(3, &["404"]);
    workspace.run(&["sandbox", "--contract", "ftp://host/a"]).fails(5, &["--contract", "http(s)"]);
    workspace.run(&["sandbox", "--contract", "none.json"]).fails(6, &["error[file]", "none.json"]);
}

/// A contract that is named is served by the program, even if another one stands in for the service.
#[test]
fn a_named_contract_goes_before_the_stand_in() {
    compile();
    let workspace = Workspace::new();
    workspace.write("contract.json", &contract::small());
    assert!(answer(&workspace, &["--contract", "contract.json"], "/api/things").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_program_that_is_not_installed_is_named_with_the_command_that_installs_it() {
    let workspace = workspace();
    let copy = workspace.path("cargo-driftless");
    fs::copy(crate::PROGRAM, &copy).expect("copied");
    let mut command = Command::new(&copy);
    command.arg("--workspace").arg(workspace.root()).args(["sandbox", "--contract", "a.json"]).env("PATH", "");
    let run = Run::from(command.output().expect("it runs"));
    run.fails(5, &["sandbox/not-installed", "cargo install driftless-sandbox --version"]);
}

/// The program that fits is taken, behind others that do not.
#[cfg(unix)]
#[test]
fn a_program_of_another_version_is_named_with_the_version_that_is_needed() {
    let workspace = workspace();
    let copy = workspace.path("cargo-driftless");
    fs::copy(crate::PROGRAM, &copy).expect("copied");
    let program = |folder: &str, prints: &str| {
        let path = format!("{folder}/driftless-sandbox");
        workspace.write(&path, &format!("#!/bin/sh\necho \"{prints}\"\n"));
        let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(workspace.path(&path), runs).expect("set");
        workspace.path(folder)
    };
    let needed = env!("CARGO_PKG_VERSION");
    let old = program("old", "driftless-sandbox 0.0.1");
    let strange = program("strange", "usage: none");
    let right = program("right", &format!("driftless-sandbox {needed}"));
    let run = |folders: &[&Path]| {
        let path = std::env::join_paths(folders.iter().copied().chain([Path::new("/bin"), Path::new("/usr/bin")]));
        let mut command = Command::new(&copy);
        command.arg("--workspace").arg(workspace.root()).args(["sandbox", "--contract", "a.json"]);
        command.env("PATH", path.expect("a path"));
        loop {
            match command.output() {
                // A process that another test starts holds the copy open for writing until it is another program.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                output => break Run::from(output.expect("it runs")),
            }
        }
    };
    run(&[&old, &strange]).fails(
        5,
        &[
            "sandbox/other-version",
            &format!("driftless-sandbox {needed} is needed"),
            "is version 0.0.1",
            "does not say its version",
            &format!("cargo install driftless-sandbox --version {needed}"),
        ],
    );
    run(&[&old, &strange, &right]).succeeds(&[&format!("driftless-sandbox {needed}")]);
}
